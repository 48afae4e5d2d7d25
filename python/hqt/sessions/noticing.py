"""What can only be seen while it lasts, written down by every verb that changes something.

Where a session's window is (its tmux session and place, for the way back after a restart), which
conversation its program has begun by itself, and where its repository has been moved to: that is
seen only until git is told the new path of its worktree. A verb that only looks writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hqt.models import Session
from hqt.sessions import launching
from hqt.sessions import world as worlds
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.profiles import Profile


def notice(world: World) -> World:
    """Write down what is new of the sessions of this repository; the world with it filled in.

    Raises `store_failed` and, for a broken profile, `config_invalid`.
    """
    profiles = _profiles(world)
    seen = {one.id: _changes(world, one, profiles) for one in world.sessions}
    seen = {id: fields for id, fields in seen.items() if fields}
    if not seen:
        return world
    with worlds.rows().transaction() as rows:
        for id, fields in seen.items():
            rows.update(id, **fields)
    now = tuple(replace(one, **seen.get(one.id, {})) for one in world.sessions)
    return replace(world, sessions=now)


def _profiles(world: World) -> Mapping[str, Profile]:
    """Those of the harnesses that these sessions run; not read where all of them are shells."""
    from hqt import paths
    from hqt.sessions import harness as harnesses

    if all(one.harness == "shell" for one in world.sessions):
        return {}
    return harnesses.profiles(paths.config_file())


def _changes(world: World, session: Session, profiles: Mapping[str, Profile]) -> dict[str, Any]:
    found = _project(world, session)
    if not world.is_archived(session):
        found |= _place(world, session) | _conversation(world, session, profiles)
    return {name: value for name, value in found.items() if getattr(session, name) != value}


def _project(world: World, session: Session) -> dict[str, Any]:
    """The project of a session whose repository was moved: git still lists its worktree here, at
    the old path, and nothing is left where the project was."""
    if session.project in world.projects or os.path.lexists(session.project):
        return {}
    return {"project": world.repository.root}


def _place(world: World, session: Session) -> dict[str, Any]:
    panes = world.snapshot.panes if world.snapshot else ()
    pane = next((one for one in panes if one.window_session == session.id), None)
    if pane is None:
        return {}
    return {"tmux_session": pane.session_name, "window_index": pane.window_index}


def _conversation(
    world: World, session: Session, profiles: Mapping[str, Profile]
) -> dict[str, Any]:
    """The conversation that its program has begun, where only this session can have begun it."""
    from hqt.sessions import transcripts

    found = profiles.get(session.harness)
    if found is None or found.conversation != "captured":
        return {}
    if launching.beside(world, session, profiles):
        return {}
    id = transcripts.capture(
        found,
        launching.origin(session),
        session.created_at,
        {one.conversation for one in worlds.rows().all() if one.conversation},
        launching.surroundings(found),
        session.conversation,
    )
    return {"conversation": id} if id else {}
