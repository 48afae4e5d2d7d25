"""The stories of `trash list` and `trash empty`."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from hqt.errors import Code, HqtError
from hqt.models import Caller, TrashEntry, worktree_id
from hqt.results import TrashListing
from hqt.sessions import rows, targets
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.world import World

_DAY = 24 * 60 * 60
_MINUTE = 60.0  # seconds


def entries(caller: Caller) -> TrashListing:
    """What can be restored in this repository, newest first, with its size."""
    from hqt.git import trash

    world = worlds.look(caller)
    found = trash.entries(world.repository)
    sized = tuple(replace(one, size=trash.size(world.repository, one.id)) for one in found)
    return TrashListing(sized, living=_living(world, found), sign=world.sign)


def _living(world: World, entries: Iterable[TrashEntry]) -> frozenset[str]:
    """The ids of those that have something at their path again, or a checkout of their branch."""
    checked_out = {tree.branch for tree in world.worktrees if tree.branch and not tree.missing}
    return frozenset(
        one.id for one in entries if one.branch in checked_out or os.path.lexists(one.path)
    )


def matching(world: World, name: str) -> Iterator[TrashEntry]:
    """The removed worktrees that `name` means, newest first: by the id of the entry or its own, by
    branch, path or session; `session:`, `branch:` and `path:` narrow it."""
    from hqt.git import trash

    kind, _, rest = name.partition(":")
    narrowed = kind if kind in {"session", "branch", "path"} and rest else ""
    wanted = rest if narrowed else name
    path = targets.physical(world.caller, wanted)
    for entry in trash.entries(world.repository):
        row = rows.session(entry.session) if entry.session else None
        meant = {
            "branch": entry.branch == wanted,
            "path": entry.path == path,
            "session": row is not None and wanted in {row.id, row.nickname},
        }
        ids = {entry.id, worktree_id(entry.path)}
        if meant[narrowed] if narrowed else wanted in ids or any(meant.values()):
            yield entry


def the_one(world: World, name: str) -> str:
    """The id of the entry that `name` means, `name` itself where there is none: one that holds
    files before one that is a mere registration. Raises `ambiguous_target` for several."""
    found = list(matching(world, name))
    if any(one.id == name for one in found):
        return name
    found = [one for one in found if not one.vanished] or found
    if len(found) < 2:
        return found[0].id if found else name
    said = [f"{one.id} ({one.branch or one.path.name}, from {one.path})" for one in found]
    raise HqtError(
        Code.AMBIGUOUS_TARGET,
        f"{name!r} means more than one in the trash: {'; '.join(said)}.",
        "Say which by its id; `hqt trash list` shows when each was removed.",
        {"candidates": said},
    )


def older(caller: Caller, days: int | None) -> TrashListing:
    """What `empty` would delete."""
    listed = entries(caller)
    return replace(listed, entries=tuple(one for one in listed.entries if _is_older(one, days)))


def empty(
    caller: Caller, older_than: int | None, agreed: Collection[str] | None = None
) -> TrashListing:
    """Delete entries for good: all, or those removed more than `older_than` days ago; of these only
    the ids `agreed`, if the user was asked.

    The user's word: unlike the background it also takes what held something.
    """
    from hqt.git import trash

    settle(caller, "trash empty")
    world = worlds.look(caller)
    with changing(world.repository, "trash empty", caller):
        found = tuple(
            one
            for one in trash.entries(world.repository)
            if _is_older(one, older_than) and (agreed is None or one.id in agreed)
        )
        gone = trash.empty(world.repository, entries=found)
    return TrashListing(gone, emptied=True, living=_living(world, gone), sign=world.sign)


def _is_older(entry: TrashEntry, days: int | None) -> bool:
    return days is None or entry.removed_at <= time.time() - days * _DAY


def has_expired(caller: Caller) -> bool:
    """Whether something in the trash may go by itself: it held nothing, and its time is over."""
    return bool(_expired(worlds.look(caller)))


def expire(caller: Caller) -> TrashListing:
    """Delete what may go by itself, behind everything else that wants the disk; at most for a
    minute, the rest another time. What held something only goes by the user's `trash empty`."""
    from hqt.git import disposal, leftovers, trash

    disposal.lower_priority()
    world = worlds.look(caller)
    with changing(world.repository, "trash expire"):
        going = leftovers.sift(world.repository, _expired(world))
        gone = trash.empty(world.repository, entries=going, seconds=0)
    disposal.sweep(world.repository, seconds=_MINUTE)
    return TrashListing(gone, emptied=True)


def _expired(world: World) -> tuple[TrashEntry, ...]:
    from hqt.git import trash

    return trash.expired(world.repository, world.config.trash_days)
