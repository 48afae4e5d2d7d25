"""`hqt jump`: to the next agent that waits."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Jumped


@verb("jump")
@click.option("--last", "back", is_flag=True, help="To the worktree's window you were in before.")
def command(caller: Caller, back: bool) -> Jumped:
    """Go to the next agent that waits for an answer; where none does, to one that is done."""
    from hqt.sessions import jump

    return jump.last(caller) if back else jump.jump(caller)
