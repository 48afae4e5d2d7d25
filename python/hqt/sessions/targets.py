"""From what a user typed to one worktree or session. Exact matches only; never a guess.

TARGET is a session id or nickname, a branch, a worktree id, a path, a window id `@N`, or `.`;
`session:`, `branch:`, `path:` narrow it (design §4). This repository is asked first, then the
others that hqt knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hqt.errors import Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.names import expanded
from hqt.sessions import world as worlds
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.sight import Seen

_NARROW = ("session", "branch", "path")


@dataclass(frozen=True, slots=True)
class Target:
    """What a name meant. At least one of the two is there; `session` only if it was meant."""

    world: World
    worktree: Worktree | None
    session: Session | None


class _Match(NamedTuple):
    worktree: Worktree | None
    session: Session | None

    @property
    def key(self) -> str:
        if self.worktree:
            return str(self.worktree.path)
        return f"session {self.session.id}" if self.session else ""


def find(caller: Caller, text: str, *, by_name: bool = True) -> Target:
    """The one thing `text` names.

    Without `by_name` a nickname or a branch counts only in the repository that the caller is in: a
    verb that takes something away must not reach into another one by a name that happens to be
    used there too. Raises `no_such_target`, `ambiguous_target` (details: candidates), for `.` also
    `not_a_repository`, and what reading the world raises.
    """
    with worlds.glancing(caller) as seen:
        return _find(worlds.settled(caller, seen), text, seen, by_name=by_name)


def _find(caller: Caller, text: str, seen: Seen, *, by_name: bool) -> Target:
    here: World | None = None
    absent: HqtError | None = None
    try:
        here = worlds.join(caller, caller.directory, seen)
        found = _choose(here, text, _matches(here, text))
        if found:
            return found
    except HqtError as error:
        if error.code not in {Code.NOT_A_REPOSITORY, Code.PROJECT_MISSING}:
            raise
        absent = error
        if error.code is Code.NOT_A_REPOSITORY:
            here = worlds.without_repository(caller, seen)
            if found := _choose(here, text, _matches(here, text)):
                return found
    elsewhere = [
        target
        for world in (_others(caller, seen, here, text) if text != "." else ())
        if (target := _choose(world, text, _matches(world, text)))
    ]
    if not by_name and here and not here.plain:
        elsewhere = [one for one in elsewhere if _exactly(one, text)] or _refuse(elsewhere, text)
    if len(elsewhere) > 1:
        raise ambiguous(text, [_describe(one.world, one) for one in elsewhere])
    if elsewhere:
        return elsewhere[0]
    if absent and text == ".":
        raise absent
    _require_project(text)
    raise HqtError(
        Code.NO_SUCH_TARGET,
        f"Nothing is called {text!r} here: no session, branch, worktree, path or window.",
        "`hqt list` shows what there is; names must be exact.",
    )


def _exactly(target: Target, text: str) -> bool:
    """Whether `text` is an id or a path of the target: nothing that two repositories can share."""
    tree, session = target.worktree, target.session
    bare = text.removeprefix("session:")
    path = physical(target.world.caller, text.removeprefix("path:"))
    recorded = session.worktree_path if session else None
    return (
        (session is not None and bare == session.id)
        or (tree is not None and text == tree.id)
        or path in {tree.path if tree else None, recorded}
        or text.startswith("@")
    )


def _refuse(elsewhere: list[Target], text: str) -> list[Target]:
    """Nothing, if there is nothing; else say what to type for the one in another repository."""
    if not elsewhere:
        return []
    candidates = [_describe(one.world, one) for one in elsewhere]
    raise HqtError(
        Code.NO_SUCH_TARGET,
        f"Nothing is called {text!r} in this repository; elsewhere there is {candidates[0]}.",
        "Give its path or its id if that is what you mean.",
        {"candidates": candidates},
    )


def within(world: World, text: str) -> Target | None:
    """What `text` names in this repository, None for nothing. Raises `ambiguous_target`."""
    return _choose(world, text, _matches(world, text))


def _matches(world: World, text: str) -> Iterator[_Match]:
    kind, _, rest = text.partition(":")
    kind, name = (kind, rest) if kind in _NARROW and rest else ("", text)
    if kind in {"", "session"}:
        yield from _sessions(world, name)
    if kind in {"", "branch"}:
        yield from _branches(world, name)
    if kind == "":
        yield from (_Match(tree, None) for tree in world.worktrees if tree.id == name)
        if name.startswith("@"):
            yield from _windows(world, name)
        if name == ".":
            yield from _here(world)
    if kind in {"", "path"} and name and text != ".":
        yield from _paths(world, name)


def _sessions(world: World, name: str) -> Iterator[_Match]:
    for session in world.sessions:
        if name in {session.id, session.nickname}:
            yield _Match(world.worktree_of(session), session)


def _branches(world: World, name: str) -> Iterator[_Match]:
    listed = [tree for tree in world.worktrees if tree.branch == name]
    yield from (_Match(tree, None) for tree in listed)
    if not listed:
        for session in world.sessions:
            if session.worktree_branch == name and world.worktree_of(session) is None:
                yield _Match(None, session)


def _windows(world: World, window: str) -> Iterator[_Match]:
    for pane in world.snapshot.panes if world.snapshot else ():
        if pane.window != window:
            continue
        owner = next((one for one in world.sessions if one.id == pane.window_session), None)
        if owner:
            yield _Match(world.worktree_of(owner), owner)
            return
        home = world.home_of(pane)
        if home:
            yield _Match(home, None)


def _here(world: World) -> Iterator[_Match]:
    session = session_here(world)
    if session and world.worktree_of(session) in {None, world.current}:
        yield _Match(world.worktree_of(session), session)
    elif world.current:
        yield _Match(world.current, None)


def session_here(world: World) -> Session | None:
    """The session of the window that the caller's pane is in."""
    for pane in world.snapshot.panes if world.snapshot else ():
        if pane.id == world.caller.pane:
            return next((one for one in world.sessions if one.id == pane.window_session), None)
    return None


def _paths(world: World, name: str) -> Iterator[_Match]:
    path = physical(world.caller, name)
    listed = [tree for tree in world.worktrees if tree.path == path]
    yield from (_Match(tree, None) for tree in listed)
    if not listed:
        for session in world.sessions:
            if session.worktree_path == path and world.worktree_of(session) is None:
                yield _Match(None, session)


def physical(caller: Caller, name: str) -> Path:
    """A typed path as an absolute one without symbolic links, relative to the caller's folder."""
    return Path(os.path.realpath(caller.directory / expanded(name)))


def _choose(world: World, text: str, matches: Iterator[_Match]) -> Target | None:
    """The one target of the matches: those that mean one worktree are one."""
    groups: dict[str, list[_Match]] = {}
    for match in matches:
        if match.session and world.is_of_main(match.session):
            match = _Match(world.main, match.session)
        groups.setdefault(match.key, []).append(match)
    if not groups:
        return None
    group = next(iter(groups.values()))
    named = {match.session.id: match.session for match in group if match.session}
    if len(groups) > 1 or len(named) > 1:
        everything = [match for one in groups.values() for match in one]
        raise ambiguous(text, [_describe(world, one) for one in everything])
    return Target(world, group[0].worktree, next(iter(named.values()), None))


def other_worlds(here: World, text: str) -> Iterator[World]:
    """Every other repository that hqt knows, and the one that `text` lies in if it is a path."""
    return _others(here.caller, lambda: here.snapshot, here, text)


def _others(caller: Caller, seen: Seen, here: World | None, text: str) -> Iterator[World]:
    """The other repositories: the one that a path lies in, and the projects in the store."""
    kind, _, rest = text.partition(":")
    name = rest if kind in _NARROW and rest else text
    places = {session.project: None for session in worlds.rows().all()}
    near = _nearest(physical(caller, name))
    if text != "." and near != physical(caller, ""):
        places[near] = None
    known = {here.repository.common_dir} if here else set()
    for place in places:
        try:
            world = worlds.of_project(caller, place, seen)
        except HqtError:
            continue  # a project that is gone or cannot be read answers to no name
        if world.repository.common_dir not in known:
            known.add(world.repository.common_dir)
            yield world


def _nearest(path: Path) -> Path:
    """The path itself, or the nearest folder above it that is there: what has gone from a
    repository is still asked for by where it was."""
    return next(one for one in (path, *path.parents) if os.path.isdir(one))  # noqa: PTH112 - Path.is_dir raises for long names


def _require_project(text: str) -> None:
    """Raise `project_missing` when `text` names a session whose project cannot be read any more."""
    name = text.removeprefix("session:")
    for session in worlds.rows().all():
        if name in {session.id, session.nickname} and not session.project.exists():
            raise HqtError(
                Code.PROJECT_MISSING,
                f"The project of session {session.nickname!r} is gone: {session.project}.",
                "Bring the folder back, then try again; nothing was changed. `hqt remove "
                f"--keep-worktree session:{session.id}` forgets the session.",
                {"session": session.id, "project": str(session.project)},
            )


def orphan(caller: Caller, text: str) -> Target | None:
    """The session with the id `text`, whose project is gone; None if there is none."""
    session = worlds.rows().get(text.removeprefix("session:"))
    if session is None or session.project.exists():
        return None
    with worlds.glancing(caller) as seen:
        caller = worlds.settled(caller, seen)
        return Target(worlds.without_repository(caller, seen, session.project), None, session)


def ambiguous(text: str, candidates: list[str]) -> HqtError:
    """That `text` means more than one thing."""
    unique = list(dict.fromkeys(candidates))
    return HqtError(
        Code.AMBIGUOUS_TARGET,
        f"{text!r} means more than one: {'; '.join(unique)}.",
        "Say which with session:, branch: or path:, or give an id.",
        {"candidates": unique},
    )


def _describe(world: World, meant: Target | _Match) -> str:
    worktree, session, words = meant.worktree, meant.session, list[str]()
    if session:
        words.append(f"session {session.id} ({session.nickname})")
    if worktree:
        words.append(f"worktree {worktree.id} {world.sign} {worktree.label} at {worktree.path}")
    return ", ".join(words)
