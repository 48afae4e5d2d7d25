"""`hqt ui`: the screens, as the keys open them."""

from __future__ import annotations

import click

from hqt.commands.shared import shared, verb
from hqt.models import Caller


@click.group("ui", hidden=True)
@shared
def command() -> None:
    """The screens that the keys open, in a popup or in this terminal."""


@verb("new")
def new_command(caller: Caller) -> None:
    """The form for a new session."""
    from hqt.commands.ui_new import show

    show(caller)


@verb("switch")
def switch_command(caller: Caller) -> None:
    """The picker over worktrees and sessions."""
    from hqt.commands.ui_switch import show

    show(caller)


@verb("remove")
@click.argument("target", required=False)
def remove_command(caller: Caller, target: str | None) -> None:
    """The question before a removal: of the selected checkout's session, or which."""
    from hqt.commands.ui_remove import show

    show(caller, target)


@verb("menu")
def menu_command(caller: Caller) -> None:
    """The menu, opened in the client that asked."""
    from hqt.commands.ui_menu import show

    show(caller)


for _command in (new_command, switch_command, remove_command, menu_command):
    command.add_command(_command)
