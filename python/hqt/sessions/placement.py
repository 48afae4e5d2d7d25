"""In which tmux session and window a session is shown. Ids only; names are looked up once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Client, Pane, Session, Worktree, worktree_id
from hqt.names import tmux_session_name
from hqt.sessions import folders
from hqt.sessions import world as worlds
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.launching import Launching
    from hqt.tmux.windows import Window


@dataclass(frozen=True, slots=True)
class Place:
    """A tmux session to open a window in: one that exists, or a new one of that name."""

    session: str | None  # $1
    new_name: str | None = None
    derived: bool = False  # the name follows from the worktree's path (`@hqt-mode session`)
    index: int | None = None  # the window's place in it, if that is free


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
    ids = {pane.session for pane in snapshot.panes}
    if asked is not None:
        return Place(asked) if asked in ids else _named(world, asked)
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


def back(world: World, session: Session, tree: Worktree | None, *, exactly: bool) -> Place:
    """Where the window of a session that has none goes: with `exactly` to where it was last seen,
    else where a new one would.

    Raises as `place` and `settle`; but where the derived name is another's, the session keeps the
    tmux session it was given before.
    """
    was = session.tmux_session
    if was and exactly:
        return _at(world, _named(world, was), session.window_index)
    try:
        return settle(world, place(world, None), tree)
    except HqtError as error:
        if error.code is not Code.NAME_COLLISION or not was:
            raise
        return _named(world, was)


def settle(world: World, where: Place, tree: Worktree | None) -> Place:
    """`where` with the derived name of a worktree filled in; a session without one goes to the
    main checkout's.

    Raises `name_collision` when a tmux session that is not this worktree's bears that name.
    """
    if not where.derived or world.snapshot is None:
        return where
    path = folders.root(world, tree)
    name = tmux_session_name(path)
    theirs = [pane for pane in world.snapshot.panes if pane.session_name == name]
    if not theirs:
        return Place(None, name)
    if any(_shows(world, pane, path) for pane in theirs):
        return Place(theirs[0].session)
    raise HqtError(
        Code.NAME_COLLISION,
        f"A tmux session called {name!r} exists and is not this worktree's.",
        "Pass -s with another name, or rename that tmux session.",
        {"name": name, "tmux_session": theirs[0].session},
    )


def of_its_own(path: Path) -> Place:
    """The derived tmux session of a worktree that is to be made at `path`."""
    return Place(None, tmux_session_name(path))


def require_free_name(world: World, path: Path) -> None:
    """Raise `name_collision` when the derived name of a worktree to be made at `path` is another
    worktree's, or that of a tmux session that is there."""
    name = tmux_session_name(path)
    other = next((one for one in world.worktrees if tmux_session_name(one.path) == name), None)
    panes = world.snapshot.panes if world.snapshot else ()
    taken = {pane.session_name: pane.session for pane in panes}
    if other is None and name not in taken:
        return
    whose = f"is that of the worktree at {other.path}" if other else "exists already"
    raise HqtError(
        Code.NAME_COLLISION,
        f"The tmux session's name {name!r} {whose}; nothing was made.",
        "Pass -s with another name for the tmux session, or choose another name.",
        {"name": name, "tmux_session": taken.get(name)},
    )


def show(
    world: World,
    where: Place,
    session: Session,
    tree: Worktree | None,
    launching: Launching,
    start: Path,
    switch: bool | None,
) -> Window:
    """Open the session's window in the folder `start`; the caller's client follows if asked."""
    from hqt.sessions import pane
    from hqt.tmux import status_line, windows

    tmux = worlds.connect(world.caller)
    select = follows(world, switch)
    opened = windows.open_window(
        tmux,
        session=where.session,
        new_session=where.new_name if where.session is None else None,
        index=where.index,
        cwd=start,
        label=label(session, tree),
        command=pane.words(world, launching),
        environment={"HQT_SESSION": session.id, **launching.environment},
        options=marks(world, session, tree),
        started=session.id,
        select=select,
        client=client(world) if select else None,
    )
    if world.snapshot:
        status_line.offer(tmux, world.snapshot)
    return opened


def respawn(
    world: World, pane: str, session: Session | None, launching: Launching, start: Path
) -> None:
    """Run the session's program (None: a companion's) in `start` in a pane that is there, instead
    of what runs in it."""
    from hqt.sessions import pane as panes
    from hqt.tmux import windows

    windows.respawn(
        worlds.connect(world.caller),
        pane,
        cwd=start,
        command=panes.words(world, launching, respawn=True),
        environment={**({"HQT_SESSION": session.id} if session else {}), **launching.environment},
        started=session.id if session else "",
    )


def label(session: Session, tree: Worktree | None) -> str:
    """What the window of a session is called."""
    return f"⎇ {tree.label}" if tree else session.nickname


def marks(world: World, session: Session, tree: Worktree | None) -> dict[str, str]:
    """The window options that say whose window it is. A session without a worktree is in the main
    checkout, so its window bears that one's branch."""
    place = tree or (world.main if session.worktree_path is None else None)
    return {
        "@hqt_session": session.id,
        "@hqt_branch": place.label if place else "",
        "@hqt_worktree": tree.id if tree else "",
    }


def mark(world: World, window: str, session: Session, tree: Worktree | None) -> None:
    """Make an existing window the session's: its options and its label, where they differ. What
    was counted in the checkout that it leaves goes with that. One that showed the same session in
    the same place, on the same branch, has the name that the user wants."""
    from hqt.tmux import windows

    if world.snapshot:
        options = marks(world, session, tree)
        pane = next((one for one in world.snapshot.panes if one.window == window), None)
        before = {
            "@hqt_session": pane.window_session if pane else "",
            "@hqt_branch": pane.window_branch if pane else "",
            "@hqt_worktree": pane.window_worktree if pane else "",
        }
        same = tree is not None and before == options
        if pane and pane.window_worktree != options["@hqt_worktree"]:
            options |= {"@hqt_dirty": "", "@hqt_unique": ""}
        if pane and pane.window_session != session.id:  # it was not the session's so far
            options |= windows.STEADY
        windows.label(
            worlds.connect(world.caller),
            world.snapshot,
            window,
            text=None if same else label(session, tree),
            options=options,
        )


def follows(world: World, switch: bool | None) -> bool:
    """Whether the caller's client is taken to a new window; None: if a person has called."""
    return world.caller.interactive if switch is None else switch


def session_of(world: World, window: str) -> str:
    """The tmux session (`$1`) to show a window in: the caller's own where it is linked there."""
    snapshot = world.snapshot
    assert snapshot is not None, "a window was found in it"
    linked = [one.id for one in snapshot.sessions if window in one.windows]
    mine = {pane.session for pane in snapshot.panes if pane.id == world.caller.pane}
    return next((one for one in linked if one in mine), linked[0])


def client(world: World) -> str | None:
    """The client to switch: the one that pressed the key, else the latest that looks at the pane
    the command was typed in."""
    if world.caller.client or world.snapshot is None:
        return world.caller.client
    pane = next((one for one in world.snapshot.panes if one.id == world.caller.pane), None)
    looking = [one for one in world.snapshot.clients if pane and one.session == pane.session]
    latest: Client | None = max(looking, key=lambda one: one.activity, default=None)
    return latest.name if latest else None


def _named(world: World, name: str) -> Place:
    """The tmux session of that name; tmux until 3.6 keeps `.` and `:` in one as `_`."""
    panes = world.snapshot.panes if world.snapshot else ()
    ids = {pane.session_name: pane.session for pane in panes}
    kept = name.translate(str.maketrans(".:", "__"))
    return Place(ids.get(name, ids.get(kept)), name)


def _at(world: World, place: Place, index: int | None) -> Place:
    """The place in a tmux session at `index`, or the first free one after it: the order is kept."""
    panes = world.snapshot.panes if world.snapshot else ()
    taken = {pane.window_index for pane in panes if pane.session == place.session}
    while index is not None and index in taken:
        index += 1
    return replace(place, index=index)


def _shows(world: World, pane: Pane, path: Path) -> bool:
    """Whether a pane is of the checkout (or plain folder) at a path, by its mark or its folder."""
    if pane.window_worktree == worktree_id(path):
        return True
    folder = worlds.pane_path(pane.path) if pane.path else None
    if folder is None or not folder.is_relative_to(path):
        return False
    home = world.home(folder)
    return home is None or home.path == path
