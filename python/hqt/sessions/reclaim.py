"""One numbered attempt to reclaim an archived session's worktree (design §5, Archive).

Only a worktree that is clean, unreferenced and the session's own goes, by the same guarded
deletion as `remove`, and into the trash. Its branch is never deleted, so of commits only those of
a detached HEAD retain it; ignored files do not. Whatever comes of it is settled once, under the
attempt's number, and announced.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace

from hqt import faults, processes
from hqt.errors import Code, HqtError
from hqt.models import Caller, Cleanup, Refusal, Session, Worktree
from hqt.results import Inventory
from hqt.sessions import adopting, closing, inspect, taking
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing
from hqt.sessions.world import World

OPTION = "@hqt_cleanup"  # of the tmux server: session, number, status and reason of the latest
_POLL = 0.05  # seconds

# What retains, by the code of the refusal; any other code means that the attempt failed.
RETAINING = {
    Code.LOCKED: "locked",
    Code.OPERATION_IN_PROGRESS: "operation_in_progress",
    Code.DIRTY: "dirty",
    Code.UNIQUE_COMMITS: "unique_commits",
    Code.NESTED: "nested",
    Code.BUSY: "busy",
    Code.MISSING_WORKTREE: "missing",
    Code.IDENTITY_MISMATCH: "identity_mismatch",
    Code.MAIN_CHECKOUT: "policy",
    Code.UNSUPPORTED_REPOSITORY: "policy",
}


class _Retained(Exception):
    """The worktree stays, for a reason that is no error code."""


class _Superseded(Exception):
    """The session is back, or another attempt counts."""


def reclaim(caller: Caller, id: str, revision: int) -> None:
    """Make the attempt `revision` for the session `id`, whose repository `caller` is in; nothing if
    it is not to be made any more.

    Never raises what keeps the worktree from going: that is what the row says then. A fault in
    hqt settles as failed, and is raised.
    """
    row = worlds.rows().get(id)
    if row is None or not _is_due(row, revision):
        return
    try:
        os.chdir("/")  # hqt must not be one of those that live there
        end = _outcome(replace(caller, by_key=False), row, revision)
    except BaseException as error:
        code = error.code if isinstance(error, HqtError) else Code.INTERNAL
        _settle(caller, id, Cleanup("failed", revision, code.value))
        raise
    if end:
        _settle(caller, id, end)


def announce(caller: Caller, row: Session) -> None:
    """Tell of an attempt that was admitted or settled: a line in the log, and `@hqt_cleanup`."""
    cleanup = row.cleanup
    if cleanup is None:
        return
    words = [row.id, str(cleanup.revision), cleanup.status, cleanup.reason or ""]
    text = " ".join(words).rstrip()
    faults.note(f"cleanup {text}")
    try:
        worlds.connect(caller).ask(["set-option", "-gq", OPTION, text])
    except HqtError:
        return  # nobody there to tell


def _outcome(caller: Caller, row: Session, revision: int) -> Cleanup | None:
    """How the attempt ended; None when it was not to be made any more."""
    try:
        _attempt(caller, row, revision)
    except _Superseded:
        return None
    except _Retained as why:
        return Cleanup("retained", revision, str(why))
    except HqtError as error:
        if error.code is Code.INTERRUPTED:
            raise
        faults.note(f"cleanup of {row.id}: {error.message}")
        if "moved" in error.details:  # by `mv`; git does not know
            return Cleanup("retained", revision, "moved")
        if error.code in RETAINING:
            return Cleanup("retained", revision, RETAINING[error.code])
        return Cleanup("failed", revision, error.code.value)
    return Cleanup("removed", revision)


def _attempt(caller: Caller, row: Session, revision: int) -> None:
    world = worlds.look(caller)
    tree = world.worktree_of(row)
    if tree is None:
        adopting.require_gone(row)
        return
    if not row.owns_worktree or tree.path != row.worktree_path:
        raise _Retained("not_owned")
    _until_empty(world, tree)

    def judge(world: World, tree: Worktree) -> Inventory:
        return _judge(world, tree, row.id, revision)

    with changing(world.repository, "archive"):
        taking.take_away(
            world,
            tree,
            replace(row, archived=False, cleanup=None),
            judge=judge,
            vacate=lambda _world, _tree: (),  # nobody is in there, or it stays
        )


def _judge(world: World, tree: Worktree, id: str, revision: int) -> Inventory:
    """The inventory of what retains. Raises `_Superseded` and `_Retained`."""
    row = worlds.rows().get(id)
    if row is None or not _is_due(row, revision):
        raise _Superseded
    if any(one.id != id for one in world.sessions_in(tree)):
        raise _Retained("referenced")
    if tree.missing:
        raise HqtError(Code.MISSING_WORKTREE, f"{tree.path} is not there.", "")
    found = inspect.take(world, tree, None)
    lost = found.losses
    if tree.branch is not None:  # the branch stays, and so do its commits
        lost = replace(lost, unique=(), unique_count=0)
    reasons = inspect.refusals(tree, lost, found.occupants, inspect.Permits())
    if not reasons and (who := _panes(world, tree)):
        reasons = (Refusal(Code.BUSY, f"{', '.join(who)} is in {tree.path}."),)
    if not reasons and tree.branch != row.worktree_branch:  # another one at the same path, perhaps
        raise _Retained("not_owned")
    return replace(found, losses=lost, refusals=reasons)


def _panes(world: World, tree: Worktree) -> list[str]:
    """The panes that live in the worktree, but for the one that hqt runs in."""
    own = processes.own(processes.running(), world.caller.process)
    return [pane.id for pane in inspect.occupants(world, tree, None).panes if pane.pid not in own]


def _until_empty(world: World, tree: Worktree) -> None:
    """Give the window that has just been closed, or will be, and its programs time to end."""
    deadline = time.monotonic() + closing.PATIENCE
    while time.monotonic() < deadline:
        now = worlds.again(world)
        if not inspect.occupants(now, tree, None).busy and not _panes(now, tree):
            return
        time.sleep(_POLL)


def _is_due(row: Session, revision: int) -> bool:
    return row.archived and row.cleanup == Cleanup("scheduled", revision)


def _settle(caller: Caller, id: str, cleanup: Cleanup) -> None:
    """Record the end of an attempt, if it still is the one that counts."""
    with worlds.rows().transaction() as rows:
        row = rows.get(id)
        if row is None or not _is_due(row, cleanup.revision):
            return
        row = rows.update(id, cleanup=cleanup)
    if row:
        announce(caller, row)
