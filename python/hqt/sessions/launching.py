"""What a window runs: the harness's command line, checked before anything is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Launching:
    """A program for a pane. `argv` None means the user's own shell."""

    harness: str
    argv: tuple[str, ...] | None
    environment: Mapping[str, str]
    conversation: str | None


def fresh(world: World, harness: str | None, prompt: str | None) -> Launching:
    """The named harness (default `@hqt-harness`) starting anew.

    Raises `config_invalid` for an unknown harness or one whose program is not installed.
    """
    from hqt import paths
    from hqt.sessions import harness as harnesses

    name = harness or world.config.harness
    profile = harnesses.named(name, paths.config_file())
    harnesses.find_program(profile)
    launch = harnesses.start(profile, prompt=prompt)
    return Launching(name, launch.argv, launch.environment, launch.conversation)
