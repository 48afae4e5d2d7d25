"""Private tmux servers for tests: a socket of their own, no user configuration, surely ended."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hqt.tmux.formats import unquote
from hqt.tmux.server import Tmux

DEADLINE = 10.0  # seconds until a test gives up waiting
SESSION = "main"
Seen = TypeVar("Seen")


def until(look: Callable[[], Seen], timeout: float = DEADLINE) -> Seen:
    """Look again and again until there is something to see; the last look when time is up.

    A look that costs is taken less often, and so is one for what takes its time: most of the
    machine is left to what is waited for.
    """
    start = time.monotonic()
    while True:
        began = time.monotonic()
        if (seen := look()) or began >= start + timeout:
            return seen
        now = time.monotonic()
        time.sleep(max(0.01, 3 * (now - began), min(0.1, (now - start) / 8)))


@dataclass(frozen=True, slots=True)
class Server:
    """A tmux server that only this test knows."""

    socket: str  # its -L name
    pid: int

    @property
    def tmux(self) -> Tmux:
        """What hqt would talk to it with."""
        return Tmux(socket_name=self.socket)

    def cmd(self, *arguments: str, check: bool = True) -> str:
        """What `tmux ARGUMENTS…` prints, without its last newline; undecodable bytes escaped."""
        done = subprocess.run(
            ["tmux", "-u", "-L", self.socket, *arguments],
            capture_output=True,
            check=False,
            timeout=DEADLINE,
        )
        if check and done.returncode:
            raise AssertionError(f"tmux {arguments}: {os.fsdecode(done.stderr)}")
        return os.fsdecode(done.stdout).removesuffix("\n")

    def ask(self, form: str, target: str = f"{SESSION}:") -> str:
        """A format, as seen from a target."""
        return self.cmd("display-message", "-p", "-t", target, form)

    def option(self, name: str, *scope: str) -> str | None:
        """An option's value, byte for byte; None when it is not set. Scope: `-w -t @1`, `-s`, …"""
        found = self.cmd("show-options", "-q", *scope, name)
        return unquote(found.partition(" ")[2]) if found else None

    def windows(self, form: str = "#{window_id}") -> list[str]:
        """A format for each window of each session."""
        return self.cmd("list-windows", "-a", "-F", form).splitlines()


def start(
    *config: str,
    cwd: Path | None = None,
    session: str = SESSION,
    size: tuple[int, int] = (120, 40),
    command: tuple[str, ...] = (),
) -> Server:
    """A detached server with one session of one window in `cwd`, of so many columns and rows, that
    runs `command`, else /bin/sh."""
    socket = f"hqt-{secrets.token_hex(4)}"
    conf = Path(os.environ["HOME"]) / f"{socket}.conf"
    conf.write_text("\n".join(("set -g default-shell /bin/sh", *config, "")))
    done = subprocess.run(
        f"tmux -u -L {socket} -f {conf} new-session -d -P -F".split()
        + ["#{pid}"]
        + f"-s {session} -x {size[0]} -y {size[1]}".split()
        + (["-c", str(cwd)] if cwd else [])
        + ["--", *command],
        stdout=subprocess.PIPE,
        check=True,
        timeout=DEADLINE,
    )
    return Server(socket, int(done.stdout))


def end(server: Server) -> None:
    """End the server and wait until it is gone, even when it was stopped or hangs."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(server.pid, signal.SIGCONT)
        if _is_known(server):
            os.kill(server.pid, signal.SIGTERM)  # which is all that kill-server does
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.cmd("kill-server", check=False)
        if not until(lambda: not _lives(server.pid), 3):
            os.kill(server.pid, signal.SIGKILL)
            until(lambda: not _lives(server.pid))


@contextlib.contextmanager
def running(*config: str, cwd: Path | None = None) -> Iterator[Server]:
    """A server for the length of a block."""
    server = start(*config, cwd=cwd)
    try:
        yield server
    finally:
        end(server)


def width(text: str) -> int:
    """The columns that `text` takes on a screen."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def has(program: str) -> bool:
    """Whether this machine has a program."""
    return shutil.which(program) is not None


def _is_known(server: Server) -> bool:
    """Whether its process is still this very server; not known where there is no /proc."""
    with contextlib.suppress(OSError):
        return os.fsencode(server.socket) in Path(f"/proc/{server.pid}/cmdline").read_bytes()
    return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().split(b") ")[-1][:1] != b"Z"
    except OSError:
        if Path("/proc/self").exists():
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
