"""Writing so that a crash finds either the old content or the new, never half of it."""

from __future__ import annotations

import os
from pathlib import Path


def write(file: Path, data: bytes, *, draft: Path | None = None) -> None:
    """Replace a file's content in one step; it is on disk when this returns. Raises OSError.

    `draft` is where the new content stands until it is complete: on the same file system, beside
    the file if nothing else is said. A crash may leave it behind.
    """
    draft = draft or draft_of(file)
    with draft.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
    sync(file.parent)


def draft_of(file: Path) -> Path:
    """What a crash in `write` may leave beside a file."""
    return file.with_name(f".{file.name}.new")


def sync(directory: Path) -> None:
    """Put the names in a directory on disk. Raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
