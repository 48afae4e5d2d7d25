"""A sentence in a client's status line, for calls that nobody reads the output of."""

from __future__ import annotations

import contextlib
import os

from hqt.errors import HqtError
from hqt.tmux import formats
from hqt.tmux.server import Tmux

_LONG = 5000  # milliseconds on screen; a key press takes it away at once


def show(tmux: Tmux, client: str | None, *sentences: str) -> None:
    """Show one line of text in `client`, or where tmux thinks best; data, never a format. As many
    of the sentences as fit, from the first; if that alone is too long, it ends in "…".

    Nothing is raised: a message that cannot be shown is no reason to fail.
    """
    option = f"@hqt_message_{os.urandom(6).hex()}"
    with contextlib.suppress(HqtError):
        text = _fitting([one for one in sentences if one], _columns(tmux, client))
        text = text.replace("#[", "＃[")  # newer ones would draw it as a style
        # tmux 3.2 knows -c but cannot be told which client.
        for where in (["-c", client], []) if client else ([],):
            answer = tmux.ask(
                ["set-option", "-s", option, text],
                ["display-message", "-d", str(_LONG), *where, f"#{{{option}}}"],
                ["set-option", "-su", option],
            )
            if answer.status == 0:
                return
        tmux.ask(["set-option", "-suq", option])


def _columns(tmux: Tmux, client: str | None) -> int:
    """How wide the client is, else the narrowest one."""
    said = tmux.look(["list-clients", "-F", "#{client_width} #{client_name}"]).out
    pairs = [line.partition(" ") for line in said]
    widths = [int(width) for width, _, name in pairs if width.isdigit() and client in {name, None}]
    return min(widths, default=80)


def _fitting(sentences: list[str], columns: int) -> str:
    for count in range(len(sentences), 1, -1):
        text = " ".join(sentences[:count])
        if formats.cut(text, columns) == text:
            return text
    return formats.cut("".join(sentences[:1]), columns)
