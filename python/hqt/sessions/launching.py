"""What a window runs: the harness's command line, checked before anything is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.models import Session
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.harness import Launch, Profile


@dataclass(frozen=True, slots=True)
class Launching:
    """A program for a pane. `argv` None means the user's own shell."""

    harness: str
    argv: tuple[str, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    conversation: str | None = None
    notes: tuple[str, ...] = ()  # what the user should know, such as that nothing was resumed


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


def fresh(found: Profile, directory: Path, prompt: str | None) -> Launching:
    """The harness starting anew in `directory`. Raises `usage` for a prompt it cannot take."""
    from hqt.sessions import harness as harnesses

    return _launching(found, harnesses.start(found, directory=directory, prompt=prompt))


def again(world: World, session: Session, directory: Path) -> Launching:
    """A session's harness back in `directory`: resumed if that is possible, else anew, and said.

    Never a sibling's conversation: "latest" only where no other session with this harness lives.
    """
    from hqt.sessions import harness as harnesses

    found = profile(world, session.harness)
    tree = world.worktree_of(session)
    beside = world.sessions_in(tree) if tree else world.sessions
    alone = not any(one.id != session.id and one.harness == session.harness for one in beside)
    launch = harnesses.resume(
        found, session.conversation, directory=directory, alone=alone, env=os.environ
    )
    if launch is not None:
        return _launching(found, launch)
    launch = harnesses.start(found, directory=directory, conversation=session.conversation)
    note = f"{found.name} starts anew: there is no conversation to resume."
    return _launching(found, launch, note)


def _launching(found: Profile, launch: Launch, *notes: str) -> Launching:
    argv = launch.argv
    if argv is not None and launch.drop:
        # tmux can set variables for a new window, but not unset what its server was started with
        argv = ("/bin/sh", "-c", f'unset {" ".join(launch.drop)}; exec "$0" "$@"', *argv)
    return Launching(found.name, argv, launch.environment, launch.conversation, notes)
