"""The first frame is there before the library, and the terminal is given back as it was."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PATHS = os.pathsep.join((str(HERE.parents[1] / "python"), str(HERE.parent)))
SHOW = HERE / "show.py"
PATIENCE = 20.0


class Pty:
    """A terminal of 80 × 20 with a program in it."""

    def __init__(self, program: Path, arguments: tuple[str, ...], path: str) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 80, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.drawn = b""
        self.process = subprocess.Popen(
            [sys.executable, str(program), *arguments],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            env={**os.environ, "PYTHONPATH": path, "TERM": "xterm-256color"},
            start_new_session=True,
        )

    def see(self, word: bytes) -> None:
        """Read until a word has been drawn."""
        deadline = time.monotonic() + PATIENCE
        while word not in self.drawn and time.monotonic() < deadline:
            if select.select([self.ours], [], [], 0.1)[0]:
                self.drawn += os.read(self.ours, 65536)
        assert word in self.drawn, self.drawn

    def end(self) -> int:
        """Read to the end; the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            if select.select([self.ours], [], [], 0.01)[0]:
                self.drawn += os.read(self.ours, 65536)
        return self.process.wait(1)

    def press(self, keys: bytes) -> None:
        os.write(self.ours, keys)


@contextmanager
def terminal(*arguments: str, program: Path = SHOW, path: str = PATHS) -> Iterator[Pty]:
    opened = Pty(program, arguments, path)
    try:
        yield opened
    finally:
        opened.process.kill()
        opened.process.wait()
        os.close(opened.ours)
        os.close(opened.theirs)


def test_it_waits_for_no_import(tmp_path: Path) -> None:
    """With a library that cannot be imported the form is on screen all the same."""
    (tmp_path / "prompt_toolkit.py").write_text("raise SystemExit('no library')")
    with terminal("form", path=f"{tmp_path}{os.pathsep}{PATHS}") as screen:
        screen.see(b"no library")
        drawn = screen.drawn
        assert drawn.index(b"?1049h") < drawn.index(b"Isolate") < drawn.index(b"?1049l")
        assert screen.end() == 1
        assert termios.tcgetattr(screen.theirs) == screen.before


@pytest.mark.parametrize(
    ("arguments", "keys", "result"),
    [
        (("form",), b"\x1b", b"ended with None"),
        (("form",), b"early\r", b"nickname='early'"),
        (("picker",), b"\x0e", b"Action.NEW"),
        (("confirm", "main"), b"\x03", b"ended with None"),
    ],
)
def test_early_keys_are_kept_and_nothing_is_left_behind(
    arguments: tuple[str, ...], keys: bytes, result: bytes
) -> None:
    with terminal(*arguments) as screen:
        screen.see(b"?1049h")
        screen.press(keys)  # the library is not there yet to read them
        screen.see(result)
        assert screen.end() == 0
        assert screen.drawn.rindex(b"?1049l") > screen.drawn.rindex(b"?1049h")
        assert b"?1000l" in screen.drawn  # the mouse is the terminal's again
        assert b"?25h" in screen.drawn[screen.drawn.rindex(b"?25l") :]
        assert termios.tcgetattr(screen.theirs) == screen.before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(tmp_path: Path, number: signal.Signals) -> None:
    """As hqt handles them: by an exception in the main thread, whatever that does just then."""
    program = tmp_path / "program.py"
    program.write_text(
        "import runpy, sys\n"
        "from hqt.signals import interruptible\n"
        "with interruptible():\n"
        f"    runpy.run_path({str(HERE / 'show.py')!r}, run_name='__main__')\n"
    )
    with terminal("picker", program=program) as screen:
        screen.see(b"fix-login")
        screen.process.send_signal(number)
        screen.see(b"Interrupted")
        assert screen.end() == 1
        assert screen.drawn.index(b"Interrupted") > screen.drawn.rindex(b"?1049l")
        assert termios.tcgetattr(screen.theirs) == screen.before
