"""The story of `undo` and `trash restore`: a removed worktree comes back whole."""

from __future__ import annotations

import os
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.names import expanded
from hqt.results import Opened
from hqt.sessions import views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.returning import keeper
from hqt.sessions.world import World


def undo(
    caller: Caller, *, entry: str | None = None, to: str | None = None, counts: bool = True
) -> Opened:
    """Bring back the trash entry `entry`, or the latest, at its path or at `to`; without `counts`
    what is in it is not counted.

    Raises `no_such_target` when there is none, `path_exists` when its place is taken.
    """
    settled = settle(caller, "undo")
    world = worlds.look(caller)
    place = Path(os.path.normpath(world.caller.directory / expanded(to))) if to else None
    with changing(world.repository, "undo") as recovered:
        notes = (*settled, *recovered)
        return revive(world, entry or _latest(world), place, notes, counts=counts)


def _latest(world: World) -> str:
    from hqt.git import trash

    entries = trash.entries(world.repository)
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
    return Opened(
        session=views.session_view(world, session) if session else None,
        worktree=views.counted(world, tree) if counts else views.plain(world, tree),
        window=None,
        source=tree.path,
        branch_recreated=undone.branch_recreated,
        notes=notes,
        verb="restored",
    )
