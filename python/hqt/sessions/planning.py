"""What a `new` asks for, and what it comes to: every name decided, the start pinned to a commit.

Nothing is changed here; all checks that need no write are made here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Checks, Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.names import expanded, is_branch_name, is_taken_by_targets, slug
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.git.creation import NewWorktree


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
    fork: str | None = None  # the session whose conversation it begins with
    switch: bool | None = None  # None: when the caller sits at a terminal
    window: bool = True
    tmux_session: str | None = None

    @property
    def nickname(self) -> str:
        """The name; "" for one of blanks, which nobody could read."""
        return self.name if self.name.strip() else ""

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
    tree: Worktree | None = None  # without a new one: the linked worktree it will live in
    parent: Session | None = None  # whose conversation it begins with
    notes: list[str] = field(default_factory=list)  # what happened that is no failure

    @property
    def label(self) -> str:
        """What the worktree will be called; the nickname where there will be none."""
        if self.new is None:
            return self.nickname
        return self.new.branch or f"{self.new.path.name}@{self.new.commit[:7]}"


def plan_for(world: World, wish: Wish) -> Plan:
    """Decide branch, folder and commit, and run every check that needs no write.

    Raises the foremost of what `creation.check` raises, `invalid_name`, `no_such_revision`,
    `no_commits`, and for a fork `no_such_target`, `missing_worktree` or `usage`.
    """
    checks = Checks()
    plan = drafted(world, wish, checks)
    checks.settle()
    return plan


def drafted(world: World, wish: Wish, checks: Checks) -> Plan:
    """As `plan_for`, for one who has more to check: the plan counts only if `checks` settle."""
    from hqt.sessions import fork

    with checks:
        require_nickname(wish.nickname)
    parent, source = None, _source(world)
    if wish.fork is not None:
        with checks:
            parent = fork.parent(world, wish.fork, wish.harness)
            source = fork.source(world, parent)
    if wish.plain:
        name = wish.nickname or _generated(world)
        tree = world.worktree_of(parent) if parent else world.current
        lodging = tree if tree and not tree.main else None
        return Plan(name, None, None, source or world.repository.checkout, lodging, parent)
    from hqt import config
    from hqt.git import creation, repository

    if wish.detach and not wish.nickname:
        wish = replace(wish, name=_generated(world))
    commit, new, pool = "", None, None
    if wish.checkout is None:
        with checks:
            commit = _start(world, wish, source)
    with checks:
        pool = config.pool(world.config, world.repository)
        new = _new(world, wish, pool, commit)
        creation.check(world.repository, new, world.worktrees, pool)
    if checks.failed:  # else there is one to start from
        with checks:
            repository.require_commits(world.repository)
    nickname = wish.nickname or (new.branch if new else None) or ""
    return Plan(nickname, new, pool, source, parent=parent)


def require_nickname(name: str) -> None:
    """Raise `invalid_name` for a nickname by which its session could never be named."""
    if is_taken_by_targets(name):
        raise HqtError(
            Code.INVALID_NAME,
            f"A session called {name!r} could not be named: everywhere else {name!r} means"
            f" {'a window' if name.startswith('@') else 'a folder'}. Nothing was changed.",
            "Choose another name.",
            {"name": name},
        )


def _new(world: World, wish: Wish, pool: Path, commit: str) -> NewWorktree:
    """The worktree that is asked for, at `commit` unless the branch is there already."""
    from hqt.git import branches
    from hqt.git.creation import NewWorktree

    branch: str | None = None
    made, upstream = False, None
    if wish.checkout is not None:
        found = branches.remote_tracking(world.repository, wish.checkout)
        branch, commit, made, upstream = found.branch, found.commit, found.create, found.upstream
    elif not wish.detach:
        branch, made = _branch(world, wish), True
        branches.check_name(branch)
    folder = branch or slug(wish.nickname) or _generated(world)
    path = _path(world.caller, wish.path) if wish.path else pool / folder
    return NewWorktree(
        path=path, commit=commit, branch=branch, create_branch=made, upstream=upstream
    )


def _branch(world: World, wish: Wish) -> str:
    if wish.branch is not None:
        return wish.branch
    if "/" in wish.name and is_branch_name(wish.name):
        return wish.name
    return slug(wish.nickname) or _generated(world)


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
