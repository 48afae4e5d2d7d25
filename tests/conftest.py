"""The seal: no test sees the user's HOME, configuration, tmux server or git environment."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import by_id, repos, servers
from hqt.tmux.server import Tmux

GITCONFIG = """\
[user]
	name = Tester
	email = tester@example.invalid
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[protocol "file"]
	allow = always
[gc]
	auto = 0
[maintenance]
	auto = false
"""
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@functools.cache
def scratch() -> Path:
    """Where the homes are made: in memory where there is plenty of it and programs can run, since
    what git does in small files a thousand times takes a fifth less there."""
    memory = Path("/dev/shm")
    with contextlib.suppress(OSError):
        kind = os.statvfs(memory)
        room = kind.f_bavail * kind.f_frsize
        if room > 4 << 30 and os.access(memory, os.W_OK) and not kind.f_flag & os.ST_NOEXEC:
            return memory
    return Path("/tmp")


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of the test's own; short, because a tmux socket's path may have 107 bytes at most."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "TMUX", "XDG_", "HQT_")):
            monkeypatch.delenv(name)
    home = Path(tempfile.mkdtemp(prefix="hqt-", dir=scratch())).resolve()
    (home / ".gitconfig").write_text(GITCONFIG)
    (home / "tmux").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMUX_TMPDIR", str(home / "tmux"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.chdir(home)
    monkeypatch.setattr(Tmux, "ask", by_id.ask)
    monkeypatch.setattr(Tmux, "looking", by_id.looking)
    handlers = {number: signal.getsignal(number) for number in HANDLED}
    yield home
    # A story called in this process ignores them past its point of no return, and what is ignored
    # here would be ignored by all that later tests start.
    for number, handler in handlers.items():
        signal.signal(number, handler)
    # What a test has started may be writing there in this very moment.
    servers.until(lambda: _gone(home), 2)


def _gone(home: Path) -> bool:
    shutil.rmtree(home, ignore_errors=True)
    return not home.exists()


@pytest.fixture
def repo(sealed: Path) -> Path:
    """The real path of a repository on `main` with one commit."""
    return repos.repository(sealed / "project")


@pytest.fixture
def tmux(sealed: Path) -> Iterator[servers.Server]:
    """A tmux server of the test's own: detached, one session `main` with one window in HOME."""
    with servers.running(cwd=sealed) as server:
        yield server
