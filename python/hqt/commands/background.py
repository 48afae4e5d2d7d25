"""A call of hqt that outlives this one: not in its terminal, not in its folder, not waited for."""

from __future__ import annotations

import os

from hqt.itself import own_words


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
