"""Small files are read whole, and nothing that could be waited for is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers.calls import spawn
from helpers.repos import linked
from hqt.git import files


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_a_file_is_read_whole(sealed: Path, size: int) -> None:
    content = os.urandom(size)
    (sealed / "file").write_bytes(content)
    assert files.read(sealed / "file") == content
    assert files.beginning(sealed / "file", 12) == content[:12]


def test_only_regular_files_are_read(sealed: Path) -> None:
    os.mkfifo(sealed / "pipe")
    (sealed / "link").symlink_to("pipe")
    for name in ("pipe", "link", "/dev/zero"):
        with pytest.raises(OSError, match="no regular file"):
            files.read(sealed / name)
    with pytest.raises(IsADirectoryError):
        files.read(sealed)
    with pytest.raises(FileNotFoundError):
        files.read(sealed / "none")


@pytest.mark.parametrize(
    ("verb", "place"),
    [
        ("list", ".git/worktrees/topic/gitdir"),
        ("list", ".git/worktrees/topic/locked"),
        ("list", "../topic/.git"),
        ("new", ".git/worktrees/topic/HEAD"),
        ("new", ".git/worktrees/topic/commondir"),
        ("new", ".git/worktrees/topic/index"),
        ("new", ".git/hqt/creating.json"),
        ("new", ".git/info/exclude"),
    ],
)
def test_a_pipe_where_a_file_should_be_holds_nothing_up(
    repo: Path, sealed: Path, verb: str, place: str
) -> None:
    """Where git itself is asked, it waits for the pipe until hqt's patience ends."""
    linked(repo, sealed / "topic")
    file = repo / place
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    call = spawn(verb, "--json", cwd=repo)
    try:
        assert call.wait(20) in {0, 1}
    finally:
        call.kill()
