"""`hqt list`: every worktree of the repository and its sessions."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Listing, Listings


@verb("list")
@click.option("--all", "everywhere", is_flag=True, help="Every repository that hqt knows.")
@click.option("--archived", is_flag=True, help="The sessions that were put aside, too.")
def command(caller: Caller, everywhere: bool, archived: bool) -> Listing | Listings:
    """Every worktree, made by hqt or not, with what it would lose."""
    from hqt.sessions.listing import everything, here

    if everywhere:
        return everything(caller, archived=archived)
    try:
        return here(caller, archived=archived)
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY:
            raise
        remedy = "Go to a repository; `hqt list --all` shows every one that hqt knows."
        raise HqtError(error.code, error.message, remedy, error.details) from error
