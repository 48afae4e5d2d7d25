"""`hqt doctor`: is everything there that hqt needs, and what to do if not."""

from __future__ import annotations

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Diagnosis


@verb("doctor")
def command(caller: Caller) -> Diagnosis:
    """Look at tmux, git, Python, the locale, the environment, the options and this repository."""
    from hqt.sessions.doctor import diagnose

    return diagnose(caller)
