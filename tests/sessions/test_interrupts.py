"""Signals, two at once, and no room: what was begun is taken back, whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import interrupting, repos
from helpers.calls import PYTHON, done, hqt, refused, spawn
from helpers.repos import git
from helpers.servers import Server, until


def everything(repo: Path) -> tuple[str, list[str]]:
    files = sorted(
        str(path.relative_to(repo))
        for path in repo.rglob("*")
        if not {"objects", "hqt"} & set(path.relative_to(repo).parts)
    )
    return git(repo, "for-each-ref"), files


@pytest.fixture
def slow(sealed: Path) -> Path:
    """A repository whose checkout waits for a file `go` beside it, and says `begun` first."""
    repo = repos.repository(sealed / "slow")
    script = sealed / "wait.sh"
    script.write_text(
        f"#!/bin/sh\ntouch {sealed}/begun\nn=0\n"
        f"while [ ! -e {sealed}/go ] && [ $n -lt 400 ]; do n=$((n+1)); sleep 0.05; done\ncat\n"
    )
    script.chmod(0o755)
    git(repo, "config", "filter.wait.smudge", str(script))
    git(repo, "config", "filter.wait.clean", "cat")
    repos.commit(repo, ".gitattributes", "held filter=wait\n")
    repos.commit(repo, "held")
    return repo


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_takes_everything_back(slow: Path, number: signal.Signals) -> None:
    before = everything(slow)
    call = spawn("new", "fix", "--no-window", "--json", cwd=slow)
    assert until(lambda: (slow.parent / "begun").exists())
    call.send_signal(number)
    out, err = call.communicate(timeout=20)
    assert call.returncode == 130
    assert out == b""
    assert json.loads(err)["error"]["code"] == "interrupted"
    assert everything(slow) == before
    assert done("list", cwd=slow)["sessions"] == []
    (slow.parent / "go").touch()
    assert done("new", "fix", "--no-window", cwd=slow)["worktree"]["branch"] == "fix"


def test_a_second_one_waits_and_says_who_holds_the_lock(slow: Path) -> None:
    first = spawn("new", "one", "--no-window", "--json", cwd=slow)
    assert until(lambda: (slow.parent / "begun").exists())
    second = spawn("new", "two", "--no-window", "--json", cwd=slow)
    (slow.parent / "go").touch()
    assert first.wait(30) == 0
    assert second.wait(30) == 0
    assert len(done("list", cwd=slow)["worktrees"]) == 3


def test_two_creations_of_one_name(repo: Path) -> None:
    both = [spawn("new", "fix", "--no-window", "--json", cwd=repo) for _ in range(2)]
    answers = [one.communicate(timeout=30) for one in both]
    assert sorted(one.returncode for one in both) == [0, 1]
    failed = next(err for one, (_, err) in zip(both, answers, strict=True) if one.returncode)
    assert json.loads(failed)["error"]["code"] in {"branch_exists", "path_exists"}
    assert len(done("list", cwd=repo)["worktrees"]) == 2
    assert len(done("list", cwd=repo)["sessions"]) == 1


def test_eight_creations_at_once(repo: Path) -> None:
    names = [f"task-{number}" for number in range(8)]
    calls = [spawn("new", name, "--no-window", cwd=repo) for name in names]
    assert [call.wait(60) for call in calls] == [0] * 8
    listed = done("list", cwd=repo)
    assert sorted(tree["branch"] for tree in listed["worktrees"]) == ["main", *names]
    exclude = (repo / ".git" / "info" / "exclude").read_text()
    assert exclude.count(".worktrees") == 1
    assert git(repo, "config", "--get-regexp", "^branch", check=False) == ""


def test_killed_in_the_middle_the_next_call_takes_it_back(slow: Path) -> None:
    before = everything(slow)
    call = spawn("new", "fix", "--no-window", cwd=slow)
    assert until(lambda: (slow.parent / "begun").exists())
    call.kill()
    call.wait(10)
    rows = [row for row in done("list", cwd=slow)["worktrees"] if not row["main"]]
    assert all(row["locked"].startswith("hqt: creating ") for row in rows)
    (slow.parent / "go").touch()
    done("new", "fix", "--no-window", cwd=slow)
    done("remove", "fix", cwd=slow)
    assert [line for line in everything(slow)[0].splitlines() if "hqt/trash" not in line] == (
        before[0].splitlines()
    )


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize(
    ("place", "moment"),
    [
        (interrupting.TMUX, "before new-window"),
        (interrupting.TMUX, "after new-window"),
        (interrupting.TMUX, "before @hqt_session"),
        (interrupting.TMUX, "after @hqt_session"),
        ("hqt.sessions.create:_told", "before Made"),
        ("hqt.report:success", "before Opened"),
        ("hqt.git.creation:create", "after Repository"),
    ],
)
@pytest.mark.parametrize("verb", ["new", "open"])
def test_a_signal_around_the_window_leaves_all_or_nothing(
    repo: Path, tmux: Server, place: str, moment: str, number: str, verb: str
) -> None:
    """And says which."""
    if verb == "open":
        repos.linked(repo, repo / ".worktrees" / "fix", "fix")
    call = [sys.executable, "-c", interrupting.SCRIPT, place, moment, number]
    env = {**os.environ, "PYTHONPATH": str(PYTHON)}
    ended = subprocess.run(
        [*call, "-L", tmux.socket, verb, "fix", "--json"],
        cwd=repo, env=env, capture_output=True, stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    listed = done("-L", tmux.socket, "list", cwd=repo)
    marks = [mark for mark in tmux.windows("#{@hqt_session}") if mark]
    if ended.returncode:
        assert (ended.returncode, ended.stdout) == (130, ""), ended.stderr
        assert json.loads(ended.stderr)["error"]["code"] == "interrupted"
        assert (len(tmux.windows()), listed["sessions"]) == (1, [])
        assert len(listed["worktrees"]) == (2 if verb == "open" else 1)
    else:
        made = json.loads(ended.stdout)
        assert marks == [made["session"]["id"]]
        assert [one["window"] for one in listed["sessions"]] == [made["window"]]
        assert len(listed["worktrees"]) == 2


def test_windows_opened_before_a_signal_stay_and_are_told(repo: Path, tmux: Server) -> None:
    made = [
        done("-L", tmux.socket, "new", name, "-d", cwd=repo) for name in ("one", "two", "three")
    ]
    for one in made:
        tmux.cmd("kill-window", "-t", one["window"])
    call = [
        sys.executable,
        "-c",
        interrupting.SCRIPT,
        interrupting.TMUX,
        f"after {made[1]['session']['id']}",
        "SIGINT",
    ]
    ended = subprocess.run(
        [*call, "-L", tmux.socket, "open", "--all", "--json"],
        cwd=repo, env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True,
        stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (130, "")
    stayed = len(tmux.windows()) - 1
    assert 0 < stayed < 3
    assert "; the windows that had been opened stay." in ended.stderr
    assert len(done("-L", tmux.socket, "open", "--all", cwd=repo)["opened"]) == 3 - stayed


_DYING = """
import importlib, os, sys
from hqt import cli
module = importlib.import_module(sys.argv[1])
real = getattr(module, sys.argv[2])
def last(*arguments):
    real(*arguments)
    os._exit(9)
setattr(module, sys.argv[2], last)
cli.run(["undo"])
"""


@pytest.mark.parametrize(
    "step", ["hqt.git.passage bring_tree", "hqt.git.recovery _arrived",
             "hqt.git.disposal condemn", "hqt.git.disposal remove"],
)  # fmt: skip
def test_an_undo_killed_anywhere_keeps_the_session(repo: Path, step: str) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    done("remove", "fix", cwd=repo)
    env = {**os.environ, "PYTHONPATH": str(PYTHON)}
    call = [sys.executable, "-c", _DYING, *step.split()]
    assert subprocess.run(call, cwd=repo, env=env).returncode == 9
    if hqt("undo", cwd=repo).status:  # finished by what comes next, if it had come that far
        assert done("trash", "list", cwd=repo)["entries"] == []
    assert done("list", cwd=repo)["sessions"] == [
        {**made["session"], "window": None, "state": "closed"}
    ]
    assert Path(made["worktree"]["path"]).is_dir()


def test_a_full_disk(sealed: Path) -> None:
    disk = sealed / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(disk)]).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        repo = repos.repository(disk / "project")
        repos.commit(repo, "large", "x" * 900_000)
        (repo / "ballast").write_bytes(b"\0" * 400_000)
        before = everything(repo)
        for number in range(4):
            error = None
            made = spawn("new", f"task-{number}", "--no-window", "--json", cwd=repo)
            _, said = made.communicate(timeout=30)
            if made.returncode:
                error = json.loads(said)["error"]
                break
        assert error is not None
        assert error["code"] == "git_failed"
        done("list", cwd=repo)
        assert f"task-{number}" not in git(repo, "branch", "--list")
        assert not (repo / ".worktrees" / f"task-{number}").exists()
        assert before
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_store_that_cannot_be_written_leaves_nothing(repo: Path, sealed: Path) -> None:
    before = everything(repo)
    state = sealed / ".local" / "state"
    state.mkdir(parents=True)
    (state / "hqt").write_text("in the way\n")
    assert refused("new", "fix", "--no-window", cwd=repo)["code"] == "store_failed"
    (state / "hqt").unlink()
    assert everything(repo) == before


def test_a_window_that_vanishes_at_once_is_no_worktree_lost(repo: Path, tmux: Server) -> None:
    """A harness that ends at once: the window is gone, the worktree stays and can be opened."""
    config = Path.home() / ".config" / "hqt"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[harness.brief]\nprogram = "true"\n')
    made = done("-L", tmux.socket, "new", "fix", "-H", "brief", "-d", cwd=repo)
    assert Path(made["worktree"]["path"]).is_dir()
    assert until(lambda: made["window"] not in tmux.windows())
