"""Whatever goes wrong at whatever step: nothing is lost, and the next call puts it right.

The property, after each fault: the worktree is fully there, or it is entirely in the trash and
undo brings it back byte for byte; nothing of the trash's own is left over; git finds it sound.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import trashing
from helpers.calls import PYTHON
from helpers.faults import Fault, Story, fault, walk
from helpers.portraits import differences, files
from helpers.repos import git, linked
from helpers.trashing import Case
from hqt.git import entry, passage, trash
from hqt.git.manifest import State


@pytest.fixture
def case(sealed: Path) -> Case:
    return Case(sealed)


@pytest.mark.parametrize("kind", ["error", "full", "killed"])
def test_a_removal_that_fails_anywhere(case: Case, kind: str) -> None:
    outcomes = []

    def after(_met: Fault) -> None:
        said = case.recover()
        assert kind != "error" or said == (), "what could be settled at once was"
        outcomes.append(case.require_whole())

    steps = walk(case.remove, after, kind)
    assert steps > 30
    assert True in outcomes
    assert False in outcomes, "both outcomes were met"
    git(case.repo, "fsck", "--no-dangling")


@pytest.mark.parametrize("kind", ["error", "killed"])
def test_an_undo_that_fails_anywhere(case: Case, kind: str) -> None:
    """Its branch was deleted meanwhile, so there is more to do, and more to take back."""
    case.remove()
    case.delete_branch()
    outcomes = []

    def after(_met: Fault) -> None:
        said = case.recover()
        assert kind != "error" or said == (), "what could be settled at once was"
        outcomes.append(case.require_whole())
        case.remove()
        case.delete_branch()

    steps = walk(case.undo, after, kind)
    assert steps > 20
    assert True in outcomes
    assert False in outcomes
    git(case.repo, "fsck", "--no-dangling")


@pytest.mark.parametrize("kind", ["full", "killed"])
def test_an_emptying_that_fails_anywhere(case: Case, kind: str) -> None:
    """The entry can be restored for as long as it is listed, and is gone once it is not."""
    found = trashing.discover(case.repo)
    outcomes = []

    def fill() -> None:
        git(case.repo, "worktree", "add", "-q", "-f", str(case.tree), "some/topic")

    def after(_met: Fault) -> None:
        case.recover()
        listed = trash.entries(found)
        outcomes.append(bool(listed))
        if listed:
            assert len(trashing.pins(case.repo)) == 2
            case.undo()
            assert differences(case.before, case.now()) == []
        else:
            assert trashing.pins(case.repo) == trashing.leftovers(case.repo) == []
            fill()
            case.before = case.now()
        case.remove()

    case.remove()
    steps = walk(lambda: trash.empty(found, entries=trash.entries(found)), after, kind)
    assert steps > 5
    assert True in outcomes
    assert False in outcomes


@pytest.mark.parametrize("story", ["remove", "undo"])
def test_a_recovery_that_is_killed_anywhere(case: Case, story: str) -> None:
    """Killed at every third step, and the recovery after it at each of its own."""
    act: Story = case.remove if story == "remove" else case.undo

    def begin() -> None:
        if story == "undo":
            case.remove()
            case.delete_branch()

    def settle() -> None:
        trash.recover(trashing.discover(case.repo))

    for at in range(2, 1000, 7):
        begin()
        with fault(at, "killed") as met:
            act()
        for again in range(1, 1000):
            with fault(again, "killed") as second:
                settle()
            if not second.happened:
                break
        case.recover()
        case.require_whole()
        if not met.happened:
            return
    raise AssertionError("it never ends")


KILLED = """
import sys
from pathlib import Path
from hqt.git import repository, trash, worktrees
from hqt.git.lock import repository_lock
repo, tree = Path(sys.argv[1]), Path(sys.argv[2])
found = repository.discover(repo)
print("ready", flush=True)
while True:
    with repository_lock(found, "remove"):
        trash.recover(found)
        row = next(row for row in worktrees.list_worktrees(found) if row.path == tree)
        one = trash.prepare(found, row, pool=repo / ".worktrees")
        trash.take(one)
        trash.undo(found, one.id, worktrees=worktrees.list_worktrees(found))
"""


def test_a_process_killed_at_any_time(case: Case) -> None:
    """The real thing: kill -9 of a process that removes and undoes without end."""
    chance = random.Random(0)
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(case.repo), str(case.tree)],
            env={**os.environ, "PYTHONPATH": str(PYTHON)},
            stdout=subprocess.PIPE,
        )
        with child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            until = time.monotonic() + chance.uniform(0.02, 0.3)
            while time.monotonic() < until:
                assert child.poll() is None
            child.kill()
        wait_for_git(case.repo)
        case.recover()
        case.require_whole()
    git(case.repo, "fsck", "--no-dangling")


def wait_for_git(repo: Path) -> None:
    """A git that the killed process had started goes on to its end, a few milliseconds later."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        places = []
        for link in Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(OSError):
                places.append(link.readlink())
        if not any(place.is_relative_to(repo) for place in places):
            return
    raise AssertionError("a git does not end")


def test_what_was_done_is_said(case: Case) -> None:
    with fault(1, "killed"):
        case.remove()
    assert case.recover() == ()
    one = trashing.prepare(case.repo, case.tree)
    assert case.recover() == (f"The removal of {case.tree} had not begun; it was called off.",)
    one = trashing.prepare(case.repo, case.tree)
    entry.change(one, state=State.TAKING)
    case.admin.rename(one.admin)
    assert case.recover() == (f"The removal of {case.tree} was taken back; it is where it was.",)
    case.require_whole()


def test_a_manifest_that_cannot_be_read_is_left_alone_and_said(case: Case) -> None:
    """It stops nobody: other removals and undos go on."""
    broken = case.repo / ".git" / "hqt" / "trash" / "broken"
    (broken / "tree").mkdir(parents=True)
    (broken / "manifest.json").write_text("{}")
    said = trash.recover(trashing.discover(case.repo))
    assert said == (f"{broken} has no readable manifest; it was left alone.",)
    case.remove()
    case.undo()
    assert (broken / "tree").exists()


def test_a_name_that_was_taken_before_the_removal_could_be_taken_back(
    case: Case, sealed: Path
) -> None:
    """A crash after the admin entry moved, and then a worktree of the same name."""
    before = files(case.tree)
    one = trashing.prepare(case.repo, case.tree)
    one = entry.change(one, state=State.TAKING)
    passage.set_aside(one)
    case.admin.rename(one.admin)
    linked(case.repo, sealed / "topic", "newcomer")
    case.recover()
    assert (case.tree / ".git").read_text().strip().endswith("worktrees/topic1")
    assert git(case.tree, "symbolic-ref", "--short", "HEAD") == "some/topic"
    assert git(sealed / "topic", "status", "--porcelain") == ""
    assert before.pop(".git") != (after := files(case.tree)).pop(".git")
    assert before == after
    assert trashing.pins(case.repo) == trashing.leftovers(case.repo) == []
