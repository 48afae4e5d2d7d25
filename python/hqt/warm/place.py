"""Where the warm server of a tmux server listens. Loaded by every call, so: `os` and `sys` only."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
_WORD = (1 << 64) - 1


def tmux_server() -> int | None:
    """The process id of the tmux server that this call is inside of; None outside tmux."""
    said = os.environ.get("TMUX", "").rsplit(",", 2)  # path,pid,session; a path may hold commas
    return int(said[1]) if len(said) == 3 and said[1].isdecimal() else None


def folder() -> str:
    """The folder of the sockets: the runtime directory's, else one among hqt's own state."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime}/hqt"
    state = os.environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = f"{os.environ.get('HOME') or '/nonexistent'}/.local/state"
    return f"{state}/hqt/warm"


def opened(path: str) -> int:
    """A descriptor of the folder `path`, which is the user's and closed to everybody else.

    Raises OSError where it is not. Sockets are reached through it (`within`): nobody can put
    another folder in its place meanwhile, and its path may be longer than a socket's.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    found = os.fstat(descriptor)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        os.close(descriptor)
        raise PermissionError(f"{path} is not the user's alone")
    return descriptor


def within(folder: int, name: str) -> str:
    """The path of a file in an opened folder."""
    return f"/proc/self/fd/{folder}/{name}"


def name(tmux: int) -> str:
    """The socket's name: another one for each tmux server and each state of code and packages."""
    return f"{tmux}-{generation()}"


def generation() -> str:
    """Changes with any change of hqt's files, its lock file, its interpreter or its packages.

    The change time counts, which nothing can set back.
    """
    version = sys.version_info
    parts = [_number(_PACKAGE), _number(sys.executable), sys.hexversion]
    waiting = [_PACKAGE]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    parts.append(_mark(entry.stat()))
                elif entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)
    top = os.path.dirname(os.path.dirname(_PACKAGE))  # noqa: PTH120
    library = f"lib/python{version.major}.{version.minor}/site-packages"
    prefix = os.path.dirname(os.path.dirname(sys.executable))  # noqa: PTH120
    for path in (f"{top}/requirements.lock", f"{prefix}/pyvenv.cfg", f"{prefix}/{library}"):
        try:
            parts.append(_mark(os.stat(path)))  # noqa: PTH116
        except OSError:
            parts.append(0)
    return format(sum(parts) & _WORD, "016x")


def _mark(found: os.stat_result) -> int:
    return hash((found.st_ctime_ns, found.st_size, found.st_ino))  # of integers: always the same


def _number(text: str) -> int:
    return hash(int.from_bytes(os.fsencode(text), "big"))  # that of a text differs each time
