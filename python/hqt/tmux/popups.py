"""Where hqt's screens open: over what the client shows that asked, else in a window of their own.

A popup belongs to one client and keeps whoever opened it waiting, so it is opened by the server
itself, behind the caller's back: the whole command travels in an option that `run-shell -C` reads,
as one value that is not expanded again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hqt.models import Client
from hqt.tmux import formats, windows
from hqt.tmux.server import Tmux

_SMALLEST = (24, 8)  # columns and rows of a client below which a popup holds nothing useful
_SPACIOUS = (80, 24)  # below it a popup takes the whole client
_WIDTH, _HEIGHT = "80%", "75%"


def opening(
    client: Client,
    command: Sequence[str],
    *,
    pane: str | None = None,
    width: str = _WIDTH,
    height: str = _HEIGHT,
) -> list[str]:
    """The tmux command that runs `command` on a screen of its own: a popup, which in a small client
    takes all there is, or a window where that is too little."""
    if not _has_room(client):
        place = ["-t", f"{client.session}:", "-c", "/", "-n", "hqt"]
        return ["new-window", *place, "--", *windows.executed(command)]
    if client.width < _SPACIOUS[0]:
        width = "100%"
    if client.height < _SPACIOUS[1]:
        height = "100%"
    where = ["-t", pane] if pane else []
    words = ["display-popup", "-E", "-c", client.name, *where, "-d", "/"]
    return [*words, "-w", width, "-h", height, "--", *windows.executed(command)]


def copy(tmux: Tmux, text: str, client: str | None) -> None:
    """Put `text` into tmux's paste buffer, and into the clipboard of `client`'s terminal."""
    where = ["-t", client] if client else []
    tmux.run(["set-buffer", "-w", *where, "--", text])


def behind(tmux: Tmux, client: str, **commands: Sequence[str]) -> bool:
    """Let the server run the first of `commands` for `client` without waiting for it; whether it
    took it. All of them stay in options of the client, by their keywords, so that one can open
    another (`reopen`)."""
    run = reopen(client, next(iter(commands)))
    return tmux.ask(*_kept(client, commands), run).status == 0


def keep(tmux: Tmux, client: str, **commands: Sequence[str]) -> None:
    """As `behind`, but run none: the binding that asked does that when it is its turn."""
    tmux.run(*_kept(client, commands))


def reopen(client: str, name: str) -> list[str]:
    """The tmux command that runs what `behind` keeps for `client` under `name`."""
    return ["run-shell", "-b", "-C", f"#{{{_option(client, name)}}}"]


def _kept(client: str, commands: Mapping[str, Sequence[str]]) -> list[list[str]]:
    return [
        ["set-option", "-s", _option(client, name), formats.line([words])]
        for name, words in commands.items()
    ]


def _option(client: str, name: str) -> str:
    """hqt.tmux makes the same of the client's name, by a format."""
    return f"@hqt_{name}_{re.sub('[^A-Za-z0-9]', '_', client)}"


def _has_room(client: Client) -> bool:
    return not client.control and client.width >= _SMALLEST[0] and client.height >= _SMALLEST[1]
