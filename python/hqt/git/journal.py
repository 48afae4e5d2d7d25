"""What a creation is about to make, noted before it begins, so that a killed one is taken back.

One note for each repository, since a creation runs under the repository's lock: whoever holds the
lock and finds a note knows that its writer is dead.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, branches, durable
from hqt.git.lock import own_directory
from hqt.git.registration import CREATING
from hqt.git.rollback import POOL_IGNORE, Made, roll_back
from hqt.models import Repository

_NAME = "creating.json"


@contextlib.contextmanager
def noted(
    repo: Repository, path: Path, commit: str, branch: str | None, pool: Path | None
) -> Iterator[None]:
    """Keep a note while the block makes a worktree at `path`. `branch` is one that will be made,
    None where none is. Raises `git_failed` when the note cannot be written."""
    note = {
        "path": os.fspath(path),
        "commit": commit,
        "branch": branch,
        "pool": os.fspath(pool) if pool else None,
    }
    try:
        file = own_directory(repo.common_dir) / _NAME
        durable.write(file, json.dumps(note).encode())
    except OSError as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"{repo.common_dir} cannot be written ({error.strerror}); nothing was made.",
            "Check the permissions there and the space on the disk, then try again.",
        ) from error
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def pending(repo: Repository) -> bool:
    """Whether there is a note: a creation is under way, or was killed."""
    return (repo.common_dir / "hqt" / _NAME).exists()


def take_back(repo: Repository, finished: Callable[[Path], bool]) -> tuple[str, ...]:
    """Under the lock: roll back what a killed creation has left; a sentence if there was one.

    `finished` says whether the creation of the worktree at a path had come to its end: then it
    stays. So does one that somebody has used since, its lock lifted.
    """
    file = repo.common_dir / "hqt" / _NAME
    try:
        note = json.loads(file.read_bytes())
        path, commit, branch = Path(note["path"]), str(note["commit"]), note["branch"]
        pool = Path(note["pool"]) if note["pool"] else None
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError):
        with contextlib.suppress(OSError):
            file.unlink()
        return ()
    said = ""
    if not finished(path):
        _drop_unnamed(repo)
        left = roll_back(_made(repo, path, commit, branch, pool))
        said = f"A creation that was killed at {path} was taken back."
        if left:
            said = f"A creation at {path} was killed. Left behind: {'; '.join(left)}."
    file.unlink(missing_ok=True)
    return (said,) if said else ()


def _drop_unnamed(repo: Repository) -> None:
    """Delete the admin entry of a creation that was killed before it named its worktree."""
    for entry in admin.entries(repo.common_dir):
        with contextlib.suppress(OSError):
            if admin.lock_reason(entry) == CREATING and os.listdir(entry) == ["locked"]:  # noqa: PTH208
                (entry / "locked").unlink()
                entry.rmdir()


def _made(repo: Repository, path: Path, commit: str, branch: str | None, pool: Path | None) -> Made:
    """What there is of a creation. An admin entry is its own only if it names the path."""
    entry = next(
        (one for one in admin.entries(repo.common_dir) if admin.worktree_path(one) == path), None
    )
    made = Made(repo, path, commit, branch, entry=entry)
    made.linked = entry is not None and admin.points_back(entry, path)
    made.tree = path.is_dir() and not path.is_symlink()
    made.new_branch = branch is not None and branches.commit_of(repo, branch) == commit
    if pool and path.is_relative_to(pool):
        made.folders = [one for one in reversed(path.parents) if one.is_relative_to(pool)]
        with contextlib.suppress(OSError):
            if (pool / ".gitignore").read_bytes() == POOL_IGNORE:
                made.ignore = pool / ".gitignore"
    return made
