"""Reading small files fast: a listing reads four of them for each worktree."""

from __future__ import annotations

import os

_CHUNK = 1 << 16


def read(path: str, *, follow: bool = True) -> bytes:
    """A file's content. Without `follow` a symbolic link raises OSError (ELOOP), as do all usual
    failures. A third of the time of `Path.read_bytes`.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        content = chunk = os.read(descriptor, _CHUNK)
        while len(chunk) == _CHUNK:
            chunk = os.read(descriptor, _CHUNK)
            content += chunk
    finally:
        os.close(descriptor)
    return content
