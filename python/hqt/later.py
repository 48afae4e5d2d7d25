"""Work that begins now, in a thread, and whose answer is asked for later.

Nobody waits for the thread at the end of the process: what never answers keeps nothing from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """The answer of `work()`, which has been begun."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.done = threading.Event()
        self._answers: list[T] = []
        self._failures: list[BaseException] = []
        threading.Thread(target=self._run, args=(work,), daemon=True).start()

    def answer(self) -> T:
        """What `work` returned, once it is `done`. Raises what it raised."""
        self.done.wait()
        for failure in self._failures:
            raise failure
        return self._answers[0]

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._answers.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again for whoever asks)
            self._failures.append(error)
        self.done.set()
