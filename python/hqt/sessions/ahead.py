"""The window of a big repository's new worktree, on screen before its files.

It shows how far the checkout has come, and nothing else is bound to it yet: until the session's row
is there, only its label tells whose it will be. Then its pane becomes the harness. To close it
before that is to cancel: this process is interrupted and takes everything back, as it does for a
signal.
"""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import signals
from hqt.errors import Code, HqtError, Interrupted, on_failure
from hqt.models import Progress, Session, Worktree
from hqt.names import printable
from hqt.sessions import placement
from hqt.sessions import world as worlds
from hqt.sessions.placement import Place
from hqt.sessions.planning import Plan
from hqt.sessions.world import World

if TYPE_CHECKING:
    from hqt.sessions.launching import Launching
    from hqt.tmux.feed import Feed
    from hqt.tmux.windows import Window

# Files from which on it is worth it. Git writes some 20,000 a second: below, the files are there
# before anybody has read what the window says, and it would only flicker.
BIG = 5_000

_CELLS, _FEW_CELLS = 30, 10  # of the bar
_NAMED = 60  # columns for the label
_HINT = "Ctrl-C cancels"
_SIGNS = {"unicode": ("█", "░"), "ascii": ("#", "-")}


def is_big(world: World) -> bool:
    """Whether a new worktree's files will take their time, as far as can be told before."""
    from hqt.git import creation

    return not world.plain and creation.size_of(world.repository) >= BIG


class Ahead:
    """That window, which is opened once the checkout turns out to be a big one, if it does."""

    def __init__(self, world: World, where: Place, plan: Plan, switch: bool | None) -> None:
        self._world, self._where, self._plan, self._switch = world, where, plan, switch
        self._tmux = worlds.connect(world.caller)
        self._tried = False
        self._feed: Feed | None = None
        self._window: Window | None = None

    def hearing(self, progress: Progress | None, undo: ExitStack) -> Progress | None:
        """What to tell of the creation, instead of `progress`, which hears all of it. When `undo`
        is left by an exception, the window goes; closed by the user, it is the reason."""
        from hqt.git import creation

        if 0 < creation.size_of(self._world.repository) < BIG or not signals.are_mine():
            return progress  # nothing is slower where nothing is gained, or nobody could cancel

        def tell(stage: str, done: int, total: int) -> None:
            if not self._tried and stage == "checkout" and total >= BIG and done < total:
                self._tried = True
                with contextlib.suppress(OSError):  # no pipe, no window: then it comes afterwards
                    self._open(undo)
            if progress:
                progress(stage, done, total)
            if self._feed and stage == "checkout":
                self._feed.say(*self._lines(done, total))

        return tell

    def become(
        self, session: Session, tree: Worktree, launching: Launching, start: Path
    ) -> Window | None:
        """Let the session's program take over in the window; None when there is none, or when its
        pane could not be fed. Raises `interrupted` when it was closed."""
        from hqt.tmux import status_line, windows

        if self._feed is None or self._window is None:
            return None
        self._feed.stop()
        if self._feed.closed:
            raise self._was_closed()
        marks = placement.marks(self._world, session, tree)
        windows.set_options(self._tmux, self._window.id, {**marks, "remain-on-exit": ""})
        try:
            placement.respawn(self._world, self._window.pane, session, launching, start)
        except HqtError as error:
            if windows.is_there(self._tmux, self._window.pane):
                raise
            if self._feed.opened:
                raise self._was_closed() from error
            self._feed.close()
            return None
        self._feed.close()
        if self._world.snapshot:
            status_line.offer(self._tmux, self._world.snapshot)
        return self._window

    def _open(self, undo: ExitStack) -> None:
        from hqt.git.interrupts import held_back
        from hqt.tmux import windows
        from hqt.tmux.feed import Feed

        where, select = self._where, placement.follows(self._world, self._switch)
        new = self._plan.new
        assert new is not None
        with held_back():  # a window is not easily taken back
            # What is not complete has no occupants, and nobody adopts the window; a key pressed in
            # it is meant for the repository, for the next session perhaps.
            root = self._world.repository.root
            feed = self._feed = Feed(root)
            undo.push(on_failure(self._taken_back))
            self._window = windows.open_window(
                self._tmux,
                session=where.session,
                new_session=where.new_name if where.session is None else None,
                index=where.index,
                # A tmux session of its own opens its later windows there.
                cwd=root if where.session else new.path,
                label=f"⎇ {self._plan.label}",
                command=feed.words,
                # Dead panes may be kept; this one is to go with hqt.
                options={"@hqt_branch": self._plan.label, "remain-on-exit": "off"},
                select=select,
                client=placement.client(self._world) if select else None,
            )
        pane = self._window.pane
        feed.watch(lambda: windows.is_there(self._tmux, pane), signals.interrupt)

    def _lines(self, done: int, total: int) -> tuple[str, ...]:
        """How far it is and how to stop it, from the widest line to the narrowest."""
        from hqt.tmux import formats

        share = done / total if total else 0.0
        percent, count = f"{int(share * 100):3}%", f"{done} of {total} files"
        whole = f"{count} of {formats.cut(printable(self._plan.label), _NAMED)}"
        return (
            f"{self._bar(share, _CELLS)} {percent}  {whole}  {_HINT}",
            f"{self._bar(share, _FEW_CELLS)} {percent}  {whole}  {_HINT}",
            f"{self._bar(share, _FEW_CELLS)} {percent}  {count}  {_HINT}",
            f"{percent}  {done}/{total}  {_HINT}",
            f"{percent}  {done}/{total}",
        )

    def _bar(self, share: float, cells: int) -> str:
        full, empty = _SIGNS[self._world.config.icons]
        return full * int(share * cells) + empty * (cells - int(share * cells))

    def _taken_back(self, error: BaseException) -> None:
        if self._feed is None:
            return
        from hqt.git.interrupts import held_back

        with held_back():
            self._feed.stop()
            if self._window:
                with contextlib.suppress(HqtError):  # the files are to be taken back in any case
                    self._close(self._window)
            self._feed.close()
        if isinstance(error, Interrupted) and self._feed.closed:
            raise self._was_closed() from error

    def _close(self, window: Window) -> None:
        """Close the pane, and so its window unless somebody has split it; nobody is thrown out.
        What else is in it, or in the pane itself by now, is the user's, and the window too."""
        from hqt.tmux import server, windows

        snapshot = server.read(self._tmux)
        panes = {pane.id for pane in snapshot.panes if pane.window == window.id}
        pane = next((one for one in snapshot.panes if one.id == window.pane), None)
        if pane is None or not (pane.started or pane.pid == window.pid):
            self._let_go(window)
            return
        if panes == {window.pane}:
            windows.make_way(
                self._tmux,
                snapshot,
                {window.id},
                refuge=self._world.repository.root,
                expendable={window.session_name} if self._where.session is None else (),
            )
        windows.close_pane(self._tmux, window.pane)
        if panes - {window.pane}:
            self._let_go(window)

    def _let_go(self, window: Window) -> None:
        from hqt.tmux import windows

        windows.set_options(self._tmux, window.id, {"remain-on-exit": ""})
        windows.disown(self._tmux, window.id)

    def _was_closed(self) -> HqtError:
        return HqtError(Code.INTERRUPTED, f"The window of {self._plan.label!r} was closed.")
