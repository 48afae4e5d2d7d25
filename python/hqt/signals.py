"""INT, TERM and HUP as an exception, so that an interrupted verb rolls back like a failed one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from hqt.errors import Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` at the first INT, TERM or HUP; ignore the later ones, so that the
    rollback that the first one started runs to its end. An inherited "ignore" is kept (nohup)."""

    def interrupt(number: int, _: FrameType | None) -> None:
        ignore()
        raise Interrupted(signal.Signals(number).name)

    previous = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in previous.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def ignore() -> None:
    """From here on nothing interrupts: used past a point of no return. Signals are the main
    thread's; in another one, where a screen does its work, there is nothing to do."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
