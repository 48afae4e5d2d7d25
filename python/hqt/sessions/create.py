"""The story of `new`: a session, in a repository isolated in a worktree of its own.

All checks first; then, under the repository's lock, the worktree, the store's row, the window. A
failure rolls back what this call made, newest first, and only while it is clean (design §5).
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Caller, Session, Worktree, worktree_id
from hqt.names import expanded, is_branch_name, slug
from hqt.results import Opened
from hqt.sessions import launching, placement, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.git.creation import NewWorktree
    from hqt.git.tracking import Upstream

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for. At most one of branch, checkout, detach and plain is set."""

    name: str = ""
    branch: str | None = None  # -b: a new branch of this name
    checkout: str | None = None  # an existing or remote-tracking branch
    detach: bool = False
    plain: bool = False  # --no-worktree
    start: str | None = None  # --from
    path: str | None = None
    harness: str | None = None
    prompt: str | None = None
    switch: bool | None = None  # None: when the caller sits at a terminal
    window: bool = True
    tmux_session: str | None = None

    @property
    def wants_git(self) -> bool:
        """Whether something was asked for that only a repository can give."""
        asked = (self.branch, self.checkout, self.start, self.path)
        return self.detach or not self.window or any(one is not None for one in asked)


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be made, every name decided and the start pinned to a commit."""

    nickname: str
    new: NewWorktree | None
    pool: Path | None
    source: Path | None
    notes: list[str] = field(default_factory=list)  # what happened that is no failure


@dataclass(frozen=True, slots=True)
class Made:
    """What has been made."""

    session: Session
    tree: Worktree | None
    window: str | None
    plan: Plan


def create(caller: Caller, wish: Wish, progress: Progress | None = None) -> Opened:
    """Make what `wish` says and return where it is.

    Raises, before anything is made, the error of the first check that fails; after that whatever
    stopped it, with what could not be rolled back named in its message.
    """
    snapshot = worlds.glance(caller)
    caller = worlds.settled(caller, snapshot)
    settle(caller, "new")
    try:
        world = worlds.join(caller, caller.directory, snapshot)
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY or wish.wants_git:
            raise
        world = worlds.without_repository(caller, snapshot)
        wish = replace(wish, plain=True)
    return told(world, make(world, wish, progress))


def make(world: World, wish: Wish, progress: Progress | None = None) -> Made:
    """As `create`, in a world that has been read, and without reading it once more to tell."""
    plan = plan_for(world, wish)
    profile = launching.profile(world, wish.harness)
    launching.fresh(profile, world.caller.directory, wish.prompt)  # a prompt that does not fit
    place = placement.place(world, wish.tmux_session) if wish.window else None
    if plan.new and place:
        place = placement.settle(world, place, plan.new.path, worktree_id(plan.new.path))
    with ExitStack() as guard, ExitStack() as undo:
        tree = None
        if plan.new:
            guard.enter_context(changing(world.repository, "new"))
            guard.enter_context(_noted(world, plan.new, plan.pool))
            tree = _worktree(world, plan, progress, undo)
        launch = launching.fresh(profile, placement.folder(world, tree), wish.prompt)
        session = Session(
            id=secrets.token_hex(4),
            nickname=plan.nickname,
            harness=launch.harness,
            project=world.repository.root,
            created_at=int(time.time()),
            conversation=launch.conversation,
            worktree_path=tree.path if tree else None,
            worktree_branch=tree.branch if tree else None,
            base_commit=plan.new.commit if plan.new else None,
            owns_worktree=tree is not None,
            owns_branch=bool(plan.new and plan.new.create_branch),
            prompt=wish.prompt,
            subfolder=world.repository.subfolder if tree else "",
        )
        rows = worlds.rows()
        rows.add(session)
        undo.callback(rows.delete, session.id)
        window = None
        if place:
            window = placement.show(world, place, session, tree, launch, wish.switch)
        undo.pop_all()
    return Made(session, tree, window, plan)


def plan_for(world: World, wish: Wish) -> Plan:
    """Decide branch, folder and commit, and run every check that needs no write.

    Raises what `creation.check` raises, `invalid_name`, `no_such_revision` and `no_commits`.
    """
    if wish.plain:
        return Plan(wish.name or _generated(world), None, None, world.repository.checkout)
    from hqt import config
    from hqt.git import branches, creation

    repository = world.repository
    pool = config.pool(world.config, repository)
    source = _source(world)
    upstream: Upstream | None = None
    branch: str | None
    made = not (wish.checkout or wish.detach)
    if wish.checkout is not None:
        found = branches.remote_tracking(repository, wish.checkout)
        branch, commit = found.branch, found.commit
        made, upstream = found.create, found.upstream
    else:
        branch = None
        if not wish.detach:
            branch = _branch(world, wish)
            branches.check_name(branch)
        commit = _start(world, wish, source)
    nickname = wish.name or branch or _generated(world)
    folder = branch or slug(nickname) or _generated(world)
    path = _path(world.caller, wish.path) if wish.path else pool / folder
    new = creation.NewWorktree(
        path=path, commit=commit, branch=branch, create_branch=made, upstream=upstream
    )
    creation.check(repository, new, world.worktrees, pool)
    return Plan(nickname, new, pool, source)


def _branch(world: World, wish: Wish) -> str:
    if wish.branch is not None:
        return wish.branch
    if "/" in wish.name and is_branch_name(wish.name):
        return wish.name
    return slug(wish.name) or _generated(world)


def _generated(world: World) -> str:
    """A short name that neither a branch, a folder of the pool nor a session bears."""
    from hqt.git import branches
    from hqt.sessions.generated import generate

    taken = {session.nickname for session in world.sessions}
    taken |= {tree.path.name for tree in world.worktrees}
    if not world.plain:
        taken |= branches.names(world.repository)
    return generate(taken)


def _source(world: World) -> Path | None:
    """The checkout whose HEAD a new branch starts from (`@hqt-from`)."""
    if world.config.from_ == "main" and world.repository.main:
        return world.repository.main
    return world.repository.checkout or world.repository.main


def _start(world: World, wish: Wish, source: Path | None) -> str:
    from hqt.git import repository

    revision = "HEAD" if wish.start is None else wish.start
    checkout = world.repository.checkout if wish.start is not None else source
    return repository.resolve(world.repository, revision, checkout=checkout)


def _path(caller: Caller, typed: str) -> Path:
    return Path(os.path.normpath(caller.directory / expanded(typed)))


def _worktree(world: World, plan: Plan, progress: Progress | None, undo: ExitStack) -> Worktree:
    """Check again under the lock and make the worktree; `undo` remembers how to take it back."""
    from hqt.git import creation, worktrees

    assert plan.new is not None
    return creation.create(
        world.repository,
        plan.new,
        worktrees=worktrees.list_worktrees(world.repository),
        pool=plan.pool,
        progress=progress,
        filters=world.config.filters,
        undo=undo,
        notice=plan.notes.append,
    )


def _noted(world: World, new: NewWorktree, pool: Path | None) -> AbstractContextManager[None]:
    from hqt.git import journal, places

    branch = new.branch if new.create_branch else None
    return journal.noted(world.repository, places.settled(new.path), new.commit, branch, pool)


def told(world: World, made: Made) -> Opened:
    """What was made, as the world shows it now."""
    world = worlds.again(world)
    view = views.session_view(world, made.session)
    return Opened(
        session=replace(view, worktree=made.tree, window=made.window),
        worktree=views.counted(world, made.tree) if made.tree else None,
        window=made.window,
        source=made.plan.source,
        notes=tuple(made.plan.notes),
    )
