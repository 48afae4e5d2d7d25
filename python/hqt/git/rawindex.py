"""The index as bytes: what can be told of it without git, libgit2 or a look at each entry.

Finding a few names among 100,000 by searching the raw bytes takes 2 ms, entry by entry 100 ms.
The layout is git's `index-format`: a header of 12 bytes, then entries padded to multiples of 8,
each with 62 bytes before its path in version 2.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hqt.git import files

_HEADER = 12
_BEFORE_PATH = 62
_GITLINK = b"\0\0\xe0\0"  # mode 160000
_MODE = 24  # where in an entry it stands
_LONGEST = 4096  # bytes of a path


def read(git_dir: Path) -> bytes | None:
    """The raw index; empty where there is none yet, None where it cannot be read."""
    try:
        return files.read(git_dir / "index")
    except FileNotFoundError:
        return b""
    except OSError:
        return None


def size(git_dir: Path) -> int | None:
    """The number of entries that the header tells; None where there is no index to be read."""
    try:
        return entries(files.beginning(git_dir / "index", _HEADER))
    except OSError:
        return None


def entries(index: bytes) -> int:
    """The number of entries that the header tells."""
    return int.from_bytes(index[8:_HEADER])


def is_version_2(index: bytes) -> bool:
    """Whether it is the plain format: 3 holds skip-worktree or intent-to-add entries, 4 shortens
    the names.
    """
    return not index or index[:8] == b"DIRC\0\0\0\2"


def has_submodules(index: bytes) -> bool:
    """Whether there is a `.gitmodules` at the root, or an entry that is another repository."""
    if b"\x0b.gitmodules\0" in index:
        return True
    at = index.find(_GITLINK)
    while at >= 0:
        if (at - _HEADER - _MODE) % 8 == 0:
            return True
        at = index.find(_GITLINK, at + 1)
    return False


def is_split(git_dir: Path) -> bool:
    """Whether the other half of a split index is, or lately was, in the git directory."""
    try:
        with os.scandir(git_dir) as found:
            return any(entry.name.startswith("sharedindex.") for entry in found)
    except OSError:
        return False


def named(index: bytes, names: Iterable[str]) -> Iterator[str]:
    """The paths whose last component is one of `names`, except at the root; version 2 only.

    A path starts where its length (the 12 bits before it) and the alignment of entries fit; should
    two starts fit, both are given.
    """
    for name in names:
        wanted = b"/" + name.encode() + b"\0"
        at = index.find(wanted)
        while at >= 0:
            end = at + len(wanted) - 1
            for start in _starts(index, at, end):
                yield os.fsdecode(index[start:end])
            at = index.find(wanted, end)


def _starts(index: bytes, at: int, end: int) -> Iterator[int]:
    for start in range(at, max(at - _LONGEST, _HEADER + _BEFORE_PATH - 1), -1):
        length = int.from_bytes(index[start - 2 : start])
        if length == 0:
            return
        if length & 0xFFF == end - start and (start - _HEADER - _BEFORE_PATH) % 8 == 0:
            yield start
