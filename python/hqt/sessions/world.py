"""The world as it is now: git, tmux and the store, each read once and joined.

Nothing here is remembered between calls, and nothing is changed. Binding is pure over what was
read: a pane lives in the worktree that is the deepest match of its path; a session finds its
worktree by its recorded path, else by its recorded branch (design §2).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Caller, Pane, Process, Repository, Session, Worktree
from hqt.names import branch_sign
from hqt.sessions.sight import connect as connect  # callers get them from here
from hqt.sessions.sight import glance as glance
from hqt.sessions.sight import glancing as glancing
from hqt.sessions.sight import pane_path as pane_path
from hqt.sessions.sight import settled as settled

if TYPE_CHECKING:
    from hqt.config import Config
    from hqt.sessions.sight import Seen
    from hqt.sessions.store import Store
    from hqt.tmux.server import Snapshot


@dataclass(frozen=True)
class World:
    """One repository, seen by one caller. `snapshot` is None when no tmux server answers.

    What is bound to what is found once for all (the cached properties): with fifty worktrees and
    their windows, each for itself would take longer than git does.
    """

    caller: Caller
    repository: Repository
    worktrees: tuple[Worktree, ...]  # main checkout first
    sessions: tuple[Session, ...]  # of this repository, archived ones included
    snapshot: Snapshot | None
    config: Config
    plain: bool = False  # no repository at all: only sessions without a worktree can live here
    at: Path | None = None  # the folder it was read from; None: the caller's

    @property
    def projects(self) -> frozenset[Path]:
        """Every path by which a session may name this repository as its project."""
        repository = self.repository
        known = (repository.root, repository.common_dir, repository.main)
        return frozenset(path for path in known if path)

    @property
    def sign(self) -> str:
        """What stands before a branch in what people read."""
        return branch_sign(self.config.icons)

    @property
    def main(self) -> Worktree | None:
        """The main checkout's row, where there is one."""
        return next((tree for tree in self.worktrees if tree.main), None)

    @property
    def current(self) -> Worktree | None:
        """The selected checkout."""
        checkout = self.repository.checkout
        return next((tree for tree in self.worktrees if tree.path == checkout), None)

    @property
    def here(self) -> Worktree | None:
        """The checkout that the caller is in, also where the world was read from elsewhere; another
        repository below it is not it."""
        if self.at in (None, self.caller.directory):
            return self.current
        place = Path(os.path.realpath(self.caller.directory))
        tree = self.home(place)
        if tree is None:
            return None
        between = (place, *place.parents)[: len(place.parts) - len(tree.path.parts)]
        return None if any(os.path.lexists(one / ".git") for one in between) else tree

    def home(self, path: Path) -> Worktree | None:
        """The worktree that is the deepest match of `path`, an absolute physical path."""
        listed = self._listed
        return next((listed[one] for one in (path, *path.parents) if one in listed), None)

    @cached_property
    def _listed(self) -> Mapping[Path, Worktree]:
        return {tree.path: tree for tree in self.worktrees}

    def home_of(self, pane: Pane) -> Worktree | None:
        """The worktree that a pane lives in; None also where its folder is unknown."""
        return self.home(pane_path(pane.path)) if pane.path else None

    def running(self) -> Mapping[int, Process]:
        """What runs, a pane that tmux has just opened with the program that it was opened for."""
        from hqt import processes

        return processes.running(self.snapshot.pid if self.snapshot else 0)

    def worktree_of(self, session: Session) -> Worktree | None:
        """Where a session lives: by its recorded path, else by its recorded branch."""
        known, tree = self._homes.get(session.id, (None, None))
        # A row that was changed since it was read may live elsewhere.
        return tree if known is session else home_of(session, self.worktrees)

    @cached_property
    def _homes(self) -> Mapping[str, tuple[Session, Worktree | None]]:
        return {one.id: (one, home_of(one, self.worktrees)) for one in self.sessions}

    def sessions_in(self, worktree: Worktree) -> tuple[Session, ...]:
        """The sessions that live in a worktree, archived ones not counted."""
        return tuple(
            session
            for session in self.sessions
            if not self.is_archived(session) and self.worktree_of(session) == worktree
        )

    def place_of(self, session: Session) -> Worktree | None:
        """The checkout that a session is shown in: its worktree, or the main checkout where it has
        none. Nothing that may be removed or reclaimed follows from it."""
        return self.main if session.worktree_path is None else self.worktree_of(session)

    def shown_in(self, worktree: Worktree) -> tuple[Session, ...]:
        """The sessions whose place is a checkout, archived ones not counted."""
        return tuple(
            session
            for session in self.sessions
            if not self.is_archived(session) and self.place_of(session) == worktree
        )

    def is_archived(self, session: Session) -> bool:
        """Whether it was put aside; a child without a worktree of its own is, as its parent is."""
        return session.archived or any(one.archived for one in self.parents(session))

    def parents(self, session: Session) -> tuple[Session, ...]:
        """The sessions whose fate it shares: what it was forked from, and so on, as long as the
        child has no worktree of its own."""
        found: dict[str, Session] = {}
        while not session.owns_worktree and session.parent not in found:
            if session.parent is None or session.parent not in self._homes:
                break
            session, _ = self._homes[session.parent]
            found[session.id] = session
        return tuple(found.values())

    def is_of_main(self, session: Session) -> bool:
        """Whether a session is the main checkout's own: `open` makes one that bears its name."""
        main = self.main
        return main is not None and session.worktree_path is None and session.nickname == main.label

    def windows_of(self, worktree: Worktree) -> tuple[str, ...] | None:
        """The windows that belong to a worktree or have a pane in it; None without a server."""
        return None if self.snapshot is None else tuple(self._windows.get(worktree.id, ()))

    @cached_property
    def _windows(self) -> Mapping[str, Mapping[str, None]]:
        """The windows in their order, by the id of the worktree."""
        # A window in the main checkout bears its session's mark alone.
        own = {one.id for one in self.sessions if self.main and one.worktree_path is None}
        main = self.main.id if self.main else ""
        found: dict[str, dict[str, None]] = {}
        for pane in self.snapshot.panes if self.snapshot else ():
            home = self.home_of(pane)
            ids = {pane.window_worktree, home.id if home else ""}
            for id in {*ids, main} if pane.window_session in own else ids:
                found.setdefault(id, {})[pane.window] = None
        return found

    def window_of(self, session: Session) -> str | None:
        """The window that shows a session, by its option; None when none does."""
        if self.snapshot is None:
            return None
        panes = self.snapshot.panes
        return next((pane.window for pane in panes if pane.window_session == session.id), None)


def home_of(session: Session, worktrees: Sequence[Worktree]) -> Worktree | None:
    """Which of these worktrees a session lives in: by its recorded path, else by its branch."""
    if session.worktree_path is None:
        return None
    found = next((tree for tree in worktrees if tree.path == session.worktree_path), None)
    if (found is None or found.missing) and session.worktree_branch:
        on_branch = (
            tree
            for tree in worktrees
            if tree.branch == session.worktree_branch and not tree.main and not tree.missing
        )
        found = next(on_branch, found)
    return found


def look(caller: Caller, *, at: Path | None = None, forgiving: bool = False) -> World:
    """Read everything once, for the repository that `caller` is in (or that `at` is in);
    `forgiving` with whatever settings can be read.

    Raises `not_a_repository`, `unsupported_repository`, `config_invalid` or `store_failed`.
    """
    with glancing(caller) as seen:
        caller = settled(caller, seen)
        return join(caller, at or caller.directory, seen, forgiving=forgiving)


def join(caller: Caller, directory: Path, seen: Seen, *, forgiving: bool = False) -> World:
    """The world of the repository that holds `directory`, read while tmux answers what was `seen`
    there."""
    from hqt import config
    from hqt.git import repository, worktrees

    load = config.forgiving if forgiving else config.load

    def settings(root: Path | None) -> Config:
        snapshot = seen()
        return load(snapshot.options if snapshot else {}, root)

    found = None
    try:
        found = repository.discover(directory)
        sessions = rows().all()
        listed = worktrees.list_worktrees(found)
    except HqtError:
        settings(found.root if found else None)  # what is wrong with the settings is told first
        raise
    chosen = settings(found.root)
    world = World(caller, found, listed, (), seen(), chosen, at=directory)
    places = {tree.path for tree in world.worktrees}
    mine = tuple(  # with a git directory apart, a linked worktree does not know the project's path
        session
        for session in sessions
        if session.project in world.projects or session.worktree_path in places
    )
    return replace(world, sessions=mine)


def again(world: World) -> World:
    """The same place, read anew: after a lock was taken, or to report what is."""
    with glancing(world.caller) as seen:
        if world.plain:
            return without_repository(world.caller, seen, world.at)
        return join(world.caller, world.at or world.caller.directory, seen)


def of_project(caller: Caller, project: Path, seen: Seen) -> World:
    """The world that a session's project names: a repository, or a folder without one.

    Raises `project_missing` for a folder that is gone, and what reading a repository raises.
    """
    try:
        return join(caller, project, seen)
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY:
            raise
        if project.is_dir():
            return without_repository(caller, seen, project)
        raise HqtError(
            Code.PROJECT_MISSING,
            f"The project {project} is gone; nothing was changed.",
            "Bring the folder back, then try again.",
            {"project": str(project)},
        ) from None


def anywhere(caller: Caller) -> World:
    """The world of the caller's folder, be it in a repository or not."""
    with glancing(caller) as seen:
        caller = settled(caller, seen)
        try:
            return join(caller, caller.directory, seen)
        except HqtError as error:
            if error.code is not Code.NOT_A_REPOSITORY:
                raise
            return without_repository(caller, seen)


def without_repository(caller: Caller, seen: Seen, directory: Path | None = None) -> World:
    """The world of a folder that belongs to no repository: no worktrees, only its sessions."""
    from hqt import config

    folder = Path(os.path.realpath(directory or caller.directory))
    sessions = rows().all()
    snapshot = seen()
    return World(
        caller,
        Repository(common_dir=folder, main=folder, bare=False, checkout=None),
        (),
        tuple(session for session in sessions if session.project == folder),
        snapshot,
        config.load(snapshot.options if snapshot else {}, folder),
        plain=True,
        at=directory,
    )


def rows() -> Store:
    """The user's store."""
    from hqt import paths
    from hqt.sessions.store import Store

    return Store(paths.store_file())


def pool(world: World) -> Path | None:
    """Where new worktrees of this repository go; None where that cannot be known."""
    from hqt import config

    try:
        return config.pool(world.config, world.repository)
    except HqtError:
        return None
