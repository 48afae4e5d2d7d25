"""Whether something else is mounted inside a directory: what a rename would carry along and a
deletion would follow (git-facts §6). And what kind of file system a directory is on.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_ESCAPE = re.compile(rb"\\([0-7]{3})")
# File systems on which a folder has one link for itself, one in its parent and one from each folder
# in it, or, past 65,000 of those, 1 (ext4's `dir_nlink`). Others count otherwise, or not at all.
_COUNTING = frozenset({b"ext2", b"ext3", b"ext4", b"xfs", b"tmpfs"})


def mounts_below(directory: Path) -> tuple[Path, ...]:
    """The mount points at or below a physical path. Raises OSError when they cannot be known."""
    try:
        table = _TABLE.read_bytes()
    except FileNotFoundError:  # not Linux: there a bind mount has a device number of its own
        return _other_devices(directory)
    fields = (line.split(b" ") for line in table.splitlines())
    points = (os.fsdecode(_ESCAPE.sub(_unescape, line[4])) for line in fields if len(line) > 4)
    found = (Path(point) for point in points)
    return tuple(sorted({point for point in found if point.is_relative_to(directory)}))


def counts_folders(directory: Path) -> int | None:
    """The device number of a directory if there the links of a folder tell whether it has folders
    in it: two, if none. None where that is not so or cannot be known."""
    try:
        device = directory.stat().st_dev
        lines = _TABLE.read_bytes().splitlines()
    except OSError:
        return None
    number = b"%d:%d" % (os.major(device), os.minor(device))
    for line in lines:
        mount, _, system = line.partition(b" - ")
        if mount.split(b" ")[2:3] == [number]:
            return device if system.split(b" ")[0] in _COUNTING else None
    return None


def _unescape(octal: re.Match[bytes]) -> bytes:
    return bytes([int(octal[1], 8)])


def _other_devices(directory: Path) -> tuple[Path, ...]:
    device = directory.parent.stat().st_dev
    found, pending = [], [directory]
    while pending:
        folder = pending.pop()
        if folder.stat().st_dev != device:
            found.append(folder)
            continue
        with os.scandir(folder) as entries:
            pending += [Path(one.path) for one in entries if one.is_dir(follow_symlinks=False)]
    return tuple(sorted(found))
