"""A removal or an undo cut short, and then its repository is moved: the worktree keeps its link.

The property, after a kill at any step and a move: it is entirely in the trash, and comes back; or
it is where the repository took it, and git works in it or is told of it as after any move.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from helpers import trashing
from helpers.faults import Fault, fault, walk
from helpers.portraits import differences
from helpers.repos import git, linked
from helpers.trashing import Case
from hqt.git import entry, passage, trash
from hqt.git.entry import Entry
from hqt.git.manifest import State


class Moving(Case):
    """A case whose repository moves, its worktree with it unless that has a pool elsewhere."""

    def move(self, to: Path) -> None:
        self.repo.rename(to)
        if self.tree.is_relative_to(self.repo):
            self.tree = to / self.tree.relative_to(self.repo)
        self.repo, self.admin = to, to / ".git" / "worktrees" / "topic"

    def require_linked(self) -> str:
        """Assert the property; in which of its ways it was met."""
        met = "taken back"
        if trash.entries(trashing.discover(self.repo)):
            assert not os.path.lexists(self.tree)
            self.undo()
            met = "removed"
        elif not git(self.tree, "status", check=False):
            git(self.repo, "worktree", "repair", str(self.tree))
            met = "repaired"
        assert git(self.tree, "rev-parse", "--show-toplevel") == str(self.tree)
        before, after = self.before, self.now()
        for one in (before, after):
            one.files.pop(".git", None), one.admin.pop("gitdir", None)
        assert differences(before, after) == []
        assert trashing.pins(self.repo) == trashing.leftovers(self.repo) == []
        return met


def kill_anywhere(case: Moving, home: Path) -> list[str]:
    """Kill a removal at every other step, move the repository, and recover; how each was met."""
    met: list[str] = []

    def after(_met: Fault) -> None:
        case.move(home / f"moved{len(met)}")
        case.recover()
        met.append(case.require_linked())

    walk(case.remove, after, "killed", step=2)
    return met


def test_its_worktree_inside(sealed: Path) -> None:
    assert {*kill_anywhere(Moving(sealed), sealed)} == {"repaired", "taken back", "removed"}


def test_its_worktree_elsewhere(sealed: Path) -> None:
    met = kill_anywhere(Moving(sealed, sealed / "pool"), sealed)
    assert {*met} == {"repaired", "taken back", "removed"}


def test_relative_links(sealed: Path) -> None:
    """They lead there still, and keep their bytes."""
    case = Moving(sealed)
    links = (case.admin / "gitdir", case.tree / ".git")
    for file, to in zip(links, (links[1], links[0].parent), strict=True):
        start = "gitdir: " if file.name == ".git" else ""
        file.write_text(f"{start}{os.path.relpath(to, file.parent)}\n")
    said = [file.read_bytes() for file in links]
    case.before = case.now()
    met = kill_anywhere(case, sealed)
    assert {*met} == {"taken back", "removed"}
    assert [(case.admin / "gitdir").read_bytes(), (case.tree / ".git").read_bytes()] == said


@pytest.mark.parametrize("pool", [None, "pool"])
def test_an_undo(sealed: Path, pool: str | None) -> None:
    """Killed at every other step; afterwards the trash has it, or git, told of it or not."""
    case = Moving(sealed, sealed / pool if pool else None)
    met: list[str] = []

    def after(_met: Fault) -> None:
        case.move(sealed / f"moved{len(met)}")
        case.recover()
        met.append(case.require_linked())
        case.remove()

    case.remove()
    walk(case.undo, after, "killed", step=2)
    assert "removed" in met
    assert {"taken back", "repaired"} & {*met}, "some of them came through"


# One crash: its `.git` is set aside, its admin entry is in the trash or not yet


@pytest.fixture(params=["admin there", "admin in the trash"])
def half(sealed: Path, request: pytest.FixtureRequest) -> tuple[Moving, Entry]:
    case = Moving(sealed)
    one = entry.change(trashing.prepare(case.repo, case.tree), state=State.TAKING)
    passage.set_aside(one)
    if request.param == "admin in the trash":
        case.admin.rename(one.admin)
    return case, one


def test_it_is_said_where_it_is(half: tuple[Moving, Entry], sealed: Path) -> None:
    case, one = half
    case.move(sealed / "moved")
    told: list[Path] = []
    (said,) = trash.recover(trashing.discover(case.repo), lambda path, _session: told.append(path))
    assert said == f"The removal of {one.path} was taken back; it is at {case.tree} now."
    assert told == [case.tree], "its session is to know"
    assert case.require_linked() == "taken back"


@pytest.mark.parametrize("at_the_old_path", ["a link", "a clone with a worktree of that name"])
def test_what_is_at_the_old_path_gets_nothing(
    half: tuple[Moving, Entry], sealed: Path, at_the_old_path: str
) -> None:
    case, one = half
    old = case.repo
    case.move(sealed / "moved")
    if at_the_old_path == "a link":
        old.symlink_to(case.repo)
    else:
        git(sealed, "clone", "-q", str(case.repo), str(old))
        linked(old, one.path, "theirs")
    case.recover()
    assert case.require_linked() == "taken back"
    if at_the_old_path != "a link":
        assert git(one.path, "symbolic-ref", "--short", "HEAD") == "theirs"


def test_a_branch_renamed_meanwhile(half: tuple[Moving, Entry], sealed: Path) -> None:
    """git writes that into the admin entry where it finds it; the manifest has the old name."""
    case, _one = half
    in_trash = not case.admin.exists()
    case.move(sealed / "moved")
    git(case.repo, "branch", "-m", "some/topic", "renamed")
    case.recover()
    name = git(case.tree, "symbolic-ref", "--short", "HEAD")
    assert name == ("some/topic" if in_trash else "renamed")


def test_moved_once_more(half: tuple[Moving, Entry], sealed: Path) -> None:
    """Each recovery is killed at one of its own steps, and each time the repository moves on."""
    case, _one = half
    for at in range(1, 1000):
        case.move(sealed / f"moved{at}")
        with fault(at, "killed") as met:
            trash.recover(trashing.discover(case.repo))
        if not met.happened:
            break
    case.recover()
    assert case.require_linked() in {"taken back", "repaired"}


def test_a_tree_that_is_not_found_keeps_what_it_needs(
    half: tuple[Moving, Entry], sealed: Path
) -> None:
    """Moved further away, by itself; put back where its repository is it is found."""
    case, one = half
    case.move(sealed / "moved")
    case.tree.rename(sealed / "far")
    (said,) = trash.recover(trashing.discover(case.repo))
    assert f"{one.path} is not found" in said
    assert one.id in said
    (sealed / "far").rename(case.tree)
    case.recover()
    assert case.require_linked() == "taken back"


def test_a_copy_leaves_the_originals_tree_alone(half: tuple[Moving, Entry], sealed: Path) -> None:
    """It has an entry of the same id; it settles that when the original has settled its own."""
    case, _one = half
    shutil.copytree(case.repo, sealed / "copy", symlinks=True)
    (said,) = trash.recover(trashing.discover(sealed / "copy"))
    assert "could not be finished" in said
    case.recover()
    assert case.require_linked() == "taken back"
    case.repo, case.tree = sealed / "copy", sealed / "copy" / ".worktrees" / "some" / "topic"
    case.admin = sealed / "copy" / ".git" / "worktrees" / "topic"
    case.recover()
    assert git(case.tree, "rev-parse", "--show-toplevel") == str(case.tree)
