"""A session whose worktree git does not list any more, or lists as another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helpers.calls import done, refused, spawn
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


@pytest.mark.parametrize("how", ["entry gone", "entry leads elsewhere"])
@pytest.mark.parametrize("verb", ["remove", "path", "inspect"])
def test_a_folder_that_is_there_is_not_called_gone(repo: Path, verb: str, how: str) -> None:
    place = new(repo, "fix")
    (place / "work").write_text("mine\n")
    unlist(repo, "fix", how)
    error = refused(verb, "session:fix", cwd=repo)
    assert error["code"] == "identity_mismatch"
    assert str(place) in error["message"]
    assert (place / "work").read_text() == "mine\n"


def test_the_session_alone_goes_all_the_same(repo: Path) -> None:
    place = new(repo, "fix")
    unlist(repo, "fix", "entry gone")
    done("remove", "--keep-worktree", "session:fix", cwd=repo)
    assert done("list", cwd=repo)["sessions"] == []
    assert place.is_dir()


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


def test_of_several_removals_at_once_one_wins(repo: Path) -> None:
    """The others find nothing any more, or see what the first is doing in there, and refuse."""
    for number in range(3):
        name = f"fix{number}"
        new(repo, name)
        calls = [spawn("remove", name, "--json", cwd=repo) for _ in range(3)]
        said = [call.communicate(timeout=60)[1] for call in calls]
        codes = [json.loads(text)["error"]["code"] for text in said if text]
        assert "internal" not in codes
        won = len(calls) - len(codes)
        assert won <= 1
        assert len(done("trash", "list", cwd=repo)["entries"]) == won
        if won:
            done("undo", cwd=repo)
        done("remove", name, cwd=repo)
        done("trash", "empty", cwd=repo)
