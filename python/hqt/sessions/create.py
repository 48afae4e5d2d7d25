"""The story of `new`: a session, in a repository isolated in a worktree of its own.

All checks first; then, under the repository's lock, the worktree, the store's row, the window. A
failure rolls back what this call made, newest first, and only while it is clean (design §5).
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import signals
from hqt.errors import Checks, Code, Failure, HqtError, Interrupted, on_failure
from hqt.models import Caller, Progress, Session, Worktree
from hqt.names import printable
from hqt.results import Opened
from hqt.sessions import folders, launching, noticing, placement, setup, views
from hqt.sessions import world as worlds
from hqt.sessions.ahead import Ahead
from hqt.sessions.changing import changing, settle
from hqt.sessions.launching import Launching
from hqt.sessions.planning import Plan, Wish, drafted
from hqt.sessions.setup import Prepared
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.harness import Profile
    from hqt.sessions.sight import Seen
    from hqt.tmux.windows import Window


@dataclass(frozen=True, slots=True)
class Made:
    """What has been made."""

    session: Session
    tree: Worktree | None
    window: str | None
    plan: Plan


def create(
    caller: Caller, wish: Wish, progress: Progress | None = None, *, counts: bool = True
) -> Opened:
    """Make what `wish` says and return where it is; without `counts` what is in it is not counted.

    Raises, before anything is made, the error of the first check that fails; after that whatever
    stopped it, with what could not be rolled back named in its message.
    """
    with worlds.glancing(caller) as seen:
        caller = worlds.settled(caller, seen)
        settled = settle(caller, "new")
        world = _world(caller, wish, seen)
    wish = replace(wish, plain=wish.plain or world.plain)
    if wish.fork is not None:
        world = noticing.notice(world)  # the parent's latest conversation counts
    told = _told(world, make(world, wish, progress), counts)
    return replace(told, notes=(*settled, *told.notes))


def _world(caller: Caller, wish: Wish, seen: Seen) -> World:
    """The repository that the caller is in, else its folder if that does for the wish."""
    try:
        return worlds.join(caller, caller.directory, seen)
    except HqtError as error:
        if error.code not in {Code.NOT_A_REPOSITORY, Code.UNSUPPORTED_REPOSITORY}:
            raise
        world = worlds.without_repository(caller, seen)
        if error.code is Code.NOT_A_REPOSITORY and not wish.wants_git:
            return world
        _profile(world, wish, None)  # what only the settings and the words can get wrong is first
        raise


def check(world: World, wish: Wish) -> tuple[Plan, placement.Place | None, Profile]:
    """What `wish` comes to, in which place and running what; raises what speaks against it."""
    checks = Checks()
    plan, place, profile = drafted(world, wish, checks), None, None
    with checks:
        profile = _profile(world, wish, plan)
    with checks:
        require_names(world, wish, plan)
    with checks:
        place = _place(world, wish, plan)
    with checks:
        _require_forkable(world, wish, plan)
    checks.settle()
    assert profile is not None
    return plan, place, profile


def make(world: World, wish: Wish, progress: Progress | None = None) -> Made:
    """As `create`, in a world that has been read, and without reading it once more to tell."""
    plan, place, profile = check(world, wish)
    ahead = Ahead(world, place, plan, wish.switch) if place and plan.new else None
    with ExitStack() as guard, ExitStack() as note, ExitStack() as undo:
        undo.push(on_failure(lambda error: _cancelled(world.sign, plan, error)))
        if not world.plain:
            guard.enter_context(changing(world.repository, "new", world.caller))
        if not plan.new:
            noticing.notice(world)  # whose conversation is whose, before somebody moves in
        tree, prepared = plan.tree, Prepared()
        if plan.new:
            heard = ahead.hearing(progress, undo) if ahead else progress
            tree, prepared = fresh_worktree(world, plan, heard, note, undo)
        start = folders.mirrored(world, tree)
        launch = (
            launching.forked(world, plan.parent, start, wish.prompt, carry=True)
            if plan.parent
            else launching.fresh(profile, start, wish.prompt)
        )
        session = _session(world, wish, plan, tree, launch, start)
        signals.ignore()  # what is left takes a moment, and a window is not easily taken back
        rows = worlds.rows()
        rows.add(session)
        undo.callback(rows.delete, session.id)
        note.close()  # the row is what tells now that it is complete
        window: Window | None = None
        if place:
            launch = launch.noting(*plan.notes, setup=prepared.command)
            window = ahead.become(session, tree, launch, start) if ahead and tree else None
            if window is None:
                window = placement.show(world, place, session, tree, launch, start, wish.switch)
        elif prepared.command:
            plan.notes.append("The setup command was not run, since there is no window.")
        undo.pop_all()
        if window:
            seen = {"tmux_session": window.session_name, "window_index": window.index}
            session = rows.update(session.id, **seen) or session
    return Made(session, tree, window.id if window else None, plan)


def _cancelled(sign: str, plan: Plan, error: BaseException) -> None:
    """Say, after everything has been taken back, that it was the user who wished it."""
    if not isinstance(error, Failure) or error.code is not Code.INTERRUPTED:
        return
    if isinstance(error, Interrupted) and not error.by_hand:
        return  # by whatever ended hqt
    left = error.details.get("left")
    kept = f"left behind: {'; '.join(left)}" if isinstance(left, list) else "nothing was kept"
    what = f"{sign} {printable(plan.label)}" if plan.new else printable(plan.label)
    error.message = f"Cancelled: {what} was not made; {kept}."
    error.args, error.remedy = (error.message,), ""


def fresh_worktree(
    world: World, plan: Plan, progress: Progress | None, note: ExitStack, undo: ExitStack
) -> tuple[Worktree, Prepared]:
    """Make the planned worktree and bring its files: under the lock, after every check once more.

    `undo` remembers how to take it back. Until `note` is left, which has to be when a row of the
    store tells of the worktree, whoever finds that this process was killed takes it back.
    """
    from hqt.git import creation, journal, places, worktrees

    new = plan.new
    assert new is not None
    branch = new.branch if new.create_branch else None
    noted = journal.noted(world.repository, places.settled(new.path), new.commit, branch, plan.pool)
    kept = note.enter_context(noted)
    tree = creation.create(
        world.repository,
        new,
        worktrees=worktrees.list_worktrees(world.repository),
        pool=plan.pool,
        progress=progress,
        filters=world.config.filters,
        undo=undo,
        notice=plan.notes.append,
        note=kept,
    )
    prepared = setup.prepare(world, tree, undo)
    plan.notes.extend(prepared.notes)
    return tree, prepared


def _told(world: World, made: Made, counts: bool) -> Opened:
    """What was made, as the world shows it now."""
    world = worlds.again(world)
    view = views.session_view(world, made.session)
    look = views.counted if counts else views.plain
    tree = made.tree or view.worktree
    return Opened(
        session=replace(view, worktree=tree, window=made.window),
        worktree=look(world, tree) if tree else None,
        window=made.window,
        source=made.plan.source,
        notes=tuple(made.plan.notes),
    )


def _profile(world: World, wish: Wish, plan: Plan | None) -> Profile | None:
    """What is to run, which has to take the prompt; None for a fork of nobody knows what.

    Raises `config_invalid`, and `usage` for a prompt that does not fit."""
    if wish.fork is not None and not (wish.harness or (plan and plan.parent)):
        return None
    parent = plan.parent if plan else None
    found = launching.profile(world, parent.harness if parent else wish.harness)
    launching.fresh(found, world.caller.directory, wish.prompt)
    return found


def _require_forkable(world: World, wish: Wish, plan: Plan) -> None:
    """Raise `cannot_resume` where the parent's conversation cannot be gone on with over there."""
    if parent := plan.parent:
        there = plan.new.path if plan.new else launching.origin(parent)
        launching.forked(world, parent, there, wish.prompt, carry=False)


def require_names(world: World, wish: Wish, plan: Plan) -> None:
    """Raise `name_collision` where a worktree to be made could have no tmux session of its own."""
    if plan.new and world.config.mode == "session" and wish.tmux_session is None:
        placement.require_free_name(world, plan.new.path)


def _place(world: World, wish: Wish, plan: Plan) -> placement.Place | None:
    """Where the window goes; None for no window."""
    if not wish.window:
        return None
    place = placement.place(world, wish.tmux_session)
    if not plan.new:
        return placement.settle(world, place, plan.tree)
    return placement.of_its_own(plan.new.path) if place.derived else place


def _session(
    world: World,
    wish: Wish,
    plan: Plan,
    tree: Worktree | None,
    launch: Launching,
    start: Path,
) -> Session:
    return Session(
        id=os.urandom(4).hex(),
        nickname=plan.nickname,
        harness=launch.harness,
        project=world.repository.root,
        created_at=int(time.time()),
        conversation=launch.conversation,
        worktree_path=tree.path if tree else None,
        worktree_branch=tree.branch if tree else None,
        base_commit=plan.new.commit if plan.new else None,
        owns_worktree=plan.new is not None,
        owns_branch=bool(plan.new and plan.new.create_branch),
        parent=plan.parent.id if plan.parent else None,
        prompt=wish.prompt,
        subfolder=folders.subfolder(world, start, tree),
    )
