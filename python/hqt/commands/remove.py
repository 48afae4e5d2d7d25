"""`hqt remove`: sessions and their worktrees go, guarded."""

from __future__ import annotations

import contextlib

import click

from hqt.commands.shared import silent, verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Removals


@verb("remove")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@click.option("--force", is_flag=True, help="Also what would be lost (it goes to the trash).")
@click.option("--close", is_flag=True, help="Also when something runs in there.")
@click.option("--evacuate", is_flag=True, help="First move other sessions to the main checkout.")
@click.option("--keep-worktree", is_flag=True, help="Only the session goes.")
@click.option("--keep-branch", is_flag=True, help="The branch stays in any case.")
@click.option("--delete-branch", is_flag=True, help="The branch goes too, if it is merged.")
def command(
    caller: Caller,
    targets: tuple[str, ...],
    keep_worktree: bool,
    keep_branch: bool,
    delete_branch: bool,
    **flags: bool,
) -> None:
    """Remove each TARGET; refuse, and name what, when anything would be lost."""
    from hqt import report
    from hqt.sessions.remove import Terms, remove

    for kept, flag in ((keep_branch, "--keep-branch"), (keep_worktree, "--keep-worktree")):
        if kept and delete_branch:  # a worktree that stays has its branch checked out
            raise HqtError(
                Code.USAGE,
                f"{flag} and --delete-branch exclude each other; nothing was removed.",
                "Give one of them.",
            )
    branch = "keep" if keep_branch else "delete" if delete_branch else "setting"
    settings = click.get_current_context().ensure_object(dict)

    def answer(removals: Removals) -> None:
        report.success(removals, as_json=bool(settings.get("json")), told=silent(settings))

    remove(caller, targets, Terms(branch=branch, keep_worktree=keep_worktree, **flags), answer)
    _tidy(caller)


def _tidy(caller: Caller) -> None:
    """Let what is old and held nothing go from the trash, by a process that nobody waits for."""
    from hqt.commands import background
    from hqt.sessions.trash import has_expired

    with contextlib.suppress(HqtError):
        if has_expired(caller):
            background.start(*background.place(caller), "trash", "expire", idle=True)
