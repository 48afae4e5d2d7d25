"""The one place that starts git: bounded in time, in a sealed environment, never half read."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git.interrupts import held_back

TIMEOUT = 30.0  # seconds, for a question
LONG = 600.0  # seconds, for a checkout
GRACE = 0.5  # seconds to end in when told to: git takes its lock files along
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Answer(NamedTuple):
    """What a git process said."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """Standard output without its last newline; undecodable bytes as surrogates."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def complaint(self) -> str:
        """The last line of standard error that names a fault, else the last that says something.

        Advice may follow a fault: on a lock file that is there git says which, and then what to do.
        """
        lines = [line.strip() for line in os.fsdecode(self.err).splitlines() if line.strip()]
        faults = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        return (faults or lines or [f"exit status {self.status}"])[-1]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a git child: every `GIT_*` of the caller scrubbed (git-facts §2).

    Optional locks are off, so that a question never takes `index.lock` from a command the user
    runs at the same time; nothing can prompt; messages are English.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean.update(
        GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_PAGER="cat", LC_ALL="C", LANGUAGE="C"
    )
    clean.update(extra or {})
    return clean


def ask(
    *arguments: str,
    cwd: Path,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    on_error_line: Callable[[bytes], None] | None = None,
) -> Answer:
    """Run git to its end and return what it said, whatever its exit status.

    `on_error_line` receives standard error piece by piece, split at newlines and carriage returns,
    as it comes (progress). Raises `timeout` when it takes longer than `timeout` seconds, after its
    whole process group has ended, and `git_failed` when git cannot be started at all.
    """
    long = timeout >= LONG
    child = None
    try:
        with held_back():  # interrupted before it has its name, it would run on
            child = _start(arguments, cwd, env, stdin=input is not None, writes_long=long)
        if on_error_line is None:
            out, err = child.communicate(input, timeout=timeout)
        else:
            out, err = _stream(child, input, timeout, on_error_line)
    except subprocess.TimeoutExpired:
        raise _late(arguments, cwd, timeout) from None
    finally:
        if child:
            _end(child)
    return Answer(child.returncode, out, err)


@contextlib.contextmanager
def begun(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> Iterator[Callable[[], Answer]]:
    """As `ask`, but git works while the block goes on: call what it yields for the answer.

    The time counts from the start. When the block ends, so does git, answered or not.
    """
    child = None
    deadline = time.monotonic() + timeout

    def answer() -> Answer:
        assert child
        try:
            out, err = child.communicate(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise _late(arguments, cwd, timeout) from None
        return Answer(child.returncode, out, err)

    try:
        with held_back():
            child = _start(arguments, cwd, env, stdin=False)
        yield answer
    finally:
        if child:
            _end(child)


def _dies_with_its_parent() -> Callable[[], object] | None:
    """What makes a child end when hqt is killed, where the system can (Linux, prctl(2)): a checkout
    that went on by itself would write into what the next call takes back. By TERM, at which git
    takes its lock files along."""
    if sys.platform != "linux":
        return None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def git(
    *arguments: str,
    cwd: Path,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    ok: Iterable[int] = (0,),
) -> Answer:
    """As `ask`, but raises `git_failed` with git's own complaint for a status not in `ok`."""
    answer = ask(*arguments, cwd=cwd, input=input, env=env, timeout=timeout)
    if answer.status not in ok:
        raise failed(answer, *arguments)
    return answer


def failed(answer: Answer, *arguments: str) -> HqtError:
    """The error for an answer that should have been a success."""
    return HqtError(
        Code.GIT_FAILED,
        f"git {_verb(arguments)} failed: {answer.complaint.rstrip('.')}.",
        "Mend what git complains of, then try again.",
        {"status": answer.status, "stderr": os.fsdecode(answer.err)[-2000:]},
    )


def _start(
    arguments: tuple[str, ...],
    cwd: Path,
    env: Mapping[str, str] | None,
    *,
    stdin: bool,
    writes_long: bool = False,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", *arguments],
            cwd=cwd,
            env=environment(env),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_dies_with_its_parent() if writes_long else None,
        )
    except (OSError, ValueError) as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"git could not be started in {cwd}: {error}.",
            "Check that git is installed and that the folder can be entered; see `hqt doctor`.",
        ) from error


def _late(arguments: tuple[str, ...], cwd: Path, timeout: float) -> HqtError:
    return HqtError(
        Code.TIMEOUT,
        f"git {_verb(arguments)} did not answer within {timeout:g} seconds in {cwd}.",
        "Look what keeps the disk or a git hook busy, then try again.",
    )


def _verb(arguments: tuple[str, ...]) -> str:
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in {"-c", "-C"}:
            skip = True
        elif not argument.startswith("-"):
            return argument
    return ""


def _stream(
    child: subprocess.Popen[bytes],
    input: bytes | None,
    timeout: float,
    on_error_line: Callable[[bytes], None],
) -> tuple[bytes, bytes]:
    """`communicate` that hands standard error on as it comes."""
    import selectors

    assert child.stdout is not None
    assert child.stderr is not None
    if child.stdin is not None:
        child.stdin.write(input or b"")
        child.stdin.close()
    deadline = time.monotonic() + timeout
    out, err, rest = [], [], b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        selector.register(child.stderr, selectors.EVENT_READ)
        while selector.get_map():
            if (left := deadline - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired("git", timeout)
            for key, _ in selector.select(left):
                data = os.read(key.fd, 65536)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fileobj is child.stdout:
                    out.append(data)
                else:
                    err.append(data)
                    *lines, rest = (rest + data).replace(b"\r", b"\n").split(b"\n")
                    for line in lines:
                        on_error_line(line)
    child.wait(max(0.0, deadline - time.monotonic()))
    return b"".join(out), b"".join(err)


def end(child: subprocess.Popen[bytes]) -> None:
    """End the process group that a child leads, if the child still runs: by TERM, and what is left
    of it after `GRACE` seconds by KILL."""
    if child.poll() is not None:
        return
    with held_back():
        _signal(child, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
        _signal(child, signal.SIGKILL)
        child.wait()


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended, whole
        os.killpg(child.pid, number)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child's whole process group if any of it is left, and close its pipes."""
    end(child)
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
