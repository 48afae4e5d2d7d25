"""The per-repository lock: one changing verb at a time, outermost (design §3).

A `flock` on `<common directory>/hqt/lock`. The kernel drops it when its holder dies, whatever the
way, so a crash never leaves it behind; the file itself stays and only says who holds it.

Long work is not hung work: a holder that gets on touches the file (`Pulse`), and whoever waits
counts its patience from the last time that somebody did.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git.process import LONG
from hqt.models import Repository

_STEP = 0.02  # seconds between two attempts
_BEAT = 0.5  # seconds between two signs of life
_SILENT = 1.0  # seconds that nobody has to be told of


class Holder(NamedTuple):
    """Who holds the lock, by its own word."""

    pid: int
    verb: str
    since: int  # seconds since the epoch

    def __str__(self) -> str:
        since = time.strftime("%H:%M:%S", time.localtime(self.since))
        return f"hqt {self.verb} (process {self.pid}, since {since})"


class Pulse:
    """The signs of life that whoever holds a repository's lock gives while its work gets on."""

    def __init__(self, common_dir: Path) -> None:
        self._file = _file_of(common_dir)
        self._last = -_BEAT

    def beat(self, *_: object) -> None:
        """To be called whenever something is done, as often as one likes."""
        now = time.monotonic()
        if now - self._last >= _BEAT:
            self._last = now
            with contextlib.suppress(OSError):  # without it the others lose patience, no more
                os.utime(self._file)


@contextlib.contextmanager
def repository_lock(
    repo: Repository,
    verb: str,
    *,
    wait: float = 10.0,
    longest: float = LONG,
    waiting: Callable[[Holder | None], None] | None = None,
) -> Iterator[None]:
    """Hold the repository's lock for the body, as `verb`.

    Raises `repository_locked`, naming the holder, when another process has it and gives no sign of
    life for `wait` seconds, or others have it for `longest` seconds, and `git_failed` where the
    common directory cannot be written. `waiting` is told for whom, again and again once it takes
    more than a moment, and may end it by raising. Not re-entrant.
    """
    descriptor = _open(repo.common_dir)
    try:
        _take(descriptor, wait, longest, waiting)
        _sign(descriptor, f"{os.getpid()} {int(time.time())} {verb}\n")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # a full disk must not hide the body's own error
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def own_directory(common_dir: Path, *below: str) -> Path:
    """`<common directory>/hqt`, or a folder below it, made if need be. Raises OSError.

    It is as open to others as the common directory itself, as `core.sharedRepository` wants it.
    """
    directory = common_dir
    for name in ("hqt", *below):
        directory = directory / name
        with contextlib.suppress(FileExistsError):
            directory.mkdir()
            with contextlib.suppress(OSError):
                directory.chmod(stat.S_IMODE(common_dir.stat().st_mode))
    return directory


def _open(common_dir: Path) -> int:
    try:
        own_directory(common_dir)
        path = _file_of(common_dir)
        # Close-on-exec is Python's default: a git or tmux child never inherits the lock.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        with contextlib.suppress(OSError):  # of another user: it is as it should be already
            os.fchmod(descriptor, stat.S_IMODE(common_dir.stat().st_mode) & 0o666)
    except OSError as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"The repository at {common_dir} cannot be written ({error.strerror}), so nothing in it"
            " was changed.",
            "Make the folder writable for you, or work in a clone of your own.",
        ) from error
    return descriptor


def _take(
    descriptor: int,
    wait: float,
    longest: float,
    waiting: Callable[[Holder | None], None] | None,
) -> None:
    began = alive = time.monotonic()
    mark = _mark(descriptor)
    while not taken(descriptor):
        now = time.monotonic()
        if mark != (mark := _mark(descriptor)):
            alive = now
        if now >= alive + wait:
            raise _held(descriptor, f"has not got on for {wait:g} seconds")
        if now >= began + longest:
            raise _held(descriptor, f"did not finish within {longest:g} seconds")
        if waiting and now >= began + _SILENT:
            waiting(_holder(descriptor))
        time.sleep(_STEP)


def _mark(descriptor: int) -> int:
    """Another one after each sign of life, a new holder's name included."""
    return os.fstat(descriptor).st_mtime_ns


def taken(descriptor: int) -> bool:
    """Try to lock an open file for this process alone, without waiting. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(common_dir: Path) -> bool:
    """Whether somebody has the lock of this repository now, or nobody can tell. It is tried for a
    moment together with whoever else only asks; nothing is written."""
    try:
        descriptor = os.open(_file_of(common_dir), os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _file_of(common_dir: Path) -> Path:
    return common_dir / "hqt" / "lock"


def _sign(descriptor: int, text: str) -> None:
    with contextlib.suppress(OSError):  # the name of the holder is a courtesy
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)


def _holder(descriptor: int) -> Holder | None:
    pid, _, rest = os.pread(descriptor, 256, 0).decode(errors="replace").strip().partition(" ")
    since, _, verb = rest.partition(" ")
    return Holder(int(pid), verb, int(since)) if pid.isdigit() and since.isdigit() else None


def _held(descriptor: int, how: str) -> HqtError:
    holder = _holder(descriptor)
    return HqtError(
        Code.REPOSITORY_LOCKED,
        f"{holder or 'Another hqt'} is changing this repository and {how}; nothing was changed.",
        "Wait for it to end, then run the same command again.",
        {"pid": holder.pid, "verb": holder.verb, "since": holder.since} if holder else {},
    )
