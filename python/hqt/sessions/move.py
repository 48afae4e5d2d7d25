"""The story of `move`: where a session runs changes, and nothing else.

Nothing is copied, switched or merged in git; the session stays in its project and keeps its
conversation, its nickname and its window.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hqt import signals
from hqt.errors import Checks, Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.results import Opened
from hqt.sessions import create, leading, noticing, planning, status, targets, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.leading import Passage
from hqt.sessions.locate import find_session
from hqt.sessions.planning import Wish
from hqt.sessions.targets import Target
from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Terms:
    """Where to, and how far the caller goes. Exactly one of `to` and `new` is set."""

    to: str | None = None
    new: str | None = None
    fresh: bool = False
    close: bool = False


def move(caller: Caller, name: str | None, terms: Terms, answer: Callable[[Opened], None]) -> None:
    """Move the session that `name` means (None: the caller's window's); hand `answer` where it is.

    `answer` is called before the pane that hqt itself runs in starts anew. Raises
    `no_such_target`, also for another repository's checkout, `missing_worktree`, `busy`,
    `cannot_resume`, and for `--new` what `new` raises; then everything is as it was.
    """
    settled = settle(caller, "move")
    world, session, goal = _asked(caller, name, terms.to)
    with ExitStack() as guard, ExitStack() as note, ExitStack() as undo:
        guard.enter_context(changing(world.repository, "move", caller))
        world = noticing.notice(worlds.again(world))
        session = _still(world, session)
        if goal is None:
            passage, notes, source = _to_new(world, session, terms, note, undo)
        else:
            tree = _tree(world, goal)
            if _is_in(world, session, tree) and not terms.fresh:
                answer(_told(world, session, tree, (*settled, "It is there already.")))
                return
            passage = leading.prepare(world, session, tree, anew=terms.fresh, close=terms.close)
            notes, source = (), None
        leading.go(passage, undo, note.close)
        notes = passage.notes if passage.steps else (*notes, *passage.notes)
        told = (*settled, *notes, *_staying(world, session, passage.tree))
        now = worlds.again(world)
        moved = _told(now, passage.row, passage.tree, told, source)
        status.tell(now, moved.worktree)
        signals.ignore()
        undo.pop_all()  # it is done, whether or not anybody reads so
        answer(moved)
        leading.follow(passage)


def _is_in(world: World, session: Session, tree: Worktree | None) -> bool:
    """Whether a session lives in a checkout already. None is the main one, where nobody lives who
    has a worktree, gone as it may be."""
    return session.worktree_path is None if tree is None else tree == world.worktree_of(session)


def _asked(
    caller: Caller, name: str | None, to: str | None
) -> tuple[World, Session, Target | None]:
    """The session to move, and the checkout it goes to if there is one yet; raises the foremost of
    what is wrong with either."""
    checks, whose, goal = Checks(), None, None
    with checks:
        whose = _whose(caller, name)
    if to is not None:
        with checks:
            goal = _goal(whose[0], to) if whose else targets.find(caller, to)
    checks.settle()
    assert whose is not None
    return *whose, goal


def _whose(caller: Caller, name: str | None) -> tuple[World, Session]:
    """The session to move, in the world of its project."""
    if name is None:
        return _here(caller)
    target, session = find_session(caller, name)
    return _in_repository(target.world, session), session


def _here(caller: Caller) -> tuple[World, Session]:
    """The session of the window that hqt was called in, wherever its program has wandered."""
    snapshot = worlds.glance(caller)
    panes = snapshot.panes if snapshot else ()
    id = next((pane.window_session for pane in panes if pane.id == caller.pane), "")
    session = worlds.rows().get(id)
    if session is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            "This is not the window of a session; nothing was moved.",
            "Name the session: `hqt move SESSION --to TARGET`.",
        )
    caller = worlds.settled(caller, lambda: snapshot)
    world = worlds.of_project(caller, session.project, lambda: snapshot)
    return _in_repository(world, session), session


def _in_repository(world: World, session: Session) -> World:
    if not world.plain:
        return world
    raise HqtError(
        Code.NOT_A_REPOSITORY,
        f"Session {session.nickname!r} belongs to {session.project}, which is no repository; "
        "nothing was moved.",
        "Only sessions of a repository can be moved.",
    )


def _goal(world: World, text: str) -> Target:
    """The checkout to go to: one of the session's own repository."""
    common = world.repository.common_dir
    try:
        found = targets.find(world.caller, text)
    except HqtError as error:
        mine = targets.within(world, text) if error.code is Code.AMBIGUOUS_TARGET else None
        if mine is None:
            raise
        return mine
    if found.world.repository.common_dir == common:
        return found
    if mine := targets.within(world, text):
        return mine
    raise HqtError(
        Code.NO_SUCH_TARGET,
        f"{text!r} belongs to {found.world.repository.root}, another repository; a session stays "
        "in its project. Nothing was moved.",
        "Start a session there with `hqt new`.",
        {"repository": str(found.world.repository.common_dir)},
    )


def _tree(world: World, goal: Target) -> Worktree | None:
    """The linked worktree of a goal as it is now, None for the main checkout."""
    asked = goal.worktree or world.main
    if asked is None or (goal.session and goal.worktree is None and goal.session.worktree_path):
        raise HqtError(
            Code.NO_SUCH_TARGET,
            "There is no checkout to move to; nothing was moved.",
            "`hqt list` shows the worktrees; `hqt restore` brings a vanished one back.",
        )
    now = next((one for one in world.worktrees if one.path == asked.path), None)
    if now is None or now.missing:
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"The worktree at {asked.path} is not there; nothing was moved.",
            f"`hqt restore {asked.path}` brings it back.",
        )
    return None if now.main else now


def _to_new(
    world: World, session: Session, terms: Terms, note: ExitStack, undo: ExitStack
) -> tuple[Passage, tuple[str, ...], Path | None]:
    """A worktree of its own, made now and taken back if the session cannot go there; with what to
    say of it, and the checkout it was made from."""
    wish = Wish(name=terms.new or "", window=False)
    plan = planning.plan_for(world, wish)
    create.require_names(world, wish, plan)
    tree, prepared = create.fresh_worktree(world, plan, None, note, undo)
    world = worlds.again(world)
    prepared = replace(prepared, notes=tuple(plan.notes))
    passage = leading.prepare(
        world, session, tree, anew=terms.fresh, close=terms.close, prepared=prepared
    )
    assert plan.new is not None
    row = replace(
        passage.row,
        base_commit=plan.new.commit,
        owns_worktree=True,
        owns_branch=plan.new.create_branch,
    )
    return replace(passage, row=row), tuple(plan.notes), plan.source


def _still(world: World, session: Session) -> Session:
    now = next((one for one in world.sessions if one.id == session.id), None)
    if now is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"Session {session.nickname!r} has just been removed; nothing was moved.",
            "`hqt undo` brings it back.",
        )
    return now


def _staying(world: World, session: Session, goal: Worktree | None) -> tuple[str, ...]:
    """That files which are not committed do not come along, where there are some."""
    from hqt.git import changes

    left = world.place_of(session)
    if left is None or left == (goal or world.main):
        return ()
    found = changes.count(left, world.repository)
    kinds = ("staged", "modified", "untracked", "conflicted")
    words = [f"{n} {kind}" for kind in kinds if (n := getattr(found, kind, 0))]
    return (f"Uncommitted files stay in {left.path}: {', '.join(words)}.",) if words else ()


def _told(
    world: World,
    session: Session,
    tree: Worktree | None,
    notes: tuple[str, ...],
    source: Path | None = None,
) -> Opened:
    view = views.session_view(world, session)
    tree = tree or view.worktree
    return Opened(
        session=view,
        worktree=views.counted(world, tree) if tree else None,
        window=view.window,
        source=source or (tree.path if tree else world.repository.main),
        notes=notes,
        verb="moved",
    )
