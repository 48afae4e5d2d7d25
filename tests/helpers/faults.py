"""Making the n-th thing that a story does to the disk, or asks of git, go wrong.

Every call that changes anything passes here: renames, links, folders, files opened for writing,
modes, syncs, deletions, and each start of git. The real thing still happens up to the fault.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from hqt.errors import Code, HqtError
from hqt.git import process

CALLS = """rename replace mkdir rmdir unlink link symlink mknod chmod fchmod chown utime
fsync truncate ftruncate""".split()


Story = Callable[[], object]


class Killed(BaseException):
    """`kill -9`: from here on nothing that the process would do happens any more."""


@dataclass
class Fault:
    """What goes wrong, and when; and what had been called by then."""

    at: int  # number of the call, from 1; 0: never
    kind: str  # "error": that call fails; "full": all from there on; "killed": nothing happens
    calls: list[str] = field(default_factory=list)

    @property
    def happened(self) -> bool:
        return 0 < self.at <= len(self.calls)

    def meet(self, name: str) -> None:
        """Count a call, and fail it if it is one of those that do."""
        over = self.happened and self.kind == "error"
        self.calls.append(name)
        if over or not self.happened:
            return
        if self.kind == "killed":
            raise Killed
        if name == "git":
            raise HqtError(Code.GIT_FAILED, "git could not be started.", "Install git.")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def fault(at: int = 0, kind: str = "error") -> Iterator[Fault]:
    """Let the `at`-th call of the block go wrong. A kill ends the block, quietly."""
    one = Fault(at, kind)
    with ExitStack() as stack:
        real = {name: getattr(os, name) for name in CALLS}
        ours = {name: _through(one, name, call) for name, call in real.items()}
        for name, call in ours.items():
            stack.enter_context(mock.patch.object(os, name, call))
        # shutil asks whether a call can act on a link, and so must get the same answer.
        able = {ours[name] for name in CALLS if real[name] in os.supports_follow_symlinks}
        widened = os.supports_follow_symlinks | able
        stack.enter_context(mock.patch.object(os, "supports_follow_symlinks", widened))
        # That a write is on disk after a power cut no test here can see; the other calls are real.
        stack.enter_context(mock.patch.object(os, "sync", _through(one, "sync", _nothing)))
        opened = _opening(one, builtins.open)
        stack.enter_context(mock.patch.object(builtins, "open", opened))
        stack.enter_context(mock.patch.object(io, "open", opened))
        start = _through(one, "git", process._start)
        stack.enter_context(mock.patch.object(process, "_start", start))
        with suppress(Killed):
            yield one


def walk(story: Story, after: Callable[[Fault], None], kind: str, step: int = 1) -> int:
    """Tell `story` again and again, each time with the fault `step` calls later, until it has none.

    The number of the last call that failed.
    """
    for at in range(1, 1000, step):
        with fault(at, kind) as met, suppress(OSError, HqtError):
            story()
        after(met)
        if not met.happened:
            return at - step
    raise AssertionError("it never ends")


def _nothing() -> None:
    pass


def _through(one: Fault, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        one.meet(name)
        return real(*arguments, **named)

    return call


def _opening(one: Fault, real: Callable[..., Any]) -> Callable[..., Any]:
    def call(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if set(mode) & set("wax+"):
            one.meet("open")
        return real(file, mode, *arguments, **named)

    return call
