"""A directory copied to another file system so exactly, and so surely, that the original may go.

Everything is copied: files with their holes, times, modes and extended attributes, links, pipes and
sockets. The copy is read back and compared before it counts, and of the original only what equals
the copy is deleted, so that a file written meanwhile stays.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git.disposal import open_up

_BLOCK = 1 << 16

Alive = Callable[[], object]  # called for each bit of work that is done


def size(directory: Path) -> int:
    """The bytes of disk that a tree takes. Raises OSError."""
    return sum(one.lstat().st_blocks * 512 for one in _walk(directory))


def copy(source: Path, target: Path, alive: Alive) -> None:
    """Copy the tree at `source` to `target`, which must not exist; verified, and on disk.

    Raises OSError, `nested` for a device file or another file system inside, and `busy` when the
    tree keeps changing. What was copied by then is left at `target`.
    """
    folders = []
    for one in _walk(source):
        there = target / one.relative_to(source)
        _copy_one(one, there, alive)
        if one.is_dir() and not one.is_symlink():
            folders.append((one, there))
    for one, there in reversed(folders):  # the inner ones first: writing in there changes times
        shutil.copystat(one, there)
    for one in _different(source, target, alive):
        raise HqtError(
            Code.BUSY,
            f"{one} changed while {source} was copied to another file system; the original is as"
            " it was.",
            "End what writes in there, then try again.",
        )
    os.sync()


def remove_copied(source: Path, target: Path, alive: Alive) -> tuple[Path, ...]:
    """Delete from `source` what `target` holds a copy of; what is still there afterwards.

    Never enters another file system. Raises OSError where the tree cannot be read.
    """
    found = reversed(list(_walk(source)))
    return tuple(one for one in found if not _removed(one, target / one.relative_to(source), alive))


def _removed(one: Path, there: Path, alive: Alive) -> bool:
    try:
        if one.is_dir() and not one.is_symlink():
            one.rmdir()
        elif _equal(one, there, alive):
            open_up(one.parent)
            one.unlink()
        else:
            return False
    except OSError:
        return False
    return True


def _walk(top: Path) -> Iterator[Path]:
    """Everything at and below `top`, folders before what is in them."""
    device = top.lstat().st_dev
    pending = [top]
    while pending:
        folder = pending.pop()
        if folder.lstat().st_dev != device:
            raise HqtError(
                Code.NESTED,
                f"{folder} is on another file system than {top}; nothing in there was touched.",
                "Unmount it first.",
            )
        yield folder
        with os.scandir(folder) as found:
            children = sorted(found, key=lambda one: one.name)
        for child in children:
            if child.is_dir(follow_symlinks=False):
                pending.append(Path(child.path))
            else:
                yield Path(child.path)


def _copy_one(one: Path, there: Path, alive: Alive) -> None:
    alive()
    found = one.lstat()
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFDIR:
        there.mkdir()
    elif kind == stat.S_IFLNK:
        there.symlink_to(_target(one))
    elif kind == stat.S_IFREG:
        _copy_content(one, there, alive)
    elif kind in {stat.S_IFIFO, stat.S_IFSOCK}:
        os.mknod(there, found.st_mode)
    else:
        raise HqtError(
            Code.NESTED,
            f"{one} is a device file, which hqt does not copy to another file system; nothing was"
            " removed.",
            "Delete it first.",
        )
    with contextlib.suppress(PermissionError):  # only root gives files away
        os.chown(there, found.st_uid, found.st_gid, follow_symlinks=False)
    if kind != stat.S_IFDIR:
        shutil.copystat(one, there, follow_symlinks=False)


def _different(source: Path, target: Path, alive: Alive) -> Iterator[Path]:
    """What the copy lacks, has too much or has otherwise."""
    ours = {one.relative_to(source) for one in _walk(source)}
    theirs = {one.relative_to(target) for one in _walk(target)}
    yield from (source / name for name in sorted(ours ^ theirs))
    for name in sorted(ours):
        if not _equal(source / name, target / name, alive):
            yield source / name


def _equal(one: Path, there: Path, alive: Alive) -> bool:
    alive()
    try:
        ours, theirs = one.lstat(), there.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_IFMT(ours.st_mode) != stat.S_IFMT(theirs.st_mode):
        return False
    if stat.S_ISLNK(ours.st_mode):
        return _target(one) == _target(there)
    if stat.S_ISREG(ours.st_mode):
        return ours.st_size == theirs.st_size and _same_content(one, there, alive)
    return True


def _target(link: Path) -> str:
    return os.readlink(link)  # noqa: PTH115 (a Path would tidy "./x" into "x")


def _copy_content(one: Path, there: Path, alive: Alive) -> None:
    with one.open("rb") as ours, there.open("xb") as theirs:
        size, offset = os.fstat(ours.fileno()).st_size, 0
        while (offset := _data(ours.fileno(), offset, size)) < size:
            block = os.pread(ours.fileno(), _BLOCK, offset)
            if not block:
                break
            theirs.seek(offset)
            theirs.write(block)
            alive()
            offset += len(block)
        theirs.truncate(size)


def _same_content(one: Path, there: Path, alive: Alive) -> bool:
    """For files of one size."""
    with one.open("rb") as ours, there.open("rb") as theirs:
        size, offset = os.fstat(ours.fileno()).st_size, 0
        while offset < size:
            offset = min(_data(file.fileno(), offset, size) for file in (ours, theirs))
            block = os.pread(ours.fileno(), _BLOCK, offset)
            if block != os.pread(theirs.fileno(), _BLOCK, offset):
                return False
            alive()
            offset += len(block) or size
    return True


def _data(descriptor: int, offset: int, size: int) -> int:
    """Where the next data begins, at or after `offset`; `size` when there is only a hole."""
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError as error:
        return size if error.errno == errno.ENXIO else offset
