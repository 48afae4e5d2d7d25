"""The story of `open --all`: after a restart every window is back where it was."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError, Interrupted
from hqt.models import Caller, Session
from hqt.results import NotOpened, Opened, Reopened
from hqt.sessions import placement, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import settle
from hqt.sessions.open import Manner, open_in
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.sight import Seen


def open_all(caller: Caller, *, dry_run: bool) -> Reopened:
    """A window for every session that has none and is not archived, of every repository that hqt
    knows; in their old order, tmux sessions and places. A session that cannot be opened, or a
    repository that cannot be read, does not keep the others closed.

    Raises `tmux_unavailable` when no server answers.
    """
    if not dry_run:
        settle(caller, "open")
    found, failed = _worlds(caller)
    for world in found:
        placement.place(world, None)
    missing = {
        one.id: (world, one) for world in found for one in world.sessions if _is_closed(world, one)
    }
    closed = sorted(missing.values(), key=lambda pair: _order(pair[1]))
    opened: list[Opened] = []
    for world, session in closed:
        if dry_run:
            view = views.session_view(world, session)
            tree = world.place_of(session)
            row = views.plain(world, tree) if tree else None
            source = tree.path if tree else session.project
            opened.append(Opened(view, row, None, source, verb="would open"))
            continue
        try:
            now = worlds.again(world)
            manner = Manner(exactly=True, select=False, last=False)
            opened.append(open_in(now, now.worktree_of(session), session, manner))
        except HqtError as error:
            if error.code in {Code.INTERRUPTED, Code.STORE_FAILED}:
                raise
            failed.append(NotOpened(session, error.code.value, error.message, error.remedy))
        except Interrupted as stop:
            by = stop.message.partition(";")[0]
            stop.message = f"{by}; the windows that had been opened stay."
            raise
    return Reopened(tuple(opened), dry_run=dry_run, failed=tuple(failed))


def _worlds(caller: Caller) -> tuple[list[World], list[NotOpened]]:
    """Every repository, the caller's first, and the sessions of those that cannot be read."""
    with worlds.glancing(caller) as seen:
        return _read(worlds.settled(caller, seen), seen)


def _read(caller: Caller, seen: Seen) -> tuple[list[World], list[NotOpened]]:
    found: dict[str, World] = {}
    failed: list[NotOpened] = []
    try:
        here = worlds.join(caller, caller.directory, seen)
        found[str(here.repository.common_dir)] = here
    except HqtError as error:
        if error.code in {Code.CONFIG_INVALID, Code.STORE_FAILED}:
            raise
        seen()  # what keeps every one from being read is no answer
    projects: dict[str, list[Session]] = {}
    for session in worlds.rows().all(archived=False):
        projects.setdefault(str(session.project), []).append(session)
    for sessions in projects.values():
        try:
            world = worlds.of_project(caller, sessions[0].project, seen)
        except HqtError as error:
            what = (error.code.value, error.message, error.remedy)
            failed += [NotOpened(session, *what) for session in sessions]
            continue
        found.setdefault(str(world.repository.common_dir), world)
    # one that was moved has its sessions all the same, by their worktrees
    read = {one.id for world in found.values() for one in world.sessions}
    return list(found.values()), [one for one in failed if one.session.id not in read]


def _is_closed(world: World, session: Session) -> bool:
    return not world.is_archived(session) and world.window_of(session) is None


def _order(session: Session) -> tuple[str, float, int]:
    """By tmux session and place; those that were never seen come last, the oldest first."""
    index = math.inf if session.window_index is None else session.window_index
    return (session.tmux_session or "\U0010ffff", index, session.created_at)
