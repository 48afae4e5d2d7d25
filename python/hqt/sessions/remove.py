"""The story of `remove`: sessions and their worktrees go, and nothing is lost.

Every target is judged before any is touched. Then, for each, in the order of design §5: all that
can fail first (manifest, pins, same file system); the panes closed by id, the caller's own not
yet; the second judgement; the point of no return (admin entry, then tree, into the trash); the
branch by compare and swap; the row. The answer is printed, and last of all the caller's own pane
goes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hqt import documents, signals
from hqt.errors import Code, HqtError, foremost
from hqt.models import Caller, Pane, Session, Worktree
from hqt.results import Inventory, Removals, Removed
from hqt.sessions import branch_fate, closing, inspect, leading, noticing, taking, targets
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.evacuate import evacuate, sentence
from hqt.sessions.inspect import Permits
from hqt.sessions.leading import Passage
from hqt.sessions.targets import Target
from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Terms:
    """How far the caller goes."""

    force: bool = False
    close: bool = False
    evacuate: bool = False
    keep_worktree: bool = False
    branch: str = "setting"  # keep, delete, or as `@hqt-delete-branch` says

    @property
    def permits(self) -> Permits:
        return Permits(self.force, self.close, self.evacuate)


@dataclass(frozen=True, slots=True)
class Doomed:
    """One thing to remove: a session, a worktree, or both."""

    world: World
    session: Session | None
    tree: Worktree | None  # None: no worktree, or it stays
    note: str = ""  # why the worktree stays
    inventory: Inventory | None = None  # the first judgement
    gone: tuple[str, ...] = ()  # ids of sessions that are removed before it


def remove(
    caller: Caller, names: Sequence[str], terms: Terms, answer: Callable[[Removals], None]
) -> None:
    """Remove every target or, where a check refuses one, none; hand `answer` what happened.

    `answer` is called before the caller's own pane is closed. Raises the foremost refusal, its
    details being the inventory; a failure later on lists in details what was `removed` before it.
    """
    settled = settle(caller, "remove")
    doomed = _all_doomed([targets.find(caller, name, by_name=False) for name in names], terms)
    branches = frozenset(one.tree.branch for one in doomed if one.tree and one.tree.branch)
    doomed = _judged(doomed, terms, branches)
    if any(one.session for one in doomed):
        worlds.rows().require_writable()
    own = [pane for one in doomed for pane in closing.own_panes(one.world, one.tree, one.session)]
    done: list[Removed] = []
    led: list[Passage] = []
    os.chdir("/")  # hqt must not be one of those that live in what it removes
    for one in doomed:
        try:
            done.append(_go(one, terms, branches, led))
        except HqtError as error:
            if done:
                error.details["removed"] = [documents.removed(gone) for gone in done]
            raise
    first, *others = done
    answer(Removals((replace(first, notes=(*settled, *first.notes)), *others)))
    signals.ignore()
    closing.close_own(caller, _not_led(own, led), doomed[0].world.repository.root)
    for passage in led:
        leading.follow(passage)


def _not_led(own: list[Pane], led: list[Passage]) -> list[Pane]:
    """Of the caller's own panes those that close: one that was led away only starts anew."""
    away = {step.pane.id for passage in led for step in passage.steps}
    return [pane for pane in own if pane.id not in away]


def _all_doomed(found: Sequence[Target], terms: Terms) -> list[Doomed]:
    """What the targets mean, each once: a worktree goes with the last session that lives there."""
    doomed: list[Doomed] = []
    for target in found:
        gone = tuple(one.session.id for one in doomed if one.session)
        if not (target.session and target.session.id in gone):
            doomed.append(_doom(target, terms, gone))
    return _unique(doomed)


def _doom(target: Target, terms: Terms, gone: tuple[str, ...]) -> Doomed:
    """What a target means: its session with the worktree, unless others live there too."""
    world, tree, session = target.world, target.worktree, target.session
    if tree is None or tree.main:
        if session is None:
            raise _main_checkout(target)
        return Doomed(world, session, None)
    inside = [one for one in world.sessions_in(tree) if one.id not in gone]
    if session is None and inside:
        session = next((one for one in inside if one.owns_worktree), inside[0])
    if terms.keep_worktree:
        if session is None or (target.session is None and len(inside) > 1):
            raise _whose(tree, inside)
        return Doomed(world, session, None, f"The worktree at {tree.path} stays, as asked.")
    others = [one.nickname for one in inside if session is None or one.id != session.id]
    if others and target.session and not terms.evacuate:
        who = ", ".join(others)
        return Doomed(world, session, None, f"The worktree stays: {who} lives there too.")
    return Doomed(world, session, tree, gone=gone)


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


def _unique(doomed: list[Doomed]) -> list[Doomed]:
    """Two names for one thing are one."""
    seen: dict[tuple[str, str], Doomed] = {}
    for one in doomed:
        key = (one.session.id if one.session else "", str(one.tree.path) if one.tree else "")
        seen.setdefault(key, one)
    return list(seen.values())


def _judged(doomed: list[Doomed], terms: Terms, branches: frozenset[str]) -> list[Doomed]:
    """All of them with their inventories; raises the foremost refusal if there is one."""
    found, errors = [], []
    for one in doomed:
        try:
            found.append(_judge(one, terms, branches))
        except HqtError as error:
            errors.append(error)
    if errors:
        first = foremost(errors)
        if len(doomed) > 1:
            first.message = f"{first.message} None of the {len(doomed)} was removed."
        raise first
    return found


def _judge(one: Doomed, terms: Terms, branches: frozenset[str]) -> Doomed:
    if one.tree is None:
        error = closing.refusal(one.world, one.session, terms.close) if one.session else None
    else:
        taking.require_registered(one.world, one.tree)
        inventory = inspect.take(
            one.world, one.tree, one.session, terms.permits, branches, one.gone
        )
        one, error = replace(one, inventory=inventory), taking.refused(inventory)
    if error:
        raise error
    return one


def _go(one: Doomed, terms: Terms, branches: frozenset[str], led: list[Passage]) -> Removed:
    if one.tree is None:
        assert one.session is not None
        closed = closing.close_session(one.world, one.session, close=terms.close)
        worlds.rows().delete(one.session.id)
        notes = (one.note,) if one.note else ()
        row = one.session
        return Removed(None, None, False, closed, None, row.id, notes, row.nickname)
    with changing(one.world.repository, "remove") as recovered:
        removed = _worktree(one, terms, branches, led)
    return replace(removed, notes=(*recovered, *removed.notes))


def _worktree(one: Doomed, terms: Terms, branches: frozenset[str], led: list[Passage]) -> Removed:
    """The worktree into the trash, its branch if the rules allow it, the row last; locked.

    `led` gets the sessions that were led away first; whoever hqt itself runs in has yet to follow.
    """
    assert one.tree is not None
    before = len(led)
    seen = noticing.notice(one.world).sessions  # what undo should know: conversation and place
    session = next((row for row in seen if one.session and row.id == one.session.id), None)

    def judge(world: World, tree: Worktree) -> Inventory:
        return inspect.take(world, tree, session, terms.permits, branches, one.gone)

    def vacate(world: World, tree: Worktree) -> tuple[str, ...]:
        return closing.close_worktree(world, tree, session, close=terms.close)

    def lead_away(world: World, tree: Worktree) -> World:
        if not terms.evacuate:
            return world
        led.extend(evacuate(world, tree, session, close=terms.close))
        return worlds.again(world)

    gone = taking.take_away(
        one.world,
        one.tree,
        session,
        judge=judge,
        vacate=vacate,
        prepare=lead_away,
        judged=one.inventory,
    )
    deleted, notes = _branch(gone.world, one, gone.found, terms)
    if session:
        notes = (*notes, *_forget(session))
    tree = gone.found.worktree.worktree
    return Removed(
        path=tree.path,
        branch=tree.branch,
        branch_deleted=deleted,
        windows_closed=gone.windows_closed,
        trash=gone.trash,
        session=session.id if session else None,
        nickname=session.nickname if session else None,
        notes=(*map(sentence, led[before:]), *notes, *gone.notes),
    )


def _forget(session: Session) -> tuple[str, ...]:
    """Delete the row; where the store has just become unusable, say so: what was done is done."""
    try:
        worlds.rows().delete(session.id)
    except HqtError as error:
        return (f"{error.message} The session goes with the next call that changes something.",)
    return ()


def _branch(
    world: World, one: Doomed, found: Inventory, terms: Terms
) -> tuple[bool, tuple[str, ...]]:
    """Delete the branch where the rules of design §5 allow it; say why where it was asked for."""
    from hqt.git import branches

    assert one.tree is not None
    tree, row = found.worktree.worktree, one.session
    if tree.branch is None or tree.head is None or terms.branch == "keep":
        return False, ()
    unique = found.losses.unique_count
    try:
        if terms.branch != "delete":
            if branch_fate.kept(world, tree, row, unique):
                return False, ()
        elif not terms.force and (unique or not branches.merged(world.repository, tree.branch)):
            return False, (f"Branch {tree.branch} was kept: it is not merged.",)
        if branches.delete(world.repository, tree.branch, tree.head):
            return True, ()
        return False, (f"Branch {tree.branch} was kept: it is in use or has moved on.",)
    except HqtError as error:
        return False, (f"Branch {tree.branch} was kept: {error.message}",)
