"""What is proved to be in another branch, and what only looks so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import repos
from helpers.repos import commit, git
from hqt.git import commits, elsewhere
from hqt.git.question import Place
from hqt.models import Repository

TEXT = "".join(f"line {number}\n" for number in range(30))
Story = Callable[[Path, Path], None]


@pytest.fixture
def pair(repo: Path) -> tuple[Path, Path]:
    """A repository with a file of thirty lines, and a worktree on `topic`."""
    commit(repo, "text", TEXT)
    return repo, repos.linked(repo, repo / ".worktrees" / "topic")


def proof(repo: Path, tree: Path) -> str | None:
    found = Repository(repo / ".git", repo, bare=False, checkout=repo)
    place = Place(repo / ".git" / "worktrees" / tree.name, tree)
    listed = commits.refs(place)
    tip, gone = git(tree, "rev-parse", "HEAD"), frozenset({"topic"})
    own = commits.lines_beyond(place, [tip], commits.holders(listed, gone))
    return elsewhere.proof(place, [tip], len(own), elsewhere.targets(found, listed, gone))


def provable(repo: Path, sentence: str) -> str | None:
    """What a true sentence becomes: a git before 2.38 proves nothing."""
    merges = git(repo, "merge-tree", "--write-tree", "topic", "topic", check=False)
    return sentence if merges else None


def edited(number: int) -> str:
    return TEXT.replace(f"line {number}\n", f"line {number}, edited\n")


def squashed(repo: Path, _tree: Path) -> None:
    git(repo, "merge", "-q", "--squash", "topic")
    git(repo, "commit", "-q", "-m", "Something else entirely")


def picked(repo: Path, _tree: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "Main went on")
    git(repo, "cherry-pick", "main~1..topic")


def moved_on(repo: Path, tree: Path) -> None:
    squashed(repo, tree)
    text = (repo / "text").read_text().replace("line 29\n", "line 29, later\n")
    commit(repo, "text", text)
    commit(repo, "more")


def on_the_remote(repo: Path, tree: Path) -> None:
    origin = repos.bare_repository(repo.parent / "origin.git", repo)
    git(repo, "remote", "add", "origin", str(origin))
    before = git(repo, "rev-parse", "main")
    squashed(repo, tree)
    git(repo, "push", "-q", "origin", "main")
    git(repo, "reset", "-q", "--hard", before)
    git(repo, "remote", "set-head", "origin", "main")


PROVED: list[tuple[Story, str]] = [
    (squashed, "2 commits are in main as a squash."),
    (picked, "2 commits are in main as copies."),
    (moved_on, "2 commits are in main as a squash."),
    (on_the_remote, "2 commits are in origin/main as a squash."),
]


@pytest.mark.parametrize(("story", "expected"), PROVED)
def test_a_proof_says_where_and_how(pair: tuple[Path, Path], story: Story, expected: str) -> None:
    repo, tree = pair
    commit(tree, "text", edited(3))
    commit(tree, "new")
    story(repo, tree)
    assert proof(repo, tree) == provable(repo, expected)


def test_one_commit_is_a_copy(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    commit(tree, "text", edited(3))
    git(repo, "commit", "-q", "--allow-empty", "-m", "Main went on")
    git(repo, "cherry-pick", "topic")
    assert proof(repo, tree) == provable(repo, "1 commit is in main as a copy.")


def reverted(repo: Path, tree: Path) -> None:
    squashed(repo, tree)
    git(repo, "revert", "--no-edit", "HEAD")


def picked_and_reverted(repo: Path, tree: Path) -> None:
    picked(repo, tree)
    git(repo, "revert", "--no-edit", "HEAD")


def only_one_of_two(repo: Path, _tree: Path) -> None:
    git(repo, "cherry-pick", "topic~1")


def overwritten(repo: Path, tree: Path) -> None:
    squashed(repo, tree)
    commit(repo, "text", edited(3).replace("edited", "edited differently"))


def same_message(repo: Path, _tree: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "Change text")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Change new")


def only_in_a_side_branch(repo: Path, tree: Path) -> None:
    git(repo, "switch", "-q", "-c", "side")
    squashed(repo, tree)
    git(repo, "switch", "-q", "main")


UNPROVED: list[Story] = [
    reverted, picked_and_reverted, only_one_of_two, overwritten, same_message,
    only_in_a_side_branch,
]  # fmt: skip


@pytest.mark.parametrize("story", UNPROVED)
def test_what_only_looks_so_is_not_said(pair: tuple[Path, Path], story: Story) -> None:
    repo, tree = pair
    commit(tree, "text", edited(3))
    commit(tree, "new")
    story(repo, tree)
    assert proof(repo, tree) is None


def test_work_that_was_undone_again_is_not_called_present(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    commit(tree, "text", edited(3))
    commit(tree, "text", TEXT)
    assert proof(repo, tree) is None


def test_unrelated_histories_prove_nothing(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    git(tree, "switch", "-q", "--orphan", "fresh")
    commit(tree, "new")
    assert proof(repo, tree) is None


def test_a_git_that_cannot_merge_without_a_checkout_proves_nothing(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    commit(tree, "new")
    squashed(repo, tree)
    fake = repo.parent / "fake"
    fake.mkdir()
    body = '#!/bin/sh\nfor w; do [ "$w" = merge-tree ] && exit 129; done\nexec "{}" "$@"\n'
    (fake / "git").write_text(body.format(shutil.which("git")))
    (fake / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake}:/usr/bin:/bin")
    assert proof(repo, tree) is None
