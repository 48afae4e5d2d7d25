"""A call of hqt that outlives this one: not in its terminal, not in its folder, not waited for."""

from __future__ import annotations

import os
from typing import Any

from hqt.errors import Code, HqtError
from hqt.itself import own_words
from hqt.models import Caller


def start(*arguments: str, idle: bool = False) -> int:
    """Start `hqt ARGUMENTS…` in a session of its own, from `/`, silent; return its process id.

    A popup ends when its client goes, and a pane takes what runs in it along; a process in a
    session of its own survives both (tmux-facts, "Removing"). `idle`: at the lowest priority.
    """
    os.chdir("/")
    words = [*own_words(), *arguments]
    if idle:
        words = ["/bin/sh", "-c", 'renice -n 19 $$ >/dev/null 2>&1; exec "$@"', "sh", *words]
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    return os.posix_spawn(words[0], words, os.environ, file_actions=null, setsid=True)


def place(caller: Caller) -> list[str]:
    """The flags that make a call of hqt one for the same tmux server, client, pane and folder."""
    values = {
        "-L": caller.socket_name,
        "--socket": caller.socket_path,
        "--client": caller.client,
        "--pane": caller.pane,
        "-C": str(caller.directory),
    }
    return [word for flag, value in values.items() if value for word in (flag, value)]


def answer(*arguments: str) -> dict[str, Any]:
    """What `hqt ARGUMENTS… --json` answers, from a process of its own that outlives this one.

    Raises its refusal as the error that it is, `internal` when there is no answer.
    """
    import json

    read, write = os.pipe()
    words = [*own_words(), "--json", *arguments]
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, write, 1),
        (os.POSIX_SPAWN_DUP2, write, 2),
    ]
    child = os.posix_spawn(words[0], words, os.environ, file_actions=files, setsid=True)
    os.close(write)
    with open(read, "rb") as told:  # noqa: PTH123 - a descriptor has no path
        said = told.read()
    os.waitpid(child, 0)
    try:
        document: dict[str, Any] = json.loads(said.splitlines()[-1])
    except (IndexError, ValueError):
        raise HqtError(Code.INTERNAL, f"hqt {arguments[-1]} gave no answer.") from None
    if error := document.get("error"):
        raise HqtError(Code(error["code"]), error["message"], error["remedy"], error["details"])
    return document
