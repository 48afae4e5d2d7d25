"""`hqt uninstall`: tmux as it was."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Uninstalled


@verb("uninstall")
@click.option("--data", is_flag=True, help="Delete the Python environments too.")
def command(caller: Caller, data: bool) -> Uninstalled:
    """Take hqt's keys, hooks and options out of tmux, and its marks and labels off the windows.

    Windows and what runs in them stay open. Worktrees, sessions, your settings and the trash stay.
    """
    from hqt.sessions.uninstall import uninstall

    return uninstall(caller, data=data)
