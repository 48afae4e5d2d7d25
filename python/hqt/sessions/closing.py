"""Closing windows: which panes go with a session or a worktree, and in which order.

Only ids that the latest listing returned are closed, one call each; clients are led away first.
The pane that hqt itself runs in is left for the very end (`close_own`), after the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import processes
from hqt.errors import Code, HqtError
from hqt.models import Caller, Occupants, Pane, Process, Session, Worktree
from hqt.names import tmux_session_name
from hqt.sessions import family, sight
from hqt.sessions import world as worlds
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.tmux.server import Snapshot

PATIENCE = 3.0  # seconds that programs get to end after their pane has closed


def refusal(world: World, session: Session, close: bool) -> HqtError | None:
    """Why the window of a session whose worktree stays may not be closed; None if it may."""
    if close:
        return None
    seen = _busy(world, _going(world, session))
    busy = (*seen, *sight.unseen(world.caller, world.snapshot))
    if not busy:
        return None
    return HqtError(
        Code.BUSY,
        f"{'; '.join(busy)}. Nothing was closed.",
        "End it, or pass --close.",
        {"occupants": {"busy": list(busy)}},
    )


def close_session(world: World, session: Session, *, close: bool) -> tuple[str, ...]:
    """Close the window of a session whose worktree, if any, stays; return the ids closed.

    What lives elsewhere in it stays, and the window is nobody's then.
    """
    world = worlds.again(world)
    if error := refusal(world, session, close):
        raise error
    closed = _close(world, _going(world, session), expendable=made_for(world, None, session))
    _disown(world, session, closed)
    return closed


def made_for(world: World, tree: Worktree | None, session: Session | None) -> set[str]:
    """The names of the tmux sessions that were made for a worktree or a session's worktree, which
    may go with it. In window mode there are none: one of that name is the user's own."""
    if world.config.mode != "session":
        return set()
    places = (tree.path if tree else None, session.worktree_path if session else None)
    return {tmux_session_name(place) for place in places if place}


def close_worktree(
    world: World, tree: Worktree, session: Session | None, *, close: bool
) -> tuple[str, ...]:
    """Close the panes that live in a worktree, then wait for programs.

    A pane of its session's window that lives elsewhere stays, and the window is nobody's then.
    Raises `busy` when something still runs in the worktree after a while.
    """
    before = world.running()
    own = processes.own(before, world.caller.process)
    here = _inside(world, tree.path, before, own)
    led = _sessions_elsewhere(world, tree)  # of whom only hqt's own pane can still be here
    inside = [one for one in here.panes if one.window_session not in led or one.pid not in own]
    inside += _left_behind(world, session)
    leaving = [pane for pane in here.panes if pane.pid not in own]  # one's own goes last of all
    ending = {pid for pane in leaving for pid in processes.descendants(before, pane.pid)}
    ending |= {pane.pid for pane in leaving} | {one.pid for one in here.processes}
    closed = _close(world, inside, expendable=made_for(world, tree, session))
    _disown(world, session, closed)
    waiting = [before[pid] for pid in ending - own if pid in before]
    left = _gone(waiting, ask=close)
    if left:
        names = ", ".join(f"{one.name} ({one.pid})" for one in left)
        raise HqtError(
            Code.BUSY,
            f"{names} did not end after its window was closed; {tree.path} was not removed.",
            "End it, then try again." if close else "End it, or pass --close to ask it to end.",
            {"windows_closed": list(closed)},
        )
    return closed


def staying(before: World, after: World, tree: Worktree) -> tuple[str, ...]:
    """What to say when the tmux session that was made for a worktree stays, since windows of it
    live elsewhere; `before` and `after` the worktree's panes were closed."""
    if before.config.mode != "session" or before.snapshot is None or after.snapshot is None:
        return ()
    made = {one.session for one in before.snapshot.panes if _shows(before, one, tree)}
    going = {one.id for one in own_panes(after, tree, None)}
    left = [one for one in after.snapshot.panes if one.session in made and one.id not in going]
    count = len({one.window for one in left})
    if not count:
        return ()
    what = "the window in it that lives" if count == 1 else f"the {count} windows in it that live"
    return (f"The tmux session {left[0].session_name} stays, with {what} elsewhere.",)


def own_panes(world: World, tree: Worktree | None, session: Session | None) -> list[Pane]:
    """The pane that hqt itself runs in, if it would go with the worktree or the session."""
    panes = world.snapshot.panes if world.snapshot else ()
    own = _own(world)
    mine = [pane for pane in panes if pane.pid in own]
    going = _going(world, session) if mine else []
    return [
        pane
        for pane in mine
        if pane in going or (tree is not None and _lives_in(world, pane, tree))
    ]


def close_own(
    caller: Caller, panes: Iterable[Pane], refuge: Path, expendable: Collection[str]
) -> None:
    """Last of all, when the answer is out: the panes that `own_panes` gave, by id. A tmux session
    that is `expendable` goes with its last one."""
    ids = {pane.id for pane in panes}
    now = worlds.glance(caller) if ids else None
    if now is None:
        return
    still = [pane for pane in now.panes if pane.id in ids]
    _close_all(caller, now, still, refuge, expendable)


def _window_panes(world: World, session: Session | None) -> list[Pane]:
    """The panes of the window that shows a session."""
    panes = world.snapshot.panes if world.snapshot else ()
    return [pane for pane in panes if session and pane.window_session == session.id]


def _going(world: World, session: Session | None) -> list[Pane]:
    """The panes of that window that go with the session: those that live in its worktree, since
    an option alone never justifies closing one. A session without a worktree has no such place to
    itself: those go that hqt has started for it, or that are in its project."""
    panes = _window_panes(world, session)
    if session is None or not panes:
        return panes
    if session.worktree_path is None:
        return [pane for pane in panes if family.belongs(world, session, pane)]
    tree = world.worktree_of(session)
    running = world.running()
    own = processes.own(running, world.caller.process)
    here = _inside(world, tree.path if tree else session.worktree_path, running, own)
    inside = [p for p in panes if p in here.panes and p.started in {"", session.id}]
    return inside + _left_behind(world, session)


def _left_behind(world: World, session: Session | None) -> list[Pane]:
    """The dead panes of that window that go with the session; they are nowhere any more."""
    panes = _window_panes(world, session)
    return [one for one in panes if session and one.dead and family.belongs(world, session, one)]


def _inside(
    world: World, path: Path, running: Mapping[int, Process], own: Collection[int]
) -> Occupants:
    from hqt.tmux.occupants import occupants

    everywhere = tuple(one.path for one in world.worktrees)
    return occupants(world.snapshot, running, path, everywhere, own=own)


def _sessions_elsewhere(world: World, tree: Worktree) -> set[str]:
    return {one.id for one in world.sessions if world.worktree_of(one) != tree}


def _lives_in(world: World, pane: Pane, tree: Worktree) -> bool:
    """Whether the deepest match of a pane's path is `tree`."""
    home = world.home_of(pane)
    return home is not None and home.path == tree.path


def _shows(world: World, pane: Pane, tree: Worktree) -> bool:
    """Whether a pane lives in a worktree and in the tmux session made for it."""
    return pane.session_name == tmux_session_name(tree.path) and _lives_in(world, pane, tree)


def _busy(world: World, panes: Iterable[Pane]) -> tuple[str, ...]:
    from hqt.tmux.occupants import busy

    running = world.running()
    return busy(panes, running, own=processes.own(running, world.caller.process))


def _own(world: World) -> frozenset[int]:
    """The processes of this call; all that run are looked through, so once for many panes."""
    return processes.own(world.running(), world.caller.process)


def _gone(waiting: list[Process], *, ask: bool) -> tuple[Process, ...]:
    """Wait for processes to end; with `ask` ask those that linger, twice. Return the rest."""
    left = processes.wait_gone(waiting, PATIENCE)
    for request in (processes.hang_up, processes.terminate) if ask else ():
        if left:
            request(left)
            left = processes.wait_gone(left, PATIENCE)
    return left


def _close(
    world: World, panes: Collection[Pane], expendable: Collection[str] = ()
) -> tuple[str, ...]:
    """Close panes by id, all but hqt's own; return the windows that are (or will be) gone."""
    if world.snapshot is None or not panes:
        return ()
    doomed = {pane.id for pane in panes}
    windows = dict.fromkeys(pane.window for pane in panes)
    ended = [
        window
        for window in windows
        if all(one.id in doomed for one in world.snapshot.panes if one.window == window)
    ]
    own = _own(world)
    going = [pane for pane in panes if pane.pid not in own]
    refuge = world.repository.root
    _close_all(world.caller, world.snapshot, going, refuge, expendable)
    return tuple(ended)


def _disown(world: World, session: Session | None, closed: Collection[str]) -> None:
    """What stays of the session's window, since a pane of it lives elsewhere, is nobody's."""
    from hqt.tmux import windows

    for window in {pane.window for pane in _window_panes(world, session)} - {*closed}:
        windows.disown(worlds.connect(world.caller), window)


def _close_all(
    caller: Caller,
    snapshot: Snapshot,
    panes: Collection[Pane],
    refuge: Path,
    expendable: Collection[str],
) -> None:
    """Lead clients away from what will be gone, then close one pane a call."""
    from hqt.tmux import windows

    tmux = worlds.connect(caller)
    going = {pane.id for pane in panes}
    doomed = {
        window
        for window in {pane.window for pane in panes}
        if all(one.id in going for one in snapshot.panes if one.window == window)
    }
    windows.make_way(tmux, snapshot, doomed, refuge=refuge, expendable=expendable)
    for pane in panes:
        windows.close_pane(tmux, pane.id)
