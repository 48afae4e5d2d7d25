"""The child: becomes the caller in everything that a verb can see, runs the call, and ends."""

from __future__ import annotations

import _socket
import contextlib
import locale
import os
import resource
import signal
import sys
import time
from typing import NoReturn

from hqt import ending
from hqt.cli import run
from hqt.errors import Become
from hqt.warm import likeness, wire
from hqt.warm.likeness import Client

_PATIENCE = 5.0  # seconds for a client to say what it wants
_SIGNALS = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGTSTP,
    signal.SIGTTIN,
    signal.SIGTTOU,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGALRM,
)


def work(connection: _socket.socket) -> NoReturn:
    """Run the call that comes over `connection` and end this process with its status."""
    try:
        os.setsid()
        arguments, client = _prepared(connection)
        me = os.pidfd_open(os.getpid())
        wire.send_descriptors(connection, wire.READY, [me])
        os.close(me)
        begun = connection.recv(1) == wire.GO
    except BaseException:  # noqa: BLE001 - nothing was begun: the client goes the cold way
        os._exit(1)
    if not begun:
        os._exit(1)
    program: list[bytes] = []
    try:
        status = _run(arguments, client)
    except Become as wish:
        status, program = 0, [os.fsencode(part) for part in (wish.folder, *wish.words)]
    connection.settimeout(None)
    with contextlib.suppress(OSError):
        connection.sendall(wire.last_words(status, program), _socket.MSG_NOSIGNAL)
        connection.shutdown(_socket.SHUT_WR)  # for the server, too, which may be stopped
    os._exit(status)


def _prepared(connection: _socket.socket) -> tuple[list[str], Client]:
    """Take everything over. Raises OSError for a client that is not served."""
    connection.settimeout(_PATIENCE)
    client = likeness.client(wire.peer(connection)[0])
    if client is None:
        raise PermissionError("a client of another kind")
    connection.sendall(wire.HELLO)
    parts, descriptors = wire.receive(connection)
    _inherit(client)
    count = int(parts[0])
    _environment(parts[count + 1 :])
    os.fchdir(descriptors[3])
    _streams(descriptors[:3])
    for descriptor in descriptors:
        os.close(descriptor)
    arguments = [os.fsdecode(word) for word in parts[1 : count + 1]]
    sys.argv = ["hqt", *arguments]
    return arguments, client


def _inherit(client: Client) -> None:
    """What a program gets from the one that starts it, besides environment and descriptors."""
    os.umask(client.umask)
    with contextlib.suppress(OSError):  # nothing may be made nicer again: then it stays as it is
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, client.pid))
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            which = getattr(resource, name)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, resource.prlimit(client.pid, which))
    for number in _SIGNALS:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in client.ignored else usual)


def _environment(entries: list[bytes]) -> None:
    """The environment, and what a start of Python derives from it."""
    os.environb.clear()
    for entry in entries:
        name, _, value = entry.partition(b"=")
        os.environb[name] = value
    time.tzset()
    try:
        locale.setlocale(locale.LC_CTYPE, "")
    except locale.Error:
        locale.setlocale(locale.LC_CTYPE, "C")


def _streams(descriptors: list[int]) -> None:
    """The standard streams as a start with `-X utf8` opens them."""
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
    for stream, name in enumerate(("stdin", "stdout", "stderr")):
        opened = open(  # noqa: SIM115 - for the rest of this process
            stream,
            "w" if stream else "r",
            1 if stream == 2 or os.isatty(stream) else -1,
            "utf-8",
            "backslashreplace" if stream == 2 else "surrogateescape",
            closefd=False,
        )
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)


def _run(arguments: list[str], client: Client) -> int:
    """Run to the end as a process of its own would: its threads, its exit handlers, its streams."""
    try:
        status = run(arguments, for_whom=client.pid)
    except Become:
        raise
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # noqa: BLE001 - what Python itself does with it
        sys.excepthook(type(error), error, error.__traceback__)
        status = 1
    return ending.settled(status)
