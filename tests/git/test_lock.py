"""One changing verb at a time, whoever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers import trashing
from helpers.calls import PYTHON
from helpers.repos import git, linked
from hqt.errors import Code, HqtError
from hqt.git.lock import Holder, repository_lock

HOLD = """
import select, sys
from pathlib import Path
from hqt.git.lock import Pulse, repository_lock
from hqt.git.repository import discover
with repository_lock(discover(Path(sys.argv[1])), sys.argv[2], wait=20):
    {body}
"""
WAITS = "print('held', flush=True); sys.stdin.read()"
WORKS = """pulse = Pulse(Path(sys.argv[1], ".git"))
    print('held', flush=True)
    while not select.select([sys.stdin], [], [], 0.02)[0]: pulse.beat()"""


@contextmanager
def another(repo: Path, verb: str, body: str = WAITS) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock from when this begins until its input ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(body=body), str(repo), verb],
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        try:
            yield child
        finally:
            child.kill()


def test_who_must_wait_too_long_is_told_who_holds_it(repo: Path) -> None:
    with another(repo, "remove") as holder:
        before = time.monotonic()
        with (
            pytest.raises(HqtError) as refused,
            repository_lock(trashing.discover(repo), "new", wait=0.2),
        ):
            pytest.fail("two have it")
        assert 0.2 <= time.monotonic() - before < 5
    assert refused.value.code is Code.REPOSITORY_LOCKED
    assert f"hqt remove (process {holder.pid}" in refused.value.message
    assert refused.value.details["pid"] == holder.pid


def test_one_who_gets_on_is_waited_for(repo: Path) -> None:
    """Longer than the bound: `waiting` is first called after a second."""
    with another(repo, "new", WORKS) as holder:
        told: list[Holder | None] = []

        def waiting(whom: Holder | None) -> None:
            told.append(whom)
            assert holder.stdin is not None
            holder.stdin.close()

        with repository_lock(trashing.discover(repo), "new", wait=0.8, waiting=waiting):
            pass
    assert told[0] is not None
    assert (told[0].pid, told[0].verb) == (holder.pid, "new")


def test_one_who_has_been_stopped_is_not(repo: Path) -> None:
    with another(repo, "new", WORKS) as holder:
        holder.send_signal(signal.SIGSTOP)
        with (
            pytest.raises(HqtError, match=r"has not got on for 0\.6 seconds"),
            repository_lock(trashing.discover(repo), "new", wait=0.6),
        ):
            pass


def test_nobody_is_waited_for_without_end(repo: Path) -> None:
    with (
        another(repo, "new", WORKS),
        pytest.raises(HqtError, match=r"did not finish within 0\.7 seconds"),
        repository_lock(trashing.discover(repo), "new", wait=30, longest=0.7),
    ):
        pass


def test_who_waits_may_leave_it(repo: Path) -> None:
    def waiting(_: Holder | None) -> None:
        raise ZeroDivisionError

    with (
        another(repo, "new"),
        pytest.raises(ZeroDivisionError),
        repository_lock(trashing.discover(repo), "new", wait=30, waiting=waiting),
    ):
        pass


def test_it_is_given_on_when_its_holder_is_done(repo: Path) -> None:
    with another(repo, "remove") as holder:
        assert holder.stdin is not None
        holder.stdin.close()
        with repository_lock(trashing.discover(repo), "new", wait=20):
            pass


def test_a_killed_holder_leaves_it_free(repo: Path) -> None:
    with another(repo, "remove") as holder:
        holder.kill()
        holder.wait()
        with repository_lock(trashing.discover(repo), "new", wait=0):
            pass


def test_a_child_does_not_inherit_it(repo: Path) -> None:
    """A git or editor that outlives hqt must not keep the repository locked."""
    found = trashing.discover(repo)
    with repository_lock(found, "new"):
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False)
    try:
        with repository_lock(found, "new", wait=0):
            pass
    finally:
        child.communicate()


def test_an_error_in_the_body_frees_it_and_comes_through(repo: Path) -> None:
    found = trashing.discover(repo)
    with pytest.raises(ZeroDivisionError), repository_lock(found, "new"):
        raise ZeroDivisionError
    with repository_lock(found, "new", wait=0):
        pass


def test_many_at_once_go_one_after_the_other(repo: Path) -> None:
    log = repo / "log"
    body = f"""
    with open({str(log)!r}, "a") as log:
        print("in", file=log, flush=True)
        print("out", file=log, flush=True)
    """.strip("\n")
    code = HOLD.replace("    {body}", "{body}").format(body=body)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(repo), "new"],
            env={**os.environ, "PYTHONPATH": str(PYTHON)},
        )
        for _ in range(6)
    ]
    assert [child.wait(30) for child in children] == [0] * 6
    assert log.read_text().split() == ["in", "out"] * 6


def test_linked_worktrees_share_it_and_clones_do_not(repo: Path, sealed: Path) -> None:
    tree = linked(repo, sealed / "tree")
    git(sealed, "clone", "-q", str(repo), "clone")
    with another(repo, "remove"):
        with pytest.raises(HqtError), repository_lock(trashing.discover(tree), "new", wait=0):
            pass
        with repository_lock(trashing.discover(sealed / "clone"), "new", wait=0):
            pass


def test_where_it_cannot_be_written_that_is_said(repo: Path) -> None:
    (repo / ".git" / "hqt").write_text("a file where the folder should be")
    with pytest.raises(HqtError) as refused, repository_lock(trashing.discover(repo), "new"):
        pass
    assert refused.value.code is Code.GIT_FAILED
    assert "cannot be written" in refused.value.message


def test_a_shared_repository_shares_it(repo: Path) -> None:
    (repo / ".git").chmod(0o2775)
    with repository_lock(trashing.discover(repo), "new"):
        pass
    assert (repo / ".git" / "hqt").stat().st_mode & 0o7777 == 0o2775
    assert (repo / ".git" / "hqt" / "lock").stat().st_mode & 0o777 == 0o664
