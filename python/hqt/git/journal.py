"""What a creation is about to make, noted before it begins, so that a killed one is taken back.

One note for each repository, since a creation runs under the repository's lock: whoever holds the
lock and finds a note knows that its writer is dead. What stands at the noted path by then may be
somebody else's; only what bears the note's mark is the creation's.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, branches, durable, files, process
from hqt.git.exclude import POOL_IGNORE
from hqt.git.lock import own_directory
from hqt.git.registration import lock_of
from hqt.git.rollback import Made, roll_back
from hqt.models import Repository

_NAME = "creating.json"


@dataclass(frozen=True, slots=True)
class Note:
    """What is kept of one creation; without a `file`, nothing."""

    mark: str = field(default_factory=lambda: secrets.token_hex(6))
    file: Path | None = None
    path: str = ""
    commit: str = ""
    branch: str | None = None  # one that will be made
    pool: str | None = None
    has_branch: bool = False  # it was made, and has no reflog to bear the mark

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
    repo: Repository, path: Path, commit: str, branch: str | None, pool: Path | None
) -> Iterator[Note]:
    """Keep a note while the block makes a worktree at `path`. `branch` is one that will be made,
    None where none is. Raises `git_failed` when the note cannot be written."""
    try:
        note = Note(
            file=own_directory(repo.common_dir) / _NAME,
            path=os.fspath(path),
            commit=commit,
            branch=branch,
            pool=os.fspath(pool) if pool else None,
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
        (repo.common_dir / "hqt" / _NAME).unlink(missing_ok=True)


def pending(repo: Repository) -> bool:
    """Whether there is a note: a creation is under way, or was killed."""
    return (repo.common_dir / "hqt" / _NAME).exists()


def take_back(repo: Repository, finished: Callable[[Path], bool]) -> tuple[str, ...]:
    """Under the lock: roll back what a killed creation has left; a sentence if there was one.

    `finished` says whether the creation of the worktree at a path had come to its end: then it
    stays. So does one that somebody has used since, and whatever is not provably its own.
    """
    file = repo.common_dir / "hqt" / _NAME
    try:
        note = Note(**json.loads(files.read(file)))
        path = Path(note.path)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError):
        with contextlib.suppress(OSError):
            file.unlink()
        return ()
    said: tuple[str, ...] = ()
    if not finished(path):
        made = _made(repo, note)
        left = [*_not_its_own(made), *roll_back(made)]
        said = (f"A creation that was killed at {path} was taken back.",)
        if left:
            said = (f"A creation at {path} was killed. Left behind: {'; '.join(left)}.",)
    file.unlink(missing_ok=True)
    return said


def _made(repo: Repository, note: Note) -> Made:
    """What there is of a creation: an entry with the note's lock that is still for the path, the
    tree of that entry, a branch that nobody else can have made or moved."""
    path = Path(note.path)
    made = Made(repo, path, note.commit, note.branch, note.mark)
    made.entry = next(
        (one for one in admin.entries(repo.common_dir) if admin.lock_reason(one) == lock_of(made)),
        None,
    )
    if made.entry and admin.worktree_path(made.entry) not in {None, path}:
        made.entry = None
    made.linked = made.entry is not None and admin.points_back(made.entry, path)
    made.tree = made.entry is not None and path.is_dir() and not path.is_symlink()
    made.new_branch = _is_own_branch(repo, note)
    pool = Path(note.pool) if note.pool else None
    if pool and path.is_relative_to(pool):
        made.folders = [one for one in reversed(path.parents) if one.is_relative_to(pool)]
        with contextlib.suppress(OSError):
            if files.read(pool / ".gitignore") == POOL_IGNORE:
                made.ignore = pool / ".gitignore"
    return made


def _is_own_branch(repo: Repository, note: Note) -> bool:
    """Whether the creation made the branch and nothing has happened to it since."""
    if note.branch is None or branches.commit_of(repo, note.branch) != note.commit:
        return False
    query = ("log", "-g", "--format=%gs", f"refs/heads/{note.branch}", "--")
    answer = process.ask(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
    lines = answer.text.splitlines()
    if answer.status or not lines:
        return answer.status == 0 and note.has_branch
    return len(lines) == 1 and note.mark in lines[0]


def _not_its_own(made: Made) -> Iterator[str]:
    """What is where the creation would have put something, but may be somebody else's."""
    if made.entry is None and os.path.lexists(made.path):
        yield f"what is at {made.path} now, as it may be somebody else's"
    if made.branch and not made.new_branch and branches.commit_of(made.repo, made.branch):
        yield f"the branch {made.branch}, as somebody may have made or used it"
