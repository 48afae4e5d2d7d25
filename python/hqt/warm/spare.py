"""A child that is forked before its call comes: a call would wait for the fork, and for each page
of memory that the child is the first to write to.

It is handed the connection of a call, and works for it as any other child. Until then it waits for
its server; when that has ended, so does it.
"""

from __future__ import annotations

import _socket
import contextlib
import os
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from hqt.warm import rehearsal, wire


class Spare(NamedTuple):
    """A process that waits for its call."""

    pid: int
    control: _socket.socket

    def take(self, connection: _socket.socket) -> bool:
        """Hand it the call at `connection`; whether it will work for it. It is asked once."""
        try:
            wire.send_descriptors(self.control, wire.GO, [connection.fileno()])
        except OSError:  # it has been killed
            with contextlib.suppress(OSError):
                os.waitpid(self.pid, 0)
            return False
        finally:
            self.control.close()
        return True


def begin(forget: Callable[[], None], work: Callable[[_socket.socket], NoReturn]) -> Spare | None:
    """Fork one, which `forget`s what is the server's and then waits for a connection to `work` for;
    None where that is not possible."""
    ours, its = _socket.socketpair()
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        its.close()
        return None
    if pid == 0:
        try:
            ours.close()
            forget()
            _wait(its, work)
        finally:
            os._exit(1)
    its.close()
    return Spare(pid, ours)


def _wait(control: _socket.socket, work: Callable[[_socket.socket], NoReturn]) -> None:
    with contextlib.suppress(Exception):
        rehearsal.rehearse()
    said, descriptors = wire.receive_descriptors(control, 1, 1)
    control.close()
    if said == wire.GO and descriptors:
        work(_socket.socket(fileno=descriptors[0]))
