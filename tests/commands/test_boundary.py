"""The edge: exit statuses, streams, JSON, and that no traceback gets past it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.calls import PYTHON, done, hqt, refused
from helpers.repos import commit
from hqt.cli import VERBS

ENVIRONMENT = {"PYTHONPATH": str(PYTHON)}


def call(
    *arguments: str, cwd: Path, redirect: str = "", **env: str
) -> subprocess.CompletedProcess[bytes]:
    command = f'"$@" {redirect}'
    return subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "hqt", *arguments],
        cwd=cwd,
        env={**os.environ, **ENVIRONMENT, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("words", [(), ("trash",), ("ui",)])
def test_without_a_command_people_get_the_help_and_json_a_sentence(words: tuple[str, ...]) -> None:
    called = " ".join(("hqt", *words))
    told = hqt(*words)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"hqt: {called} needs a command after it.\n\n     Usage: {called} ")
    commands = told.err.split("Commands:")[1]
    assert "..." not in commands, "sentences are not cut"
    assert "expire" not in commands, "what hqt calls itself is hidden"
    for arguments in (("--json", *words), (*words, "--json")):
        message = hqt(*arguments).error["message"]
        assert message in (f"{called} needs a command after it.", "Missing command."), arguments


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_tells_how_it_is_used(verb: str) -> None:
    told = hqt(verb, "--help")
    assert told.status == 0
    assert told.out.startswith(f"Usage: hqt {verb}")
    assert told.err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonesuch"],
        ["list", "--nonesuch"],
        ["list", "surplus"],
        ["remove"],
        ["lock"],
        ["open"],
        ["open", "--dry-run"],
        ["new", "--path", ""],
        ["new", "-s", ""],
        ["-C", "/nonexistent/folder", "list"],
        ["trash", "empty", "--older-than", "x"],
        ["--json=", "list"],
    ],
    ids=" ".join,
)
def test_wrong_usage(repo: Path, arguments: list[str]) -> None:
    assert hqt(*arguments, cwd=repo).status == 2
    assert refused(*arguments, cwd=repo)["code"] == "usage"


def test_without_a_verb_hqt_tells_what_there_is(repo: Path) -> None:
    told = hqt(cwd=repo)
    assert told.status == 2
    assert "new" in told.err
    assert told.out == ""


def test_a_failure_for_people_has_a_remedy_and_no_traceback(repo: Path) -> None:
    told = hqt("path", "nonesuch", cwd=repo)
    assert told.status == 1
    assert told.out == ""
    assert "hqt: Nothing is called 'nonesuch' here" in told.err
    assert "hqt list" in told.err


@pytest.mark.parametrize("redirect", [">&-", ">/dev/full", ">&- 2>&-", "</dev/null <&-"])
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["path", "."], ["doctor"]])
def test_streams_that_are_closed_or_full(repo: Path, arguments: list[str], redirect: str) -> None:
    told = call(*arguments, cwd=repo, redirect=redirect)
    assert told.returncode in {0, 130}
    assert b"Traceback" not in told.stderr
    assert b"fault in hqt" not in told.stderr


def test_a_reader_that_goes_away(repo: Path) -> None:
    told = call("list", "--json", cwd=repo, redirect="| true")
    assert b"Traceback" not in told.stderr


def test_a_fault_is_logged_and_told_in_a_sentence(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No fault is known, so one is made: a story that divides by zero."""
    from hqt.sessions import listing

    monkeypatch.setattr(listing, "here", lambda *_, **__: 1 // 0)
    told = hqt("list", "--json", cwd=repo)
    assert told.status == 3
    assert told.out == ""
    error = json.loads(told.err)["error"]
    assert error["code"] == "internal"
    log = Path(error["remedy"].split("details are in ")[1].split(";")[0])
    assert "ZeroDivisionError" in log.read_text()
    assert "'list', '--json'" in log.read_text() or "arguments" in log.read_text()


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_any_locale(repo: Path, locale: str) -> None:
    subprocess.run(["git", "branch", "日本/ü"], cwd=repo, check=True)
    made = call("new", "--checkout", "日本/ü", "--no-window", cwd=repo, LC_ALL=locale)
    assert made.returncode == 0, made.stderr
    listed = call("list", "--json", cwd=repo, LC_ALL=locale)
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout)["worktrees"][1]["branch"] == "日本/ü"
    assert call("list", cwd=repo, LC_ALL=locale).returncode == 0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lok", "'lock'"),
        ("undoo", "'undo'"),
        ("rmove", "'move' or 'remove'"),
        ("rem", "'remove'"),  # though 'rename' is spelled more like it
        ("re", "'remove' or 'restore' or 'rename'"),
    ],
)
def test_a_verb_that_nearly_is_one_is_named(sealed: Path, typed: str, meant: str) -> None:
    error = hqt(typed, "--json", cwd=sealed)
    assert error.status == 2
    message = json.loads(error.err)["error"]["message"]
    assert message.endswith(f"Did you mean {meant}?")
    assert "Did you mean" not in hqt("xyzzy", cwd=sealed).err
    assert "Did you mean" not in hqt("", cwd=sealed).err
    assert "Did you mean 'list'?" in hqt("trash", "lst", cwd=sealed).err
    assert "?." not in hqt("trash", "lst", cwd=sealed).err


def test_help_tells_of_every_verb_to_the_end(sealed: Path) -> None:
    told = hqt("--help", cwd=sealed).out
    assert "..." not in told.split("Commands:")[1]
    assert all(f"\n  {verb} " in told for verb in VERBS)


def test_each_reason_of_a_refusal_stands_beside_its_remedy(repo: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    tree = repo / ".worktrees" / "fix"
    commit(tree, "own")
    (tree / "notes").touch()
    lines = hqt("remove", "fix", cwd=repo).err.splitlines()
    assert [line[:5] for line in lines] == ["hqt: ", "     "] * 2
    assert "notes" in lines[0]
    assert "Commit or stash" in lines[1]
    assert "exists nowhere else" in lines[2]
    assert "Push, merge" in lines[3]
    assert refused("remove", "fix", cwd=repo)["message"] == f"{lines[0][5:]} {lines[2][5:]}"
