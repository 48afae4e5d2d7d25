"""`hqt trust`: whether this repository's own setup command may run in new worktrees."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Trust


@verb("trust")
@click.option("--yes", is_flag=True, help="Trust it without asking.")
@click.option("--no", is_flag=True, help="Refuse it without asking.")
def command(caller: Caller, yes: bool, no: bool) -> Trust:
    """Show the setup command of this checkout's .hqt.toml, and ask whether it may run.

    What you said before stays unless you say otherwise.
    """
    from hqt.sessions import trust

    if yes and no:
        raise HqtError(Code.USAGE, "--yes and --no exclude each other.", "Give one of them.")
    found = trust.look(caller)
    if yes or no:
        return trust.decide(found, yes)
    return ask(found) if caller.interactive else found


def ask(found: Trust) -> Trust:
    """Ask the user at the terminal, and keep the answer. What was said before changes only by a
    yes."""
    from hqt import report, texts
    from hqt.sessions import trust

    yes = report.confirmed(texts.setup_question(found))
    if found.trusted is None:
        return trust.decide(found, yes)
    return trust.decide(found, not found.trusted) if yes else found
