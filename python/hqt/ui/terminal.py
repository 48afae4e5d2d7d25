"""The first paint: the screen is drawn before the library that will run it is imported.

Importing prompt_toolkit takes about a tenth of a second where nothing is warm; the frame takes
none of it. Keys pressed meanwhile wait in the terminal, unechoed, and are read once the library is
there.
"""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hqt.errors import Code, HqtError
from hqt.ui.view import View, ansi

_ENTER = "\x1b[?1049h\x1b[H\x1b[2J"
_LEAVE = "\x1b[?25h\x1b[?1049l"
_IFLAG, _LFLAG = 0, 3  # places in the list of `termios.tcgetattr`


def require_terminal() -> tuple[int, int]:
    """The descriptors to read keys from and to draw on; HqtError `usage` where there is none."""
    reads = _first_terminal(sys.stdin, sys.stdout, sys.stderr)
    draws = _first_terminal(sys.stdout, sys.stderr, sys.stdin)
    if reads is None or draws is None:
        raise HqtError(
            Code.USAGE,
            "This screen needs a terminal, and there is none here; nothing was done.",
            "Run it in a terminal, or use the verb with arguments instead.",
        )
    return reads, draws


def _first_terminal(*streams: object) -> int | None:
    for stream in streams:
        try:
            number: int = stream.fileno()  # type: ignore[attr-defined]  # streams may be None
        except (AttributeError, OSError, ValueError):
            continue
        if os.isatty(number):
            return number
    return None


@contextmanager
def painted(view: Callable[[int, int], View]) -> Iterator[None]:
    """Draw `view(width, height)` at once; whatever happens inside, the terminal is given back."""
    reads, draws = require_terminal()
    before = termios.tcgetattr(reads)
    try:
        _silence(reads)
        size = os.get_terminal_size(draws)
        frame = ansi(view(size.columns, size.lines), colour="NO_COLOR" not in os.environ)
        _write(draws, _ENTER + frame)
        yield
    finally:
        try:
            _write(draws, _LEAVE)
        finally:  # at once: a terminal that takes no more output would be waited for
            termios.tcsetattr(reads, termios.TCSANOW, before)


def _silence(descriptor: int) -> None:
    """Keys come one by one and are not echoed; what was typed before is kept."""
    attributes = termios.tcgetattr(descriptor)
    attributes[_IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR)
    attributes[_LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _write(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(descriptor, data) :]
