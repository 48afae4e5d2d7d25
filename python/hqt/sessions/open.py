"""The story of `open`: to a session's window, made if there is none. Idempotent."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.results import Opened, Reopened
from hqt.sessions import launching, placement, targets, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import settle
from hqt.sessions.world import World

if TYPE_CHECKING:
    pass


def open_target(caller: Caller, name: str) -> Opened:
    """Go to the window of what `name` means.

    The ladder: its live window; a window that already lives in its worktree is adopted; a vanished
    worktree whose branch lives is checked out again; then a new window. A worktree without a
    session gets one. Raises `tmux_unavailable`, `worktree_and_branch_gone` and what these steps
    raise.
    """
    settle(caller, "open")
    target = targets.find(caller, name)
    return open_in(target.world, target.worktree, target.session)


def open_in(world: World, tree: Worktree | None, session: Session | None) -> Opened:
    """As `open_target`, for a target that has been resolved."""
    from hqt.tmux import windows

    placement.place(world, None)  # no server: say so before anything is made
    notes: tuple[str, ...] = ()
    recreated = False
    if session is None and tree is not None:
        inside = world.sessions_in(tree)
        session = next((one for one in inside if world.window_of(one)), next(iter(inside), None))
    tmux = worlds.connect(world.caller)
    window = _live(world, tree, session)
    if window is None and _vanished(tree, session):
        tree, recreated = _bring_back(world, tree, session)
        world = worlds.again(world)
        notes = (f"The worktree had vanished and was checked out again at {tree.path}.",)
    row = _remembered(world, session, tree)
    select = world.caller.interactive or world.caller.by_key or world.caller.pane is not None
    if window is None:
        where = placement.place(world, None)
        if tree:
            where = placement.settle(world, where, tree.path, tree.id)
        launch = launching.again(world, row, placement.folder(world, tree))
        notes += launch.notes
        window = placement.show(world, where, row, tree, launch, select)
    else:
        placement.mark(world, window, row, tree)
        if select:
            windows.goto(
                tmux,
                session=placement.session_of(world, window),
                window=window,
                client=placement.client(world),
            )
    world = worlds.again(world)
    shown = next((one for one in world.worktrees if tree and one.path == tree.path), tree)
    return Opened(
        session=replace(views.session_view(world, row), worktree=shown, window=window),
        worktree=views.counted(world, shown) if shown else None,
        window=window,
        source=shown.path if shown else row.project,
        branch_recreated=recreated,
        notes=notes,
        verb="opened",
    )


def open_all(caller: Caller, *, dry_run: bool) -> Reopened:
    """A window for every session of this repository that has none and is not archived."""
    world = worlds.look(caller)
    placement.place(world, None)
    closed = [
        one for one in world.sessions if not world.is_archived(one) and not world.window_of(one)
    ]
    if dry_run:
        plans = [
            Opened(views.session_view(world, one), None, None, None, verb="would open")
            for one in closed
        ]
        return Reopened(tuple(plans), dry_run=True)
    opened = []
    for session in sorted(closed, key=lambda one: one.created_at):
        world = worlds.again(world)
        opened.append(open_in(world, world.worktree_of(session), session))
    return Reopened(tuple(opened), dry_run=False)


def _live(world: World, tree: Worktree | None, session: Session | None) -> str | None:
    """The window that shows it now: by its option, else one in the worktree that is nobody's."""
    if session:
        shown = world.window_of(session)
        if shown:
            return shown
    if tree is None or world.snapshot is None:
        return None
    homes = [pane for pane in world.snapshot.panes if pane.path and not pane.dead]
    mine = [pane for pane in homes if world.home(worlds.pane_path(pane.path)) == tree]
    known = {one.id for one in world.sessions}
    free = [pane for pane in mine if pane.window_session not in known]
    return free[0].window if free else None


def _vanished(tree: Worktree | None, session: Session | None) -> bool:
    if tree is not None:
        return tree.missing
    return session is not None and session.worktree_path is not None


def _bring_back(
    world: World, tree: Worktree | None, session: Session | None
) -> tuple[Worktree, bool]:
    """Check a vanished worktree out again where it was."""
    from hqt.sessions.restore import check_out_again

    return check_out_again(world, tree, session, None)


def _adopting(world: World, tree: Worktree | None) -> Session:
    """A session for a worktree that has none yet (made by hand, or by another tool)."""
    if tree is None:
        raise HqtError(Code.NO_SUCH_TARGET, "There is nothing to open here.", "See `hqt list`.")
    return Session(
        id=secrets.token_hex(4),
        nickname=tree.branch or tree.path.name,
        harness=world.config.harness,
        project=world.repository.root,
        created_at=int(time.time()),
        worktree_path=None if tree.main else tree.path,
        worktree_branch=None if tree.main else tree.branch,
    )


def _remembered(world: World, session: Session | None, tree: Worktree | None) -> Session:
    """The session's row as it is from now on: where git has moved its worktree or renamed its
    branch, the row follows; an archived one is back; a worktree without a session gets one."""
    rows = worlds.rows()
    if session is None:
        row = _adopting(world, tree)
        rows.add(row)
        return row
    for parent in world.parents(session):
        if parent.archived:
            rows.update(parent.id, archived=False)
    row = replace(session, archived=False)
    if tree is not None and session.worktree_path is not None:
        branch = tree.branch or session.worktree_branch
        row = replace(row, worktree_path=tree.path, worktree_branch=branch)
    if row != session:
        rows.update(
            row.id,
            archived=row.archived,
            worktree_path=row.worktree_path,
            worktree_branch=row.worktree_branch,
        )
    return row
