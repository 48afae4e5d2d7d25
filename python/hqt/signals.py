"""INT, TERM and HUP as an exception, so that an interrupted verb rolls back like a failed one."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from hqt.errors import Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 2.0  # seconds that foreign code gets to end by itself
_AGAIN = 0.5  # seconds until it is interrupted once more


class _Handler:
    """Raises the first signal as `Interrupted`, or gives it to whoever takes it meanwhile."""

    def __init__(self) -> None:
        self.take: Callable[[Interrupted], None] | None = None

    def __call__(self, number: int, _: FrameType | None) -> None:
        ignore()
        error = Interrupted(signal.Signals(number).name)
        if self.take is None:
            raise error
        _insist(error)
        self.take(error)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` at the first INT, TERM or HUP; ignore the later ones, so that the
    rollback that the first one started runs to its end. An inherited "ignore" is kept (nohup)."""
    handler = _Handler()
    previous = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, before in previous.items():
        if before is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


@contextmanager
def handed_to(take: Callable[[Interrupted], None]) -> Iterator[None]:
    """Inside, give the first signal to `take` instead of raising it: for an event loop, where an
    exception out of nowhere takes a task's next step along, and that task is waited for without
    end. `take` runs wherever the main thread is, and sees to it that the block is left.

    Should that take too long, the signal is raised after all, again and again until it has come
    through. Signals that nobody made `interruptible` are left as they are.
    """
    handlers = {one for one in map(signal.getsignal, _SIGNALS) if isinstance(one, _Handler)}
    alarm = signal.getsignal(signal.SIGALRM)
    for handler in handlers:
        handler.take = take
    try:
        yield
    finally:
        for handler in handlers:
            handler.take = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm)


def _insist(error: Interrupted) -> None:
    def interrupt(_: int, __: FrameType | None) -> None:
        raise error

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _AGAIN)


def ignore() -> None:
    """From here on nothing interrupts: used past a point of no return. Signals are the main
    thread's; in another one, where a screen does its work, there is nothing to do."""
    if not are_mine():
        return
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def are_mine() -> bool:
    """Whether signals interrupt what this thread does."""
    return threading.current_thread() is threading.main_thread()


def interrupt() -> None:
    """Interrupt this process, from any thread, as if somebody had asked it to stop. By TERM: it is
    the one that is hardly ever inherited as ignored."""
    os.kill(os.getpid(), signal.SIGTERM)
