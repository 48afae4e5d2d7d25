"""The law that hqt changes windows and panes by their ids: what a batch makes is not what is
current in it, where the user has hooks. And that what only looks changes nothing: this law would
not see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from hqt.tmux.server import Answer, Tmux

_SCOPED = {"set-option", "set-hook"}  # of a window or a pane with -w or -p
_CHANGING = {"kill-window", "kill-pane", "respawn-pane", "rename-window", "move-window"}
_ID = re.compile(r"[@%]\d+|\$\d+:\d+")  # a window, a pane, a place in a tmux session
_READING = re.compile(r"(list|show)-.*|capture-pane|display-message|run-shell")
_ask, _looking = Tmux.ask, Tmux.looking


def is_by_id(command: Sequence[str]) -> bool:
    """Whether a command that changes a window or a pane says which by an id."""
    name, *words = command
    flags = "".join(word[1:] for word in words if re.fullmatch("-[a-zA-Z]+", word))
    if name in _SCOPED and not set(flags) & {"w", "p"}:
        return True
    if name not in _SCOPED | _CHANGING:
        return True
    return "-t" in words[:-1] and _ID.fullmatch(words[words.index("-t") + 1]) is not None


def ask(tmux: Tmux, *commands: Sequence[str]) -> Answer:
    """`Tmux.ask` under that law."""
    wrong = [command for command in commands if not is_by_id(command)]
    assert not wrong, f"not by id: {wrong}"
    return _ask(tmux, *commands)


def looking(tmux: Tmux, *commands: Sequence[str]) -> AbstractContextManager[Callable[[], Answer]]:
    """`Tmux.looking` of what only reads."""
    wrong = [command for command in commands if not _READING.fullmatch(command[0])]
    assert not wrong, f"more than a look: {wrong}"
    return _looking(tmux, *commands)
