"""What the targets of `remove` mean: which session goes, and whether its worktree goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hqt.errors import Checks, Code, HqtError
from hqt.models import Session, Worktree
from hqt.results import Inventory
from hqt.sessions import adopting
from hqt.sessions.targets import Target
from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Doomed:
    """One thing to remove: a session, a worktree, or both."""

    world: World
    session: Session | None
    tree: Worktree | None  # None: no worktree, or it stays
    note: str = ""  # why the worktree stays
    inventory: Inventory | None = None  # the first judgement
    gone: tuple[str, ...] = ()  # ids of sessions that are removed before it


def all_of(
    found: Sequence[Target], checks: Checks, *, keep_worktree: bool, evacuate: bool
) -> list[Doomed]:
    """What the targets mean, each once: a worktree goes with the last session that lives there.
    One that cannot be meant is left out, and `checks` know why."""
    doomed: list[Doomed] = []
    for target in sorted(found, key=lambda one: one.session is None):
        gone = tuple(one.session.id for one in doomed if one.session)
        taken = [one.tree.path for one in doomed if one.tree]
        again = target.session.id in gone if target.session else _path(target) in taken
        if not again:
            with checks:
                doomed.append(_doom(target, keep_worktree, evacuate, gone))
    return doomed


def _path(target: Target) -> Path | None:
    return target.worktree.path if target.worktree else None


def _doom(target: Target, keep_worktree: bool, evacuate: bool, gone: tuple[str, ...]) -> Doomed:
    """What a target means: its session with the worktree, unless others live there too."""
    world, tree, session = target.world, target.worktree, target.session
    if tree is None or tree.main:
        if session is None:
            raise _main_checkout(target)
        if tree is None and not keep_worktree:
            adopting.require_gone(session)
        return Doomed(world, session, None)
    inside = [one for one in world.sessions_in(tree) if one.id not in gone]
    if keep_worktree and session is None:
        if len(inside) != 1:
            raise _whose(tree, inside)
        session = inside[0]
    if session is None:
        session = at_home(tree, inside)
    if keep_worktree:
        return Doomed(world, session, None, f"The worktree at {tree.path} stays.")
    others = [one.nickname for one in inside if session is None or one.id != session.id]
    if others and target.session and not evacuate:
        who = ", ".join(others)
        return Doomed(world, session, None, f"The worktree stays: {who} lives there too.")
    return Doomed(world, session, tree, gone=gone)


def at_home(tree: Worktree, inside: Sequence[Session]) -> Session | None:
    """The session that goes with its worktree when only that is named: the one it was made for, or
    one of its name, as `open` makes it for a worktree made by hand. Any other is a guest."""
    names = {tree.branch, tree.label, tree.path.name}
    named = (one for one in inside if one.nickname in names)
    return next((one for one in inside if one.owns_worktree), next(named, None))


def _whose(tree: Worktree, inside: Sequence[Session]) -> HqtError:
    """Why a worktree that is to stay does not say which session goes."""
    if not inside:
        return HqtError(
            Code.NO_SUCH_TARGET,
            f"No session lives in {tree.path}, which is to be kept; nothing was removed.",
            "Leave --keep-worktree out to remove the worktree.",
        )
    return HqtError(
        Code.AMBIGUOUS_TARGET,
        f"Several sessions live in {tree.path}; nothing was removed.",
        "Name the session.",
        {"candidates": [f"session:{one.id}" for one in inside]},
    )


def _main_checkout(target: Target) -> HqtError:
    place = target.worktree.path if target.worktree else target.world.repository.root
    return HqtError(
        Code.MAIN_CHECKOUT,
        f"{place} is the repository's main checkout, which hqt never removes.",
        "Name a session or a linked worktree; `hqt list` shows them.",
    )
