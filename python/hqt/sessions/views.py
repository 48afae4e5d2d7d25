"""From the world to what is shown of it: rows with counts, sessions with their state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hqt.later import Later
from hqt.models import Session, Worktree
from hqt.names import tmux_session_name
from hqt.results import Listing, SessionView, WorktreeView
from hqt.sessions.world import World


def listing(world: World, *, archived: bool = False) -> Listing:
    """Every worktree with its counts, and its sessions; when asked for, those put aside too."""
    rows = all_counted(world)
    shown = [one for one in world.sessions if archived or not world.is_archived(one)]
    told = tuple(session_view(world, one) for one in shown)
    if archived:
        rows = tuple(
            replace(row, sessions=_ids(one for one in told if one.worktree == row.worktree))
            for row in rows
        )
    return Listing(world.repository, rows, told, world.sign)


def _ids(views: Iterable[SessionView]) -> tuple[str, ...]:
    return tuple(one.session.id for one in views)


def all_counted(world: World) -> tuple[WorktreeView, ...]:
    """Every row with its counts: files compared side by side, commits counted for all at once. Of
    one that is being made there is nothing to count yet."""
    from hqt.git import changes, commits

    told = [tree for tree in world.worktrees if not tree.being_made]
    heads = [tree for tree in told if tree.head is not None]
    asked = Later(
        lambda: commits.count_all(
            world.repository,
            [commits.Head(tree.head, tree.branch) for tree in heads if tree.head],
        )
    )
    found = dict(zip(told, changes.count_all(told, world.repository), strict=True))
    unique = dict(zip((tree.path for tree in heads), asked.answer(), strict=True))
    return tuple(
        replace(plain(world, tree), changes=found.get(tree), unique_commits=unique.get(tree.path))
        for tree in world.worktrees
    )


def counted(world: World, tree: Worktree) -> WorktreeView:
    """A row with dirty counts and unique commits; what cannot be told is None."""
    from hqt.git import changes, commits

    if tree.being_made:
        return plain(world, tree)
    found = None if tree.missing else changes.count(tree, world.repository)
    unique = None
    if tree.head is not None:
        unique = commits.count(world.repository, tree.head, branch=tree.branch)
    return replace(plain(world, tree), changes=found, unique_commits=unique)


def plain(world: World, tree: Worktree) -> WorktreeView:
    """A row without counts."""
    own = [one for one in world.sessions if world.worktree_of(one) == tree]
    name = tmux_session_name(tree.path)
    names = {pane.session_name for pane in world.snapshot.panes} if world.snapshot else set()
    return WorktreeView(
        worktree=tree,
        current=tree == world.here,
        base_commit=next((one.base_commit for one in own if one.base_commit), None),
        changes=None,
        unique_commits=None,
        windows=world.windows_of(tree),
        tmux_session=name,
        tmux_session_exists=name in names,
        sessions=tuple(one.id for one in world.shown_in(tree)),
        sign=world.sign,
        interrupted=tree.being_made and _interrupted(world, tree),
    )


def _interrupted(world: World, tree: Worktree) -> bool:
    from hqt.git import journal

    return journal.was_interrupted(world.repository, tree)


def session_view(world: World, session: Session) -> SessionView:
    """A session with its place, its window and its state."""
    return SessionView(
        session, state(world, session), world.place_of(session), world.window_of(session)
    )


def state(world: World, session: Session) -> str:
    """`archived`, `closed` without a window, else what its agent said or its shell shows."""
    if world.is_archived(session):
        return "archived"
    window = world.window_of(session)
    if window is None or world.snapshot is None:
        return "closed"
    panes = [pane for pane in world.snapshot.panes if pane.window == window]
    told = [pane.agent_state for pane in panes if pane.agent_state]
    if told:
        return most_urgent(told)
    if session.harness != "shell":
        return "unknown"
    from hqt.tmux.occupants import is_shell

    asking = None if world.caller.by_key else world.caller.pane  # what runs there is hqt
    at_rest = all(is_shell(pane.command) or pane.id == asking for pane in panes)
    return "idle" if at_rest else "working"


_URGENCY = ("waiting", "error", "working", "done", "idle", "unknown")


def most_urgent(states: Iterable[str]) -> str:
    """Of several panes the state that a person should see first."""
    known = [one for one in states if one in _URGENCY]
    return min(known, key=_URGENCY.index, default="unknown")
