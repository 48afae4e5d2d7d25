"""One call of tmux without libtmux: for an agent's hook, where every module loaded is felt.

As everywhere: one batch, bounded in time, ids only. What is said of names in `formats` does not
come up, since nothing of the user's travels here.
"""

from __future__ import annotations

import os
import time

_STEP = 0.001  # seconds between two looks whether tmux has ended


def ask(inside: str, command: list[str], *, timeout: float = 5.0) -> str:
    """What `tmux COMMAND` prints (little), run at the server of `inside` (the value of `$TMUX`).

    "" when no server answers, tmux fails or takes longer than `timeout` seconds: who calls here
    has nobody to tell. Raises OSError where tmux cannot be started.
    """
    socket = inside.rsplit(",", 2)[0]  # path,pid,session; a path may hold commas
    read, write = os.pipe()
    try:
        child = os.posix_spawnp(
            "tmux",
            ["tmux", "-u", "-S", socket, *command],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, write, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(write)
        write = -1
        if not _ended(child, timeout):
            return ""
        return os.read(read, 4096).decode(errors="replace").strip()
    finally:
        os.close(read)
        if write >= 0:
            os.close(write)


def _ended(child: int, timeout: float) -> bool:
    """Whether the child ended in time; it is gone in any case."""
    deadline = time.monotonic() + timeout
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, 9)  # not waited for yet, so the id is still its own
            os.waitpid(child, 0)
            return False
        time.sleep(_STEP)
    return True
