"""The per-repository lock: one changing verb at a time, outermost (design §3).

A `flock` on `<common directory>/hqt/lock`. The kernel drops it when its holder dies, whatever the
way, so a crash never leaves it behind; the file itself stays and only says who holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Repository

_STEP = 0.02  # seconds between two attempts


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock, by its own word."""

    pid: int
    verb: str
    since: int  # seconds since the epoch


@contextlib.contextmanager
def repository_lock(repo: Repository, verb: str, *, wait: float = 10.0) -> Iterator[None]:
    """Hold the repository's lock for the body, as `verb`.

    Raises `repository_locked`, naming the holder, when another process has it for all of `wait`
    seconds, and `git_failed` where the common directory cannot be written. Not re-entrant.
    """
    descriptor = _open(repo.common_dir)
    try:
        deadline = time.monotonic() + wait
        while not taken(descriptor):
            if time.monotonic() >= deadline:
                raise _held(descriptor, wait)
            time.sleep(_STEP)
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
        path = own_directory(common_dir) / "lock"
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


def taken(descriptor: int) -> bool:
    """Try to lock an open file for this process alone, without waiting. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(descriptor: int, text: str) -> None:
    with contextlib.suppress(OSError):  # the name of the holder is a courtesy
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)


def _holder(descriptor: int) -> Holder | None:
    pid, _, rest = os.pread(descriptor, 256, 0).decode(errors="replace").strip().partition(" ")
    since, _, verb = rest.partition(" ")
    return Holder(int(pid), verb, int(since)) if pid.isdigit() and since.isdigit() else None


def _held(descriptor: int, wait: float) -> HqtError:
    holder = _holder(descriptor)
    who = (
        f"hqt {holder.verb} (process {holder.pid}, since"
        f" {time.strftime('%H:%M:%S', time.localtime(holder.since))})"
        if holder
        else "Another hqt"
    )
    return HqtError(
        Code.REPOSITORY_LOCKED,
        f"{who} is changing this repository and did not finish within {wait:g} seconds;"
        " nothing was changed.",
        "Wait for it to end, then run the same command again.",
        {"pid": holder.pid, "verb": holder.verb, "since": holder.since} if holder else {},
    )
