"""`hqt inspect`: everything that would go with a worktree."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Inventory


@verb("inspect")
@click.argument("target", default=".")
def command(caller: Caller, target: str) -> Inventory:
    """What TARGET would lose if it went, and who is in it. Nothing is changed."""
    from hqt.sessions.inspect import inspect

    return inspect(caller, target)
