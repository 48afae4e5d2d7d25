"""`hqt status`: the segment of a status line."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Status


@verb("status")
@click.option("--publish", is_flag=True, help="Say nothing; only tell tmux, for its hooks.")
def command(caller: Caller, publish: bool) -> Status | None:
    """Branch, changes, unique commits, and how many agents wait or work.

    tmux is told too, where something has changed: `#{E:@hqt_status}` in a status line shows the
    same without calling anything.
    """
    from hqt.sessions.status import status

    found = status(caller, in_sight=publish)
    return None if publish else found
