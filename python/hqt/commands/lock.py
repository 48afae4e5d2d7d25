"""`hqt lock`: git's lock on a worktree."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import LockChanged


@verb("lock")
@click.argument("target")
@click.option("--reason", metavar="R", default="", help="Why, for whoever meets the lock.")
def command(caller: Caller, target: str, reason: str) -> LockChanged:
    """Lock TARGET's worktree: neither git nor hqt removes it, not even with --force."""
    from hqt.sessions.locking import lock

    return lock(caller, target, reason)
