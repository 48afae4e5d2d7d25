"""An entry of the trash on disk.

`<common directory>/hqt/trash/<id>/` holds

    manifest.json   written before anything moves
    tree            the worktree's directory; absent if it was missing
    admin           git's administrative entry
    dotgit          the directory's `.git`, set aside

A crash can fall between any two steps. How far they had come is then seen on the disk (which of
these is where); the manifest's state says only what was intended.
"""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import durable, files, manifest, whereabouts
from hqt.git.lock import own_directory
from hqt.git.manifest import BrokenManifest, Manifest, Place
from hqt.models import Repository, TrashEntry

_NAME = "manifest.json"


class Entry(NamedTuple):
    """A directory of the trash, with its manifest as last written."""

    repository: Repository
    manifest: Manifest

    @property
    def common_dir(self) -> Path:
        return self.repository.common_dir

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def path(self) -> Path:
        """Where the worktree was."""
        return self.manifest.path

    @property
    def destination(self) -> Path | None:
        """The same place as it is called now, if the repository has moved since the tree came in;
        None where it has no counterpart.
        """
        try:
            named = whereabouts.named_by(self.tree)
        except OSError:
            named = None
        if named is None:
            return self.path
        then = whereabouts.common_dir_of(named)
        return whereabouts.present(self.path, self.manifest.pool, then, self.common_dir)

    @property
    def directory(self) -> Path:
        return trash_directory(self.common_dir) / self.manifest.id

    @property
    def tree(self) -> Path:
        return self.directory / "tree"

    @property
    def partial(self) -> Path:
        """A copy of the tree from another file system, until it is verified."""
        return self.directory / "partial"

    @property
    def admin(self) -> Path:
        return self.directory / "admin"

    @property
    def dotgit(self) -> Path:
        return self.directory / "dotgit"

    @property
    def home(self) -> Path:
        """Where git looks for the admin entry: before it was taken, or where it is put back."""
        return self.common_dir / "worktrees" / self.place.name

    @property
    def marker(self) -> bytes:
        """The `.git` of a tree on its way into the trash. It names a directory that is no git
        directory, so that git and libgit2 fail hard in there instead of searching upwards.
        """
        return b"gitdir: " + os.fsencode(self.directory) + b"\n"

    @property
    def place(self) -> Place:
        """Where it is being put back; where it was, unless that was decided otherwise."""
        said = self.manifest
        return said.place or Place(said.path, said.name, said.head)

    @property
    def has_tree(self) -> bool:
        return os.path.lexists(self.tree)

    @property
    def has_admin(self) -> bool:
        return os.path.lexists(self.admin)

    def summary(self) -> TrashEntry:
        """What there is to show of it."""
        said = self.manifest
        branch = said.ref.removeprefix("refs/heads/") if said.ref else None
        return TrashEntry(
            id=said.id,
            path=self.destination or said.path,
            branch=branch,
            head=said.commit,
            removed_at=said.removed_at // 1_000_000_000,
            holds=said.holds,
            session=dict(said.session),
            vanished=not said.tree,
        )


def trash_directory(common_dir: Path) -> Path:
    """Where the entries of a repository lie."""
    return common_dir / "hqt" / "trash"


def new_id() -> str:
    """An id that sorts by time and can be a component of a reference's name."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(seconds))
    return f"{stamp}-{nanoseconds // 1_000_000:03d}-{os.urandom(3).hex()}"


def begin(repo: Repository, said: Manifest) -> Entry:
    """Make the entry's directory and its manifest, durably. Raises OSError."""
    entry = Entry(repo, said)
    trash = own_directory(repo.common_dir, "trash")
    # Private: the folder that the tree comes from may have been, and its files rely on that.
    entry.directory.mkdir(mode=0o700)
    _write(entry)
    durable.sync(trash)
    return entry


def change(entry: Entry, **fields: Any) -> Entry:
    """The entry with these fields of its manifest changed, durably. Raises OSError."""
    changed = Entry(entry.repository, dataclasses.replace(entry.manifest, **fields))
    if changed != entry:
        _write(changed)
    return changed


def read_all(repo: Repository) -> tuple[tuple[Entry, ...], tuple[Path, ...]]:
    """Every entry of this user, newest first, and the directories whose manifest is unreadable."""
    entries, unreadable = [], []
    try:
        directories = sorted(trash_directory(repo.common_dir).iterdir())
    except FileNotFoundError:
        return (), ()
    for directory in directories:
        try:
            said = manifest.load(files.read(directory / _NAME))
            if said.id != directory.name:
                raise BrokenManifest
        except PermissionError:  # another user's, in a shared repository
            continue
        except (OSError, BrokenManifest):
            unreadable.append(directory)
        else:
            entries.append(Entry(repo, said))
    entries.sort(key=lambda entry: (entry.manifest.removed_at, entry.id), reverse=True)
    return tuple(entries), tuple(unreadable)


def find(repo: Repository, id: str) -> Entry:
    """The entry with this id; raises `no_such_target` when there is none."""
    for entry in read_all(repo)[0]:
        if entry.id == id:
            return entry
    raise HqtError(
        Code.NO_SUCH_TARGET,
        f"Nothing in this repository's trash is called {id}.",
        "`hqt trash list` shows what is there.",
    )


def _write(entry: Entry) -> None:
    durable.write(entry.directory / _NAME, manifest.dump(entry.manifest))
