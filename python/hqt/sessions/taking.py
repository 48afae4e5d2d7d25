"""The guarded deletion of one worktree, the same for `remove` and `archive` (design §5, Remove).

Under the repository's lock: judged; all that can fail first (manifest, pins, same file system);
emptied of panes; judged again; the point of no return. What happens to the branch and to the
session's row is up to who asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from hqt import documents, signals
from hqt.errors import Code, HqtError
from hqt.models import Session, Worktree
from hqt.results import Inventory
from hqt.sessions import adopting, rows
from hqt.sessions import world as worlds
from hqt.sessions.world import World


class Gone(NamedTuple):
    """A worktree that is in the trash."""

    world: World  # as it was at the point of no return
    found: Inventory
    trash: str  # the trash id
    windows_closed: tuple[str, ...]
    notes: tuple[str, ...] = ()


def take_away(
    world: World,
    tree: Worktree,
    session: Session | None,
    *,
    judge: Callable[[World, Worktree], Inventory],
    vacate: Callable[[World, Worktree], tuple[str, ...]],
    prepare: Callable[[World, Worktree], World] = lambda world, _tree: world,
    judged: Inventory | None = None,
) -> Gone:
    """Move `tree` into the trash, with the row of `session`.

    `judge` takes the inventory, twice: before anything happens (unless the caller has just `judged`
    it), and when `vacate` has closed the panes in there and said which windows went. `prepare` is
    what has to happen between the first judgement and the manifest; it returns the world as it is
    after that. Raises the first refusal, and what taking away raises; then the worktree is where it
    was.
    """
    from hqt import verdict
    from hqt.git import trash

    now = worlds.again(world)
    here = same(now, tree)
    found = judged or judge(now, here)
    if error := refused(found):
        raise error
    now = prepare(now, here)
    entry = trash.prepare(
        now.repository,
        here,
        holds=verdict.holds(found.losses),
        session=rows.record(session) if session else None,
        pool=worlds.pool(now),
        branches=[session.worktree_branch] if session and session.worktree_branch else [],
    )
    try:
        closed = vacate(now, here)
        now = worlds.again(now)
        here = same(now, tree)
        found = judge(now, here)
        if error := refused(found):
            raise error
    except BaseException:
        trash.abandon(entry)
        raise
    signals.ignore()
    taken = trash.take(entry, holds=verdict.holds(found.losses))
    notes = tuple(f"{path} could not be deleted; its copy is in the trash." for path in taken.left)
    return Gone(now, found, entry.id, closed, notes)


def same(world: World, asked: Worktree) -> Worktree:
    """The same worktree in a world read anew, its identity checked both ways."""
    for tree in world.worktrees:
        if tree.path == asked.path and tree.git_dir == asked.git_dir:
            require_registered(world, tree)
            return tree
    if all(tree.path != asked.path for tree in world.worktrees):
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"The worktree at {asked.path} is no more: it was removed or moved meanwhile.",
            "`hqt list` shows what there is, `hqt trash list` what was removed.",
        )
    raise HqtError(
        Code.IDENTITY_MISMATCH,
        f"The worktree at {asked.path} is not the one that was asked for any more; "
        "nothing was removed.",
        "Look with `hqt list`, then try again.",
    )


def require_registered(world: World, tree: Worktree) -> None:
    """Raise `identity_mismatch` unless directory and registration name each other, and
    `missing_worktree` for a missing one that is not gone but was moved."""
    from hqt.git import worktrees

    adopting.require_unmoved(world, tree)
    if not tree.missing or os.path.lexists(tree.path):
        worktrees.require_identity(world.repository, tree)


def refused(found: Inventory) -> HqtError | None:
    """An inventory's first refusal as an error that carries all of it; None if nothing refuses."""
    if not found.refusals:
        return None
    remedies = dict.fromkeys(refusal.remedy for refusal in found.refusals if refusal.remedy)
    return HqtError(
        Code(found.refusals[0].code),
        " ".join(refusal.message for refusal in found.refusals),
        " ".join(remedies),
        documents.inventory(found),
    )
