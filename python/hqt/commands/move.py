"""`hqt move`: where a session runs, changed."""

from __future__ import annotations

import click

from hqt.commands.shared import silent, verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Opened


@verb("move")
@click.argument("session", required=False)
@click.option("--to", metavar="TARGET", help="A checkout of the same repository.")
@click.option("--new", metavar="NAME", help="A new worktree, made as `hqt new NAME` does.")
@click.option("--fresh", is_flag=True, help="Begin a new conversation there.")
@click.option("--close", is_flag=True, help="Also when something runs in its window.")
def command(
    caller: Caller, session: str | None, to: str | None, new: str | None, fresh: bool, close: bool
) -> None:
    """Move SESSION (default: the one of this window): it goes on in another checkout.

    Nothing is copied, switched or merged in git.
    """
    from hqt import report
    from hqt.sessions.move import Terms, move

    if (to is None) == (new is None):
        raise HqtError(
            Code.USAGE,
            "Say where to: either --to TARGET or --new NAME; nothing was moved.",
            "See `hqt move --help`.",
        )
    settings = click.get_current_context().ensure_object(dict)

    def answer(moved: Opened) -> None:
        report.success(moved, as_json=bool(settings.get("json")), told=silent(settings))

    move(caller, session, Terms(to, new, fresh, close), answer)
