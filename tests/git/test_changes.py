"""Counts for display agree with `git status`, whichever way they are found."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import edits, repos, states
from helpers.repos import git
from hqt.git import changes, process
from hqt.git.losses import losses
from hqt.git.support import surroundings
from hqt.git.worktrees import list_worktrees
from hqt.models import Changes, Losses, Repository, Worktree


def world(repo: Path) -> tuple[Repository, Worktree]:
    found = Repository(repo / ".git", repo, bare=False, checkout=repo)
    return found, list_worktrees(found)[-1]


def in_process(worktree: Worktree, repo: Repository) -> Changes | None:
    around = surroundings(repo.common_dir, worktree.git_dir)
    return changes._by_libgit2(worktree, repo, around)


def shown(tree: Path) -> Changes:
    """What `git status` shows, counted from its short format, untracked files shown."""
    words = ("-c", "status.showUntrackedFiles=normal", "status", "--porcelain", "-z")
    records = iter(git(tree, *words).split("\0")[:-1])
    staged = modified = untracked = conflicted = 0
    for record in records:
        x, y = record[0], record[1]
        if x == "?":
            untracked += 1
        elif "U" in (x, y) or x + y in ("AA", "DD"):
            conflicted += 1
        else:
            staged += x != " "
            modified += y != " "
        if "R" in (x, y) or "C" in (x, y):
            next(records)
    return Changes(staged, modified, untracked, conflicted)


# States in which plain `git status` itself is deceived by a monitor that lies
DECEIVED = {"modified although the monitor says no"}


@pytest.mark.parametrize("state", list(states.states()), ids=lambda state: state.name)
def test_every_state_is_counted_as_git_shows_it(sealed: Path, state: states.State) -> None:
    repo, tree = states.fresh(sealed)
    state.build(repo, tree)
    found = Repository(repo / ".git", repo, bare=False, checkout=repo)
    (worktree,) = (one for one in list_worktrees(found) if one.path == tree)
    expected = shown(tree)
    assert changes._by_git(worktree) == expected
    if state.name not in DECEIVED:
        assert in_process(worktree, found) in (None, expected)
    assert changes.count(worktree, found) == expected or state.name in DECEIVED


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9))
def test_any_edits_are_counted_as_git_shows_them(sealed: Path, seed: int) -> None:
    repo = repos.repository(sealed / f"edited-{seed}", files=4)
    tree = repos.linked(repo, sealed / f"tree-{seed}")
    edits.edit(tree, random.Random(seed))
    found, worktree = world(repo)
    expected = shown(tree)
    assert changes._by_git(worktree) == expected
    assert in_process(worktree, found) in (None, expected)
    assert changes.told_by(losses(found, worktree)) in (None, expected)


def test_ordinary_edits_are_counted_in_process(repo: Path) -> None:
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    (tree / "file0").write_text("changed\n")
    git(tree, "add", "file0")
    (tree / "file0").write_text("changed again\n")
    (tree / "new").mkdir()
    (tree / "new" / "a").write_text("a")
    (tree / "new" / "b").write_text("b")
    found, worktree = world(repo)
    assert in_process(worktree, found) == Changes(staged=1, modified=1, untracked=1)


def test_untracked_files_are_counted_whatever_the_settings(repo: Path) -> None:
    git(repo, "config", "status.showUntrackedFiles", "no")
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    (tree / "new").write_text("new")
    found, worktree = world(repo)
    assert changes._by_git(worktree) == in_process(worktree, found) == Changes(untracked=1)


def test_what_cannot_be_told_is_none(repo: Path) -> None:
    repos.linked(repo, repo / ".worktrees" / "topic")
    found, worktree = world(repo)
    (worktree.git_dir / "index").write_bytes(b"no index")
    assert changes.count(worktree, found) is None


def test_a_repository_above_is_never_counted_instead(repo: Path) -> None:
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    found, worktree = world(repo)
    (tree / "new").write_text("new")
    (tree / ".git").unlink()
    assert changes.count(worktree, found) == Changes(untracked=1)


def test_a_git_that_hangs_is_none(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    git(tree, "update-index", "--index-version", "4")
    (repo.parent / "bin").mkdir()
    (repo.parent / "bin" / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (repo.parent / "bin" / "git").chmod(0o755)
    found, worktree = world(repo)
    monkeypatch.setenv("PATH", f"{repo.parent / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(changes, "PATIENCE", 0.1)
    assert changes.count(worktree, found) is None


def test_many_are_counted_at_once(repo: Path) -> None:
    trees = [repos.linked(repo, repo / ".worktrees" / f"t{n}", f"t{n}") for n in range(4)]
    for n, tree in enumerate(trees):
        for number in range(n):
            (tree / f"new{number}").write_text("new")
    found, _ = world(repo)
    listed = [one for one in list_worktrees(found) if not one.main]
    counted = changes.count_all(listed, found)
    assert counted == tuple(Changes(untracked=n) for n in range(4))


def test_an_inventory_tells_them_too(repo: Path) -> None:
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    (tree / "file0").write_text("changed\n")
    (tree / "new").write_text("new\n")
    found, worktree = world(repo)
    assert changes.told_by(losses(found, worktree)) == shown(tree)
    git(tree, "checkout", "-q", "file0")
    git(tree, "mv", "file0", "moved")
    assert changes.told_by(losses(found, worktree)) is None
    assert changes.told_by(Losses(unsure=("No.",))) is None


def test_git_is_not_started_for_a_small_checkout(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos.linked(repo, repo / ".worktrees" / "topic")
    found, worktree = world(repo)
    monkeypatch.setattr(process, "ask", lambda *_, **__: pytest.fail("git was started"))
    assert changes.count_all([worktree] * changes.MANY, found) == (Changes(),) * changes.MANY
