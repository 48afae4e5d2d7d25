"""A warm server for a test, and calls that go through it or fail: none goes the cold way unseen."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.calls import PYTHON, Call
from helpers.plugin import ROOT, kept_bytecode
from helpers.servers import Server, until

COLD = 99  # the status of a call that the warm server did not take
_CLIENT = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[:2] = ['hqt']; "
    "from hqt.warm import client; status = client.call(sys.argv[1:]); "
    f"sys.exit({COLD} if status is None else status)"
)
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[:2] = ['hqt']; "
    "from hqt.__main__ import main; sys.exit(main())"
)


def _words(code: str, arguments: tuple[str | Path, ...]) -> list[str]:
    options = ["-I", "-S", "-X", "utf8", "-X", f"pycache_prefix={kept_bytecode()}"]
    return [
        sys.executable,
        *options,
        "-c",
        code,
        str(PYTHON),
        *(os.fspath(one) for one in arguments),
    ]


def warm_words(*arguments: str | Path) -> list[str]:
    """The command line of a call through the warm server, `COLD` if there is none."""
    return _words(_CLIENT, arguments)


def usual_words(*arguments: str | Path) -> list[str]:
    """The command line of a call as the launcher makes it, warm or cold."""
    return _words(_START, arguments)


def run(words: list[str], *, cwd: Path | None = None, **env: str) -> Call:
    """Run a command line without a terminal."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Call(done.returncode, *map(os.fsdecode, (done.stdout, done.stderr)))


def lasting() -> dict[str, str]:
    """The environment of a call by the warm server that serves this whole run of tests: with the
    process of the tests in the place of the tmux server, where the call is inside none."""
    folder = Path(tempfile.gettempdir()) / f"hqt-tests-warm-{os.getpid()}"
    if not folder.exists():
        folder.mkdir(mode=0o700)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tmux = os.environ.get("TMUX") or f"/nonexistent,{os.getpid()},0"
    env = {"XDG_RUNTIME_DIR": str(folder), "TMUX": tmux}
    Warm(folder / "hqt", int(tmux.rsplit(",", 2)[1])).start(**env)
    return env


@dataclass(frozen=True)
class Warm:
    """The warm server of a tmux server."""

    folder: Path
    tmux: int

    @property
    def sockets(self) -> list[Path]:
        """Those of this tmux server's servers."""
        return [one for one in self.folder.glob(f"{self.tmux}-*") if one.suffix != ".lock"]

    @property
    def pid(self) -> int:
        """The process of the one that listens, found without bothering it; 0 if none does."""
        if not self.sockets:
            return 0
        for process in Path("/proc").iterdir():
            if process.name.isdecimal() and self._is(process):
                return int(process.name)
        return 0

    def _is(self, process: Path) -> bool:
        """Whether it is a server, no child of one, of this tmux server."""
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            parent = (process / "stat").read_text().rsplit(") ")[-1].split()[1]
            said = (process / "environ").read_bytes().split(b"\0")
            leader = int(process.name) == os.getsid(int(process.name))
            alone = b"--warm" not in Path(f"/proc/{parent}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        inside = any(
            one.startswith(b"TMUX=") and one.split(b",")[-2:-1] == [b"%d" % self.tmux]
            for one in said
        )
        return b"--warm" in words and inside and leader and alone

    @property
    def answers(self) -> bool:
        """Whether it takes a connection."""
        for path in self.sockets:
            with socket.socket(socket.AF_UNIX) as connection:
                try:
                    connection.connect(str(path))
                except OSError:
                    continue
                return True
        return False

    def start(self, **env: str) -> Warm:
        """Start it, unless it is there; wait until it listens."""
        if self.answers:
            return self
        subprocess.run(
            usual_words("--warm", "on"),
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            timeout=20,
            check=True,
        )
        assert until(lambda: self.answers), "the warm server does not come up"
        return self

    def end(self) -> None:
        """End it, whatever state it is in."""
        if pid := self.pid:
            os.kill(pid, signal.SIGKILL)


def warm(environ: Mapping[str, str], tmux: int) -> Warm:
    """The warm server that calls with this environment would have."""
    runtime = environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime, "hqt") if runtime else Path(environ["HOME"], ".local/state/hqt/warm")
    return Warm(folder, tmux)


def load(server: Server) -> None:
    """Load the plugin, and wait for the warm server that it starts: a key that comes before costs a
    second start of everything. Where `HQT_WARM` is off each key starts cold."""
    server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    if sys.platform == "linux" and os.environ.get("HQT_WARM") != "off":
        found = warm(os.environ, server.pid)
        assert until(lambda: found.sockets), "the warm server does not come up"


def children(pid: int) -> list[int]:
    """The processes that a process has forked, zombies included; of a warm server those that work
    for a call."""
    return [one for one in _forked(pid) if one not in spares(pid)]


def spares(server: int) -> list[int]:
    """The children of a warm server that wait for a call: they are in its session still."""
    try:
        words = Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
    return [one for one in _forked(server) if b"--warm" in words and _session(one) == server]


def _forked(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rsplit(b") ")[-1][:1] not in b"ZX"
    except OSError:
        return False
