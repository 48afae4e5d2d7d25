"""An operation in progress is named as `git status` names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.repos import commit, git, linked
from hqt.git.operations import operation_in_progress


@pytest.fixture
def torn(repo: Path) -> Path:
    """A worktree on `topic` whose one commit conflicts with the two of `main`."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    commit(repo, "file0", "main\n")
    commit(repo, "file0", "main again\n")
    commit(tree, "file0", "topic\n")
    return tree


# What begins it; what `git status` says then; what hqt calls it.
BEGINNINGS = {
    "merge": ("merge main", "You have unmerged paths", "merge"),
    "rebase": ("rebase main", "You are currently rebasing", "rebase"),
    "rebase by apply": ("rebase --apply main", "You are currently rebasing", "rebase"),
    "cherry-pick": ("cherry-pick main", "You are currently cherry-picking", "cherry-pick"),
    "several picks": (
        "cherry-pick main~1 main",
        "git cherry-pick --continue",
        "cherry-pick",
    ),
    "revert": ("revert --no-edit main~1", "You are currently reverting", "revert"),
    "several reverts": ("revert --no-edit main~1 main", "git revert --continue", "revert"),
    "bisect": ("bisect start", "You are currently bisecting", "bisect"),
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_linked_worktree(torn: Path, name: str) -> None:
    begin, sentence, expected = BEGINNINGS[name]
    assert operation_in_progress(git_dir(torn)) is None
    git(torn, *begin.split(), check=False)
    assert sentence in git(torn, "status")
    assert operation_in_progress(git_dir(torn)) == expected


def test_the_main_checkout(torn: Path, repo: Path) -> None:
    git(repo, "merge", "topic", check=False)
    assert operation_in_progress(repo / ".git") == "merge"
    assert operation_in_progress(git_dir(torn)) is None


def test_patches_being_applied(torn: Path, repo: Path) -> None:
    git(torn, "format-patch", "-o", str(repo.parent), "main..topic")
    git(repo, "am", str(repo.parent / "0001-Change-file0.patch"), check=False)
    assert "in the middle of an am session" in git(repo, "status")
    assert operation_in_progress(repo / ".git") == "am"


def test_a_sequence_goes_on_after_one_pick_was_committed_by_hand(torn: Path) -> None:
    git(torn, "cherry-pick", "main~1", "main", check=False)
    git(torn, "commit", "-q", "-a", "--no-edit")
    assert not (git_dir(torn) / "CHERRY_PICK_HEAD").exists()
    assert "Cherry-pick currently in progress" in git(torn, "status")
    assert operation_in_progress(git_dir(torn)) == "cherry-pick"


def test_a_merge_within_a_rebase_belongs_to_the_rebase(torn: Path) -> None:
    commit(torn, "other")
    git(torn, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(torn, "side")
    git(torn, "checkout", "-q", "topic")
    git(torn, "merge", "-q", "--no-edit", "side")
    git(torn, "rebase", "--rebase-merges", "-X", "ours", "--exec", "false", "main", check=False)
    git(torn, "merge", "--no-commit", "--no-ff", "side", check=False)
    assert operation_in_progress(git_dir(torn)) == "rebase"


@pytest.mark.parametrize("end", ["merge --abort", "commit -qam Done"])
def test_nothing_is_left_when_it_has_ended(torn: Path, end: str) -> None:
    git(torn, "merge", "main", check=False)
    git(torn, *end.split())
    assert operation_in_progress(git_dir(torn)) is None


def test_a_directory_that_is_gone(repo: Path) -> None:
    assert operation_in_progress(repo / "nowhere") is None


def git_dir(tree: Path) -> Path:
    return Path(git(tree, "rev-parse", "--absolute-git-dir"))
