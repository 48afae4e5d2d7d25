"""Deleting what is in the trash for good; the only place of hqt that deletes a tree.

An entry is first condemned: one rename takes it out of the trash, whole. Its files then go whenever
there is time, and an interruption at any point only leaves some for the next sweep.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import durable, pins
from hqt.git.entry import Entry
from hqt.git.lock import own_directory, taken
from hqt.models import Repository

_NICE = 19


def condemn(entry: Entry) -> Path:
    """Take an entry out of the trash; what its pins kept alive is git's to delete from now on.

    Returns the directory that `remove` or `sweep` deletes. Raises OSError and `git_failed`.
    """
    doomed = own_directory(entry.common_dir, "condemned") / entry.id
    entry.directory.rename(doomed)
    durable.sync(entry.directory.parent)
    pins.drop(entry.common_dir, entry.id)
    return doomed


def finish_condemning(repo: Repository) -> None:
    """Drop the pins that a crash has left behind. Raises `git_failed`."""
    for doomed in _condemned(repo):
        pins.drop(repo.common_dir, doomed.name)


def sweep(repo: Repository, *, seconds: float | None = None) -> bool:
    """Delete what is condemned, for at most `seconds`; whether all of it is gone.

    Needs no repository lock. False at once where another process is at it already. Raises
    `git_failed` where something cannot be deleted; the rest stays.
    """
    until = None if seconds is None else time.monotonic() + seconds
    try:
        with _alone(repo) as mine:
            if not mine:
                return False
            for doomed in _condemned(repo):
                pins.drop(repo.common_dir, doomed.name)
                if not remove(doomed, until=until):
                    return False
            return True
    except OSError as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"{error.filename or repo.common_dir} could not be deleted ({error.strerror}); it and"
            " what had not been reached yet is still there.",
            "Look what holds it, a mount for example, then run `hqt trash empty` again.",
        ) from error


def lower_priority() -> None:
    """Let everything else go first, for a process that only sweeps."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)  # the disk's priority follows it on Linux


def remove(directory: Path, *, until: float | None = None) -> bool:
    """Delete a directory of hqt's own; False where `until` (monotonic seconds) came first.

    Each folder is moved up to the top before it is looked into. So nothing is too deep, and the
    kernel itself keeps this from crossing into another device or a mount, a bind mount too: neither
    can be moved, and the first failure ends it. Raises OSError.
    """
    token = os.urandom(4).hex()
    fresh = (directory / f".{token}-{number}" for number in itertools.count())
    pending = [directory]
    while pending:
        folder = pending.pop()
        open_up(folder)
        with os.scandir(folder) as found:
            children = list(found)
        for child in children:
            if until is not None and time.monotonic() > until:
                return False
            if child.is_dir(follow_symlinks=False):
                open_up(Path(child.path))
                pending.append(Path(child.path).rename(next(fresh)))
            else:
                os.unlink(child.path)  # noqa: PTH108 (a Path for each file costs as much again)
        if folder != directory:
            folder.rmdir()
    directory.rmdir()
    return True


def open_up(folder: Path) -> None:
    """Let the owner write in a folder; else it can be neither moved nor emptied."""
    mode = stat.S_IMODE(folder.lstat().st_mode)
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        folder.chmod(mode | stat.S_IRWXU)


def _condemned(repo: Repository) -> list[Path]:
    try:
        return sorted((repo.common_dir / "hqt" / "condemned").iterdir())
    except FileNotFoundError:
        return []


@contextlib.contextmanager
def _alone(repo: Repository) -> Iterator[bool]:
    descriptor = os.open(own_directory(repo.common_dir) / "sweeping", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield taken(descriptor)
    finally:
        os.close(descriptor)
