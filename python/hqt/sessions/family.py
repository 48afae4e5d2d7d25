"""The panes of a session's window: which are its own, and what runs in each where it is led.

A window's mark says whose window it is, not whose its panes are: the user may have joined one from
elsewhere. Those are left alone, whatever is forced.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hqt.errors import Code, HqtError
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
    """The session's own pane last, before it those of its window that are in its checkout; none
    where no window is its own. Raises `ambiguous_target` where its own pane cannot be told."""
    panes = _window(world, session)
    inside = [pane for pane in panes if is_inside(world, session, pane)]
    mine = _own(world, session, panes) or _unmarked(session, panes, inside)
    if not mine and not inside and all(map(_is_elsewhere, panes)):
        return ()
    if len(mine) != 1:
        raise _which(session, mine or panes)
    return (*(pane for pane in inside if pane not in mine), *mine)


def belongs(world: World, session: Session, pane: Pane) -> bool:
    """Whether a pane of a session's window goes with it: hqt has started it for the session, or it
    is where the session lives and no other's."""
    return pane.started == session.id or is_inside(world, session, pane)


def is_inside(world: World, session: Session, pane: Pane) -> bool:
    """Whether a pane that is no other session's is where this one lives: in its worktree, else in
    its project outside of any. A dead pane is where it was opened."""
    path = pane.path or (pane.start_path if pane.dead else "")
    if not path or pane.started not in {"", session.id}:
        return False
    folder = worlds.pane_path(path)
    home, tree = world.home(folder), world.place_of(session)
    if tree is not None:
        return home == tree
    place = session.worktree_path or world.repository.root
    return folder.is_relative_to(place) and (home is None or place.is_relative_to(home.path))


def dead(world: World, session: Session) -> Pane | None:
    """The session's own pane, if its program has ended and the pane was kept."""
    panes = _window(world, session)
    own = [pane for pane in panes if pane.started == session.id]
    if not own and len(panes) == 1 and is_inside(world, session, panes[0]):
        own = panes
    return own[0] if len(own) == 1 and own[0].dead else None


def left_to_others(world: World, session: Session) -> str | None:
    """The window that is marked as the session's, if nothing is in it but what other programs than
    its own have left behind dead."""
    panes = _window(world, session)
    if any(not pane.dead or belongs(world, session, pane) for pane in panes):
        return None
    return panes[0].window if panes else None


def runs(panes: list[Pane], session: Session) -> bool:
    """Whether a program in there was started with the session's conversation."""
    from hqt import processes

    if session.conversation is None:
        return False
    running = processes.running()
    inside = {pane.pid for pane in panes}
    inside |= {one for pid in inside for one in processes.descendants(running, pid)}
    return any(session.conversation in word for one in inside for word in processes.words(one))


def _window(world: World, session: Session) -> list[Pane]:
    panes = world.snapshot.panes if world.snapshot else ()
    return [pane for pane in panes if pane.window_session == session.id]


def _own(world: World, session: Session, panes: list[Pane]) -> list[Pane]:
    """Where hqt has started the session's program: in its window, else wherever the user has put
    that pane."""
    everywhere = world.snapshot.panes if world.snapshot else ()
    own = [pane for pane in everywhere if pane.started == session.id]
    return [pane for pane in own if pane in panes] or own


def _unmarked(session: Session, panes: list[Pane], inside: list[Pane]) -> list[Pane]:
    """The own pane of a window that hqt has only found (tmux-resurrect has made it, say): the only
    one that can be it, else the one in which the session's agent is seen."""
    if len(inside) < 2:
        return inside or ([] if any(map(_is_elsewhere, panes)) else panes)
    if session.harness == "shell":  # all of them are
        return inside[:1]
    told = [pane for pane in inside if pane.agent_state]
    return told or [pane for pane in inside if runs([pane], session)]


def _is_elsewhere(pane: Pane) -> bool:
    """Whether a pane, known not to be inside, is known to be somewhere; where that is unknown it
    might be the session's."""
    return bool(pane.path or pane.started or pane.dead)


def _which(session: Session, panes: list[Pane]) -> HqtError:
    ids = [pane.id for pane in panes]
    return HqtError(
        Code.AMBIGUOUS_TARGET,
        f"hqt cannot tell which pane runs {session.nickname!r}: {', '.join(ids)}. Nothing was "
        "moved.",
        f"Leave only its own pane in window {panes[0].window} (`break-pane` puts another one "
        "apart), then try again.",
        {"candidates": ids},
    )


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
