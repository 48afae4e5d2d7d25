"""What a pane shows, as text."""

from __future__ import annotations

import re

from hqt.tmux.server import Tmux


def screen(tmux: Tmux, pane: str) -> tuple[str, ...]:
    """The lines on the screen of `pane` (an id) now, without the empty ones at its end; none for a
    pane that is gone. Raises `timeout`."""
    if not re.fullmatch(r"%\d+", pane):  # with anything else tmux would guess what is meant
        raise ValueError(f"not the id of a pane: {pane!r}")
    answer = tmux.look(["capture-pane", "-p", "-t", pane])
    lines = [line.rstrip() for line in answer.out] if answer.status == 0 else []
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)
