"""A replica is what git would have made in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos, states
from helpers.making import everything
from helpers.repos import commit, git


def made(home: Path) -> tuple[Path, Path]:
    home.mkdir()
    return states.fresh(home)


@pytest.fixture
def two(sealed: Path) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
    """The second is a replica surely."""
    return made(sealed / "one"), made(sealed / "another")


def test_git_finds_it_sound_and_unchanged(two: tuple[tuple[Path, Path], tuple[Path, Path]]) -> None:
    _, (repo, tree) = two
    indexes = [repo / ".git" / "index", repo / ".git" / "worktrees" / "topic" / "index"]
    before = [index.read_bytes() for index in indexes]
    for checkout in (repo, tree):
        # It looks at the times alone: what it would have to read it would name.
        assert git(checkout, "diff-files") == ""
        assert git(checkout, "diff-index", "--cached", "HEAD") == ""
        assert git(checkout, "status", "--porcelain") == ""
    assert git(repo, "fsck", "--strict") == ""
    assert [index.read_bytes() for index in indexes] == before, "nothing had to be refreshed"


def test_it_differs_in_nothing_but_its_place(
    two: tuple[tuple[Path, Path], tuple[Path, Path]],
) -> None:
    (one, _), (other, tree) = two
    theirs, ours = everything(one), everything(other)
    for name in theirs:
        if not name.endswith("/index"):
            assert ours[name] == theirs[name].replace(str(one), str(other)), name
    assert ours.keys() == theirs.keys()
    assert str(tree) in git(other, "worktree", "list")
    assert git(other, "ls-files", "-s") == git(one, "ls-files", "-s")


def test_settings_of_a_test_count(sealed: Path) -> None:
    """Another configuration, another repository."""
    repos.repository(sealed / "one")
    with (sealed / ".gitconfig").open("a") as file:
        file.write("[user]\n\tname = Another\n")
    assert git(repos.repository(sealed / "two"), "log", "--format=%an") == "Another"


def test_a_commits_id_is_read_as_git_says_it(sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    assert commit(repo, "a") == git(repo, "rev-parse", "HEAD")
    assert commit(tree, "a") == git(tree, "rev-parse", "HEAD")
    (tree / "below").mkdir()
    assert commit(tree / "below", "a") == git(tree, "rev-parse", "HEAD")
    git(tree, "checkout", "-q", "--detach")
    assert commit(tree, "b") == git(tree, "rev-parse", "HEAD")
    git(repo, "pack-refs", "--all")
    assert commit(repo, "c") == git(repo, "rev-parse", "HEAD")
