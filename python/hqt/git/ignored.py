"""Ignored files: those that look precious by name, caches only summed.

They never refuse a removal, as the trash keeps them; but who removes should see that a database or
a file of secrets goes too. Summing is bounded: nobody waits for the size of `node_modules`.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hqt.models import IgnoredFiles

MOST_NAMES = 100
PATIENCE = 0.3  # seconds
COMPARING = 0.1  # seconds, to begin another comparison with the main checkout's files in
MOST_COMPARED = 1 << 20  # bytes of a file

_PRECIOUS = re.compile(
    r"""
      \.env.* | .*\.env | \.envrc
    | .*\.(sqlite|db)(\d|-wal|-shm|-journal)? | .*\.(rdb|mdb|kdbx|dump|bak) | .*\.sql(\.gz)?
    | .*\.(pem|key|p12|pfx|jks|keystore|ppk|asc|gpg|age) | id_(rsa|dsa|ecdsa|ed25519)
    | (credentials|secrets?)(\..*)? | \.(netrc|npmrc|pypirc|pgpass|my\.cnf|htpasswd)
    | .*\.local(\..*)? | local\.(settings\.json|properties) | .*\.override\.ya?ml
    | .*\.tfvars(\.json)? | terraform\.tfstate.*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CACHES = frozenset(
    """
    node_modules bower_components .pnpm-store .yarn .npm .turbo .next .nuxt .svelte-kit
    .parcel-cache target build dist out _build .gradle .m2 .cargo vendor Pods DerivedData .dart_tool
    __pycache__ .venv venv .tox .nox .eggs .mypy_cache .ruff_cache .pytest_cache .hypothesis .cache
    .terraform .bundle deps elm-stuff .stack-work dist-newstyle zig-cache .zig-cache coverage
    """.split()
)
_PASSING = frozenset("cache caches tmp temp log logs".split())  # not worth waiting for either
_MARKS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
# What programs leave behind and make again.
_LITTER = re.compile(
    r"""
      .*\.(log|tmp|temp|pid|sock|lock|swp|swo|cache|tsbuildinfo|gcno|gcda|gcov)(\.\d+)?
    | .*\.(py[cod]|o|obj|lo|la|a|so|dylib|dll|exe|class|hi|beam|rlib|rmeta|d|map) | .*~ | \#.*\#
    | \.(DS_Store|coverage.*|eslintcache|stylelintcache|directory) | Thumbs\.db | desktop\.ini
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def looks_precious(name: str) -> bool:
    """Whether a file of this base name may hold what nobody can make again."""
    return _PRECIOUS.fullmatch(name) is not None


def survey(root: Path, names: Iterable[str], main: Path | None = None) -> IgnoredFiles:
    """What is behind the ignored entries of `git status`, given as paths below `root`.

    Caches come last, and nothing in them is named. After a moment the sums stop, as a lower bound;
    a folder that cannot be read makes them one too. Of the precious ones those are told apart that
    the checkout `main` has just so; one that is too large to compare, or comes too late, is not.
    """
    begun = _Survey(os.fspath(root), time.monotonic() + PATIENCE)
    for name in names:
        begun.add(name.rstrip("/"), folder=name.endswith("/"))
    begun.finish()
    precious = tuple(sorted(begun.precious))
    in_main = tuple(_in_main(root, precious, main)) if main else ()
    return IgnoredFiles(precious, begun.files, begun.size, begun.partial, in_main)


def _in_main(root: Path, names: Iterable[str], main: Path) -> Iterator[str]:
    deadline = time.monotonic() + COMPARING
    for name in names:
        with contextlib.suppress(OSError):
            small = (root / name).lstat().st_size <= MOST_COMPARED
            if small and _same(root / name, main / name):
                yield name
        if time.monotonic() > deadline:
            return


def worth_keeping(root: Path, names: Iterable[str], other: Path | None) -> bool:
    """Whether the ignored entries hold a file that nobody may be able to make again: outside of
    caches, anything but what programs leave behind and what the checkout `other` has just so.

    Searched to the end, however long it takes; a folder that cannot be read holds one.
    """
    waiting = list(names)
    while waiting:
        name = waiting.pop().rstrip("/")
        path = root / name
        if path.name in _CACHES or path.name in _PASSING:
            continue
        if not path.is_symlink() and path.is_dir():
            try:
                inner = os.listdir(path)  # noqa: PTH208 - names are all that is wanted
            except OSError:
                return True
            if not _MARKS.intersection(inner):
                waiting.extend(f"{name}/{one}" for one in inner)
        elif not (_is_litter(path) or (other and _same(path, other / name))):
            return True
    return False


def _is_litter(path: Path) -> bool:
    return _LITTER.fullmatch(path.name) is not None and not looks_precious(path.name)


def _same(one: Path, other: Path) -> bool:
    """Whether `other` is just as `one`, or is what `one` leads to."""
    with contextlib.suppress(OSError):
        if one.samefile(other):
            return True
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


@dataclass(slots=True)
class _Survey:
    root: str
    deadline: float
    precious: list[str] = field(default_factory=list)
    files: int = 0
    size: int = 0
    partial: bool = False
    _folders: list[str] = field(default_factory=list)  # still to be searched
    _caches: list[str] = field(default_factory=list)  # still to be summed

    def add(self, path: str, *, folder: bool) -> None:
        """An ignored entry, below the root."""
        if folder:
            (self._caches if path.rpartition("/")[2] in _CACHES else self._folders).append(path)
        else:
            self._count(path, self._size(path), named=True)

    def finish(self) -> None:
        """Search the folders, then sum the caches, until time runs out."""
        for waiting, named in ((self._folders, True), (self._caches, False)):
            while waiting:
                if time.monotonic() > self.deadline:
                    self.partial = True
                    return
                self._look(waiting.pop(), waiting, named=named)

    def _look(self, path: str, waiting: list[str], *, named: bool) -> None:
        try:
            with os.scandir(f"{self.root}/{path}") as found:
                entries = list(found)
        except OSError:
            self.partial = True
            return
        if named and any(entry.name in _MARKS for entry in entries):
            self._caches.append(path)
            return
        for entry in entries:
            inner = f"{path}/{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                self._count(inner, self._size(inner), named=named)
            elif named:
                self.add(inner, folder=True)
            else:
                waiting.append(inner)

    def _count(self, path: str, size: int, *, named: bool) -> None:
        if named and len(self.precious) < MOST_NAMES and looks_precious(path.rpartition("/")[2]):
            self.precious.append(path)
        else:
            self.files += 1
            self.size += size

    def _size(self, path: str) -> int:
        try:
            return os.lstat(f"{self.root}/{path}").st_size
        except OSError:
            return 0
