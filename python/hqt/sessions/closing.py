"""Closing windows: which panes go with a session or a worktree, and in which order.

Only ids that the latest listing returned are closed, one call each; clients are led away first.
The pane that hqt itself runs in is left for the very end (`close_own`), after the answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Caller, Pane, Session, Worktree
from hqt.sessions import world as worlds
from hqt.sessions.world import World

PATIENCE = 3.0  # seconds that programs get to end after their pane has closed


def refusal(world: World, session: Session, close: bool) -> HqtError | None:
    """Why the window of a session without a worktree may not be closed; None if it may."""
    busy = [] if close else _busy(world, _window_panes(world, session))
    if not busy:
        return None
    return HqtError(
        Code.BUSY,
        f"{' '.join(busy)} Nothing was closed.",
        "End it, or pass --close.",
        {"busy": busy},
    )


def close_session(world: World, session: Session, *, close: bool) -> tuple[str, ...]:
    """Close the window of a session whose worktree, if any, stays; return the ids closed."""
    world = worlds.again(world)
    if error := refusal(world, session, close):
        raise error
    return _close(world, _window_panes(world, session))


def close_worktree(
    world: World, tree: Worktree, session: Session | None, *, close: bool
) -> tuple[str, ...]:
    """Close the panes that live in a worktree and its session's window, then wait for programs.

    A busy pane of the window that lives elsewhere is not in the way and stays. Raises `busy`
    when something still runs in the worktree after a while.
    """
    from hqt import processes

    if world.snapshot is None:
        return ()
    living = [pane for pane in world.snapshot.panes if _lives_in(world, pane, tree)]
    beside = [pane for pane in _window_panes(world, session) if pane not in living]
    idle = [pane for pane in beside if not _busy(world, [pane])]
    panes = [*living, *idle]
    before = processes.running()
    pids = [pid for pane in living for pid in processes.descendants(pane.pid, before)]
    own = set(processes.chain(os.getpid(), before))
    closed = _close(world, panes)
    waiting = [pid for pid in pids if pid not in own]
    left = processes.wait_gone(waiting, PATIENCE, before)
    if left and close:
        processes.end(left, before)
        left = processes.wait_gone(left, PATIENCE, before)
    if left:
        names = ", ".join(f"{before[pid].name} ({pid})" for pid in left)
        raise HqtError(
            Code.BUSY,
            f"{names} still runs in {tree.path} after its window was closed; "
            "the worktree was not removed.",
            "End it, then try again; --close also asks it to end.",
            {"windows_closed": list(closed)},
        )
    return closed


def own_panes(world: World, tree: Worktree | None, session: Session | None) -> list[Pane]:
    """The pane that hqt itself runs in, if it would go with the worktree or the session."""
    panes = world.snapshot.panes if world.snapshot else ()
    mine = [pane for pane in panes if _is_own(pane)]
    window = _window_panes(world, session)
    return [pane for pane in mine if pane in window or (tree and _lives_in(world, pane, tree))]


def close_own(caller: Caller, panes: Iterable[Pane], refuge: Path) -> None:
    """Last of all, when the answer is out: the panes that `own_panes` gave, by id."""
    from hqt.tmux import windows

    going = list(panes)
    now = worlds.glance(caller) if going else None
    if now is None:
        return
    ids = {pane.id for pane in going}
    still = [pane for pane in now.panes if pane.id in ids]
    windows.close(worlds.connect(caller), now, still, refuge=refuge)


def _is_own(pane: Pane) -> bool:
    from hqt import processes

    return pane.pid in processes.chain(os.getpid(), processes.running())


def _window_panes(world: World, session: Session | None) -> list[Pane]:
    """The panes of the window that shows a session."""
    if session is None or world.snapshot is None:
        return []
    return [pane for pane in world.snapshot.panes if pane.window_session == session.id]


def _lives_in(world: World, pane: Pane, tree: Worktree) -> bool:
    """Whether the deepest match of a pane's path is `tree`."""
    return bool(pane.path) and world.home(worlds.pane_path(pane.path)) == tree


def _busy(world: World, panes: Iterable[Pane]) -> list[str]:
    """A sentence for each program that keeps one of the panes busy."""
    from hqt import processes
    from hqt.tmux.occupants import busy

    running = processes.running()
    own = frozenset(processes.chain(os.getpid(), running))
    return [words for pane in panes if (words := busy(pane, running, own))]


def _close(world: World, panes: Iterable[Pane]) -> tuple[str, ...]:
    """Close panes by id, but not hqt's own; return the windows that are gone."""
    from hqt.tmux import windows

    if world.snapshot is None:
        return ()
    going = [pane for pane in panes if not _is_own(pane)]
    windows.close(
        worlds.connect(world.caller), world.snapshot, going, refuge=world.repository.root
    )
    before = {pane.window for pane in world.snapshot.panes}
    now = worlds.glance(world.caller)
    after = {pane.window for pane in now.panes} if now else set()
    touched = dict.fromkeys(pane.window for pane in panes)
    return tuple(window for window in touched if window in before - after)
