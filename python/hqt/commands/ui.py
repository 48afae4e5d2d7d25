"""`hqt ui`: the screens, as the keys open them."""

from __future__ import annotations

import os
import sys

import click

from hqt.commands.shared import Commands, shared, verb
from hqt.models import Caller


@click.group("ui", cls=Commands)
@shared
def command() -> None:
    """The screens that the keys open, in a popup or in this terminal."""


@verb("new")
def new_command(caller: Caller) -> None:
    """The form for a new session."""
    from hqt.commands.ui_new import show

    show(caller)
    _leave()


@verb("switch")
def switch_command(caller: Caller) -> None:
    """The picker over worktrees and sessions."""
    from hqt.commands.ui_switch import show

    show(caller)
    _leave()


@verb("move")
@click.option("--new", is_flag=True, help="To a worktree that is made for it.")
def move_command(caller: Caller, new: bool) -> None:
    """Where the session of this window should go on."""
    from hqt.commands import ui_move

    (ui_move.show_new if new else ui_move.show)(caller)
    _leave()


@verb("remove")
@click.argument("target", required=False)
def remove_command(caller: Caller, target: str | None) -> None:
    """The question before a removal: of the selected checkout's session, or which."""
    from hqt.commands.ui_remove import show

    show(caller, target)
    _leave()


@verb("menu")
@click.option("--typed", is_flag=True, hidden=True)  # these two are for hqt.tmux
@click.option("--press", "key", hidden=True)
def menu_command(caller: Caller, typed: bool, key: str | None) -> None:
    """The menu, opened in the client that asked."""
    from hqt.commands import ui_menu

    if key:
        ui_menu.press(caller, key)
    elif typed:
        ui_menu.keep(caller)
    else:
        ui_menu.show(caller)


def _leave() -> None:
    """End this process now: a popup takes every key until its program is gone, and an orderly end
    would wait for threads that still ask for what nobody wants to see any more."""
    if sys.stdin.isatty():
        sys.stdout.flush()
        os._exit(0)


@verb("git")
def git_command(caller: Caller) -> None:
    """The git program of the user's choice, at the selected checkout."""
    from hqt.commands.ui_git import show
    from hqt.sessions import world as worlds

    world = worlds.look(caller)
    show(world, str(world.repository.checkout or world.repository.root))


for _command in (
    new_command,
    switch_command,
    move_command,
    remove_command,
    menu_command,
    git_command,
):
    command.add_command(_command)
