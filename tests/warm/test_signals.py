"""Signals, deaths, crowds: whatever happens to client, child or server in the middle of a call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import git
from helpers.servers import until
from helpers.warming import COLD, Warm, children, lives, run, spares, usual_words, warm_words


@pytest.fixture
def slow(sealed: Path) -> Path:
    """A repository whose checkout says `begun` and waits for `go` beside it."""
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


def begun(slow: Path, *before: str) -> subprocess.Popen[bytes]:
    """A creation through the warm server, stopped in the middle of its checkout."""
    call = subprocess.Popen(
        [*before, *warm_words("new", "fix", "--no-window", "--json")],
        cwd=slow,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert until((slow.parent / "begun").exists)
    return call


def nothing_left(slow: Path) -> bool:
    """Whether the creation has been taken back."""
    trees = git(slow, "worktree", "list").splitlines()
    return len(trees) == 1 and not git(slow, "branch", "--list", "fix")


def test_a_call_ends_though_the_server_has_been_stopped_meanwhile(warm: Warm, slow: Path) -> None:
    call, pid = begun(slow), warm.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        (slow.parent / "go").touch()
        call.communicate(timeout=10)
        assert call.returncode == 0
    finally:
        os.kill(pid, signal.SIGCONT)
    assert until(lambda: not children(pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_client_takes_everything_back(
    warm: Warm, slow: Path, number: signal.Signals
) -> None:
    call = begun(slow)
    call.send_signal(number)
    out, err = call.communicate(timeout=20)
    assert (call.returncode, out) == (130, b"")
    assert json.loads(err)["error"]["code"] == "interrupted"
    assert nothing_left(slow)
    assert until(lambda: not children(warm.pid))


def test_a_second_signal_does_not_disturb_the_rollback(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    for _ in range(5):
        call.send_signal(signal.SIGINT)
    call.communicate(timeout=20)
    assert call.returncode == 130
    assert nothing_left(slow)
    assert warm.pid


def test_nohup(warm: Warm, slow: Path) -> None:
    call = begun(slow, "sh", "-c", 'trap "" HUP; exec "$@"', "sh")
    call.send_signal(signal.SIGHUP)
    (slow.parent / "go").touch()
    out, _ = call.communicate(timeout=20)
    assert call.returncode == 0
    assert json.loads(out)["worktree"]["branch"] == "fix"
    assert warm.pid


def test_a_client_that_is_killed_takes_its_call_along(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    (child,) = children(warm.pid)
    call.kill()
    call.communicate(timeout=20)
    assert until(lambda: not lives(child))
    assert until(lambda: not children(warm.pid))
    assert nothing_left(slow)


def test_a_child_that_is_killed(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    (child,) = children(warm.pid)
    os.kill(child, signal.SIGKILL)
    out, err = call.communicate(timeout=20)
    assert (call.returncode, out) == (3, b"")
    (line,) = err.splitlines()
    assert json.loads(line)["error"]["code"] == "internal"
    assert until(lambda: not children(warm.pid))
    (slow.parent / "go").touch()
    assert run(warm_words("new", "fix", "--no-window", "--json"), cwd=slow).status == 0


def test_a_server_that_is_killed_takes_no_call_along(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    before = warm.pid
    os.kill(before, signal.SIGKILL)
    assert until(lambda: not lives(before))
    assert warm.start().pid != before, "nor has another one to wait for it"
    (slow.parent / "go").touch()
    out, _ = call.communicate(timeout=20)
    assert call.returncode == 0
    assert json.loads(out)["worktree"]["branch"] == "fix"


def test_and_signals_still_arrive(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    os.kill(warm.pid, signal.SIGKILL)
    call.send_signal(signal.SIGINT)
    call.communicate(timeout=20)
    assert call.returncode == 130
    assert nothing_left(slow)


def test_a_server_that_is_asked_to_end_lets_its_calls_finish(warm: Warm, slow: Path) -> None:
    call = begun(slow)
    os.kill(warm.pid, signal.SIGTERM)
    assert until(lambda: not warm.sockets)
    (slow.parent / "go").touch()
    assert call.wait(20) == 0
    call.communicate()


def test_the_child_that_waited_for_it_works_for_a_call(warm: Warm, slow: Path) -> None:
    # One that runs may be another's call, which has not left the server's session yet.
    (waiting,) = until(lambda: [one for one in spares(warm.pid) if _state(one) == "S"])
    call = begun(slow)
    assert children(warm.pid) == [waiting]
    assert until(lambda: spares(warm.pid)), "the next call has one too, as long as this one takes"
    (slow.parent / "go").touch()
    call.communicate(timeout=20)
    assert call.returncode == 0
    assert until(lambda: not children(warm.pid))


# A job of its own in a session where its parent lives too: an orphaned group cannot be stopped.
JOB = "import subprocess, sys; sys.exit(subprocess.Popen(sys.argv[1:], process_group=0).wait())"


def test_stopped_and_continued(warm: Warm, slow: Path) -> None:
    """As by Ctrl-Z and fg: the child stops with the client and goes on with it."""
    call = begun(slow, "setsid", sys.executable, "-c", JOB)
    (child,) = children(warm.pid)
    (client,) = children(call.pid)
    os.kill(client, signal.SIGTSTP)
    assert until(lambda: _state(child) == _state(client) == "T")
    os.kill(client, signal.SIGCONT)
    assert until(lambda: "T" not in {_state(child), _state(client)})
    (slow.parent / "go").touch()
    call.communicate(timeout=20)
    assert call.returncode == 0


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(") ")[-1][:1]


def test_many_at_once(warm: Warm, repo: Path) -> None:
    """32 callers, each with its own folder, environment and answer; none is left over."""
    folders = []
    for number in range(4):
        git(repo, "worktree", "add", "-q", "-b", f"b{number}", str(repo.parent / f"w{number}"))
        folders.append(repo.parent / f"w{number}")
    calls = [
        subprocess.Popen(
            usual_words("path", ".", "--json"),
            cwd=folders[number % 4],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(32)
    ]
    for number, call in enumerate(calls):
        out, err = call.communicate(timeout=60)
        assert call.returncode == 0, err
        assert json.loads(out)["path"] == str(folders[number % 4])
    assert until(lambda: not children(warm.pid))


def test_a_flood_of_killed_clients_leaves_nothing(warm: Warm, repo: Path) -> None:
    for delay in range(12):
        call = subprocess.Popen(
            warm_words("list"), cwd=repo, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            call.wait(delay * 0.006)
        except subprocess.TimeoutExpired:
            call.kill()
            call.wait()
    # Its end of the child that waits for the next call is a descriptor too.
    assert until(lambda: not children(warm.pid) and spares(warm.pid))
    descriptors = len(list(Path(f"/proc/{warm.pid}/fd").iterdir()))
    assert run(warm_words("list"), cwd=repo).status != COLD
    assert until(lambda: not children(warm.pid) and spares(warm.pid))
    assert len(list(Path(f"/proc/{warm.pid}/fd").iterdir())) == descriptors
