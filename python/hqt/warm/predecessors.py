"""The servers of a tmux server that are to end, and what dead ones have left lying about."""

from __future__ import annotations

import _socket
import os
import signal

from hqt.warm import place, wire


def end(tmux: int, but: str = "") -> None:
    """Ask every server of the tmux server `tmux` to end, except the one named `but`; their running
    calls go on. Clears away what servers of tmux servers that have ended left."""
    try:
        folder = place.opened(place.folder())
    except OSError:
        return
    try:
        for name in os.listdir(folder):  # noqa: PTH208 - a descriptor
            whose, _, rest = name.partition("-")
            if not whose.isdecimal() or not rest or name.removesuffix(".lock") == but:
                continue
            if int(whose) == tmux:
                _ask(place.within(folder, name))
            elif os.path.exists(f"/proc/{whose}"):  # noqa: PTH110
                continue
            _remove(folder, name)
    finally:
        os.close(folder)


def _ask(path: str) -> None:
    """Send TERM to who listens at `path`, if anybody does."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    connection.settimeout(1)
    try:
        connection.connect(path)
        pid, user = wire.peer(connection)  # as long as we are connected, its own
        if user == os.geteuid():
            os.kill(pid, signal.SIGTERM)
    except OSError:
        return
    finally:
        connection.close()


def _remove(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return
