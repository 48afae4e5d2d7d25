"""What a window runs: the harness anew, resumed, forked, or led to another folder.

Everything that can fail is asked before anything is made. Never a sibling's conversation: the
latest one of a folder only where no other session could have held it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hqt.errors import Code, HqtError
from hqt.models import Session
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.harness import Launch, Profile


class Setup(NamedTuple):
    """A command of the repository's own, which the user has trusted."""

    root: Path  # where it runs
    command: str  # for `sh -c`


@dataclass(frozen=True, slots=True)
class Launching:
    """A program for a pane. `argv` None means the user's own shell."""

    harness: str
    argv: tuple[str, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()  # variables of an outer agent, to be unset
    conversation: str | None = None
    notes: tuple[str, ...] = ()  # what the user should see, such as that nothing was resumed
    setup: Setup | None = None  # what runs first

    def noting(self, *notes: str, setup: Setup | None = None) -> Launching:
        """The same with more to say, and with what runs first."""
        return replace(self, notes=(*self.notes, *notes), setup=setup or self.setup)


def profile(world: World, harness: str | None) -> Profile:
    """The profile of the named harness (default `@hqt-harness`), its program at hand.

    Raises `config_invalid` for an unknown harness or one whose program is not installed; to be
    called before anything is made.
    """
    from hqt import paths
    from hqt.sessions import harness as harnesses

    found = harnesses.named(harness or world.config.harness, paths.config_file())
    harnesses.find_program(found)
    return found


def origin(session: Session) -> Path:
    """The folder that a session's conversation belongs to, as it was last recorded."""
    return (session.worktree_path or session.project) / session.subfolder


def fresh(found: Profile, directory: Path, prompt: str | None) -> Launching:
    """The harness starting anew in `directory`. Raises `usage` for a prompt it cannot take."""
    from hqt.sessions import harness as harnesses

    return _launching(
        found, harnesses.start(found, directory=directory, prompt=prompt, hooks=_hooks(found))
    )


def again(world: World, session: Session, directory: Path) -> Launching:
    """A session's harness back in `directory`: resumed if that is possible, else anew, and said.

    The conversation follows if its folder has been moved. Raises `config_invalid`.
    """
    found = profile(world, session.harness)
    try:
        launch = _resumed(world, found, session, directory)
    except HqtError as error:
        if error.code is not Code.CANNOT_RESUME:
            raise
        launch = None
    if launch is not None:
        return launch
    return _anew(found, session, directory)


def led(world: World, session: Session, directory: Path, *, anew: bool) -> Launching:
    """A session's harness in another folder, where its conversation follows it.

    Raises `cannot_resume` where it cannot, unless the user has asked for it `anew`, and
    `config_invalid`. What is copied for it is never in the way of anything.
    """
    from hqt.sessions import transcripts

    found = profile(world, session.harness)
    if anew and found.program:
        return _anew(found, replace(session, conversation=None), directory)
    launch = _resumed(world, found, session, directory)
    if launch is not None:
        return launch
    env = surroundings(found)
    if found.conversation != "pinned" or session.conversation is None:
        raise _lost(session, "hqt does not know which conversation is its own")
    if transcripts.exists(found, session.conversation, origin(session), env):
        raise _lost(session, f"{found.name} would not find it in {directory}")
    return _anew(found, session, directory)  # nothing was said yet, so there is nothing to lose


def forked(
    world: World, parent: Session, directory: Path, prompt: str | None, *, carry: bool
) -> Launching:
    """A new conversation in `directory` that begins with what was said in `parent`'s.

    With `carry` the transcript is led there first; without it is only looked whether all this is
    possible. Raises `cannot_resume` where it is not, `usage` for a prompt it cannot take.
    """
    from hqt.sessions import harness as harnesses
    from hqt.sessions import transcripts

    found = profile(world, parent.harness)
    source, env = origin(parent), surroundings(found)
    launch = harnesses.fork(
        found,
        parent.conversation,
        source=source,
        directory=directory,
        env=env,
        prompt=prompt,
        hooks=_hooks(found),
    )
    if carry and parent.conversation:
        transcripts.follow(found, parent.conversation, source, directory, env)
    return _launching(found, launch)


def surroundings(found: Profile) -> dict[str, str]:
    """The environment in which the program looks for what it keeps."""
    return {**os.environ, **found.environment}


def beside(world: World, session: Session, profiles: Mapping[str, Profile]) -> tuple[Session, ...]:
    """The other sessions, archived ones too, whose conversations lie where this one's do."""

    def kept(one: Session) -> object:
        found = profiles.get(one.harness)
        return (found.program, found.transcripts) if found else one.harness

    return tuple(
        one
        for one in world.sessions
        if one.id != session.id and origin(one) == origin(session) and kept(one) == kept(session)
    )


def _resumed(world: World, found: Profile, session: Session, directory: Path) -> Launching | None:
    from hqt.sessions import harness as harnesses
    from hqt.sessions import transcripts

    env, source = surroundings(found), origin(session)
    alone = found.latest is not None and source == directory and _is_alone(world, session)
    id = session.conversation
    if id and found.resume:
        if source != directory and transcripts.exists(found, id, source, env):
            # What the folder may know of it is older: the conversation went on elsewhere.
            transcripts.follow(found, id, source, directory, env)
        elif not transcripts.exists(found, id, directory, env):
            transcripts.fetch(found, id, directory, env)
    launch = harnesses.resume(
        found, id, directory=directory, alone=alone, env=env, hooks=_hooks(found)
    )
    return None if launch is None else _launching(found, launch)


def _is_alone(world: World, session: Session) -> bool:
    from hqt import paths
    from hqt.sessions import harness as harnesses

    return not beside(world, session, harnesses.profiles(paths.config_file()))


def _anew(found: Profile, session: Session, directory: Path) -> Launching:
    """Anew, and said; with the id it has, unless a conversation of that id lies elsewhere."""
    from hqt.sessions import harness as harnesses
    from hqt.sessions import transcripts

    id = session.conversation
    if id and transcripts.exists(found, id, origin(session), surroundings(found)):
        id = None
    launch = harnesses.start(found, directory=directory, conversation=id, hooks=_hooks(found))
    return _launching(found, launch).noting(
        f"{found.name} starts anew: there is no conversation to resume."
    )


def _hooks(found: Profile) -> Path | None:
    """The file with hqt's hooks, for a program that takes them so."""
    from hqt.sessions import hooks

    return hooks.file() if found.hooks else None


def _launching(found: Profile, launch: Launch) -> Launching:
    return Launching(found.name, launch.argv, launch.environment, launch.drop, launch.conversation)


def _lost(session: Session, reason: str) -> HqtError:
    return HqtError(
        Code.CANNOT_RESUME,
        f"The conversation of {session.nickname!r} cannot follow: {reason}. Nothing was moved.",
        "Add --fresh to begin a new conversation there.",
        {"harness": session.harness, "session": session.id},
    )
