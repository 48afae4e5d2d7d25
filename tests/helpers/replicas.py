"""What git has built for one test, written out again for another: a repository costs a copy then.

The second is what git would have made in its place: paths in it are its own, and its indexes know
the files as they are there, so that git and libgit2 find them unchanged without reading them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_ENTRY = struct.Struct(">10I20sH")  # times, device, inode, mode, owner, group, size, object, flags
_INDEX = b"DIRC\0\0\0\2"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tree in memory, by names below it."""

    place: bytes
    folders: tuple[str, ...]
    files: tuple[tuple[str, int, bytes], ...]  # name, mode, content; indexes last
    links: tuple[tuple[str, str], ...]


_kept: dict[object, _Kept | None] = {}


def replica(place: Path, key: object, build: Callable[[], object]) -> None:
    """Have at `place`, which is not there yet, what `build` makes there; `key` says what that is.

    It is really built the first time, and whenever something of git's is set otherwise than in most
    tests. `build` must write nothing elsewhere, and name `place` by its real path.
    """
    world = _world()
    if world is None or place.resolve() != place:
        build()
        return
    key = (key, world)
    if kept := _kept.get(key):
        _write(kept, place)
        return
    build()
    if key not in _kept:
        _kept[key] = _read(place)


def _world() -> str | None:
    """What git is told in this test; None where that is more than the configuration in HOME."""
    if any(name.startswith("GIT_") for name in os.environ):
        return None
    home = Path.home()
    if "XDG_CONFIG_HOME" in os.environ or (home / ".config" / "git").exists():
        return None
    config = home / ".gitconfig"
    return f"{os.umask(os.umask(0o22))} " + (config.read_text() if config.exists() else "")


def _read(place: Path) -> _Kept | None:
    """A tree as it is; None where it has what cannot be written out again."""
    folders, files, indexes, links = [], [], [], []
    for top, below, names in os.walk(place):
        for name in (*below, *names):
            path = Path(top, name)
            known = str(path.relative_to(place))
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                links.append((known, os.fspath(path.readlink())))
            elif stat.S_ISDIR(mode):
                folders.append(known)
            elif not stat.S_ISREG(mode):
                return None
            elif name == "index":
                indexes.append((known, mode, path.read_bytes()))
            else:
                files.append((known, mode, path.read_bytes()))
    kept = _Kept(os.fsencode(place), tuple(folders), (*files, *indexes), tuple(links))
    return kept if all(_entries(content) is not None for _, _, content in indexes) else None


def _write(kept: _Kept, place: Path) -> None:
    own = os.fsencode(place)
    place.mkdir(parents=True)
    for name in kept.folders:
        (place / name).mkdir()
    for name, target in kept.links:
        (place / name).symlink_to(target)
    for name, mode, content in kept.files:
        path = place / name
        if path.name == "index":
            content = _refreshed(content, _checkout(path.parent))
        elif kept.place in content:
            content = content.replace(kept.place, own)
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(mode))
        os.write(opened, content)
        os.close(opened)


def _checkout(git_dir: Path) -> Path:
    """Where the files of an index are: a linked worktree's git directory says it."""
    told = git_dir / "gitdir"
    return Path(told.read_text().strip() if told.exists() else git_dir).parent


def _entries(index: bytes) -> list[tuple[int, str]] | None:
    """Where each entry begins, and its file's name; None for an index of another kind."""
    if not index.startswith(_INDEX):
        return None
    found, at = [], 12
    for _ in range(int.from_bytes(index[8:12])):
        end = index.index(b"\0", at + _ENTRY.size)
        found.append((at, os.fsdecode(index[at + _ENTRY.size : end])))
        at += (end - at) // 8 * 8 + 8
    while at < len(index) - 20:
        if index[at : at + 4] != b"TREE":
            return None
        at += 8 + int.from_bytes(index[at + 4 : at + 8])
    return found


def _refreshed(index: bytes, checkout: Path) -> bytes:
    """The index, with the files of this checkout in it: they have the content that it names."""
    body = bytearray(index[:-20])
    for at, name in _entries(index) or ():
        found = (checkout / name).lstat()
        old = _ENTRY.unpack_from(body, at)
        seen: list[int] = []
        for time in (found.st_ctime_ns, found.st_mtime_ns):
            seen += divmod(time, 1_000_000_000)
        seen += [found.st_dev & 0xFFFFFFFF, found.st_ino & 0xFFFFFFFF]
        _ENTRY.pack_into(body, at, *seen, old[6], found.st_uid, found.st_gid, *old[9:])
    return bytes(body) + hashlib.sha1(body).digest()
