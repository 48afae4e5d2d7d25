"""The server: accepts, has a child for each call, tells how it ended. Never runs a verb itself.

It waits for descriptors only: the socket, the tmux server's pidfd, and for each call its connection
and its child's pidfd. So nothing runs while nothing happens, and no signal is needed. One child is
forked before its call comes (`spare`); further calls at the same moment fork their own.
"""

from __future__ import annotations

import _socket
import contextlib
import gc
import os
import select
import signal
from dataclasses import dataclass

from hqt.warm import child, imports, place, predecessors, rehearsal, spare, wire
from hqt.warm.spare import Spare

_IDLE = 4 * 3600  # seconds without a call after which it ends
_QUIET_FOR = 0.1  # seconds without news after which a spare child is forked: not beside a call
_BACKLOG = 128
_QUIET = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)


@dataclass(slots=True)
class Call:
    """A call that a child works on."""

    connection: _socket.socket
    pid: int
    pidfd: int


def serve(folder: int, name: str, tmux: int, watched: int, guard: int) -> int:
    """Serve calls at the socket `name` in `folder` until the tmux server `tmux` (pidfd `watched`)
    ends, nobody calls for long, or TERM asks for it. `guard` is the lock, for as long."""
    for number in _QUIET:
        signal.signal(number, signal.SIG_IGN)
    imports.load()
    if place.name(tmux) != name:
        return 0  # the files have changed meanwhile: what is loaded is neither the old nor the new
    _let_term_end(folder, name)
    path = place.within(folder, name)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)  # a dead one's: the lock says that nobody listens there
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    listener.bind(path)
    try:
        listener.listen(_BACKLOG)
        predecessors.end(tmux, but=name)
        with contextlib.suppress(Exception):
            rehearsal.rehearse()
        gc.collect()
        gc.freeze()  # children shall not copy all this to look through it for garbage
        _Server(listener, watched, (folder, guard)).run()
    finally:
        _clear(folder, name)
    return 0


def _let_term_end(folder: int, name: str) -> None:
    """Not by an exception: one that strikes in a finalizer, while garbage is collected, is lost."""
    server = os.getpid()

    def end(_number: int, _frame: object) -> None:
        if os.getpid() == server:  # and no child, before it has handlers of its own
            _clear(folder, name)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)


def _clear(folder: int, name: str) -> None:
    for left in (name, f"{name}.lock"):
        with contextlib.suppress(OSError):
            os.unlink(left, dir_fd=folder)


class _Server:
    def __init__(self, listener: _socket.socket, watched: int, private: tuple[int, ...]) -> None:
        self._listener = listener
        self._watched = watched
        self._private = (watched, *private)  # no child keeps them
        self._calls: dict[int, Call] = {}  # by both of its descriptors
        self._spare: Spare | None = None
        self._wants_spare = True
        self._poll = select.poll()
        self._poll.register(listener.fileno(), select.POLLIN)
        self._poll.register(watched, select.POLLIN)

    def run(self) -> None:
        while True:
            ready = self._poll.poll(self._patience())
            if not ready and self._wants_spare:
                self._spare, self._wants_spare = spare.begin(self._forget, child.work), False
                continue
            happened = {descriptor for descriptor, _ in ready}
            if not ready or self._watched in happened:
                return
            for descriptor in happened - {self._listener.fileno()}:
                self._attend(descriptor)
            if self._listener.fileno() in happened:
                self._accept()

    def _patience(self) -> float | None:
        """Milliseconds to wait for news; None without end."""
        if self._wants_spare:
            return _QUIET_FOR * 1000
        return None if self._calls else _IDLE * 1000

    def _accept(self) -> None:
        """Find a child for the next caller, of this user only. An error ends the server: it would
        only come again."""
        descriptor, _ = self._listener._accept()  # type: ignore[attr-defined]  # as `socket` does
        connection = _socket.socket(fileno=descriptor)
        if wire.peer(connection)[1] != os.geteuid():
            connection.close()
            return
        try:
            pid = self._worker(connection)
        except OSError:
            connection.close()
            return
        call = Call(connection, pid, os.pidfd_open(pid))
        for number, events in ((connection.fileno(), 0), (call.pidfd, select.POLLIN)):
            self._calls[number] = call
            self._poll.register(number, events)  # 0: only that the other end is gone

    def _worker(self, connection: _socket.socket) -> int:
        """The process that works for a call: the spare child, else one that is forked now. Raises
        OSError where that is not possible."""
        ready, self._spare, self._wants_spare = self._spare, None, True
        if ready and ready.take(connection):
            return ready.pid
        pid = os.fork()
        if pid == 0:
            try:
                self._forget()
                child.work(connection)
            finally:
                os._exit(1)
        return pid

    def _attend(self, descriptor: int) -> None:
        """The child has ended, or its client has: then it is hung up on, as by a terminal."""
        call = self._calls.get(descriptor)
        if call is None:
            return  # forgotten in this very round
        if descriptor != call.pidfd:
            self._poll.unregister(descriptor)
            del self._calls[descriptor]
            for request in (signal.SIGHUP, signal.SIGCONT):
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(call.pidfd, request)
            return
        _, status = os.waitpid(call.pid, 0)
        if os.WIFEXITED(status):
            with contextlib.suppress(OSError):
                call.connection.send(bytes([os.WEXITSTATUS(status)]), _socket.MSG_NOSIGNAL)
        for number in (call.connection.fileno(), call.pidfd):
            if self._calls.pop(number, None):
                self._poll.unregister(number)
        call.connection.close()
        os.close(call.pidfd)

    def _forget(self) -> None:
        """In a child: nothing of the server's, and of other calls, stays open."""
        self._listener.close()
        for number in self._private:
            os.close(number)
        for call in {call.pid: call for call in self._calls.values()}.values():
            call.connection.close()
            os.close(call.pidfd)
