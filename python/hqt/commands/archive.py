"""`hqt archive`: a session is put aside, and what it needs no more is reclaimed."""

from __future__ import annotations

from pathlib import Path

import click

from hqt.commands.shared import silent, verb
from hqt.errors import Code, HqtError
from hqt.models import Caller, Session
from hqt.results import Archived


@verb("archive")
@click.argument("target")
@click.option("--close", is_flag=True, help="Also when something runs in its window.")
@click.option("--wait", is_flag=True, help="Until it is known what becomes of its worktree.")
@click.option("--status", "only_status", is_flag=True, help="Only say how it stands.")
@click.option("--attempt", type=int, hidden=True)  # hqt calls this in the background
def command(
    caller: Caller, target: str, close: bool, wait: bool, only_status: bool, attempt: int | None
) -> Archived | None:
    """Put TARGET aside: its window closes, a clean worktree of its own goes, the branch stays."""
    from hqt import report
    from hqt.commands import background
    from hqt.sessions import archive, reclaim

    if only_status and (close or wait):
        raise HqtError(
            Code.USAGE,
            "--status excludes --close and --wait; nothing was archived.",
            "Give one of them.",
        )
    if only_status:
        return archive.status(caller, target)
    if attempt is not None:
        reclaim.reclaim(caller, target, attempt)
        return None
    settings = click.get_current_context().ensure_object(dict)

    def begin(folder: Path, session: Session, revision: int) -> None:
        where = background.place(Caller(folder, caller.socket_name, caller.socket_path))
        background.start(*where, "archive", "--attempt", str(revision), "--", session.id, idle=True)

    def answer(archived: Archived) -> None:
        report.success(archived, as_json=bool(settings.get("json")), told=silent(settings))

    archive.archive(caller, target, close=close, wait=wait, begin=begin, answer=answer)
    return None
