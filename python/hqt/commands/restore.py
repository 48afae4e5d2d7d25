"""`hqt restore`: a removed worktree checked out again where it was recorded."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Opened


@verb("restore")
@click.argument("target")
@click.option("--progress", is_flag=True, help="The stages as JSON lines on standard error.")
def command(caller: Caller, target: str, progress: bool) -> Opened:
    """Bring TARGET's worktree back: from the trash, else its branch, else its base commit."""
    from hqt import report
    from hqt.sessions.restore import restore

    with report.progressing(as_lines=progress) as told:
        return restore(caller, target, told)
