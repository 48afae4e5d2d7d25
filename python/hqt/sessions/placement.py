"""In which tmux session and window a session is shown. Ids only; names are looked up once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Client, Session, Worktree
from hqt.names import tmux_session_name
from hqt.sessions import world as worlds
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.launching import Launching


@dataclass(frozen=True, slots=True)
class Place:
    """A tmux session to open a window in: one that exists, or a new one of that name."""

    session: str | None  # $1
    new_name: str | None = None
    derived: bool = False  # the name follows from the worktree's path (`@hqt-mode session`)


def place(world: World, asked: str | None) -> Place:
    """Where a new window goes: `-s`, else a tmux session of its own in session mode, else the
    caller's tmux session, else the one used last.

    Raises `tmux_unavailable` when no server answers or it has no session to open a window in.
    """
    snapshot = world.snapshot
    if snapshot is None:
        raise HqtError(
            Code.TMUX_UNAVAILABLE,
            "No tmux server answers, so there is no place for a window; nothing was made.",
            "Start tmux first, name a server with -L, or pass --no-window.",
        )
    names = {pane.session_name: pane.session for pane in snapshot.panes}
    ids = set(names.values())
    if asked is not None:
        if asked in ids:
            return Place(asked)
        return Place(names.get(asked), asked)
    if world.config.mode == "session":
        return Place(None, derived=True)
    mine = next((pane.session for pane in snapshot.panes if pane.id == world.caller.pane), None)
    theirs = [one for one in snapshot.clients if one.name == world.caller.client]
    recent = sorted(snapshot.clients, key=lambda one: one.activity, reverse=True)
    used = [client.session for client in (*theirs, *recent) if client.session in ids]
    chosen = mine or next(iter([*used, *sorted(ids)]), None)
    if chosen is None:
        raise HqtError(
            Code.TMUX_UNAVAILABLE,
            "The tmux server has no session to open a window in; nothing was made.",
            "Open a tmux session first, or pass --no-window.",
        )
    return Place(chosen)


def settle(world: World, where: Place, path: Path, worktree_id: str) -> Place:
    """`where` with the derived name of the worktree at `path` filled in.

    Raises `name_collision` when a tmux session that shows another worktree bears that name.
    """
    if not where.derived or world.snapshot is None:
        return where
    name = tmux_session_name(path)
    theirs = [pane for pane in world.snapshot.panes if pane.session_name == name]
    if not theirs:
        return Place(None, name)
    if any(pane.window_worktree == worktree_id for pane in theirs):
        return Place(theirs[0].session)
    raise HqtError(
        Code.NAME_COLLISION,
        f"A tmux session called {name!r} exists and is not this worktree's.",
        "Pass -s with another name, or rename that tmux session.",
        {"name": name, "tmux_session": theirs[0].session},
    )


def show(
    world: World,
    where: Place,
    session: Session,
    tree: Worktree | None,
    launching: Launching,
    switch: bool | None,
) -> str:
    """Open the session's window and return its id (`@3`); the caller's client follows if asked."""
    from hqt.tmux import windows

    select = world.caller.interactive if switch is None else switch
    opened = windows.open_window(
        worlds.connect(world.caller),
        session=where.session,
        new_session=where.new_name if where.session is None else None,
        cwd=folder(world, tree),
        label=label(session, tree),
        command=launching.argv,
        environment={"HQT_SESSION": session.id, **launching.environment},
        options=marks(session, tree),
        select=select,
        client=client(world) if select else None,
    )
    return opened.id


def label(session: Session, tree: Worktree | None) -> str:
    """What the window of a session is called."""
    return f"⎇ {tree.label}" if tree else session.nickname


def marks(session: Session, tree: Worktree | None) -> dict[str, str]:
    """The window options that say whose window it is."""
    options = {"@hqt_session": session.id, "@hqt_branch": tree.label if tree else ""}
    return {**options, "@hqt_worktree": tree.id} if tree else options


def mark(world: World, window: str, session: Session, tree: Worktree | None) -> None:
    """Make an existing window the session's: its options and its label, where they differ."""
    from hqt.tmux import windows

    if world.snapshot:
        windows.label(
            worlds.connect(world.caller),
            world.snapshot,
            window,
            text=label(session, tree),
            options=marks(session, tree),
        )


def session_of(world: World, window: str) -> str:
    """The tmux session (`$1`) to show a window in: the caller's own where it is linked there."""
    snapshot = world.snapshot
    assert snapshot is not None, "a window was found in it"
    linked = [one.id for one in snapshot.sessions if window in one.windows]
    mine = {pane.session for pane in snapshot.panes if pane.id == world.caller.pane}
    return next((one for one in linked if one in mine), linked[0])


def folder(world: World, tree: Worktree | None) -> Path:
    """Where the window starts: the caller's folder mirrored in the worktree, if it exists there."""
    if tree is None:
        return world.caller.directory if world.plain else _project(world)
    mirrored = tree.path / world.repository.subfolder
    return mirrored if mirrored.is_dir() else tree.path


def _project(world: World) -> Path:
    repository = world.repository
    return (repository.checkout or repository.root) / repository.subfolder


def client(world: World) -> str | None:
    """The client to switch: the one that pressed the key, else the latest that looks at the pane
    the command was typed in."""
    if world.caller.client or world.snapshot is None:
        return world.caller.client
    pane = next((one for one in world.snapshot.panes if one.id == world.caller.pane), None)
    looking = [one for one in world.snapshot.clients if pane and one.session == pane.session]
    latest: Client | None = max(looking, key=lambda one: one.activity, default=None)
    return latest.name if latest else None
