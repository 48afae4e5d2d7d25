"""How every changing verb enters a repository: under its lock, after unfinished business."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hqt.models import Repository


@contextmanager
def changing(repository: Repository, verb: str) -> Iterator[tuple[str, ...]]:
    """Hold the repository's lock; first finish or revert what a killed call left behind.

    Yields a sentence for each thing that was finished or reverted. Raises `repository_locked`
    when another hqt holds the lock for too long. Never to be held across a question to the user.
    """
    from hqt.git import trash
    from hqt.git.lock import repository_lock

    with repository_lock(repository, verb):
        yield trash.recover(repository)
