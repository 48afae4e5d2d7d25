"""`hqt path`: the directory of a target."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Located


@verb("path")
@click.argument("target", default=".")
def command(caller: Caller, target: str) -> Located:
    """The directory of TARGET: `cd "$(hqt path fix)"`."""
    from hqt.sessions.locate import locate

    return locate(caller, target)
