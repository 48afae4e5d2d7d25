"""A person's terminal: an attached tmux client whose keys are pressed and whose output is read."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from types import TracebackType

from bench.world import World

PATIENCE = 20.0  # seconds until something must be on the screen


class Terminal:
    """An attached client of the world's server. What tmux draws arrives here as bytes."""

    def __init__(self, world: World, columns: int = 200, rows: int = 50) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._client = subprocess.Popen(
            ["tmux", "-u", "-L", world.socket, "attach"],
            env=world.env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self._seen = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.kill()  # one that waits to draw on a terminal nobody reads ignores TERM
        self._client.wait(10)
        os.close(self._master)

    def press(self, keys: bytes) -> None:
        """Send keys, and forget what was drawn before them."""
        self._read(0)
        self._seen = b""
        os.write(self._master, keys)

    def see(self, text: bytes) -> None:
        """Wait until `text` has been drawn since the last keys."""
        deadline = time.monotonic() + PATIENCE
        while text not in self._seen:
            if not self._read(deadline - time.monotonic()):
                raise RuntimeError(f"{text!r} did not appear; drawn last: {self._seen[-200:]!r}")

    def settle(self, quiet: float = 0.3) -> None:
        """Wait until nothing has been drawn for `quiet` seconds."""
        while self._read(quiet):
            pass

    def _read(self, patience: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, patience))
        if ready:
            self._seen += os.read(self._master, 65536)
        return bool(ready)
