"""The story of `archive`: a session is put aside, its window closed, its worktree reclaimed later.

All checks first; then the window, the store's row with a numbered attempt, the attempt itself
(`reclaim`), the answer, and last of all the caller's own pane. Waiting and asking for the status
never begin an attempt. `open` brings the session back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hqt import signals
from hqt.errors import Code, HqtError
from hqt.models import Caller, Cleanup, Session
from hqt.results import Archived
from hqt.sessions import closing, noticing, reclaim, targets, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import settle
from hqt.sessions.world import World

PATIENCE = 60.0  # seconds that --wait gives an attempt of another process
_POLL = 0.05


def archive(
    caller: Caller,
    name: str,
    *,
    close: bool,
    wait: bool,
    begin: Callable[[Path, Session, int], None],
    answer: Callable[[Archived], None],
) -> None:
    """Put the session that `name` means aside, and hand `answer` how it stands.

    An attempt to reclaim its worktree is made here with `wait`, else by `begin`, which gets a
    folder of its repository, the session and the attempt's number. One that is archived already
    gets another attempt; with `wait` only its last one is waited for. Raises `busy` for what runs
    in its window without `close`, `timeout` when waiting takes too long, and what resolving a
    target raises.
    """
    settle(caller, "archive")
    world, session = _find(caller, name)
    if session.archived and wait:
        answer(_told(world, _settled(session)))
        return
    family = (session, *_children(world, session))
    for one in family:
        if error := closing.refusal(world, one, close):
            raise error
    noticing.notice(world)
    own = [pane for one in family for pane in closing.own_panes(world, None, one)]
    closed = [w for one in family for w in closing.close_session(world, one, close=close)]
    row = _admit(world, session)
    if row.cleanup and row.cleanup.status == "scheduled":
        there = world.repository.root  # the row's project may have been moved away from
        if wait:
            reclaim.reclaim(replace(caller, directory=there), row.id, row.cleanup.revision)
        else:
            begin(there, row, row.cleanup.revision)
    answer(_told(world, row, tuple(dict.fromkeys(closed))))
    signals.ignore()
    made = {name for one in family for name in closing.made_for(world, None, one)}
    closing.close_own(caller, own, world.repository.root, made)


def status(caller: Caller, name: str) -> Archived:
    """How the session stands; nothing is begun. Raises what resolving a target raises."""
    world, session = _find(caller, name)
    return Archived(views.session_view(world, session))


def _find(caller: Caller, name: str) -> tuple[World, Session]:
    """The session that is meant; for a worktree the only one that lives, or lived, in it."""
    target = targets.find(caller, name, by_name=False)
    if target.session:
        return target.world, target.session
    assert target.worktree is not None
    world = target.world
    inside = world.sessions_in(target.worktree) or tuple(
        one for one in world.sessions if world.worktree_of(one) == target.worktree
    )
    ids = {one.id for one in inside}
    heads = [one for one in inside if one.parent not in ids]
    if not heads:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"No session lives in {world.sign} {target.worktree.label}, "
            "so there is nothing to archive.",
            "`hqt remove` takes a worktree away, `hqt open` gives it a session.",
        )
    if len(heads) > 1:
        candidates = [f"session {one.id} ({one.nickname})" for one in heads]
        raise HqtError(
            Code.AMBIGUOUS_TARGET,
            f"More than one session lives there: {', '.join(candidates)}.",
            "Say which by its id or nickname.",
            {"candidates": candidates},
        )
    return world, heads[0]


def _children(world: World, session: Session) -> tuple[Session, ...]:
    """The sessions that count as archived as soon as this one is."""
    rows = tuple(replace(one, archived=True) if one == session else one for one in world.sessions)
    then = replace(world, sessions=rows)
    return tuple(
        one
        for one in world.sessions
        if one != session and then.is_archived(one) and not world.is_archived(one)
    )


def _admit(world: World, session: Session) -> Session:
    """The row, archived; where there is a worktree, with an attempt that is not settled yet. One
    that is under way, or was killed, is taken up again under its own number."""
    with worlds.rows().transaction() as rows:
        row = rows.get(session.id) or session
        before = row.cleanup
        under_way = row.archived and before is not None and before.status == "scheduled"
        over = row.archived and before is not None and before.status == "removed"
        cleanup = before
        if row.worktree_path and not under_way and not (over and not world.worktree_of(row)):
            cleanup = Cleanup("scheduled", (before.revision if before else 0) + 1)
        changed = rows.update(row.id, archived=True, cleanup=cleanup)
    if changed is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"Session {session.nickname!r} was removed meanwhile.",
            "`hqt list` shows what there is.",
        )
    if cleanup and cleanup != before:
        reclaim.announce(world.caller, changed)
    return changed


def _settled(session: Session) -> Session:
    """The row when its attempt has come to an end."""
    deadline = time.monotonic() + PATIENCE
    while True:
        row = worlds.rows().get(session.id) or session
        if row.cleanup is None or row.cleanup.status != "scheduled":
            return row
        if time.monotonic() >= deadline:
            raise HqtError(
                Code.TIMEOUT,
                f"Attempt {row.cleanup.revision} to reclaim the worktree of {row.nickname!r} has "
                f"not come to an end within {PATIENCE:g} seconds.",
                f"`hqt archive {row.id}` takes it up again.",
            )
        time.sleep(_POLL)


def _told(world: World, row: Session, closed: tuple[str, ...] = ()) -> Archived:
    row = worlds.rows().get(row.id) or row
    now = worlds.again(replace(world, at=world.repository.root))  # the folder here may be gone
    return Archived(replace(views.session_view(now, row), window=None), closed)
