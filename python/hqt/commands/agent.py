"""`hqt agent`: what an agent's hook reports. (`__main__` takes the short way to the same.)"""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.models import Caller


@verb("agent")
@click.argument("event")
@click.argument("told", metavar="[JSON]", required=False)
def command(caller: Caller, event: str, told: str | None) -> None:  # noqa: ARG001
    """For the hooks of agents: EVENT, by the agent's own name for it, becomes its pane's state.

    The hook's JSON is read from standard input. Outside a session of hqt nothing happens.
    """
    from hqt.sessions.agent import answer

    answer(event, [told] if told else [])
