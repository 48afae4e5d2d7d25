"""`hqt open`: to the window of a target, which is made if there is none."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Opened, Reopened


@verb("open")
@click.argument("target", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Every session without a window, of all repositories."
)
@click.option("--dry-run", is_flag=True, help="With --all: only say which.")
@click.option("-s", "--tmux-session", metavar="TMUX_SESSION", help="Where a new window goes.")
def command(
    caller: Caller,
    target: str | None,
    everything: bool,
    dry_run: bool,
    tmux_session: str | None,
) -> Opened | Reopened:
    """Go to TARGET's window; idempotent."""
    if everything == (target is not None) or (dry_run and not everything):
        raise HqtError(
            Code.USAGE,
            "Name one TARGET, or give --all (with --dry-run to only see what it would do).",
            "See `hqt open --help`.",
        )
    if target is None:
        from hqt.sessions.reopen import open_all

        if tmux_session is not None:
            raise HqtError(
                Code.USAGE,
                "--all brings every window back where it was; -s is for one TARGET.",
                "Leave -s out, or open one TARGET.",
            )
        return open_all(caller, dry_run=dry_run)
    from hqt.sessions.open import Manner, open_target

    return open_target(caller, target, Manner(tmux_session))
