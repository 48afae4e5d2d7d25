"""Something else at a worktree's path: it is not taken for the worktree."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.calls import done, refused
from helpers.making import everything
from helpers.repos import commit, git, linked, repository
from helpers.servers import Server


def a_plain_folder(_repo: Path, place: Path) -> None:
    place.mkdir()
    (place / "notes").write_text("mine\n")


def a_clone(repo: Path, place: Path) -> None:
    git(repo, "clone", "-q", str(repo), str(place))
    (place / "notes").write_text("mine\n")


def a_worktree_of_another_repository(repo: Path, place: Path) -> None:
    linked(repository(repo.parent / "stranger"), place)
    (place / "notes").write_text("mine\n")


def another_worktree(repo: Path, place: Path) -> None:
    linked(repo, repo.parent / "other", "other").rename(place)
    (place / "notes").write_text("mine\n")


WHAT: dict[Callable[[Path, Path], None], str] = {
    a_plain_folder: "but a folder without a .git;",
    a_clone: "but a repository of its own;",
    a_worktree_of_another_repository: "/stranger/.git;",
    another_worktree: "but worktree other of ",
}


@pytest.fixture
def place(repo: Path) -> Path:
    """Where the worktree of branch `fix` was, which has a commit of its own."""
    tree = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    commit(tree, "work")
    shutil.rmtree(tree)
    return tree


@pytest.mark.parametrize("put", WHAT)
def test_it_is_left_alone(
    repo: Path, place: Path, tmux: Server, put: Callable[[Path, Path], None]
) -> None:
    put(repo, place)
    before = everything(place)

    listed = done("list", cwd=repo)["worktrees"]
    row = next(one for one in listed if one["path"] == str(place))
    assert (row["missing"], row["changes"], row["unique_commits"]) == (True, None, 1)
    assert refused("path", "fix", cwd=repo)["code"] == "missing_worktree"
    for call in (("open", "fix"), ("restore", "fix"), ("remove", "fix", "--force", "--close")):
        error = refused("-L", tmux.socket, *call, cwd=repo)
        assert error["code"] == "identity_mismatch"
        assert WHAT[put] in error["message"]

    assert len(tmux.windows()) == 1
    assert everything(place) == before
    assert git(repo, "rev-parse", "fix")
