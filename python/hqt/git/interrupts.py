"""Holding back INT, TERM and HUP while something is made and noted down in one breath."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held_back() -> Iterator[None]:
    """Let no interrupt in between the lines of this block; what arrived is delivered at its end.

    Python runs handlers in the main thread only, so elsewhere there is nothing to hold back.
    Children are not affected: a caught signal has its default again in what they execute.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        arrived.append(number)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    ours = [number for number in _SIGNALS if before[number] not in (signal.SIG_IGN, None)]
    try:
        for number in ours:
            signal.signal(number, note)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
        if arrived:
            os.kill(os.getpid(), arrived[0])
