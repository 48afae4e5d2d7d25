"""A sentence in a client's status line, for calls that nobody reads the output of."""

from __future__ import annotations

import contextlib
import os

from hqt.errors import HqtError
from hqt.tmux.server import Tmux

_LONG = 5000  # milliseconds on screen; a key press takes it away at once


def show(tmux: Tmux, client: str | None, text: str) -> None:
    """Show one line of text in `client`, or where tmux thinks best; data, never a format.

    Nothing is raised: a message that cannot be shown is no reason to fail.
    """
    option = f"@hqt_message_{os.urandom(6).hex()}"
    text = text.replace("#[", "＃[")  # newer ones would draw it as a style
    with contextlib.suppress(HqtError):
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
