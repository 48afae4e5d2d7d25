"""`hqt rename`: another nickname, another branch."""

from __future__ import annotations

import click

from hqt.commands.shared import verb
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Opened


@verb("rename")
@click.argument("target")
@click.argument("name", metavar="NEWNAME")
@click.option("-b", "--branch", metavar="NEWBRANCH", help="What the branch is called from now on.")
@click.option("--keep-branch", is_flag=True, help="Only the nickname changes.")
def command(
    caller: Caller, target: str, name: str, branch: str | None, keep_branch: bool
) -> Opened:
    """Call TARGET's session NEWNAME; the branch that hqt named after it follows.

    A branch, a worktree's id or its path means the only session there, and the branch follows in
    any case; where several sessions live there, only the branch is renamed. The directory stays
    where it is.
    """
    from hqt.sessions.rename import rename

    if branch is not None and keep_branch:
        raise HqtError(
            Code.USAGE,
            "-b and --keep-branch exclude each other; nothing was renamed.",
            "Give one of them.",
        )
    return rename(caller, target, name, branch, keep_branch=keep_branch)
