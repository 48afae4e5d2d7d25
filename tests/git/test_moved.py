"""Where a worktree is that was moved by `mv`, alone or with its repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.repos import git, linked, repository
from hqt.git import moved, worktrees
from hqt.git.repository import discover
from hqt.models import Repository, Worktree

Move = Callable[[Path], tuple[Path, Path]]  # in a folder: the repository, and where topic is now


def renamed(top: Path) -> tuple[Path, Path]:
    repo, tree = pooled(top)
    return repo, tree.rename(tree.with_name("a 'new' name"))


def renamed_elsewhere(top: Path) -> tuple[Path, Path]:
    repo = repository(top / "project")
    tree = linked(repo, top / "far" / "topic")
    return repo, tree.rename(tree.with_name("other"))


def into_the_pool(top: Path) -> tuple[Path, Path]:
    repo = repository(top / "project")
    tree = linked(repo, top / "far" / "topic")
    (repo / ".worktrees").mkdir()
    return repo, tree.rename(repo / ".worktrees" / "other")


def with_its_repository(top: Path) -> tuple[Path, Path]:
    repo, _ = pooled(top)
    repo = repo.rename(top / "again")
    return repo, repo / ".worktrees" / "topic"


def with_its_repository_to_a_name_of_its_own(top: Path) -> tuple[Path, Path]:
    repo, tree = with_its_repository(top)
    return repo, tree.rename(tree.with_name("other"))


def with_the_folder_around_both(top: Path) -> tuple[Path, Path]:
    repo = repository(top / "around" / "project")
    linked(repo, top / "around" / "trees" / "topic")
    (top / "around").rename(top / "beyond")
    return top / "beyond" / "project", top / "beyond" / "trees" / "topic"


def and_its_repository_cloned_anew(top: Path) -> tuple[Path, Path]:
    repo, tree = with_its_repository(top)
    git(top, "clone", "-q", str(repo), str(top / "project"))
    return repo, tree


def with_a_bare_repository(top: Path) -> tuple[Path, Path]:
    source = repository(top / "source")
    git(top, "clone", "-q", "--bare", str(source), str(top / "bare" / ".git"))
    linked(top / "bare" / ".git", top / "bare" / "topic")
    (top / "bare").rename(top / "again")
    return top / "again" / ".git", top / "again" / "topic"


def by_a_relative_path(top: Path) -> tuple[Path, Path]:
    """As git 2.48 writes it where it was asked to: from elsewhere it leads nowhere."""
    repo, tree = pooled(top)
    admin = repo / ".git" / "worktrees" / "topic"
    (tree / ".git").write_text(f"gitdir: {os.path.relpath(admin, tree)}\n")
    return repo, tree.rename(repo / "topic")


def pooled(top: Path) -> tuple[Path, Path]:
    repo = repository(top / "project")
    return repo, linked(repo, repo / ".worktrees" / "topic")


MOVES: list[Move] = [
    renamed,
    renamed_elsewhere,
    into_the_pool,
    with_its_repository,
    with_its_repository_to_a_name_of_its_own,
    with_the_folder_around_both,
    and_its_repository_cloned_anew,
    with_a_bare_repository,
    by_a_relative_path,
]


def topic(repo: Path) -> tuple[Repository, Worktree]:
    found = discover(repo)
    return found, next(one for one in worktrees.list_worktrees(found) if one.branch == "topic")


def found(repo: Path) -> Path | None:
    return moved.moved_to(*topic(repo), repo / ".worktrees")


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.__name__)
def test_it_is_found_and_git_repairs_it(sealed: Path, move: Move) -> None:
    repo, tree = move(sealed / "top")
    (tree / "notes").write_text("mine\n")
    assert found(repo) == tree
    git(repo, "worktree", "repair", str(tree))
    healed = topic(repo)[1]
    assert (healed.path, healed.missing) == (tree, False)
    assert git(tree, "status", "--porcelain", "notes") == "?? notes"
    assert found(repo) is None


def test_what_is_gone_is_nowhere(sealed: Path) -> None:
    repo, tree = pooled(sealed / "top")
    linked(repo, repo / ".worktrees" / "other", "other")
    shutil.rmtree(tree)
    assert found(repo) is None
    shutil.rmtree(repo / ".worktrees")
    assert found(repo) is None


def test_what_is_another_repositorys_is_not_it(sealed: Path) -> None:
    """Though its admin entry has the same name; also where it has been pruned, in its own place."""
    repo, tree = pooled(sealed / "top")
    shutil.rmtree(tree)
    other = repository(sealed / "other")
    theirs = linked(other, repo.parent / "topic")
    assert found(repo) is None
    shutil.rmtree(other / ".git" / "worktrees" / "topic")
    assert (theirs / ".git").exists()
    assert found(repo) is None


def test_a_copy_of_a_repository_does_not_take_the_worktrees_of_the_first(sealed: Path) -> None:
    repo, tree = pooled(sealed / "top")
    shutil.copytree(repo, sealed / "copy")
    assert topic(sealed / "copy")[1].path == tree
    assert found(sealed / "copy") is None


def test_a_link_and_another_entry_are_not_it(sealed: Path) -> None:
    repo, tree = pooled(sealed / "top")
    shutil.rmtree(tree)
    for name, common in {"now": repo / ".git", "before": sealed / "nowhere" / ".git"}.items():
        (repo / ".worktrees" / name).mkdir()
        (repo / name).write_text(f"gitdir: {common}/worktrees/topic\n")
        (repo / ".worktrees" / name / ".git").symlink_to(repo / name)
    (repo / ".worktrees" / "else").mkdir()
    (repo / ".worktrees" / "else" / ".git").write_text("gitdir: /nowhere/.git/worktrees/else\n")
    assert found(repo) is None
    (repo / ".worktrees" / "else" / ".git").write_text("gitdir: /nowhere/.git/worktrees/topic\n")
    assert found(repo) == repo / ".worktrees" / "else"


def test_a_large_folder_is_not_read_to_its_end(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pooled(sealed / "top")
    tree.rename(tree.with_name("other"))
    assert found(repo) == tree.with_name("other")
    monkeypatch.setattr(moved, "_MOST", 0)
    assert found(repo) is None
