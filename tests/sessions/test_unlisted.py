"""A session whose worktree git does not list any more, or lists as another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helpers.calls import done, spawn
from helpers.repos import git
from helpers.servers import Server


def new(repo: Path, name: str) -> Path:
    return Path(done("new", name, "--no-window", cwd=repo)["worktree"]["path"])


def unlist(repo: Path, name: str, how: str) -> None:
    entry = repo / ".git" / "worktrees" / name
    if how == "entry gone":
        shutil.rmtree(entry)
    else:
        (entry / "gitdir").write_text("/elsewhere/.git\n")


@pytest.mark.parametrize("how", ["entry gone", "entry leads elsewhere"])
def test_archive_says_that_the_folder_stays(repo: Path, how: str) -> None:
    """Nobody knows whose it is now; that it was removed would be untrue."""
    place = new(repo, "fix")
    (place / "work").write_text("mine\n")
    unlist(repo, "fix", how)
    cleanup = done("archive", "session:fix", "--wait", cwd=repo)["session"]["cleanup"]
    assert (cleanup["status"], cleanup["reason"]) == ("retained", "identity_mismatch")
    assert (place / "work").read_text() == "mine\n"


def test_archive_after_the_folder_went_with_its_entry(repo: Path) -> None:
    git(repo, "worktree", "remove", "--force", str(new(repo, "fix")))
    cleanup = done("archive", "session:fix", "--wait", cwd=repo)["session"]["cleanup"]
    assert cleanup["status"] == "removed"


def test_archive_leaves_a_worktree_made_by_hand_on_the_branch(
    repo: Path, sealed: Path, tmux: Server
) -> None:
    """`open` goes on in it, but hqt did not make it."""
    git(repo, "worktree", "remove", str(new(repo, "fix")))
    git(repo, "worktree", "add", "-q", str(sealed / "hand"), "fix")
    done("-L", tmux.socket, "open", "session:fix", cwd=repo)
    archive = ("archive", "session:fix", "--wait", "--close")
    cleanup = done("-L", tmux.socket, *archive, cwd=repo)["session"]["cleanup"]
    assert (cleanup["status"], cleanup["reason"]) == ("retained", "not_owned")
    assert (sealed / "hand").is_dir()


def test_archive_takes_one_that_git_has_moved(repo: Path, sealed: Path, tmux: Server) -> None:
    git(repo, "worktree", "move", str(new(repo, "fix")), str(sealed / "moved"))
    done("-L", tmux.socket, "open", "session:fix", cwd=repo)
    archive = ("archive", "session:fix", "--wait", "--close")
    cleanup = done("-L", tmux.socket, *archive, cwd=repo)["session"]["cleanup"]
    assert cleanup["status"] == "removed"
    assert not (sealed / "moved").exists()


def test_of_two_removals_at_once_one_finds_nothing(repo: Path) -> None:
    for number in range(3):
        name = f"fix{number}"
        new(repo, name)
        calls = [spawn("remove", name, "--json", cwd=repo) for _ in range(3)]
        said = [call.communicate(timeout=60)[1] for call in calls]
        errors = [json.loads(text)["error"] for text in said if text]
        failed = [error["code"] for error in errors]
        assert failed == ["no_such_target"] * 2
        assert len(done("trash", "list", cwd=repo)["entries"]) == number + 1
