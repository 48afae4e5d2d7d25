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
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from hqt import documents, signals, texts
from hqt.errors import Checks, Code, HqtError, foremost
from hqt.models import Caller, Pane, Session, Worktree
from hqt.results import Inventory, Removals, Removed
from hqt.sessions import (
    branch_fate,
    closing,
    inspect,
    leading,
    noticing,
    placement,
    taking,
    targets,
)
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.doomed import Doomed, all_of
from hqt.sessions.evacuate import evacuate, sentence
from hqt.sessions.inspect import Permits
from hqt.sessions.leading import Passage
from hqt.sessions.targets import Target
from hqt.sessions.world import World


class Terms(NamedTuple):
    """How far the caller goes."""

    force: bool = False
    close: bool = False
    evacuate: bool = False
    keep_worktree: bool = False
    branch: str = "setting"  # keep, delete, or as `@hqt-delete-branch` says

    @property
    def permits(self) -> Permits:
        return Permits(self.force, self.close, self.evacuate)


def remove(
    caller: Caller, names: Sequence[str], terms: Terms, answer: Callable[[Removals], None]
) -> None:
    """Remove every target or, where a check refuses one, none; hand `answer` what happened.

    `answer` is called before the caller's own pane is closed. Raises the foremost refusal, its
    details being the inventory; a failure later on lists in details what was `removed` before it.
    """
    settled = settle(caller, "remove")
    doomed = sorted(_checked(caller, names, terms), key=_is_here)
    branches = frozenset(one.tree.branch for one in doomed if one.tree and one.tree.branch)
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
    if own and caller.interactive and not caller.client:
        _tell(doomed[0].world, done)
    made = {name for one in doomed for name in closing.made_for(one.world, one.tree, one.session)}
    closing.close_own(caller, _not_led(own, led), doomed[0].world.repository.root, made)
    for passage in led:
        leading.follow(passage)


def _is_here(one: Doomed) -> bool:
    """Whether the caller is in the worktree. It goes last: the others are read from where it is."""
    here = Path(os.path.realpath(one.world.caller.directory))
    return one.tree is not None and here.is_relative_to(one.tree.path)


def _tell(world: World, done: Sequence[Removed]) -> None:
    """Say it in the status line too: what was printed goes with the caller's pane."""
    from hqt.tmux import messages

    said = texts.sentences(Removals(tuple(done)))
    messages.show(worlds.connect(world.caller), placement.client(world), *said)


def _not_led(own: list[Pane], led: list[Passage]) -> list[Pane]:
    """Of the caller's own panes those that close: one that was led away only starts anew."""
    away = {step.pane.id for passage in led for step in passage.steps}
    return [pane for pane in own if pane.id not in away]


def _checked(caller: Caller, names: Sequence[str], terms: Terms) -> list[Doomed]:
    """What the names mean, with inventories; raises the foremost of all that stands in the way."""
    checks, found, judged = Checks(), [], []
    for name in names:
        with checks:
            found.append(_meant(caller, name, terms))
    doomed = all_of(found, checks, keep_worktree=terms.keep_worktree, evacuate=terms.evacuate)
    several = len(doomed) + len(checks.failed)
    branches = frozenset(one.tree.branch for one in doomed if one.tree and one.tree.branch)
    for one in doomed:
        with checks:
            judged.append(_judge(one, terms, branches))
    if checks.failed and several > 1:
        first = foremost(checks.failed)
        first.message = f"{first.message} None of the {several} was removed."
    checks.settle()
    return judged


def _meant(caller: Caller, name: str, terms: Terms) -> Target:
    """What a name means. Of a project that is gone a session can still be forgotten, by its id and
    when nothing else is asked for: whatever is left of its worktree is not touched."""
    try:
        return targets.find(caller, name, by_name=False)
    except HqtError as error:
        left = error.code is Code.PROJECT_MISSING and terms.keep_worktree
        if left and (target := targets.orphan(caller, name)):
            return target
        raise


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
    with changing(one.world.repository, "remove", one.world.caller) as recovered:
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
    notes = (*notes, *closing.staying(one.world, gone.world, tree))
    return Removed(
        path=tree.path,
        branch=tree.branch,
        branch_deleted=deleted,
        windows_closed=gone.windows_closed,
        trash=gone.trash,
        session=session.id if session else None,
        nickname=session.nickname if session else None,
        notes=(*map(sentence, led[before:]), *notes, *gone.notes),
        sign=one.world.sign,
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
