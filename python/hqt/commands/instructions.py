"""`hqt instructions`: what an agent should know."""

from __future__ import annotations

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Instructions


@verb("instructions")
def command(caller: Caller) -> Instructions:
    """What an agent in this folder should know, from the settings as they are now."""
    from hqt.sessions.instructions import instructions

    return instructions(caller)
