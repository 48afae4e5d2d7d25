"""`hqt install`: what to add, and a link for the command line."""

from __future__ import annotations

from pathlib import Path

import click

from hqt.commands.shared import verb
from hqt.models import Caller
from hqt.results import Installed


@verb("install")
@click.option("--link", metavar="DIR", help="Link the command hqt into DIR.")
def command(caller: Caller, link: str | None) -> Installed:
    """Say which line tmux.conf needs. Your files are not edited."""
    from hqt.names import expanded
    from hqt.sessions.uninstall import install

    return install(caller, caller.directory / Path(expanded(link)) if link else None)
