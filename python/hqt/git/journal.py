"""What a creation is about to make, noted before it begins, so that a killed one is taken back
(`retraction`).

One note for each repository, since a creation runs under the repository's lock: whoever holds the
lock and finds a note knows that its writer is dead. What stands at the noted path by then may be
somebody else's; only what bears the note's mark is the creation's: git's lock on the new worktree
does, and stays until the note is given up.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, aside, durable
from hqt.git.interrupts import held_back
from hqt.git.lock import is_held, own_directory
from hqt.git.permissions import Permissions
from hqt.models import CREATING, Repository, Worktree

_NAME = "creating.json"


@dataclass(frozen=True, slots=True)
class Note:
    """What is kept of one creation; without a `file`, nothing."""

    mark: str = field(default_factory=lambda: os.urandom(6).hex())
    file: Path | None = None
    path: str = ""
    commit: str = ""
    branch: str | None = None  # one that will be made
    pool: str | None = None
    has_branch: bool = False  # it was made, and has no reflog to bear the mark
    by_row: bool = True  # a session's row ends the creation, not the worktree alone

    def branch_made(self, repo: Repository, branch: str) -> None:
        """To be called when the branch is there. Raises OSError."""
        if self.file and not (repo.common_dir / "logs" / "refs" / "heads" / branch).exists():
            dataclasses.replace(self, has_branch=True).write()

    def write(self) -> None:
        """Put the note on disk. Raises OSError."""
        if self.file:
            said = {**dataclasses.asdict(self), "file": None}
            durable.write(self.file, json.dumps(said).encode())


@contextlib.contextmanager
def noted(
    repo: Repository,
    path: Path,
    commit: str,
    branch: str | None,
    pool: Path | None,
    *,
    by_row: bool = True,
) -> Iterator[Note]:
    """Keep a note, and git's lock on what is made, while the block makes a worktree at `path`.

    `branch` is one that will be made, None where none is. `by_row`: it is done when a session's row
    names it, else when it is complete. Raises `git_failed` when the note cannot be written.
    """
    try:
        note = Note(
            file=own_directory(repo.common_dir) / _NAME,
            path=os.fspath(path),
            commit=commit,
            branch=branch,
            pool=os.fspath(pool) if pool else None,
            by_row=by_row,
        )
        note.write()
    except OSError as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"{repo.common_dir} cannot be written ({error.strerror}); nothing was made.",
            "Check the permissions there and the space on the disk, then try again.",
        ) from error
    try:
        yield note
    finally:
        with held_back():
            if entry := entry_of(repo, note):
                admin.replace_lock(entry, None, Permissions())
            file_of(repo).unlink(missing_ok=True)


def pending(repo: Repository) -> bool:
    """Whether a creation, or taking one back, is under way, or was killed."""
    return file_of(repo).exists() or aside.pending(repo.common_dir)


def was_interrupted(repo: Repository, worktree: Worktree) -> bool:
    """Whether who was making this worktree is dead: nobody is at work in the repository, and it
    bears the lock still that its creation would have taken away before that."""
    return (
        worktree.being_made
        and not is_held(repo.common_dir)
        and admin.lock_reason(worktree.git_dir) == worktree.locked
    )


def file_of(repo: Repository) -> Path:
    """Where the note is, if there is one."""
    return repo.common_dir / "hqt" / _NAME


def lock_of(mark: str) -> str:
    """The reason of git's lock while the creation with this mark goes on, which keeps a prune away
    from what is not finished."""
    return f"{CREATING} {mark}"


def entry_of(repo: Repository, note: Note) -> Path | None:
    """The admin directory with the note's lock, wherever its worktree is by now."""
    reason = lock_of(note.mark)
    return next((o for o in admin.entries(repo.common_dir) if admin.lock_reason(o) == reason), None)
