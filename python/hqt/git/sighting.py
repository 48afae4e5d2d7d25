"""What a directory held when it was looked at, and deleting that and nothing else.

A file is known again by its inode, mode, size and times: whoever writes, replaces or touches it
changes one of them, through an open descriptor too. No name is ever followed through a symbolic
link, so a folder that was replaced by one leads nowhere.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hqt.git import files

_SECOND = 1_000_000_000
_TICK = _SECOND // 20  # the kernel's clock for files stands still for up to 10 ms
_NO_FOLLOW = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW
_LAST = ".git"  # the root's own is deleted last: without it git would search further up


class Known(NamedTuple):
    """A file as it was seen."""

    inode: int
    mode: int
    size: int
    modified: int
    changed: int
    digest: bytes = b""  # of its content, where the times are too fresh to show the next change

    def same(self, found: os.stat_result) -> bool:
        return (self.inode, self.mode, self.size, self.modified, self.changed) == (
            found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns,
        )  # fmt: skip


@dataclass(slots=True)
class Seen:
    """Everything in a directory, by its name below it; the directory itself is ''."""

    folders: set[str] = field(default_factory=lambda: {""})
    files: dict[str, Known] = field(default_factory=dict)

    def note(self, name: str, file: str) -> os.stat_result:
        """Remember the file at a path. To be called before it is read. Raises OSError."""
        found = os.lstat(file)
        digest = b""
        if stat.S_ISREG(found.st_mode) and _is_fresh(found):
            digest = hashlib.sha256(files.read(file, follow=False)).digest()
        self.files[name] = Known(
            found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, digest
        )
        return found


def look(root: Path) -> Seen:
    """What is in a directory now. Raises OSError."""
    seen = Seen()
    for name, is_folder in walk(root):
        if is_folder:
            seen.folders.add(name)
        else:
            seen.note(name, f"{root}/{name}")
    return seen


def walk(root: Path) -> Iterator[tuple[str, bool]]:
    """Everything below a directory by its name there, and whether it is a real folder; what is in
    one comes after it. Raises OSError."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(root / below) as entries:
            for found in entries:
                name = f"{below}/{found.name}" if below else found.name
                is_folder = found.is_dir(follow_symlinks=False)
                if is_folder:
                    waiting.append(name)
                yield name, is_folder


def difference(root: Path, seen: Seen) -> str | None:
    """The name of something that is not as it was seen, gone or new; None when nothing is.

    Raises OSError where that cannot be told.
    """
    folders, known = {""}, 0
    for name, is_folder in walk(root):
        if is_folder:
            folders.add(name)
            if name not in seen.folders:
                return name
            continue
        file = seen.files.get(name)
        if file is None or not _is_same(file, f"{root}/{name}"):
            return name
        known += 1
    if known != len(seen.files):
        return next(name for name in seen.files if not os.path.lexists(root / name))
    return min(seen.folders - folders, default=None)


def delete(root: Path, seen: Seen) -> str | None:
    """Delete what was seen in a directory, each file only if it still is as it was, and the folders
    this empties, but not the directory itself. What is gone already is no matter.

    The name at which it stopped, since something there is not as it was seen; None when all is
    gone. Raises OSError where something cannot be deleted.
    """
    top = os.open(root, _NO_FOLLOW)
    try:
        inside: dict[str, list[str]] = {folder: [] for folder in seen.folders}
        for name in seen.files:
            folder, _, last = name.rpartition("/")
            inside[folder].append(last)
        for folder in sorted(inside, key=_depth, reverse=True):
            if stopped := _empty(top, folder, inside[folder], seen):
                return stopped
    finally:
        os.close(top)
    return None


def _empty(top: int, folder: str, names: list[str], seen: Seen) -> str | None:
    try:
        with _opened(top, folder) as here:
            for name in sorted(names, key=lambda one: (not folder and one == _LAST, one)):
                full = f"{folder}/{name}" if folder else name
                if full == _LAST and (others := set(os.listdir(here)) - {_LAST}):  # noqa: PTH208
                    return min(others)
                with contextlib.suppress(FileNotFoundError):
                    found = os.stat(name, dir_fd=here, follow_symlinks=False)
                    if not seen.files[full].same(found):
                        return full
                    os.unlink(name, dir_fd=here)
        if folder:
            above, _, last = folder.rpartition("/")
            with _opened(top, above) as here:
                os.rmdir(last, dir_fd=here)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST}:
            return folder
        raise
    return None


@contextlib.contextmanager
def _opened(top: int, folder: str) -> Iterator[int]:
    """A folder, reached step by step, since a path would follow a link that is in it."""
    here = os.dup(top)
    try:
        for name in folder.split("/") if folder else ():
            inner = os.open(name, _NO_FOLLOW, dir_fd=here)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


def _depth(folder: str) -> int:
    return folder.count("/") + bool(folder)


def _is_same(known: Known, file: str) -> bool:
    try:
        if not known.same(os.lstat(file)):
            return False
        if not known.digest:
            return True
        return hashlib.sha256(files.read(file, follow=False)).digest() == known.digest
    except FileNotFoundError:
        return False


def _is_fresh(found: os.stat_result) -> bool:
    """Whether another change could bear the same time; some file systems know only seconds."""
    coarse = found.st_mtime_ns % _SECOND == 0
    return time.time_ns() - found.st_mtime_ns <= (2 * _SECOND if coarse else _TICK)
