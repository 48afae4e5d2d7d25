"""`hqt config`: every setting, its value, and where it comes from."""

from __future__ import annotations

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Settings


@verb("config")
def command(caller: Caller) -> Settings:
    """Every setting as it counts here, and who set it."""
    from hqt.sessions.settings import settings

    return settings(caller)
