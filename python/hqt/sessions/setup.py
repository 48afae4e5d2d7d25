"""The setup of a fresh worktree, as the repository's own `.hqt.toml` asks for it.

The worktree's own file counts, since it is the one of its revision; else the main checkout's, which
may be one that only the user has. Nothing of it is a reason not to make a worktree: what is left
out is said.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import HqtError
from hqt.models import Worktree
from hqt.sessions import world as worlds
from hqt.sessions.launching import Setup
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.git.lock import Pulse
    from hqt.sessions import setup_files

FILE = ".hqt.toml"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is still to be done in the window, and what the user should know."""

    command: Setup | None = None
    notes: tuple[str, ...] = ()


def asked_for(*checkouts: Path | None) -> setup_files.Setup | None:
    """What the first of these checkouts that has a `.hqt.toml` asks for; None where none has.

    Raises `config_invalid` naming file, line and key.
    """
    for checkout in checkouts:
        if checkout and os.path.lexists(checkout / FILE):
            from hqt.sessions import setup_files

            return setup_files.read(checkout)
    return None


def prepare(world: World, tree: Worktree, undo: ExitStack) -> Prepared:
    """Copy and link what is asked for into a worktree that has just been made.

    `undo` is given what takes it away again, as long as nobody has touched it.
    """
    main = world.repository.main
    try:
        wanted = asked_for(tree.path, main)
    except HqtError as error:
        return Prepared(notes=(f"The setup was skipped. {error.message}",))
    if wanted is None:
        return Prepared()
    notes: tuple[str, ...] = ()
    if main and main != tree.path and (wanted.copy or wanted.link):
        from hqt.git.lock import Pulse

        notes = _bring(wanted, main, tree.path, undo, Pulse(world.repository.common_dir))
    command, why = _command(world, tree, wanted)
    return Prepared(command, (*notes, *why))


def _bring(
    wanted: setup_files.Setup, main: Path, tree: Path, undo: ExitStack, pulse: Pulse
) -> tuple[str, ...]:
    from hqt.sessions import setup_copy, setup_files

    plan = setup_files.plan(wanted, main, tree)
    for step in plan.steps:
        undo.callback(_take_back(step, tree))
    failed = setup_copy.carry_out(plan, pulse.beat)
    return tuple(f"Setup: {sentence}" for sentence in (*plan.left_out, *failed))


def _take_back(step: setup_files.Step, tree: Path) -> Callable[[], None]:
    """What removes a step's result if it is still what the step made, and the folders that this
    leaves empty."""

    def take() -> None:
        with contextlib.suppress(OSError):
            if step.kind == "folder":
                step.target.rmdir()
            elif _is_as_made(step):
                step.target.unlink()
            for folder in step.target.parents:
                if folder == tree:
                    break
                folder.rmdir()

    return take


def _is_as_made(step: setup_files.Step) -> bool:
    if step.target.is_symlink():
        points = step.source if step.kind == "link" else step.source.readlink()
        return step.target.readlink() == points
    made, source = step.target.stat(), step.source.stat()
    return (made.st_size, made.st_mtime_ns) == (source.st_size, source.st_mtime_ns)


def _command(
    world: World, tree: Worktree, wanted: setup_files.Setup
) -> tuple[Setup | None, tuple[str, ...]]:
    if wanted.command is None:
        return None, ()
    said = is_trusted(world.repository.root, wanted)
    if said:
        return Setup(tree.path, wanted.command), ()
    why = "you have refused it" if said is False else "nobody has trusted it yet"
    return None, (f"The setup command of {wanted.path} was skipped: {why} (`hqt trust`).",)


def is_trusted(project: Path, wanted: setup_files.Setup) -> bool | None:
    """What the user has said of exactly this content; None if nobody asked."""
    return worlds.rows().read(lambda rows: rows.setup_trusted(project, wanted.digest))
