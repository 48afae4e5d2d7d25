"""What is written down about a removed worktree: the records, and their form as JSON. Pure.

Bytes that are not UTF-8 (in a path, a reflog) travel as lone surrogates, which ASCII JSON keeps.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

_VERSION = 1


class BrokenManifest(Exception):
    """Not a manifest, or one of another version of hqt."""


class State(StrEnum):
    """What is being done with an entry. Written before it is done; see `recovery`."""

    PREPARED = "prepared"  # pins at most; nothing has moved
    TAKING = "taking"  # on its way into the trash; irrevocable once the tree is in
    TAKEN = "taken"
    RESTORING = "restoring"  # on its way back; irrevocable once the admin entry is back


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch as it was, so that it can be made again if it is deleted."""

    ref: str  # full name
    tip: str | None  # commit in hex; None: it had no commit
    settings: tuple[tuple[str, str | None], ...] = ()  # of its configuration section, in order
    reflog: str | None = None  # the file's text; None: it had none


@dataclass(frozen=True, slots=True)
class Link:
    """How a submodule's checkout and its git directory (in the admin entry) name each other."""

    git_dir: str  # relative to the admin entry
    checkout: str  # relative to the tree
    worktree: str  # core.worktree, as it was written
    gitfile: str  # the checkout's `.git`, as it was written


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worktree is being put back."""

    path: Path
    name: str  # of its admin entry
    head: str  # text of its HEAD
    made: Path | None = None  # topmost folder that has to be made for it
    revived: tuple[str, ...] = ()  # branches, by full name, that are made again


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything about an entry that the moved files themselves do not say."""

    id: str
    state: State
    path: Path
    name: str  # of the admin entry
    tree: bool  # False: the directory was missing already
    mode: int  # permission bits of the directory
    far: bool  # the directory is on another file system than the repository
    gitdir: str  # the admin entry's `gitdir`, as it was written
    head: str  # the admin entry's `HEAD`, as it was written
    ref: str | None  # full name of the reference that HEAD points to; None when detached
    commit: str | None  # in hex; None: HEAD had no commit
    removed_at: int  # nanoseconds since the epoch
    holds: tuple[str, ...] = ()
    session: dict[str, Any] = field(default_factory=dict)
    pool: Path | None = None
    branches: tuple[Branch, ...] = ()
    links: tuple[Link, ...] = ()
    fingerprint: str = ""  # of the files that the pins were computed from
    place: Place | None = None


def dump(manifest: Manifest) -> bytes:
    """The manifest as the content of its file."""
    record = {"version": _VERSION, **dataclasses.asdict(manifest)}
    return json.dumps(record, default=str, indent=1).encode("ascii") + b"\n"


def load(content: bytes) -> Manifest:
    """The manifest that `dump` wrote. Raises `BrokenManifest` for anything else."""
    try:
        said = json.loads(content)
        if said.pop("version") != _VERSION:
            raise BrokenManifest
        return Manifest(
            **said
            | {
                "state": State(said["state"]),
                "path": Path(said["path"]),
                "pool": _path(said["pool"]),
                "holds": tuple(said["holds"]),
                "branches": tuple(_branch(one) for one in said["branches"]),
                "links": tuple(Link(**one) for one in said["links"]),
                "place": _place(said["place"]),
            }
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BrokenManifest from error


def _path(said: str | None) -> Path | None:
    return None if said is None else Path(said)


def _branch(said: dict[str, Any]) -> Branch:
    return Branch(**said | {"settings": tuple((key, value) for key, value in said["settings"])})


def _place(said: dict[str, Any] | None) -> Place | None:
    if said is None:
        return None
    paths = {"path": Path(said["path"]), "made": _path(said["made"])}
    return Place(**said | paths | {"revived": tuple(said["revived"])})
