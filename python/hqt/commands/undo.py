"""`hqt undo`: the worktree that was removed last comes back."""

from __future__ import annotations

import click

from hqt.commands.shared import verb, wants_json
from hqt.models import Caller
from hqt.results import Opened


@verb("undo")
@click.option("--to", metavar="PATH", help="Another place, if its own is taken.")
def command(caller: Caller, to: str | None) -> Opened:
    """Bring back the worktree that was removed last, whole."""
    from hqt.sessions.undo import undo

    return undo(caller, to=to, counts=wants_json())
