"""The one that talks to tmux: through libtmux's `Server.cmd`, or for what only reads through a
client of our own (`client`), in UTF-8 whatever the locale, bounded in time, one process for a whole
batch of commands.

What libtmux does not give is added here. Its calls wait for ever, so a thread waits in our place
and a tmux client that has waited too long is ended. Its output loses bytes that are not UTF-8,
which `listing` notices.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hqt.errors import Code, HqtError
from hqt.later import Later
from hqt.tmux import formats, listing
from hqt.tmux.listing import Snapshot as Snapshot  # callers get it from here
from hqt.tmux.listing import TmuxSession as TmuxSession

if TYPE_CHECKING:
    import subprocess
    import threading

TIMEOUT = 10.0  # seconds; a loaded server with a large history takes tenths
_STARTING = 1.0  # seconds that a client may take to be started
_LONGEST = 15_000  # bytes of arguments; tmux takes a message of 16 KB
# What tmux's client says, never translated, when nobody listens at the socket. Other errors of
# connecting (no permission, a full queue) do not mean that nobody is there.
_NOBODY = re.compile(
    r"no server running on .*|"
    r"error connecting to .* \((No such file or directory|Not a directory)\)",
    re.DOTALL,
)


class Answer(NamedTuple):
    """What a tmux call said."""

    status: int
    out: list[str]
    err: str

    @property
    def nobody(self) -> bool:
        """Whether no server was there."""
        return self.status != 0 and _NOBODY.fullmatch(self.err) is not None

    @property
    def complaint(self) -> str:
        """What tmux said of a failure, as a clause."""
        return self.err.strip().rstrip(".") or f"exit status {self.status}"


@dataclass(frozen=True, slots=True)
class Tmux:
    """One tmux server, by its socket; it may be dead. With neither name nor path: the default."""

    socket_name: str | None = None
    socket_path: str | None = None
    executable: str | None = None  # tmux's path; None: found on PATH
    timeout: float = TIMEOUT

    def run(self, *commands: Sequence[str]) -> list[str]:
        """Run `commands` as one batch and return the lines they print.

        A failing command stops the rest of its batch. Every word is data for tmux's parser; what a
        command then does with it (formats!) is the caller's care. Raises `tmux_unavailable` when no
        server answers or tmux fails, in its words, and `timeout` when the server does not answer in
        time; it may then still do what it was asked when it wakes.
        """
        answer = self.ask(*commands)
        if answer.status != 0:
            raise self.failure(answer, commands[0][0])
        return answer.out

    def failure(self, answer: Answer, command: str) -> HqtError:
        """The error of a call that failed: nobody there, or tmux's own words."""
        if answer.nobody:
            return HqtError(
                Code.TMUX_UNAVAILABLE,
                f"No tmux server answers at {self.place}.",
                "Start tmux, or name a running server with -L or --socket.",
                {"stderr": answer.err},
            )
        return HqtError(
            Code.TMUX_UNAVAILABLE,
            f"tmux refused {command}: {answer.complaint}.",
            "Mend what tmux complains of, then try again.",
            {"stderr": answer.err, "status": answer.status},
        )

    def ask(self, *commands: Sequence[str]) -> Answer:
        """As `run`, but a failure is an answer too; raises only `timeout` and, without tmux,
        `tmux_unavailable`."""
        if not commands:
            return Answer(0, [], "")
        arguments = formats.arguments(commands)
        if sum(len(os.fsencode(word)) + 1 for word in arguments) <= _LONGEST:
            return self._call(arguments)
        with _file(formats.line(commands)) as path:
            return self._call(["source-file", path])

    def look(self, *commands: Sequence[str]) -> Answer:
        """As `ask`, for a short batch that only reads."""
        with self.looking(*commands) as answer:
            return answer()

    @contextlib.contextmanager
    def looking(self, *commands: Sequence[str]) -> Iterator[Callable[[], Answer]]:
        """As `look`, but tmux answers while the block goes on: call what it yields for the answer,
        which raises as `ask`."""
        import subprocess

        from hqt.tmux import client

        where = ["-S", self.socket_path] if self.socket_path else []
        where += ["-L", self.socket_name] if self.socket_name else []
        words = [self.executable or "tmux", *where, "-u", *formats.arguments(commands)]
        with contextlib.ExitStack() as running:
            with self._told():
                said = running.enter_context(client.begun(words, self.timeout))

            def answer() -> Answer:
                with self._told():
                    try:
                        status, out, err = said()
                    except subprocess.TimeoutExpired:
                        raise TimeoutError from None
                return Answer(status, _lines(out), err.strip("\n"))

            yield answer

    def alive(self) -> bool:
        """Whether a server answers. Raises `timeout` when one is there and does not."""
        return self.look(["list-sessions", "-F", ""]).status == 0

    @property
    def place(self) -> str:
        """The socket, for a person."""
        return self.socket_path or f"socket {self.socket_name or 'default'!r}"

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What keeps a call from being made, as an error of hqt."""
        try:
            yield
        except TimeoutError:
            raise HqtError(
                Code.TIMEOUT,
                f"The tmux server at {self.place} did not answer within {self.timeout:g} seconds.",
                "Look whether the server is stopped or overloaded, then try again.",
            ) from None
        except OSError as error:
            raise HqtError(
                Code.TMUX_UNAVAILABLE,
                "The program tmux cannot be started.",
                "Install tmux 3.2 or newer, or put it on PATH.",
                {"reason": str(error)},
            ) from error

    def _call(self, arguments: list[str]) -> Answer:
        with self._told():
            return self._by_libtmux(arguments)

    def _by_libtmux(self, arguments: list[str]) -> Answer:
        from libtmux.exc import TmuxCommandNotFound
        from libtmux.server import Server

        server = Server(
            socket_name=self.socket_name, socket_path=self.socket_path, tmux_bin=self.executable
        )
        # Later, since libtmux waits for ever. Ending the client does not end that wait: a hung
        # server has been sent the client's standard output and keeps it open.
        call = Later(lambda: server.cmd("-u", *arguments))
        try:
            in_time = call.done.wait(self.timeout)
        finally:
            if not call.done.is_set():
                _end(arguments, call.done)
        if not in_time:
            raise TimeoutError
        try:
            done = call.answer()
        except TmuxCommandNotFound as error:
            raise FileNotFoundError(str(error)) from error
        return Answer(done.returncode, done.stdout, "\n".join(done.stderr))


def _lines(out: str) -> list[str]:
    """As libtmux gives them: without empty ones at the end."""
    return out.rstrip("\n").split("\n") if out.strip("\n") else []


def connect(
    *, socket_name: str | None, socket_path: str | None, environ: Mapping[str, str]
) -> Tmux:
    """The server that the flags name, else the one of `$TMUX`, else the default one."""
    if socket_path or socket_name:
        return Tmux(None if socket_path else socket_name, socket_path or None)
    inside = environ.get("TMUX", "").rsplit(",", 2)[0]  # path,pid,session; a path may hold commas
    return Tmux(socket_path=inside or None)


def read(tmux: Tmux) -> Snapshot:
    """Everything hqt wants to know of a server, in one call.

    Raises `tmux_unavailable` when no server answers, `timeout` when it does not in time or not
    with all that was asked: what is missing would look as if it were not there.
    """
    with reading(tmux) as snapshot:
        return snapshot()


@contextlib.contextmanager
def reading(tmux: Tmux) -> Iterator[Callable[[], Snapshot]]:
    """As `read`, while the block goes on: call what it yields, once, for the snapshot."""
    mark = os.urandom(8).hex()
    commands = listing.commands(mark)
    with tmux.looking(*commands) as answered:

        def snapshot() -> Snapshot:
            answer = answered()
            if answer.status == 0 and not _is_whole(answer, mark):  # of a server just ending
                answer = tmux.look(*commands)
            return _understood(tmux, answer, mark)

        yield snapshot


def _understood(tmux: Tmux, answer: Answer, mark: str) -> Snapshot:
    if answer.status == 0 and not _is_whole(answer, mark):
        raise HqtError(
            Code.TIMEOUT,
            f"The tmux server at {tmux.place} broke its answer off.",
            "Look whether the server is ending or overloaded, then try again.",
        )
    if answer.status == 0:
        return listing.parse("\n".join(answer.out), mark)
    if not answer.nobody and tmux.look(["list-sessions", "-F", "x"]) == Answer(0, [], ""):
        return Snapshot()  # a server without a session has nothing to list panes of
    raise tmux.failure(answer, "list-panes")


def _is_whole(answer: Answer, mark: str) -> bool:
    return listing.is_whole("\n".join(answer.out), mark)


@contextlib.contextmanager
def _file(text: str) -> Iterator[str]:
    """A batch that is too long for one message, in a file that only the user can read."""
    import glob
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="hqt-", suffix=".conf") as file:
        file.write(os.fsencode(text + "\n"))
        file.flush()
        yield glob.escape(file.name)  # source-file takes a pattern


def _end(arguments: list[str], answered: threading.Event) -> None:
    """End the tmux client that was started with `arguments`, or is just being started.

    libtmux keeps its `Popen` to itself until the client has ended, so it is looked up among the
    living ones; by the object, not by a process id that may have been given anew.
    """
    import subprocess
    import time

    deadline = time.monotonic() + _STARTING
    while not (clients := _clients(arguments)) and time.monotonic() < deadline:
        if answered.wait(0.01):
            return
    for client in clients:
        client.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            client.wait(1)


def _clients(arguments: list[str]) -> list[subprocess.Popen[str]]:
    """The living processes that were started with `arguments`; one that is only being started has
    no process id yet."""
    import gc
    import subprocess

    return [
        thing
        for thing in gc.get_objects()
        if type(thing) is subprocess.Popen
        and thing.returncode is None
        and thing.pid is not None
        and isinstance(thing.args, list)
        and thing.args[-len(arguments) :] == arguments
    ]
