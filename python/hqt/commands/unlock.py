"""`hqt unlock`: git's lock on a worktree, lifted."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import LockChanged


@verb("unlock")
@click.argument("target")
def command(caller: Caller, target: str) -> LockChanged:
    """Unlock TARGET's worktree."""
    from hqt.sessions.locking import unlock

    return unlock(caller, target)
