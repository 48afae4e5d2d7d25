"""A sentence in a client's status line, for calls that nobody reads the output of."""

from __future__ import annotations

import secrets

from hqt.tmux.server import Tmux

_LONG = 5000  # milliseconds on screen; a key press takes it away at once


def show(tmux: Tmux, client: str | None, text: str) -> None:
    """Show one line of text in `client`, or where tmux thinks best; data, never a format.

    Nothing is raised: a message that cannot be shown is no reason to fail.
    """
    option = f"@hqt_message_{secrets.token_hex(6)}"
    where = ["-c", client] if client else []
    tmux.ask(
        ["set-option", "-s", option, text],
        ["display-message", "-d", str(_LONG), *where, f"#{{{option}}}"],
    )
    tmux.ask(["set-option", "-suq", option])
