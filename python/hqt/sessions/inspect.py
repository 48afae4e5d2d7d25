"""The story of `inspect`: what would go with a worktree, who is in it, and what refuses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hqt import verdict
from hqt.models import Caller, Losses, Occupants, Refusal, Session, Worktree
from hqt.results import Inventory
from hqt.sessions import sight, targets, views
from hqt.sessions.locate import require_worktree
from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Permits:
    """What the caller has lifted."""

    force: bool = False
    close: bool = False
    evacuate: bool = False


def inspect(caller: Caller, name: str) -> Inventory:
    """The inventory of a worktree; nothing is changed. Raises what resolving a target raises."""
    target = targets.find(caller, name)
    tree = require_worktree(target, name)
    inside = target.world.sessions_in(tree)
    going = target.session or next(iter(inside), None)
    return take(target.world, tree, going)


def take(
    world: World,
    tree: Worktree,
    going: Session | None,
    permits: Permits = Permits(),
    removing: Iterable[str] = (),
    gone: Iterable[str] = (),
) -> Inventory:
    """The inventory of `tree` if it went together with session `going` and branches `removing`,
    when the sessions with the ids `gone` are there no more."""
    from hqt.git import changes

    lost = losses(world, tree, going, removing)
    who = occupants(world, tree, going, gone)
    names = {one.id: one.nickname for one in world.sessions}
    called = replace(who, sessions=tuple(names[id] for id in who.sessions))  # for people
    found = None if tree.missing else changes.told_by(lost) or changes.count(tree, world.repository)
    view = replace(views.plain(world, tree), changes=found, unique_commits=lost.unique_count)
    return Inventory(
        worktree=view,
        sessions=tuple(views.session_view(world, one) for one in world.shown_in(tree)),
        losses=lost,
        occupants=who,
        refusals=refusals(tree, lost, called, permits),
        sentence=verdict.sentence(lost),
    )


def refusals(tree: Worktree, lost: Losses, who: Occupants, permits: Permits) -> tuple[Refusal, ...]:
    """Why this worktree may not be removed under these permits, first reason first."""
    return verdict.refusals(
        lost,
        who,
        label=tree.label,
        main=tree.main,
        locked=tree.locked,
        force=permits.force,
        close=permits.close,
        evacuate=permits.evacuate,
    )


def losses(
    world: World, tree: Worktree, going: Session | None, removing: Iterable[str] = ()
) -> Losses:
    """What git says would be lost; pygit2 may only add a doubt."""
    from hqt.git import losses as facts
    from hqt.git import witness

    others = tuple(one.path for one in world.worktrees if one.path != tree.path)
    going_too = frozenset(removing)
    second = witness.second_opinion(world.repository, tree)
    found = facts.losses(
        world.repository,
        tree,
        recorded_branch=going.worktree_branch if going else None,
        base_commit=going.base_commit if going else None,
        removing=going_too,
        others=others,
    )
    seen = second(found, going_too)
    return replace(found, disputed=seen) if seen else found


def occupants(
    world: World, tree: Worktree, going: Session | None, gone: Iterable[str] = ()
) -> Occupants:
    """Who is in a worktree right now; hqt's own process chain does not count. In the pane that it
    was called in stands what it was called from."""
    from hqt import processes
    from hqt.tmux.occupants import occupants as living_in

    running = world.running()
    own = processes.own(running, world.caller.process)
    found = living_in(
        world.snapshot,
        running,
        tree.path,
        tuple(one.path for one in world.worktrees),
        own=own,
    )
    leaving = {*gone, *([going.id] if going else [])}
    others = [one.id for one in world.sessions_in(tree) if one.id not in leaving]
    panes = tuple(
        replace(pane, command=running[pane.pid].name)
        if pane.pid in own and pane.pid in running
        else pane
        for pane in found.panes
    )
    busy = (*found.busy, *sight.unseen(world.caller, world.snapshot))
    return replace(found, panes=panes, busy=busy, sessions=tuple(others))
