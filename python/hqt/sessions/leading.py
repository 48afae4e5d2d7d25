"""Leading a session to another checkout: the one mechanism of `move` and `remove --evacuate`.

Its program ends and starts again there, resumed; the other panes of its window that are in the
checkout it leaves come along, each in the same folder. First everything is looked at, then
everything is changed, and what fails is taken back. The pane that hqt itself runs in comes last,
when the answer is out (`follow`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hqt import processes
from hqt.errors import Code, HqtError
from hqt.models import Pane, Session, Worktree
from hqt.sessions import family, folders, launching, placement
from hqt.sessions import world as worlds
from hqt.sessions.family import Step
from hqt.sessions.launching import Launching
from hqt.sessions.setup import Prepared
from hqt.sessions.world import World

_SOON = 1.0  # seconds in which a program that cannot start where it was led has ended
_STEP = 0.05  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Passage:
    """A session on its way, every check made."""

    world: World
    session: Session  # as it was
    row: Session  # as it will be
    tree: Worktree | None  # where it goes; None: the main checkout
    steps: tuple[Step, ...]  # the session's own program last
    own: Step | None  # the pane that hqt runs in
    anew: bool
    prepared: Prepared

    @property
    def window(self) -> str | None:
        """The window that is marked as the session's, if there is one."""
        return self.world.window_of(self.session)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should see."""
        if self.steps:
            return self.steps[-1].launch.notes
        if self.window is None:
            return ()
        return (f"Nothing in window {self.window} is the session's; it stays as it is.",)


def prepare(
    world: World,
    session: Session,
    tree: Worktree | None,
    *,
    anew: bool,
    close: bool,
    prepared: Prepared | None = None,
) -> Passage:
    """Look at everything that speaks against leading `session` to `tree`; nothing is changed.

    `prepared` is what the setup of a new worktree has left to do. Raises `busy` where a program
    runs in one of the panes (unless `close`), `cannot_resume` where the conversation cannot
    follow (unless `anew`), `ambiguous_target` where its own pane cannot be told, and
    `config_invalid`.
    """
    prepared = prepared or Prepared()
    running = processes.running()
    chain = processes.own(running, world.caller.process)
    panes = family.of(world, session)
    if not close and (busy := _busy(panes, running, chain)):
        raise HqtError(
            Code.BUSY,
            f"{'; '.join(busy)}. Nothing was moved.",
            "Let it end, or pass --close to end it.",
            {"occupants": {"busy": list(busy)}},
        )
    start = folders.home(world, session, tree)
    launch = _launch(world, session, start, anew, prepared)
    row = replace(
        session,
        **_placed(world, tree, start),
        conversation=launch.conversation if anew else launch.conversation or session.conversation,
    )
    steps = family.steps(world, session, row, tree, panes, launch, start)
    own = next((step for step in steps if step.pane.pid in chain), None)
    return Passage(world, session, row, tree, steps, own, anew, prepared)


def go(passage: Passage, undo: ExitStack, written: Callable[[], object] = lambda: None) -> None:
    """Change the row, the panes and the window's marks; `undo` learns how to take each back.

    `written` is called as soon as the row tells where the session lives. The pane that hqt runs in
    is left for `follow`. Raises what tmux and the store raise, and `cannot_resume` when the program
    ends as soon as it is started.
    """
    world = passage.world
    undo.callback(_write, passage.session)
    _write(passage.row)
    written()
    if passage.window and passage.steps:
        undo.callback(_mark_again, passage)
        placement.mark(world, passage.window, passage.row, passage.tree)
    elif passage.window:
        _disown(world, passage.window)
    for step in passage.steps:
        if step != passage.own:
            _respawn(passage, step, undo)


def follow(passage: Passage) -> None:
    """Last of all the pane that hqt itself runs in: it ends what called hqt."""
    own = passage.own
    if own is None:
        return
    if own.session and not passage.anew:  # what was said since it was looked at comes along
        launch = _launch(passage.world, passage.session, own.start, False, passage.prepared)
        own = replace(own, launch=launch)
    _start(passage.world, own, watched=False)


def arrived(world: World, session: Session, directory: Path) -> None:
    """A session whose agent says that it has gone to `directory` by itself: row, options and
    label follow, and nothing is started anew."""
    home = world.home(directory)
    tree = home if home and not home.main else None
    if home is None or tree == world.worktree_of(session):
        return
    row = replace(session, **_placed(world, tree, directory))
    _write(row)
    if window := world.window_of(session):
        placement.mark(world, window, row, tree)


def _placed(world: World, tree: Worktree | None, start: Path) -> dict[str, Any]:
    """What a row says of where it lives. What it lives in now it has not made."""
    return {
        "worktree_path": tree.path if tree else None,
        "worktree_branch": tree.branch if tree else None,
        "base_commit": None,
        "owns_worktree": False,
        "owns_branch": False,
        "subfolder": folders.subfolder(world, start, tree),
    }


_WRITTEN = (
    "worktree_path",
    "worktree_branch",
    "base_commit",
    "owns_worktree",
    "owns_branch",
    "subfolder",
    "conversation",
)


def _write(row: Session) -> None:
    worlds.rows().update(row.id, **{name: getattr(row, name) for name in _WRITTEN})


def _launch(
    world: World, session: Session, start: Path, anew: bool, prepared: Prepared
) -> Launching:
    launch = launching.led(world, session, start, anew=anew)
    return launch.noting(*prepared.notes, setup=prepared.command)


def _busy(
    panes: tuple[Pane, ...], running: dict[int, Any], chain: frozenset[int]
) -> tuple[str, ...]:
    from hqt.tmux.occupants import busy

    return busy(panes, running, own=chain)


def _respawn(passage: Passage, step: Step, undo: ExitStack) -> None:
    """Start a step's program in its pane, and look whether an agent stays.

    Raises `cannot_resume` for one that has ended at once; its pane is there all the same.
    """
    from hqt.git import interrupts
    from hqt.tmux import windows

    tmux = worlds.connect(passage.world.caller)
    with interrupts.held_back():
        try:
            _start(passage.world, step)
        except HqtError:
            if windows.is_dead(tmux, step.pane.id):
                undo.callback(_put_back, passage, step)
            raise
        undo.callback(_put_back, passage, step)
    if _stays(passage.world, step):
        return
    raise HqtError(
        Code.CANNOT_RESUME,
        f"{step.launch.harness} ended as soon as it was started in {step.start}; everything is as "
        "it was.",
        "Look what it says when you start it there, or add --fresh.",
        {"harness": step.launch.harness},
    )


def _start(world: World, step: Step, *, watched: bool = True) -> None:
    """Run a step's program in its pane; a `watched` agent leaves the pane there when it ends."""
    from hqt.tmux import agent_states, windows

    tmux = worlds.connect(world.caller)
    if step.pane.agent_state:
        tmux.ask(agent_states.recording(step.pane.id, ""))
    watched = watched and step.launch.argv is not None
    if watched:
        windows.keep_pane(tmux, step.pane.id, True)
    try:
        placement.respawn(world, step.pane.id, step.session, step.launch, step.start)
    except BaseException:
        if watched:
            windows.keep_pane(tmux, step.pane.id, False)
        raise


def _stays(world: World, step: Step) -> bool:
    """Whether the program still runs after a moment. A shell does."""
    from hqt.tmux import windows

    if step.launch.argv is None:
        return True
    tmux = worlds.connect(world.caller)
    deadline = time.monotonic() + _SOON
    try:
        while not (dead := windows.is_dead(tmux, step.pane.id)) and time.monotonic() < deadline:
            time.sleep(_STEP)
    finally:
        windows.keep_pane(tmux, step.pane.id, False)
    return not dead


def _put_back(passage: Passage, step: Step) -> None:
    """What ran in a pane before: the program resumed where it was, else a shell."""
    world, old = passage.world, passage.session
    start = folders.home(world, old, world.worktree_of(old))
    if step.session:
        with suppress(HqtError):
            again = Step(step.pane, launching.again(world, old, start), start, old)
            _start(world, again)
            if _stays(world, again):
                return
    elif (folder := worlds.pane_path(step.pane.path)).is_dir():
        start = folder
    with suppress(HqtError):
        _start(
            world, Step(step.pane, family.shell(step.launch), start, old if step.session else None)
        )


def _disown(world: World, window: str) -> None:
    from hqt.tmux import windows

    windows.disown(worlds.connect(world.caller), window)


def _mark_again(passage: Passage) -> None:
    with suppress(HqtError):
        world = worlds.again(passage.world)
        if window := world.window_of(passage.session):
            tree = world.worktree_of(passage.session)
            placement.mark(world, window, passage.session, tree)
