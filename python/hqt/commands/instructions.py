"""`hqt instructions`: what an agent should know."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Instructions


@verb("instructions")
@click.option("--hooks", metavar="HARNESS", help="What to add so that it reports its state.")
def command(caller: Caller, hooks: str | None) -> Instructions:
    """What an agent in this folder should know, from the settings as they are now."""
    from hqt.sessions.instructions import instructions

    return instructions(caller, hooks=hooks)
