"""A call of hqt that outlives this one: not in its terminal, not in its folder, not waited for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hqt

_START = """
import sys
sys.path.insert(0, sys.argv[1])
sys.argv[:2] = ["hqt"]
from hqt.__main__ import main
sys.exit(main())
"""


def own_words() -> list[str]:
    """The command line that calls this very hqt again, whatever the caller's environment says."""
    package = str(Path(hqt.__file__).parents[1])
    cache = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [sys.executable, "-I", "-X", "utf8", *cache, "-c", _START, package]


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
