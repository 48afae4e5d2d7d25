"""Carries out the plan for a fresh worktree's files: copies, links, nothing ever overwritten."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from hqt.sessions.setup_files import SetupPlan, Step

_FICLONE = 0x40049409  # linux/fs.h: _IOW(0x94, 9, int): share the blocks until one side changes
_NO_CLONE = frozenset({errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS})


def carry_out(
    plan: SetupPlan, on_step: Callable[[int, int], None] | None = None
) -> tuple[str, ...]:
    """Make what the plan says; returns a sentence for each step that failed.

    `on_step` is told how many are done, of how many. A failure stops only its own step: a worktree
    without its `.env` is still a worktree. What was begun and not finished is removed.
    """
    failures = []
    for done, step in enumerate(plan.steps, 1):
        try:
            _make(step)
        except OSError as error:
            failures.append(f"{step.target}: {error.strerror or error}.")
        if on_step is not None:
            on_step(done, len(plan.steps))
    return tuple(failures)


def _make(step: Step) -> None:
    step.target.parent.mkdir(parents=True, exist_ok=True)
    if step.kind == "folder":
        step.target.mkdir(exist_ok=True)
    elif step.kind == "link":
        step.target.symlink_to(step.source)
    elif step.source.is_symlink():
        step.target.symlink_to(step.source.readlink())
    else:
        _copy(step.source, step.target)


def _copy(source: Path, target: Path) -> None:
    """A regular file with its mode and times. Neither side is reached through a link."""
    reading = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    writing = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.ExitStack() as stack:
        old = os.open(source, reading)
        stack.callback(os.close, old)
        about = os.fstat(old)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is no longer a file")
        new = os.open(target, writing, 0o600)
        stack.callback(os.close, new)
        try:
            if not _cloned(old, new):
                with open(old, "rb", closefd=False) as r, open(new, "wb", closefd=False) as w:
                    shutil.copyfileobj(r, w, 1 << 20)
            os.fchmod(new, about.st_mode & 0o777)
            os.utime(new, ns=(about.st_atime_ns, about.st_mtime_ns))
        except BaseException:
            target.unlink(missing_ok=True)
            raise


def _cloned(source: int, target: int) -> bool:
    """Whether the file system now shares the content, copy-on-write."""
    import fcntl

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno in _NO_CLONE:
            return False
        raise
    return True
