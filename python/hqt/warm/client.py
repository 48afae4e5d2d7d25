"""The client: hands a call to the warm server and stands for it in the caller's terminal.

Loaded by every call before anything else: no import that costs, and whatever is in the way means
"cold", silently, as long as nothing was begun.
"""

from __future__ import annotations

import os
import sys

from hqt.warm import place

TYPE_CHECKING = False  # that of `typing` would cost more than all this
if TYPE_CHECKING:
    import _socket

_PATIENCE = 1.0  # seconds until a server that does not answer is given up
_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGWINCH", "SIGCONT")


def call(arguments: list[str]) -> int | None:
    """Let the warm server run `hqt ARGUMENTS…`; the exit status. None: nothing was begun, go the
    cold way. A key's call that finds no server starts one for the next."""
    if sys.platform != "linux" or os.environ.get("HQT_WARM") == "off":
        return None
    tmux = place.tmux_server()
    if tmux is None or not _suited():
        return None
    connection = _connected(tmux)
    if connection is None:
        if "--client" in arguments:
            from hqt.warm import starting

            starting.begin()
        return None
    return _handed_over(connection, arguments)


def _suited() -> bool:
    """Whether a process outside the caller's session can do it: a job in the background of a shell
    has to be stopped by the terminal when it reads."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # no terminal, or not this session's
        return True


def _connected(tmux: int) -> _socket.socket | None:
    """A connection to a server that is this user's; None where there is none."""
    folder = -1
    try:
        folder = place.opened(place.folder())
        name = place.name(tmux)
        path = place.within(folder, name)
        os.stat(path)  # noqa: PTH116 - before _socket is loaded for nothing
        import _socket

        from hqt.warm import wire

        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        connection.settimeout(_PATIENCE)
        connection.connect(path)
        return connection if wire.peer(connection)[1] == os.geteuid() else None
    except OSError:
        return None
    finally:
        if folder >= 0:
            os.close(folder)


def _handed_over(connection: _socket.socket, arguments: list[str]) -> int | None:
    from hqt.warm import wire

    words = [os.fsencode(word) for word in arguments]
    environment = [name + b"=" + value for name, value in os.environb.items()]
    try:
        if connection.recv(1) != wire.HELLO:
            return None
        here = os.open(".", os.O_PATH | os.O_DIRECTORY)
        wire.send(connection, [b"%d" % len(words), *words, *environment], [0, 1, 2, here])
        ready, descriptors = wire.receive_descriptors(connection, 1, 1)
    except OSError:
        return None
    if ready != wire.READY or len(descriptors) != 1:
        return None
    _forward(descriptors[0])
    try:
        connection.sendall(wire.GO)
        connection.settimeout(None)
        said = b""
        while piece := connection.recv(1 << 16):
            said += piece
    except OSError:  # reset: it died before it had read all
        said = b""
    status, program = wire.understood(said)
    if program:
        folder, *words = program
        os.chdir(folder)
        os.execv(words[0], words)
    return _died(arguments) if status is None else status


def _forward(child: int) -> None:
    """From here on signals are the child's; those that the caller ignores, it ignores too."""
    import _signal  # type: ignore[import-not-found]  # `signal` loads `enum` for its names

    def forward(number: int, _: object) -> None:
        try:
            _signal.pidfd_send_signal(child, number)
        except OSError:
            return  # it has ended: so will we

    def stop(number: int, _: object) -> None:
        """As Ctrl-Z does: the child, which is in another session, then this process."""
        forward(_signal.SIGSTOP, None)
        _signal.signal(number, _signal.SIG_DFL)
        _signal.raise_signal(number)
        _signal.signal(number, stop)
        forward(_signal.SIGCONT, None)

    for number in [getattr(_signal, name) for name in _FORWARDED]:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, forward)
    if _signal.getsignal(_signal.SIGTSTP) != _signal.SIG_IGN:
        _signal.signal(_signal.SIGTSTP, stop)


def _died(arguments: list[str]) -> int:
    from hqt import itself

    itself.load_packages()
    from hqt import report
    from hqt.errors import Code, HqtError

    error = HqtError(
        Code.INTERNAL,
        "The process that worked for this call ended before its answer.",
        "Look with `hqt list` what was done; what it had only begun, the next call takes back.",
    )
    report.failure(error, as_json="--json" in arguments)
    return error.exit_status
