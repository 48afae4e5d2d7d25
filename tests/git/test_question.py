"""Questions are sealed, bounded in time, and leave no git behind."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import repos
from hqt.errors import Code, HqtError
from hqt.git import process, question, status
from hqt.git.question import Place


def fake_git(home: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (home / "fake").mkdir()
    (home / "fake" / "git").write_text(f"#!/bin/sh\n{script}\n")
    (home / "fake" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'fake'}{os.pathsep}{os.environ['PATH']}")


def wait_for_the_end_of(pid: int) -> None:
    deadline = time.monotonic() + 10
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(pid, 0)
        pytest.fail(f"process {pid} lives on")


def written(file: Path) -> int:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()).endswith("\n"):
            return int(text)
    raise AssertionError(f"{file} was not written")


def test_git_ends_with_the_block_that_began_it(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(sealed, monkeypatch, f"sleep 60 & echo $! > {sealed}/pid; wait")
    with question.begun(Place(repo / ".git"), "status"):
        pid = written(sealed / "pid")
    wait_for_the_end_of(pid)


def test_an_interrupt_ends_git_too(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(sealed, monkeypatch, f"sleep 60 & echo $! > {sealed}/pid; wait")
    with pytest.raises(KeyboardInterrupt):
        begun_and_interrupted(Place(repo / ".git"), sealed / "pid")
    wait_for_the_end_of(written(sealed / "pid"))


def begun_and_interrupted(place: Place, pid: Path) -> None:
    with question.begun(place, "status"):
        written(pid)
        raise KeyboardInterrupt


def test_time_counts_from_the_start(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(sealed, monkeypatch, "exec sleep 60")
    began = time.monotonic()
    with (
        question.begun(Place(repo / ".git"), "status", timeout=0.2) as one,
        question.begun(Place(repo / ".git"), "status", timeout=0.2) as two,
    ):
        for answer in (one, two):
            with pytest.raises(HqtError) as late:
                answer()
            assert late.value.code is Code.TIMEOUT
    assert time.monotonic() - began < 5


def test_several_answers_can_be_waited_for(repo: Path) -> None:
    place = Place(repo / ".git", repo)
    with (
        question.begun(place, *status.COMMAND) as changed,
        question.begun(place, "ls-files", "-z") as listed,
    ):
        assert listed() == b"file0\0"
        assert changed() == b""


def test_much_output_does_not_block(repo: Path) -> None:
    lines = "".join(f"100644 {'1' * 40}\tfile{number}\n" for number in range(20_000))
    repos.git(repo, "update-index", "--add", "--index-info", input=lines)
    with question.begun(Place(repo / ".git", repo), "ls-files", "-z") as listed:
        assert listed().count(b"\0") == 20_000


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'warning: cannot open x.' >&2", "git status warned: warning: cannot open x."),
        ("echo 'fatal: no' >&2; exit 128", "git status failed: fatal: no."),
        ("exit 3", "git status failed: exit status 3."),
    ],
)
def test_only_a_clean_answer_is_one(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    fake_git(sealed, monkeypatch, script)
    for ask in (question.ask, begun_and_answered):
        with pytest.raises(HqtError) as failure:
            ask(Place(repo / ".git"), "status")
        assert (failure.value.code, failure.value.message) == (Code.GIT_FAILED, message)


def begun_and_answered(place: Place, *arguments: str) -> bytes:
    with question.begun(place, *arguments) as answer:
        return answer()


def test_no_git_is_told_at_once(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    with pytest.raises(HqtError) as failure, process.begun("status", cwd=repo):
        pass
    assert failure.value.code is Code.GIT_FAILED


def test_nothing_is_fetched_to_answer(repo: Path) -> None:
    """A partial clone would ask its remote for what is missing; here that is a failure."""
    repos.git(repo, "config", "uploadpack.allowFilter", "true")
    clone = repo.parent / "partial"
    words = ("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo}", str(clone))
    repos.git(repo, *words)
    with pytest.raises(HqtError):
        question.ask(Place(clone / ".git"), "cat-file", "-p", "HEAD:file0")
    assert repos.git(clone, "cat-file", "-p", "HEAD:file0") == "0"


@pytest.mark.parametrize(
    "record", ["1 M. N... 1 2 3 4 5", "nonsense", "9 x y", "u UU N... 1 2 3 4 5 6 7", "? "]
)
def test_a_status_that_git_does_not_document_is_an_error(record: str) -> None:
    assert status.parse(b"? a b\0")[0].path == "a b"
    with pytest.raises(ValueError, match="git status says"):
        status.parse(record.encode() + b"\0")
