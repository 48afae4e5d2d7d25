"""`hqt trash`: removed worktrees that can still be restored."""

from __future__ import annotations

import click

from hqt.commands.shared import Commands, shared, verb, wants_json
from hqt.models import Caller
from hqt.results import Opened, TrashListing


@click.group("trash", cls=Commands)
@shared
def command() -> None:
    """Removed worktrees of this repository."""


@verb("list")
def list_command(caller: Caller) -> TrashListing:
    """What is in the trash, newest first."""
    from hqt.sessions.trash import entries

    return entries(caller)


@verb("restore")
@click.argument("entry", metavar="ENTRY")
@click.option("--to", metavar="PATH", help="Another place, if its own is taken.")
def restore_command(caller: Caller, entry: str, to: str | None) -> Opened:
    """Bring back a removed worktree: ENTRY is its id in `trash list`, or its branch, path or
    session, where that means only one."""
    from hqt.sessions.undo import undo

    return undo(caller, entry=entry, to=to, counts=wants_json())


@verb("empty")
@click.option("--older-than", type=click.IntRange(0), metavar="D", help="Only after D days.")
def empty_command(caller: Caller, older_than: int | None) -> TrashListing:
    """Delete what is in the trash for good; at a terminal you are asked."""
    from hqt.sessions import trash

    agreed = None
    if caller.interactive and not wants_json():
        agreed = _agreed(trash.older(caller, older_than))
    return trash.empty(caller, older_than, agreed)


def _agreed(going: TrashListing) -> frozenset[str]:
    """The ids that the user wants gone for good: all of the listing, or none."""
    from hqt import report, texts

    if not going.entries:
        return frozenset()
    question = [*texts.entries(going), "Delete this for good? Nothing brings it back."]
    return frozenset(one.id for one in going.entries) if report.confirmed(question) else frozenset()


@verb("expire", hidden=True)
def expire_command(caller: Caller) -> TrashListing:
    """What may go by itself goes; hqt calls this in the background."""
    from hqt.sessions.trash import expire

    return expire(caller)


command.add_command(expire_command)
command.add_command(list_command)
command.add_command(restore_command)
command.add_command(empty_command)
