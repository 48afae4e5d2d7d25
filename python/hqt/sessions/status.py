"""The story of `status`: what a status line should show, said here and told to tmux."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from hqt.errors import HqtError
from hqt.models import Caller, Worktree
from hqt.results import Status, WorktreeView
from hqt.sessions import views
from hqt.sessions import world as worlds
from hqt.sessions.world import World


def status(caller: Caller, *, in_sight: bool = False) -> Status:
    """The segment for the caller's checkout; tmux gets the same for each window of hqt in this
    repository, where it does not have it yet. `in_sight`: only for windows that somebody sees.

    Raises `not_a_repository` never, what reading the world raises otherwise.
    """
    from hqt.tmux import status_line

    world = worlds.anywhere(caller)
    signs = status_line.signs(world.config.icons)
    counted = _counted(world, in_sight=in_sight)
    if world.snapshot is not None:
        status_line.offer(worlds.connect(world.caller), world.snapshot)
        _publish(world, counted)
    here = counted.get(world.current.path) if world.current else None
    agents = _agents(world)
    dirty = _dirty(here)
    unique = here.unique_commits if here else None
    label = here.worktree.label if here else None
    text = status_line.text(signs, label or "", str(dirty or ""), str(unique or ""), agents)
    return Status(text, label, dirty, unique, agents)


def tell(world: World, view: WorktreeView | None) -> None:
    """What has just been counted of a checkout, told to its windows."""
    from hqt.tmux import indicators
    from hqt.tmux.indicators import Indicator

    if world.snapshot is None or view is None:
        return
    counts = Indicator(dirty=str(_dirty(view) or ""), unique=str(view.unique_commits or ""))
    mine = [window for window, tree in _shown(world).items() if tree == view.worktree]
    with suppress(HqtError):  # a window may have gone meanwhile, and its counts with it
        told = dict.fromkeys(mine, counts)
        indicators.publish(worlds.connect(world.caller), world.snapshot, told)


def _shown(world: World) -> dict[str, Worktree | None]:
    """The windows of hqt in this repository, by id, with the checkout that each is of."""
    rows = {one.id: one for one in world.sessions}
    trees = {tree.id: tree for tree in world.worktrees}
    found: dict[str, Worktree | None] = {}
    for pane in world.snapshot.panes if world.snapshot else ():
        row = rows.get(pane.window_session)
        tree = world.place_of(row) if row else trees.get(pane.window_worktree)
        if row or tree:
            found[pane.window] = tree
    return found


def _counted(world: World, *, in_sight: bool) -> Mapping[Path, WorktreeView]:
    """By path, the rows that somebody may look at: the caller's, and those that have a window."""
    seen = {client.window for client in world.snapshot.clients} if world.snapshot else set()
    shown = [tree for window, tree in _shown(world).items() if not in_sight or window in seen]
    trees = {tree.path: tree for tree in (world.current, *shown) if tree}
    return {path: views.counted(world, tree) for path, tree in trees.items()}


def _publish(world: World, counted: Mapping[Path, WorktreeView]) -> None:
    from hqt.tmux import agent_states, indicators
    from hqt.tmux.indicators import Indicator

    assert world.snapshot is not None, "there is somebody to tell"
    wanted = {}
    for window, tree in _shown(world).items():
        view = counted.get(tree.path) if tree else None
        told = [pane.agent_state for pane in world.snapshot.panes if pane.window == window]
        wanted[window] = Indicator(
            branch=tree.label if tree else "",
            dirty=None if tree and not view else str(_dirty(view) or ""),
            unique=None if tree and not view else str((view and view.unique_commits) or ""),
            state=agent_states.most_urgent(told),
        )
    indicators.publish(worlds.connect(world.caller), world.snapshot, wanted)


def _dirty(view: WorktreeView | None) -> int | None:
    """How many entries `git status` would show; None when that is not known."""
    found = view.changes if view else None
    return sum(astuple(found)) if found else None


def _agents(world: World) -> Mapping[str, int]:
    """The windows of the whole tmux server by the state of their agent, as tmux counts them."""
    panes = world.snapshot.panes if world.snapshot else ()
    states = {pane.window: pane.window_state for pane in panes if pane.window_state}
    return Counter(states.values())
