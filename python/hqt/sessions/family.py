"""The panes of a session's window that belong together, and what runs in each where it is led."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hqt.models import Pane, Session, Worktree
from hqt.sessions import folders
from hqt.sessions import world as worlds
from hqt.sessions.launching import Launching
from hqt.sessions.world import World


@dataclass(frozen=True, slots=True)
class Step:
    """A pane, and what runs in it from now on."""

    pane: Pane
    launch: Launching
    start: Path
    session: Session | None  # whose program it is; None for a companion's shell


def of(world: World, session: Session) -> tuple[Pane, ...]:
    """The session's own pane last, before it those of its window that are in its checkout."""
    panes = world.snapshot.panes if world.snapshot else ()
    window = [pane for pane in panes if pane.window_session == session.id]
    if not window:
        return ()
    source = world.worktree_of(session) or world.main
    told = [pane for pane in window if pane.agent_state]
    # Ids only grow, so the lowest one is the pane that the window was opened with.
    own = told[0] if told else min(window, key=lambda pane: int(pane.id[1:]))
    beside = [p for p in window if p != own and p.path and world.home_of(p) == source]
    return (*beside, own)


def steps(
    world: World,
    session: Session,
    row: Session,
    tree: Worktree | None,
    panes: tuple[Pane, ...],
    launch: Launching,
    start: Path,
) -> tuple[Step, ...]:
    """What runs in each of the panes that `of` gave when `session` goes to `tree` as `row`: its
    program in `start`, beside it shells, each in the folder that mirrors its own."""
    if not panes:
        return ()
    *companions, own = panes
    source = folders.root(world, world.worktree_of(session))
    target = folders.root(world, tree)
    beside = shell(launch)
    steps = [
        Step(pane, beside, _mirrored(pane, source, target), session=None) for pane in companions
    ]
    return (*steps, Step(own, launch, start, session=row))


def shell(launch: Launching) -> Launching:
    """The user's shell, without the variables that `launch` drops."""
    return Launching("shell", drop=launch.drop)


def _mirrored(pane: Pane, source: Path, target: Path) -> Path:
    """A companion's folder in the other checkout, else the checkout's root."""
    path = worlds.pane_path(pane.path)
    below = target / path.relative_to(source) if path.is_relative_to(source) else target
    return below if below.is_dir() else target
