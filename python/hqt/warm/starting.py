"""How a warm server starts: once for a tmux server and a state of the code, apart from everything.

Its standard streams, folder, session and parent are nobody's, so that it keeps no terminal open,
no folder busy and no `run-shell` waiting.
"""

from __future__ import annotations

import os
import sys

from hqt.warm import place

_WORD = "--warm"  # what the launcher, hqt.tmux and `begin` say to the start in __main__


def begin() -> None:
    """Start a server in the background, if `@hqt-warm` lets it; never waits, never fails."""
    from hqt.itself import own_words

    words = [*own_words(), _WORD]
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    try:
        os.posix_spawn(words[0], words, os.environ, file_actions=null, setsid=True)
    except OSError:
        return


def settle(wish: str) -> int:
    """Become the server, or end those of this tmux server: as `wish` says, `on` or `off`; else as
    `@hqt-warm` says. The exit status; comes back at once where nothing is to be done."""
    tmux = place.tmux_server()
    if sys.platform != "linux" or tmux is None or os.environ.get("HQT_WARM") == "off":
        return 0
    if (wish or _option()) == "off":
        from hqt.warm import predecessors

        predecessors.end(tmux)
        return 0
    os.umask(0o077)
    try:
        folder = place.folder()
        _make(folder)
        opened = place.opened(folder)
        name = place.name(tmux)
        guard = _only_one(opened, name)
        watched = os.pidfd_open(tmux)
    except (OSError, AttributeError):  # no folder, no home, one is there, no tmux, an old kernel
        return 0
    _leave({opened, guard, watched})
    from hqt.itself import load_packages

    load_packages()
    from hqt import faults

    try:
        from hqt.warm import server

        return server.serve(opened, name, tmux, watched, guard)
    except Exception as error:  # noqa: BLE001 - nobody would hear of it
        if not os.path.isdir(folder):  # noqa: PTH112
            return 0  # deleted meanwhile, with its home perhaps, which the log would make anew
        return faults.logged(error).exit_status


def _make(folder: str) -> None:
    """Make the folder of the sockets. Raises OSError, also where the home that it is to be in is
    gone: nobody wants that one back."""
    home = os.environ.get("HOME", "")
    if home and folder.startswith(f"{home}/"):
        os.stat(home)  # noqa: PTH116
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103


def _option() -> str:
    """`@hqt-warm` as it is set, "" where it is not."""
    from hqt.tmux import quick

    try:
        return quick.ask(os.environ["TMUX"], ["show-options", "-gqv", "@hqt-warm"])
    except OSError:
        return ""


def _only_one(folder: int, name: str) -> int:
    """The lock that a server holds as long as it lives, however it ends. Raises BlockingIOError
    when another one has it."""
    import fcntl

    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(f"{name}.lock", flags, 0o600, dir_fd=folder)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if os.fstat(descriptor).st_nlink == 0:
        raise BlockingIOError("its last holder took it away in this moment")
    return descriptor


def _leave(kept: set[int]) -> None:
    """Leave session, parent, folder, streams, and every descriptor but `kept`."""
    if os.fork():
        os._exit(0)  # the parent is gone at once: no pane may count this process as its own
    os.setsid()
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        if number > 2 and number not in kept:
            try:
                os.close(number)
            except OSError:
                continue  # that of the listing itself
