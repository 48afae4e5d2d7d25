"""Making hqt's what is there already: a window that lost its marks, a worktree made by hand."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Pane, Session, Worktree
from hqt.sessions import family, placement
from hqt.sessions import world as worlds
from hqt.sessions.world import World


def window_of(world: World, tree: Worktree | None, row: Session) -> str | None:
    """The window that shows a session now: by its option, else one that lost its options (as
    tmux-resurrect leaves it) and is nobody's: every pane of it lives in the worktree and, where an
    agent should be in it, it still bears the session's name, or that very agent runs in it."""
    from hqt.tmux.formats import plain_window_name, window_name

    if shown := world.window_of(row):
        return shown
    if tree is None or world.snapshot is None:
        return None
    known = {one.id for one in world.sessions}
    name = placement.label(row, tree)
    named = {window_name(name), plain_window_name(name)}
    windows: dict[str, list[Pane]] = {}
    for pane in world.snapshot.panes:
        windows.setdefault(pane.window, []).append(pane)
    for window, panes in windows.items():
        free = panes[0].window_session not in known
        if not free or not all(_lives_in(world, pane, tree) for pane in panes):
            continue
        if row.harness == "shell" or panes[0].window_name in named or family.runs(panes, row):
            return window
    return None


def _lives_in(world: World, pane: Pane, tree: Worktree) -> bool:
    return not pane.dead and world.home_of(pane) == tree


def idle_pane(world: World, window: str, row: Session) -> str | None:
    """The pane of such a window in which the session's program is to run again: one that it has
    left behind dead or, for an agent, the idle shell of a window that lost its options."""
    from hqt import processes
    from hqt.tmux.occupants import busy, is_shell

    if dead := family.dead(world, row):
        return dead.id
    panes = world.snapshot.panes if world.snapshot else ()
    mine = [pane for pane in panes if pane.window == window]
    if row.harness == "shell" or any(pane.window_session == row.id for pane in mine):
        return None
    idle = [pane for pane in mine if is_shell(pane.command)]
    if len(mine) != 1 or not idle or busy(idle, processes.running()):
        return None
    return idle[0].id


def require_unmoved(world: World, tree: Worktree | None) -> None:
    """Raise `missing_worktree` where a worktree is not gone but was moved without git, by a pane in
    it or by its folder: to check it out again would take its place from it, and removed it would
    be no worktree any more."""
    from hqt.git import moved

    if tree is None or not tree.missing:
        return
    folder, window = _seen_in(world, tree)
    folder = folder or moved.moved_to(world.repository, tree, worlds.pool(world))
    if folder is None:
        return
    there = f"{folder} now, where window {window} is" if window else f"{folder} now"
    raise HqtError(
        Code.MISSING_WORKTREE,
        f"{world.sign} {tree.label} is at {there}, but git looks for it at {tree.path}. "
        "Nothing was changed.",
        f"{moved.repair(world.repository, folder)} tells git; then try again.",
        {"path": str(tree.path), "moved": str(folder)} | ({"window": window} if window else {}),
    )


def require_gone(row: Session) -> None:
    """Raise `identity_mismatch` where something is at the place of a session's worktree that git
    does not list: nobody can say whose it is. For a session that has no worktree among those."""
    if row.worktree_path is None or not os.path.lexists(row.worktree_path):
        return
    raise HqtError(
        Code.IDENTITY_MISMATCH,
        f"{row.worktree_path} is there, but git does not list it as a worktree; it was left as it"
        " is.",
        "Look what it is, and move away what you need. `hqt remove --keep-worktree "
        f"session:{row.id}` removes the session alone.",
        {"path": str(row.worktree_path)},
    )


def _seen_in(world: World, tree: Worktree) -> tuple[Path | None, str | None]:
    """The folder that is the worktree by its `.git`, and a window with a pane in there."""
    from hqt.git import admin

    for pane in world.snapshot.panes if world.snapshot else ():
        here = worlds.pane_path(pane.path) if pane.path else None
        for folder in (here, *here.parents) if here else ():
            if admin.points_back(tree.git_dir, folder):
                return folder, pane.window
    return None, None


def session_for(world: World, tree: Worktree | None) -> Session:
    """A session for a worktree that has none yet (made by hand, or by another tool)."""
    if tree is None:
        raise HqtError(Code.NO_SUCH_TARGET, "There is nothing to open here.", "See `hqt list`.")
    return Session(
        id=os.urandom(4).hex(),
        nickname=tree.branch or tree.path.name,
        harness=world.config.harness,
        project=world.repository.root,
        created_at=int(time.time()),
        worktree_path=None if tree.main else tree.path,
        worktree_branch=None if tree.main else tree.branch,
    )
