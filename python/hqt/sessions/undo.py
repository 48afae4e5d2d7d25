"""The story of `undo` and `trash restore`: a removed worktree comes back whole."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Caller, Session, TrashEntry, Worktree
from hqt.names import expanded
from hqt.results import Opened
from hqt.sessions import views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.returning import home_elsewhere, keeper
from hqt.sessions.trash import the_one
from hqt.sessions.world import World


def undo(
    caller: Caller, *, entry: str | None = None, to: str | None = None, counts: bool = True
) -> Opened:
    """Bring back the trash entry that `entry` means, or the latest, at its path or at `to`; without
    `counts` what is in it is not counted.

    Raises `no_such_target` when there is none, `ambiguous_target` when several are meant,
    `path_exists` when its place is taken.
    """
    settled = settle(caller, "undo")
    world = worlds.look(caller)
    place = Path(os.path.normpath(world.caller.directory / expanded(to))) if to else None
    with changing(world.repository, "undo", caller) as recovered:
        notes = (*settled, *recovered)
        if entry:
            return revive(world, the_one(world, entry), place, notes, counts=counts)
        return _revive_latest(world, place, notes, counts=counts)


def _revive_latest(
    world: World, place: Path | None, notes: tuple[str, ...], *, counts: bool
) -> Opened:
    from hqt.git import trash

    entries = trash.entries(world.repository)
    try:
        return revive(world, _latest(world, entries), place, notes, counts=counts)
    except HqtError as error:
        if error.code is Code.PATH_EXISTS and len(entries) > 1:
            error.remedy += (
                " `hqt trash list` shows the older ones, `hqt trash restore ID` brings one back."
            )
        raise


def _latest(world: World, entries: Sequence[TrashEntry]) -> str:
    if not entries:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"The trash of {world.repository.root} is empty; there is nothing to undo.",
            "A session that was removed alone left its worktree: `hqt open BRANCH` goes there.",
        )
    removed = (one for one in entries if one.session or not one.vanished)
    return next(removed, entries[0]).id


def revive(
    world: World,
    entry: str,
    place: Path | None,
    notes: tuple[str, ...] = (),
    *,
    counts: bool = True,
) -> Opened:
    """Under the lock: the worktree and its session's row. Opens no window."""
    from hqt.git import trash, worktrees

    worlds.rows().require_writable()
    undone = trash.undo(
        world.repository,
        entry,
        to=place,
        worktrees=worktrees.list_worktrees(world.repository),
        pool=worlds.pool(world),
        returned=keeper(world.repository),
    )
    if undone.detached_because:
        notes = (*notes, undone.detached_because)
    world = worlds.again(world)
    tree = next(one for one in world.worktrees if one.path == undone.path)
    session = next((one for one in world.sessions if one.id == undone.session.get("id")), None)
    if session and (home := home_elsewhere(session, undone.path, world.worktrees)):
        notes = (*notes, _stays(session, home))
        session = None
    return Opened(
        session=views.session_view(world, session) if session else None,
        worktree=views.counted(world, tree) if counts else views.plain(world, tree),
        window=None,
        source=tree.path,
        branch_recreated=undone.branch_recreated,
        notes=notes,
        verb="restored",
    )


def _stays(session: Session, home: Worktree) -> str:
    return (
        f"It came back without a session: {session.nickname} lives in {home.path} now and stays"
        " there."
    )
