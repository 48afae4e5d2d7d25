"""The story of `jump`: to the agent that needs the user next, or back to where they were."""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Caller, Pane
from hqt.results import Jumped
from hqt.sessions import placement
from hqt.sessions import world as worlds
from hqt.sessions.world import World

_WANTED = ("waiting", "done")  # in this order


def jump(caller: Caller) -> Jumped:
    """Go to the next pane, after the caller's window and round again, whose agent waits for an
    answer; where none does, to the next that is done.

    Every tmux session counts, whatever repository it is about. Raises `tmux_unavailable`, and
    `no_such_target` when there is none.
    """
    world = _world(caller)
    panes = _round(world)
    for state in _WANTED:
        for pane in panes:
            if pane.agent_state == state:
                return _go(world, pane)
    raise HqtError(
        Code.NO_SUCH_TARGET,
        "No agent waits for you, and none is done.",
        "`hqt list` shows what each is doing.",
    )


def last(caller: Caller) -> Jumped:
    """Go to the worktree's window that the user was in before this one.

    Raises `tmux_unavailable`, and `no_such_target` when there is none.
    """
    from hqt.tmux import visits

    world = _world(caller)
    here = _here(world)
    panes = {pane.window: pane for pane in reversed(_panes(world)) if pane.window_worktree}
    for window in visits.earlier(worlds.connect(world.caller), here.session if here else ""):
        pane = panes.get(window)
        if pane is not None and (here is None or window != here.window):
            return _go(world, _active(world, window) or pane)
    raise HqtError(
        Code.NO_SUCH_TARGET,
        "You have been in no other window of a worktree.",
        "`hqt open` goes to one.",
    )


def _world(caller: Caller) -> World:
    world = worlds.anywhere(caller)
    if world.snapshot is None:
        raise HqtError(
            Code.TMUX_UNAVAILABLE,
            "No tmux server answers, so there is no window to go to.",
            "Start tmux, or name a running server with -L or --socket.",
        )
    return world


def _panes(world: World) -> tuple[Pane, ...]:
    return world.snapshot.panes if world.snapshot else ()


def _here(world: World) -> Pane | None:
    """The pane that the user is in: the caller's, else the one that their client shows."""
    asked = next((pane for pane in _panes(world) if pane.id == world.caller.pane), None)
    clients = world.snapshot.clients if world.snapshot else ()
    named = [one for one in clients if one.name == world.caller.client] or list(clients)
    latest = max(named, key=lambda one: one.activity, default=None)
    return asked or (_active(world, latest.window) if latest else None)


def _active(world: World, window: str) -> Pane | None:
    found = [pane for pane in _panes(world) if pane.window == window]
    return next((pane for pane in found if pane.pane_active), None)


def _round(world: World) -> list[Pane]:
    """Every pane in the order of sessions and windows, those of the user's own window last."""
    ordered = sorted(_panes(world), key=lambda pane: (int(pane.session[1:]), pane.window_index))
    here = _here(world)
    if here is None:
        return ordered
    after = next((n for n, pane in enumerate(ordered) if pane.window == here.window), 0)
    turned = ordered[after:] + ordered[:after]
    own = [pane for pane in turned if pane.window == here.window]
    return [pane for pane in turned if pane not in own] + own


def _go(world: World, pane: Pane) -> Jumped:
    from hqt.tmux import windows

    tmux = worlds.connect(world.caller)
    windows.goto(
        tmux,
        session=placement.session_of(world, pane.window),
        window=pane.window,
        client=_client(world),
    )
    tmux.ask(["select-pane", "-t", pane.id])  # one that has gone meanwhile is no failure
    return Jumped(pane.window, pane.window_branch or pane.window_name, pane.agent_state)


def _client(world: World) -> str | None:
    """The client to take there; without one that can be told, whoever is attached last."""
    if found := placement.client(world):
        return found
    clients = world.snapshot.clients if world.snapshot else ()
    latest = max(clients, key=lambda one: one.activity, default=None)
    return latest.name if latest and not world.caller.pane else None
