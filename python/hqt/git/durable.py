"""Writing so that a crash finds either the old content or the new, never half of it."""

from __future__ import annotations

import os
from pathlib import Path


def write(file: Path, data: bytes) -> None:
    """Replace a file's content in one step; it is on disk when this returns. Raises OSError."""
    temporary = file.with_name(f".{file.name}.new")
    with temporary.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(file)
    sync(file.parent)


def sync(directory: Path) -> None:
    """Put the names in a directory on disk. Raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
