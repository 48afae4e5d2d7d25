"""A screen that is struck by a signal at each step of its event loop: `struck.py key|end`.

It ends by a key, or because its terminal is gone. Each time the signal comes a few steps later,
until the screen ends before it. Printed is when it came and how the screen ended.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from hqt.errors import Interrupted
from hqt.signals import interruptible
from hqt.ui import confirm

STRIDE = 7  # no step is the only one of its kind


class Striker(DummyOutput):
    """From the first frame on counts the steps of asyncio: a function of its begins, or one that is
    not written in Python ends. The signal comes at step `at`."""

    def __init__(self, pipe: PipeInput, at: int) -> None:
        self.left = at
        self._pipe = pipe

    def enter_alternate_screen(self) -> None:
        if sys.argv[1] == "key":
            self._pipe.send_text("\x03")
        else:
            self._pipe.close()
        sys.setprofile(self._strike)

    def _strike(self, frame: FrameType, event: str, _: object) -> None:
        if event in {"call", "c_return"} and "asyncio" in frame.f_code.co_filename:
            self.left -= 1
            if self.left == 0:
                signal.raise_signal(signal.SIGHUP)


def main() -> None:
    at, striking = 0, True
    while striking:
        at += STRIDE
        with create_pipe_input() as pipe, interruptible():
            striker = Striker(pipe, at)
            try:
                confirm.run(confirm.RemovalQuestion("Remove it?"), input=pipe, output=striker)
                how = "left"
            except Interrupted as error:
                how = error.message
            finally:
                sys.setprofile(None)
        striking = striker.left <= 0
        sys.stdout.write(f"{at} {how}\n")


if __name__ == "__main__":
    main()
