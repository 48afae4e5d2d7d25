"""Wires the native menu: what can be done here, and every worktree of the repository."""

from __future__ import annotations

import shlex
from pathlib import Path

import hqt
from hqt.errors import Code, HqtError
from hqt.itself import own_words
from hqt.models import Caller, Client
from hqt.results import WorktreeView
from hqt.sessions import views
from hqt.sessions import world as worlds
from hqt.sessions.world import World
from hqt.texts import changes
from hqt.tmux import menus
from hqt.tmux.menus import RULE, Entry

_LAUNCHER = "@hqt_launcher"


def show(caller: Caller) -> None:
    """Open the menu in the client that asked; without room for one the picker serves instead.

    Raises `tmux_unavailable` when there is no client to open it in.
    """
    snapshot = worlds.glance(caller)
    client = next(
        (one for one in (snapshot.clients if snapshot else ()) if one.name == caller.client), None
    )
    if snapshot is None or client is None:
        raise HqtError(
            Code.TMUX_UNAVAILABLE,
            "There is no tmux client to show the menu in.",
            "Press the menu's key in an attached tmux; `hqt list` shows the same here.",
        )
    tmux = worlds.connect(caller)
    tmux.run(["set-option", "-g", _LAUNCHER, shlex.quote(str(_launcher()))])
    caller = worlds.settled(caller, snapshot)
    world = _world(caller)
    entries = _entries(world, client)
    title = world.repository.root.name if world else "hqt"
    if not menus.open_menu(tmux, entries, client=client, pane=caller.pane, title=f" {title} "):
        from hqt.tmux import popups

        words = [*own_words(), "--client", client.name, *_pane(caller), "ui", "switch"]
        popups.open_screen(tmux, snapshot, words, client=client.name, pane=caller.pane)


def _world(caller: Caller) -> World | None:
    try:
        return worlds.look(caller)
    except HqtError as error:
        if error.code is Code.NOT_A_REPOSITORY:
            return None
        raise


def _entries(world: World | None, client: Client) -> list[Entry]:
    caller = world.caller if world else Caller(Path("/"), client=client.name)
    screen, silent = _Screens(world, client, caller), _Silent(client, caller)
    entries = [Entry("New…", "n", screen("new"))]
    if world is None:
        return [*entries, Entry("Help", "?", screen.help())]
    here = world.current
    locked = here is not None and here.locked is not None
    entries += [
        Entry("Switch…", "s", screen("switch")),
        Entry("Remove…", "x", screen("remove")),
        Entry("Undo the last removal", "u", silent("undo")),
        Entry("Git", "g", screen("git")),
        Entry("Unlock" if locked else "Lock", "l", silent("unlock" if locked else "lock", ".")),
        Entry("Help", "?", screen.help()),
        RULE,
    ]
    for view in views.all_counted(world):
        entries.append(Entry(_label(view), "", silent("open", view.worktree.id)))
    return entries


def _label(view: WorktreeView) -> str:
    tree = view.worktree
    unique = f"↑{view.unique_commits}" if view.unique_commits else ""
    words = [
        "*" if view.current else " ",
        f"⎇ {tree.label}",
        changes(view.changes) if view.changes and view.changes.any else "",
        unique,
        tree.operation or "",
        "locked" if tree.locked is not None else "",
        "missing" if tree.missing else "",
    ]
    return " ".join(word for word in words if word)


class _Screens:
    """The tmux command that opens a screen in a popup."""

    def __init__(self, world: World | None, client: Client, caller: Caller) -> None:
        width, height = (world.config.popup_width, world.config.popup_height) if world else ("", "")
        where = ["-t", caller.pane] if caller.pane else []
        self._popup = ["display-popup", "-E", "-c", client.name, *where, "-d", "/"]
        self._popup += ["-w", width or "80%", "-h", height or "75%", "--"]
        self._call = ["--client", client.name, *_pane(caller)]

    def __call__(self, name: str) -> tuple[str, ...]:
        return (*self._popup, *own_words(), *self._call, "ui", name)

    def help(self) -> tuple[str, ...]:
        script = '"$@" --help | ${PAGER:-less -R}'
        return (*self._popup, "/bin/sh", "-c", script, "sh", *own_words())


class _Silent:
    """The tmux command that calls hqt in the background; it answers in the status line. Ids and
    fixed words only, since a shell reads them."""

    def __init__(self, client: Client, caller: Caller) -> None:
        words = ["--key", "--client", client.name, *_pane(caller)]
        self._call = f"#{{{_LAUNCHER}}} {shlex.join(words)}"

    def __call__(self, *words: str) -> tuple[str, ...]:
        return ("run-shell", "-b", f"{self._call} {shlex.join(words)}")


def _pane(caller: Caller) -> list[str]:
    return ["--pane", caller.pane] if caller.pane else []


def _launcher() -> Path:
    return Path(hqt.__file__).parents[2] / "scripts" / "hqt"
