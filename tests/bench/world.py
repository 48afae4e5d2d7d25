"""A sealed world: a home of its own, scratch repositories, a private tmux server."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Skipped

PLUGIN = Path(__file__).resolve().parents[2]
LIMIT = 600.0  # seconds for one command
ROOM = 6 << 30  # bytes; a checkout of 100,000 small files takes 400 MB
_GITCONFIG = """\
[user]
	name = Bench
	email = bench@example.invalid
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
"""


class World:
    """Where the bench lives. Nothing in it is the user's but the programs on PATH."""

    socket = "bench"

    def __init__(self, root: Path, hqt: Path) -> None:
        self.root = root
        self.inside = ""  # what $TMUX is in a pane
        self.hqt = hqt
        home = root / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(_GITCONFIG)
        (root / "tmux").mkdir(mode=0o700)
        kept = ("GIT_", "TMUX", "XDG_", "HQT_", "PYTHON")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(kept)}
        self.env.update(
            HOME=str(home),
            TMUX_TMPDIR=str(root / "tmux"),
            LC_ALL="C.UTF-8",
            SHELL="/bin/sh",
            TERM="xterm-256color",
            HQT_PYTHON=sys.executable,  # the environment that runs the bench has what hqt needs
        )

    def run(self, argv: Sequence[str | Path], cwd: Path | None = None) -> str:
        """Run a command to its end and return its standard output; a failure is an error."""
        done = subprocess.run(
            [str(part) for part in argv],
            cwd=cwd or self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=LIMIT,
            check=False,
        )
        if done.returncode:
            command = shlex.join(str(part) for part in argv)
            raise RuntimeError(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout.removesuffix("\n")

    def git(self, cwd: Path, *arguments: str | Path) -> str:
        return self.run(["git", *arguments], cwd)

    def tmux(self, *arguments: str | Path) -> str:
        return self.run(["tmux", "-u", "-L", self.socket, *arguments])

    def argv(self, cwd: Path, *arguments: str | Path) -> list[str]:
        """hqt as it is called in a pane of the private server."""
        words = [str(self.hqt), "-L", self.socket, "-C", str(cwd), *map(str, arguments)]
        return ["env", f"TMUX={self.inside}", *words]

    def warm_up(self) -> None:
        """Start the warm server, as the plugin does, and wait until calls go through it."""
        import time

        subprocess.Popen(
            [self.hqt, "--warm", "on"],
            env={**self.env, "TMUX": self.inside},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + LIMIT
        while not any(self.root.rglob(f"warm/{self.inside.rsplit(',')[-2]}-*")):
            if time.monotonic() > deadline:
                raise RuntimeError("the warm server did not start")
            time.sleep(0.05)
        self.run(self.argv(self.root, "--version"))

    def verb(self, cwd: Path, *arguments: str | Path) -> str:
        return self.run(self.argv(cwd, *arguments))

    def require_verbs(self, *verbs: str) -> None:
        """Raise Skipped where hqt lacks one of `verbs`."""
        for verb in verbs:
            try:
                self.run([self.hqt, verb, "--help"])
            except RuntimeError as error:
                raise Skipped(f"hqt has no `{verb}` here ({str(error).splitlines()[-1]})") from None

    def repository(self, name: str, files: int) -> Path:
        """A repository with one commit of so many small files, checked out."""
        path = self.root / name
        path.mkdir()
        self.git(path, "init", "-q")
        stream = "".join(
            [
                "commit refs/heads/main\ncommitter Bench <bench@example.invalid> 0 +0000\n",
                "data 5\nFirst\n",
                *(
                    f"M 100644 inline d{n // 1000}/s{n // 50 % 20}/file{n}\n"
                    f"data {len(str(n)) + 1}\n{n}\n\n"
                    for n in range(files)
                ),
            ]
        )
        subprocess.run(
            ["git", "fast-import", "--quiet"],
            cwd=path,
            env=self.env,
            input=stream.encode(),
            check=True,
            timeout=LIMIT,
        )
        self.git(path, "reset", "-q", "--hard", "main")
        return path.resolve()

    def windows(self) -> dict[str, str]:
        """The names of all windows by their ids."""
        lines = self.tmux("list-windows", "-a", "-F", "#{window_id} #{window_name}").splitlines()
        return {window: name for window, _, name in (line.partition(" ") for line in lines)}


def memory() -> Path | None:
    """A folder in memory, where there is room for huge repositories: on a disk, making them takes
    many times as long as what is measured."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and shutil.disk_usage(folder).free > ROOM else None


@contextmanager
def world(hqt: Path, *, warm: bool = True, place: Path | None = None) -> Iterator[World]:
    """A world with a running tmux server and hqt's warm one, all gone afterwards; in a folder of
    its own in `place`, else where temporary files are."""
    root = Path(tempfile.mkdtemp(prefix="hqt-bench-", dir=place)).resolve()
    made = World(root, hqt)
    try:
        made.tmux("-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", "200", "-y", "50")
        made.tmux("set", "-g", "status-left", "", ";", "set", "-g", "status-right", "")
        made.inside = made.tmux("display-message", "-p", "#{socket_path},#{pid},0")
        if warm:
            made.warm_up()
        else:
            made.env["HQT_WARM"] = "off"
        yield made
    finally:
        subprocess.run(
            ["tmux", "-L", World.socket, "kill-server"],
            env=made.env,
            capture_output=True,
            timeout=10,
            check=False,
        )
        shutil.rmtree(root, ignore_errors=True)
