"""What a `new` asks for, and what it comes to: every name decided, the start pinned to a commit.

Nothing is changed here; all checks that need no write are made here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.models import Caller, Session, Worktree
from hqt.names import expanded, is_branch_name, slug
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.git.creation import NewWorktree
    from hqt.git.tracking import Upstream


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


def plan_for(world: World, wish: Wish) -> Plan:
    """Decide branch, folder and commit, and run every check that needs no write.

    Raises what `creation.check` raises, `invalid_name`, `no_such_revision`, `no_commits`, and for
    a fork `no_such_target`, `missing_worktree` or `usage`.
    """
    from hqt.sessions import fork

    parent = fork.parent(world, wish.fork, wish.harness) if wish.fork is not None else None
    source = fork.source(world, parent) if parent else _source(world)
    if wish.plain:
        name = wish.name or _generated(world)
        tree = world.worktree_of(parent) if parent else world.current
        lodging = tree if tree and not tree.main else None
        return Plan(name, None, None, source or world.repository.checkout, lodging, parent)
    from hqt import config
    from hqt.git import branches, creation

    repository = world.repository
    pool = config.pool(world.config, repository)
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
    return Plan(nickname, new, pool, source, parent=parent)


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
