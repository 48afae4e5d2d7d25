"""The thin shell around every screen: prompt_toolkit draws a view, edits text and reads keys.

A screen is a pure core: `step(state, event) -> state` and `view(state, width, height) -> View`.
The shell keeps the only mutable thing, which state is the current one. It feeds events in, hands
the focused text field to prompt_toolkit's line editor, and tells the screen when the state changed
so that it can start what takes time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hqt import signals
from hqt.errors import HqtError, Interrupted
from hqt.ui.events import Click, Edited, Field, Key, Outcome, Resized, Wheel
from hqt.ui.terminal import painted
from hqt.ui.view import View

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from hqt.ui.canvas import Canvas

S = TypeVar("S")
R = TypeVar("R")

# How long a lone Escape may still become an arrow or Alt-Enter. tmux hands over whole sequences.
ESCAPE_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Core(Generic[S, R]):
    """The pure functions of one screen."""

    step: Callable[[S, Any], S]
    view: Callable[[S, int, int], View]
    keys: tuple[str, ...]  # those that the core ever wants, by prompt_toolkit's names
    takes: Callable[[S, str], bool]  # whether it wants one now; else the line editor has it
    field: Callable[[S], Field | None]  # the text field in focus
    outcome: Callable[[S], Outcome[R] | None]  # not None: leave


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault in a thread, on its way to the thread of the screen."""

    error: Exception


class Shell(Generic[S, R]):
    """Runs one screen once."""

    def __init__(self, core: Core[S, R], state: S, changed: Callable[[S, S], None]) -> None:
        """`changed(before, after)` is called in the screen's thread after each event."""
        self.state = state
        self._core = core
        self._changed = changed
        self.over = False  # it has ended; nothing that is still learned will be seen
        self._inbox: deque[object] = deque()
        self._lock = threading.Lock()
        self._wake: Callable[[], None] | None = None
        self._app: Application[Outcome[R]] | None = None
        self._canvas: Canvas | None = None
        self._error: BaseException | None = None
        self._size = (0, 0)
        self._view = View(())

    def post(self, event: object) -> None:
        """Hand an event to the screen, from any thread, before, while or after it runs."""
        with self._lock:
            self._inbox.append(event)
            wake = self._wake
        if wake:
            wake()

    @contextmanager
    def faults(self) -> Iterator[None]:
        """For work in threads: what could not be learned is left out; a fault ends the screen."""
        try:
            yield
        except HqtError:
            pass
        except Exception as error:  # noqa: BLE001  # raised again by `run`, in its thread
            self.post(_Fault(error))

    def run(
        self,
        started: Callable[[], None],
        *,
        input: Input | None = None,
        output: Output | None = None,
    ) -> R | None:
        """Show the screen until its core has an outcome; the outcome's result.

        `started` is called after the first paint, before the library is imported. With `input` and
        `output` given nothing else is read or drawn on. HqtError `usage` without a terminal.
        """
        with signals.handed_to(self._interrupt):
            if input is None or output is None:
                with painted(self._paint):
                    started()
                    result = self._run(input, output)
            else:
                started()
                result = self._run(input, output)
        if self._error:  # it came when the outcome was there already
            raise self._error
        return result

    def _interrupt(self, error: Interrupted) -> None:
        """A signal, wherever it finds this thread: the lock may be this thread's own. That it also
        ends the loop's wait is asyncio's work, for as long as prompt_toolkit watches for WINCH."""
        self._error = self._error or error
        if wake := self._wake:
            wake()

    def _paint(self, width: int, height: int) -> View:
        """The view at this size, which the core is told first."""
        if (width, height) != self._size:
            self._size = (width, height)
            self.state = self._core.step(self.state, Resized(width, height))
        return self._core.view(self.state, width, height)

    def _run(self, input: Input | None, output: Output | None) -> R | None:
        from prompt_toolkit.input import create_input
        from prompt_toolkit.output import create_output

        from hqt.ui.canvas import Canvas, application, bindings

        canvas = Canvas(self._draw, self._edited, self._mouse)
        keys = bindings(self._core.keys, self._takes, self._press, self._editing)
        app: Application[Outcome[R]] = application(
            canvas,
            keys,
            input or create_input(always_prefer_tty=True),
            output or create_output(always_prefer_tty=True),
        )
        app.ttimeoutlen = app.timeoutlen = ESCAPE_SECONDS
        self._app, self._canvas = app, canvas
        canvas.edit(self._core.field(self.state))
        try:
            outcome = app.run(
                pre_run=self._listen, set_exception_handler=False, handle_sigint=False
            )
            return outcome.result
        except EOFError:  # the terminal is gone
            raise Interrupted("HUP") from None
        finally:
            self.over = True
            with self._lock:
                self._wake = None

    def _listen(self) -> None:
        from asyncio import get_running_loop

        loop = get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._guarded, self._drain)

        def failed(_: object, context: dict[str, Any]) -> None:
            self._fail(context.get("exception") or RuntimeError(context["message"]))

        loop.set_exception_handler(failed)  # asyncio keeps what a callback raises
        with self._lock:
            self._wake = wake
        loop.call_soon(self._guarded, self._drain)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run `work`; a fault in it ends the screen."""
        try:
            work()
        except (Exception, Interrupted) as error:  # noqa: BLE001  # handed on, not swallowed
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """End the screen; `run` raises `error` once the terminal is restored."""
        self._error = self._error or error
        self.over = True
        if self._app and self._app.future and not self._app.is_done:
            self._app.exit(exception=self._error)

    def _drain(self) -> None:
        if self._error:
            self._fail(self._error)
        while self._inbox:
            self._dispatch(self._inbox.popleft())
        if self._app:
            self._app.invalidate()

    def _dispatch(self, event: object) -> None:
        app, canvas = self._app, self._canvas
        if not app or not canvas or self.over or app.is_done:
            return
        if isinstance(event, _Fault):
            raise event.error
        before = self.state
        self.state = self._core.step(before, event)
        canvas.edit(self._core.field(self.state))
        if self.state is not before:
            self._changed(before, self.state)
        outcome = self._core.outcome(self.state)
        if outcome and not self.over:  # `changed` may have fed the event that ended it
            self.over = True
            app.exit(result=outcome)

    def feed(self, event: object) -> None:
        """Hand over an event at once, from `changed`: before the next key, however fast."""
        self._guarded(lambda: self._dispatch(event))

    def _takes(self, key: str) -> bool:
        return self._core.takes(self.state, key)

    def _editing(self) -> bool:
        return self._core.field(self.state) is not None

    def _press(self, key: str) -> None:
        self.feed(Key(key))

    def _edited(self, field: str, content: str, cursor: int) -> None:
        self.feed(Edited(field, content, cursor))

    def _draw(self, width: int, height: int) -> View:
        try:
            self._view = self._paint(width, height)
        except (Exception, Interrupted) as error:  # noqa: BLE001  # handed on, not swallowed
            self._fail(error)
        return self._view

    def _mouse(self, x: int, y: int, wheel: int) -> None:
        hit = self._view.hit(x, y)
        if wheel:
            self.feed(Wheel(wheel))
        elif hit and hit.target.startswith("key:"):
            self._press(hit.target.removeprefix("key:"))
        elif hit:
            self.feed(Click(hit.target, hit.offset))
