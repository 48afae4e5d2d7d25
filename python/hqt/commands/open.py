"""`hqt open`: to the window of a target, which is made if there is none."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Opened, Reopened


@verb("open")
@click.argument("target", required=False)
@click.option("--all", "everything", is_flag=True, help="Every session without a window.")
@click.option("--dry-run", is_flag=True, help="With --all: only say which.")
def command(
    caller: Caller, target: str | None, everything: bool, dry_run: bool
) -> Opened | Reopened:
    """Go to TARGET's window; idempotent."""
    from hqt.sessions.open import open_all, open_target

    if everything == (target is not None) or (dry_run and not everything):
        raise HqtError(
            Code.USAGE,
            "Name one TARGET, or give --all (with --dry-run to only see what it would do).",
            "See `hqt open --help`.",
        )
    return open_all(caller, dry_run=dry_run) if target is None else open_target(caller, target)
