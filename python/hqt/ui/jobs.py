"""Work beside the screen: in daemon threads, so that leaving never waits for an answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def spawn(work: Callable[[], None]) -> None:
    """Run `work` in a thread that does not keep the process alive."""
    threading.Thread(target=work, daemon=True).start()


class Latest(Generic[T]):
    """Runs `work` for the newest request only; requests overtaken by a newer one are dropped.

    One at a time, each after `pause` seconds in which newer ones may still arrive. `work` must not
    raise. The thread lives only while there is something to do.
    """

    def __init__(self, work: Callable[[T], None], pause: float = 0.0) -> None:
        self._work = work
        self._pause = pause
        self._lock = threading.Lock()
        self._waiting: list[T] = []
        self._running = False

    def ask(self, request: T) -> None:
        """Replace whatever waits by `request`."""
        with self._lock:
            self._waiting = [request]
            if self._running:
                return
            self._running = True
        spawn(self._run)

    def _run(self) -> None:
        while True:
            if self._pause:
                time.sleep(self._pause)
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                request = self._waiting.pop()
            self._work(request)
