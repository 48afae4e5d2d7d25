"""Deleting for good: what it never follows, and how it is cut short."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from helpers import trashing
from helpers.repos import linked
from hqt.git import disposal, trash


@pytest.fixture
def doomed(sealed: Path) -> Path:
    (sealed / "doomed").mkdir()
    return sealed / "doomed"


def test_links_are_deleted_and_not_followed(sealed: Path, doomed: Path) -> None:
    (sealed / "outside").mkdir()
    (sealed / "outside" / "file").write_text("stays\n")
    (doomed / "folder").symlink_to(sealed / "outside")
    (doomed / "deep").mkdir()
    (doomed / "deep" / "file").symlink_to(sealed / "outside" / "file")
    (doomed / "loop").symlink_to("loop")
    assert disposal.remove(doomed)
    assert not doomed.exists()
    assert (sealed / "outside" / "file").read_text() == "stays\n"


def test_a_tree_deeper_than_any_path_may_be_long(doomed: Path) -> None:
    os.chdir(doomed)
    for _ in range(1200):
        os.mkdir("folder")  # noqa: PTH102 (relative to where we stand)
        os.chdir("folder")
    Path("file").write_text("deep\n")
    os.chdir("/")
    assert disposal.remove(doomed)
    assert not doomed.exists()


def test_folders_that_their_owner_may_not_write(doomed: Path) -> None:
    """As the module cache of Go has them."""
    (doomed / "a" / "b").mkdir(parents=True)
    (doomed / "a" / "b" / "file").write_text("x")
    (doomed / "a" / "b").chmod(0o555)
    (doomed / "a").chmod(0o500)
    (doomed / "closed").mkdir(mode=0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                for folder, folders, names in os.walk(doomed.parent):
                    for name in (*folders, *names, ""):
                        os.lchown(Path(folder) / name, 65534, 65534)
                os.setuid(65534)
            status = 0 if disposal.remove(doomed) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not doomed.exists()


def test_it_ends_when_its_time_is_up_and_goes_on_another_time(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    for number in range(20):
        (tree / f"folder{number}").mkdir()
        (tree / f"folder{number}" / "file").write_text("x")
    entry = trashing.remove(repo, tree)
    found = trashing.discover(repo)
    assert trash.empty(found, entries=[entry], seconds=0) == (entry,)
    assert trash.entries(found) == ()
    assert trashing.pins(repo) == []
    assert trashing.leftovers(repo) == [f"condemned/{entry.id}"]
    assert disposal.sweep(found)
    assert trashing.leftovers(repo) == []


def test_two_do_not_sweep_at_once(repo: Path) -> None:
    entry = trashing.remove(repo, linked(repo, repo / ".worktrees" / "topic"))
    found = trashing.discover(repo)
    with (repo / ".git" / "hqt" / "sweeping").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        trash.empty(found, entries=[entry])
        assert trashing.leftovers(repo) == [f"condemned/{entry.id}"]
    assert disposal.sweep(found)
    assert trashing.leftovers(repo) == []


def test_a_sweeper_lets_everything_else_go_first() -> None:
    child = os.fork()
    if child == 0:
        disposal.lower_priority()
        os._exit(os.getpriority(os.PRIO_PROCESS, 0))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 19
