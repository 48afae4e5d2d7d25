"""What a killed creation leaves, at each point it can be killed at, and that it is taken back."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.calls import done, hqt, spawn
from helpers.repos import git
from helpers.servers import until
from hqt.git import journal, repository


def refs(repo: Path) -> str:
    return git(repo, "for-each-ref")


def test_a_note_lives_as_long_as_the_creation(repo: Path) -> None:
    found = repository.discover(repo)
    with journal.noted(found, repo / ".worktrees" / "x", "0" * 40, "x", None):
        assert journal.pending(found)
    assert not journal.pending(found)
    assert journal.take_back(found, lambda _: False) == ()


def test_a_note_that_cannot_be_read_is_dropped(repo: Path) -> None:
    found = repository.discover(repo)
    with journal.noted(found, repo / ".worktrees" / "x", "0" * 40, "x", None):
        file = next((repo / ".git" / "hqt").glob("creating*"))
    file.write_text("{")
    assert journal.take_back(found, lambda _: False) == ()
    assert not journal.pending(found)


@pytest.mark.parametrize("stage", range(6))
def test_what_was_made_goes_again(repo: Path, stage: int) -> None:
    """The steps of git-facts §2, stopped after each."""
    before = refs(repo)
    head = git(repo, "rev-parse", "HEAD")
    place = repo / ".worktrees" / "fix"
    entry = repo / ".git" / "worktrees" / "fix"
    found = repository.discover(repo)
    if stage > 0:
        git(repo, "branch", "fix")
    if stage > 1:
        entry.mkdir(parents=True)
        (entry / "locked").write_text("hqt: creating\n")
    if stage > 2:
        place.mkdir(parents=True)
    if stage > 3:
        (entry / "gitdir").write_text(f"{place}/.git\n")
        (entry / "commondir").write_text("../..\n")
        (entry / "HEAD").write_text("ref: refs/heads/fix\n")
        (place / ".git").write_text(f"gitdir: {entry}\n")
    if stage > 4:
        git(place, "reset", "-q", "--hard")
    with journal.noted(found, place, head, "fix", repo / ".worktrees"):
        note = next((repo / ".git" / "hqt").glob("creating*"))
        kept = note.read_bytes()
    note.write_bytes(kept)
    said = journal.take_back(found, lambda _: False)
    assert len(said) == 1
    assert "Left behind" not in said[0]
    assert refs(repo) == before
    assert not place.exists()
    assert not entry.exists()
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 1


def test_one_that_somebody_has_used_stays(repo: Path) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    (place / "mine").write_text("mine\n")
    found = repository.discover(repo)
    head = git(repo, "rev-parse", "HEAD")
    with journal.noted(found, place, head, "fix", repo / ".worktrees"):
        note = next((repo / ".git" / "hqt").glob("creating*"))
        kept = note.read_bytes()
    note.write_bytes(kept)
    assert journal.take_back(found, lambda _: True) == ()
    note.write_bytes(kept)
    said = journal.take_back(found, lambda _: False)
    assert "Left behind" in said[0]
    assert (place / "mine").read_text() == "mine\n"
    assert git(place, "branch", "--show-current") == "fix"


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4])
def test_killed_at_any_moment(repo: Path, moment: float) -> None:
    """kill -9 after a while; then the same command again works, or says that it had worked."""
    call = spawn("new", "fix", "--no-window", cwd=repo)
    until(lambda: call.poll() is not None, moment)
    if call.poll() is None:
        os.kill(call.pid, signal.SIGKILL)
    call.wait(10)
    again = hqt("new", "fix", "--no-window", "--json", cwd=repo)
    if again.status:
        assert again.error["code"] == "branch_exists"
        assert len(done("list", cwd=repo)["sessions"]) == 1
    assert done("remove", "fix", cwd=repo)["removed"][0]["branch_deleted"] is True
    assert len(done("list", cwd=repo)["worktrees"]) == 1
    fsck = subprocess.run(["git", "fsck"], cwd=repo, capture_output=True, text=True, check=False)
    assert fsck.returncode == 0, fsck.stderr
