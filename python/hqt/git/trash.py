"""The trash: a worktree goes in whole, and can come back as it was (design §5).

`prepare` does all that can fail first, `take` is the point of no return, `abandon` takes a
`prepare` back. Every change here runs under the repository's lock. The way back is in `revive`,
what a crash leaves is settled in `recovery`, and deletion for good is in `disposal`.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import (
    disposal,
    entry,
    guards,
    passage,
    pins,
    recovery,
    snapshots,
    survey,
)
from hqt.git.entry import Entry
from hqt.git.manifest import Manifest, State
from hqt.git.mirrors import mirrored
from hqt.git.recovery import recover
from hqt.git.revive import Undone, undo
from hqt.models import Repository, TrashEntry, Worktree

__all__ = [
    "Entry", "Taken", "Undone", "abandon", "empty", "entries", "expired", "find", "mirrored",
    "prepare", "recover", "size", "take", "undo",
]  # fmt: skip

_DAY = 86_400


class Taken(NamedTuple):
    """A worktree that is in the trash."""

    entry: TrashEntry
    left: tuple[Path, ...] = ()  # of a tree that was copied: what could not be deleted there


def prepare(
    repo: Repository,
    worktree: Worktree,
    *,
    holds: tuple[str, ...] = (),
    session: Mapping[str, object] | None = None,
    pool: Path | None = None,
    branches: Iterable[str] = (),
) -> Entry:
    """Do all that can fail before a worktree moves: manifest, pins, same-file-system test.

    `holds` are the codes that were refused without force, `session` is its row as JSON can hold it,
    `pool` the folder below which empty parents go, `branches` further short names to remember (the
    live one and that of an operation are remembered anyway). Nothing of the worktree changes. That
    nothing of other repositories lives in there is for the inventory to have seen.

    Raises what `guards.require_takable` raises, `unsupported_repository` where remotes mirror
    what would be lost, and `git_failed`; then nothing is left behind.
    """
    path, home = worktree.path, worktree.git_dir
    with _told(path):
        now = guards.require_takable(repo, home, path)
        if holds and (remote := mirrored(repo)):
            raise HqtError(
                Code.UNSUPPORTED_REPOSITORY,
                f"Remote {remote} mirrors all references, the trash's too, so what would be lost"
                f" with {path} cannot be kept safe; it was left as it is.",
                "Commit and push what matters, or give the remote refspecs for branches and tags.",
            )
        if not now.missing:
            _require_room(repo, path)
        extra = tuple(f"refs/heads/{name}" for name in branches)
        said = Manifest(
            id=entry.new_id(),
            state=State.PREPARED,
            path=path,
            name=home.name,
            tree=not now.missing,
            mode=0,
            far=False,
            removed_at=time.time_ns(),
            holds=holds,
            session=dict(session or {}),
            pool=pool,
            fingerprint=pins.fingerprint(home),
            **survey.of_entry(repo, home, home, path, extra),
        )
        try:
            one = entry.begin(repo, said)
            _pin(one, home)
        except BaseException:
            recovery.after_failure(repo, said.id)
            raise
    return one


def take(one: Entry, *, holds: tuple[str, ...] | None = None) -> Taken:
    """Move a prepared worktree into the trash; the point of no return.

    `holds` is the second judgement, if there was one. Raises what `guards.require_takable` raises,
    `busy` when a tree that must be copied keeps changing, and `git_failed`; then the worktree is
    where it was and the entry is gone, or, where even that fails, `recover` sees to it.
    """
    try:
        with _told(one.path):
            return _take(one, one.manifest.holds if holds is None else holds)
    except BaseException as error:
        now = recovery.after_failure(one.repository, one.id)
        if now is State.TAKEN and isinstance(error, Exception):
            return Taken(find(one.repository, one.id))  # it failed after the tree was in: no harm
        raise


def abandon(one: Entry) -> None:
    """Take a `prepare` back: pins and manifest go. Raises `git_failed`."""
    with _told(one.path):
        recovery.settle(one)


def entries(repo: Repository) -> tuple[TrashEntry, ...]:
    """What is in the trash, newest first; one whose removal was cut short counts when it is in."""
    found = entry.read_all(repo)[0]
    return tuple(
        one.summary() for one in found if one.manifest.state is State.TAKEN or one.has_tree
    )


def find(repo: Repository, id: str) -> TrashEntry:
    """The entry with this id; raises `no_such_target` when there is none."""
    return entry.find(repo, id).summary()


def size(repo: Repository, id: str) -> int | None:
    """The bytes of disk that an entry takes; None where not all of it can be read."""
    try:
        return snapshots.size(entry.find(repo, id).directory)
    except (OSError, HqtError):
        return None


def expired(repo: Repository, days: int) -> tuple[TrashEntry, ...]:
    """The entries older than `days` that held nothing refusable: what may go by itself."""
    limit = time.time() - days * _DAY
    return tuple(one for one in entries(repo) if not one.holds and one.removed_at <= limit)


def empty(
    repo: Repository, *, entries: Iterable[TrashEntry], seconds: float | None = None
) -> tuple[TrashEntry, ...]:
    """Delete these entries for good; those that are gone from the trash.

    Their files are deleted for at most `seconds`; `disposal.sweep` goes on with what is left.
    Raises `git_failed`.
    """
    gone = []
    for wanted in entries:
        one = entry.find(repo, wanted.id)
        if one.manifest.state is State.TAKEN:
            try:
                disposal.condemn(one)
            except OSError as error:
                raise HqtError(
                    Code.GIT_FAILED,
                    f"{one.directory} could not be taken out of the trash ({error.strerror}).",
                    "Check the permissions of that folder; what was emptied before it is gone.",
                ) from error
            gone.append(wanted)
    disposal.sweep(repo, seconds=seconds)
    return tuple(gone)


def _take(one: Entry, holds: tuple[str, ...]) -> Taken:
    """The order of design §5, Remove."""
    now = guards.require_takable(one.repository, one.home, one.path)
    directory = survey.of_directory(one.repository, now)
    one = entry.change(one, state=State.TAKING, holds=holds, **directory)
    one = _follow(one, one.home)
    if one.manifest.tree:
        passage.set_aside(one)
    one.home.rename(one.admin)
    one = _follow(one, one.admin)  # what came in between; from here on nothing can
    if one.manifest.tree:
        passage.take_tree(one)
    left = recovery.finish_taking(one)
    return Taken(one.summary(), left)


def _follow(one: Entry, admin: Path) -> Entry:
    """Record and pin what has changed in the admin entry, which is at `admin`, since last time."""
    known = tuple(branch.ref for branch in one.manifest.branches)
    now = survey.of_entry(one.repository, admin, one.home, one.path, known)
    changed = entry.change(one, **now, fingerprint=pins.fingerprint(admin))
    if changed != one:
        _pin(changed, admin)
    return changed


def _pin(one: Entry, admin: Path) -> None:
    tips = [branch.tip for branch in one.manifest.branches if branch.tip]
    pins.keep(one.common_dir, admin, one.id, one.directory, one.manifest.commit, tips)


def _require_room(repo: Repository, path: Path) -> None:
    """A tree on another file system is copied; better to know now that it does not fit."""
    if path.stat().st_dev == repo.common_dir.stat().st_dev:
        return
    need, free = snapshots.size(path), shutil.disk_usage(repo.common_dir).free
    if need > free:
        raise HqtError(
            Code.GIT_FAILED,
            f"{path} is on another file system than the repository, where a copy of its"
            f" {need >> 20} MB does not fit; it was left as it is.",
            "Make room there, `hqt trash empty` for example.",
        )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system refuses, as an error of hqt."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise HqtError(
            Code.GIT_FAILED,
            f"The worktree at {path} could not be moved into the trash: {error.strerror}{where}; it"
            " is where it was.",
            "Mend that, then try again; `hqt doctor` looks at the repository.",
        ) from error
