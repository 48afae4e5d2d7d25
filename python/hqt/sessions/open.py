"""The story of `open`: to a session's window, made if there is none. Idempotent.

The ladder, for what is not there any more: the live window; one that lost its marks; the vanished
worktree, checked out again; then a new window, in which the harness resumes exactly, else its
latest conversation if that can only be its own, else starts anew and says so.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import signals
from hqt.errors import Checks, Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.results import Opened
from hqt.sessions import (
    adopting,
    family,
    folders,
    launching,
    noticing,
    placement,
    targets,
    vanished,
    views,
)
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.setup import Prepared
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.launching import Launching


@dataclass(frozen=True, slots=True)
class Manner:
    """How a window is opened."""

    tmux_session: str | None = None  # -s
    exactly: bool = False  # where it was last seen: after a restart
    select: bool = True  # the client goes there, if there is one
    last: bool = True  # nothing is done after it that a signal could still stop


def open_target(caller: Caller, name: str, manner: Manner = Manner()) -> Opened:
    """Go to the window of what `name` means.

    A worktree without a session gets one. Raises `tmux_unavailable`, `name_collision`,
    `worktree_and_branch_gone` and what these steps raise.
    """
    settled = settle(caller, "open")
    target = targets.find(caller, name)
    opened = open_in(target.world, target.worktree, target.session, manner)
    return replace(opened, notes=(*settled, *opened.notes))


def open_in(
    world: World, tree: Worktree | None, session: Session | None, manner: Manner = Manner()
) -> Opened:
    """As `open_target`, for a target that has been resolved."""
    _require_server(world, tree, session, manner)
    with _entered(world):
        world = noticing.notice(worlds.again(world))
        session = _shown_in(world, tree, session)
        tree = _there(world, tree, session)
        recreated, prepared = False, Prepared()
        if vanished.is_vanished(tree, session):
            from hqt.sessions import restore

            adopting.require_unmoved(world, tree)
            gone = "had gone with the archive" if session and session.archived else "had vanished"
            back = restore.out_of_the_trash(world, session) if session else None
            if back and back.worktree:
                tree, recreated = back.worktree.worktree, back.branch_recreated
                how = f"came back from the trash, ignored files and all, to {tree.path}"
            else:
                vanished.require_branch(world, tree, session)
                tree, recreated, prepared = restore.check_out_again(world, tree, session, None)
                how = f"was checked out again at {tree.path}"
            world = worlds.again(world)
            notes = (f"The worktree {gone} and {how}.", *prepared.notes)
            prepared = replace(prepared, notes=notes)
        return _open(world, tree, session, manner, prepared, recreated)


def _require_server(
    world: World, tree: Worktree | None, session: Session | None, manner: Manner
) -> None:
    """Raise `tmux_unavailable` before anything is made; or what stands in the way besides, if that
    comes first in the order of codes."""
    checks = Checks()
    with checks:
        placement.place(world, manner.tmux_session)
    if checks.failed and vanished.is_vanished(tree, session):
        vanished.require_possible(checks, world, tree, session)
    checks.settle()


def _open(
    world: World,
    tree: Worktree | None,
    session: Session | None,
    manner: Manner,
    prepared: Prepared,
    recreated: bool,
) -> Opened:
    from hqt.git import interrupts

    row = _row(world, session, tree)
    select = manner.select and (
        world.caller.interactive or world.caller.by_key or world.caller.pane is not None
    )
    world = _let_go(world, row)
    window = adopting.window_of(world, tree, row)
    notes = prepared.notes
    if window is None or (idle := adopting.idle_pane(world, window, row)):
        start = folders.home(world, row, tree)
        launch = launching.again(world, session or row, start)
        launch = launch.noting(*prepared.notes, setup=prepared.command)
        notes = launch.notes
        row = replace(
            row,
            conversation=launch.conversation or row.conversation,
            subfolder=folders.subfolder(world, start, tree),
        )
    if manner.last:
        signals.ignore()
    if window is None:
        place = _place(world, row, tree, manner)
        with interrupts.held_back():  # a window is not easily taken back
            row = _remember(world, session, row)
            try:
                opened = placement.show(world, place, row, tree, launch, start, select)
            except HqtError:
                if session is None:
                    worlds.rows().delete(row.id)
                raise
            seen = {"tmux_session": opened.session_name, "window_index": opened.index}
            row = worlds.rows().update(row.id, **seen) or row
        window = opened.id
        if select:
            _tell(world, launch)
    else:
        row = _remember(world, session, row)
        if idle:
            placement.respawn(world, idle, row, launch, start)
        placement.mark(world, window, row, tree)
        if select:
            _go(world, window)
    return _told(world, tree, row, window, notes, recreated)


def _let_go(world: World, row: Session) -> World:
    """A window that holds nothing of the session any more is not shown for it."""
    from hqt.tmux import windows

    window = family.left_to_others(world, row)
    if window is None:
        return world
    windows.disown(worlds.connect(world.caller), window)
    return worlds.again(world)


def _entered(world: World) -> AbstractContextManager[object]:
    """While a worktree is being removed nobody opens a window in it."""
    return nullcontext() if world.plain else changing(world.repository, "open", world.caller)


def _shown_in(world: World, tree: Worktree | None, session: Session | None) -> Session | None:
    """The session to show, as the store has it now: the one asked for, else the worktree's own,
    one with a window first."""
    if session is not None:
        if now := next((one for one in world.sessions if one.id == session.id), None):
            return now
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"Session {session.nickname!r} has just been removed; nothing was opened.",
            "`hqt undo` brings it back.",
        )
    inside = [one for one in world.sessions if tree and world.worktree_of(one) == tree]
    if tree and tree.main:
        inside = [one for one in world.sessions if world.is_of_main(one)]
    living = [one for one in inside if not world.is_archived(one)]
    return next((one for one in living if world.window_of(one)), next(iter(living), None))


def _there(world: World, tree: Worktree | None, session: Session | None) -> Worktree | None:
    """The same worktree in the world as it is now."""
    if tree is None:
        own = session is not None and world.is_of_main(session)
        return world.main if own else world.worktree_of(session) if session else None
    now = next((one for one in world.worktrees if one.path == tree.path), None)
    if now is None and session is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"The worktree at {tree.path} has just been removed; nothing was opened.",
            "`hqt undo` brings it back.",
        )
    return now


def _row(world: World, session: Session | None, tree: Worktree | None) -> Session:
    """The session's row as it is from now on: where git has moved its worktree or renamed its
    branch, the row follows; an archived one is back; a worktree without a session gets one."""
    if session is None:
        return adopting.session_for(world, tree)
    row = replace(session, archived=False)
    if tree is not None and session.worktree_path is not None:
        branch = tree.branch or session.worktree_branch
        own = session.owns_worktree and _is_the_same(session.worktree_path, tree)
        row = replace(row, worktree_path=tree.path, worktree_branch=branch, owns_worktree=own)
    return row


def _is_the_same(recorded: Path, tree: Worktree) -> bool:
    """Whether a worktree is the one that was at `recorded`: git keeps an entry's name when it moves
    one, and names a new one after its folder. Another one on the branch was made by somebody."""
    number = tree.git_dir.name.removeprefix(recorded.name)
    return tree.path == recorded or (
        tree.git_dir.name.startswith(recorded.name) and (not number or number.isdecimal())
    )


def _remember(world: World, session: Session | None, row: Session) -> Session:
    """Write down what differs from what the store has."""
    rows = worlds.rows()
    if session is None:
        rows.add(row)
        return row
    for parent in world.parents(session):
        if parent.archived:
            rows.update(parent.id, archived=False)
    kept = (
        "archived", "worktree_path", "worktree_branch", "owns_worktree", "conversation", "subfolder"
    )  # fmt: skip
    changed = {name: getattr(row, name) for name in kept}
    if any(getattr(session, name) != value for name, value in changed.items()):
        rows.update(row.id, **changed)
    return row


def _place(world: World, row: Session, tree: Worktree | None, manner: Manner) -> placement.Place:
    if manner.tmux_session is not None:
        return placement.place(world, manner.tmux_session)
    return placement.back(world, row, tree, exactly=manner.exactly)


def _go(world: World, window: str) -> None:
    from hqt.tmux import windows

    windows.goto(
        worlds.connect(world.caller),
        session=placement.session_of(world, window),
        window=window,
        client=placement.client(world),
    )


def _tell(world: World, launch: Launching) -> None:
    """Also in the status line, since a program may draw over what is printed in its pane. Where
    a key was pressed the answer is told there in any case."""
    from hqt.tmux import messages

    if launch.notes and not world.caller.client:
        tmux = worlds.connect(world.caller)
        messages.show(tmux, placement.client(world), " ".join(launch.notes))


def _told(
    world: World,
    tree: Worktree | None,
    row: Session,
    window: str,
    notes: tuple[str, ...],
    recreated: bool,
) -> Opened:
    world = worlds.again(world)
    view = views.session_view(world, row)
    shown = next((one for one in world.worktrees if tree and one.path == tree.path), tree)
    shown = shown or view.worktree
    return Opened(
        session=replace(view, worktree=shown, window=window),
        worktree=views.counted(world, shown) if shown else None,
        window=window,
        source=shown.path if shown else row.project,
        branch_recreated=recreated,
        notes=notes,
        verb="opened",
    )
