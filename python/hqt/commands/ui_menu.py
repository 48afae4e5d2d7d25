"""Wires the native menu: what can be done here, and every worktree of the repository."""

from __future__ import annotations

import shlex
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from hqt import plugin
from hqt.errors import Become, Code, HqtError
from hqt.itself import own_words
from hqt.models import Caller, Client, Session
from hqt.results import WorktreeView
from hqt.sessions import targets, views
from hqt.sessions import world as worlds
from hqt.sessions.world import World
from hqt.tables import changes
from hqt.tmux import formats, menus, popups
from hqt.tmux.agent_states import most_urgent
from hqt.tmux.menus import RULE, Entry
from hqt.tmux.server import Snapshot, Tmux
from hqt.ui.icons import Icons, named

_LONGEST = 5.0  # seconds that a client waits for the menu it asked for
_ARCHIVE = "Archive {}? (y/n)"
PATIENCE = 0.25  # seconds that the menu waits for the counts of its worktrees
_LAUNCHER = "@hqt_launcher"
_HELP = """
help() {
    tmux -u list-keys -N -P 'prefix ' 2>/dev/null | grep 'hqt:' && echo
    "$@"
}
pager=${PAGER:-less}
command -v "${pager%% *}" >/dev/null 2>&1 || {
    help "$@"
    printf '\\nEnter closes this.'
    read -r _
    exit
}
export LESS="${LESS-} -R -Pq closes this$"
help "$@" | $pager
""".strip()


def show(caller: Caller) -> None:
    """Open the menu in the client that asked; without room for one the picker serves instead.

    Raises `tmux_unavailable` when there is no client to open it in.
    """
    asked = _asked(caller)
    popups.behind(asked.tmux, asked.client.name, **_screens(asked))


def keep(caller: Caller) -> NoReturn:
    """Write down what `show` would open, for the menu's key: hqt.tmux opens it if nothing else has
    been typed meanwhile. Until then the client waits, so this takes `_LONGEST` at most.

    Raises `tmux_unavailable` as `show`, and `timeout`.
    """
    before = signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, _LONGEST)
    try:
        asked = _asked(caller)
        popups.keep(asked.tmux, asked.client.name, **_screens(asked))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # An orderly end would wait for counts that came too late for the menu.
    raise Become("/", ("/bin/sh", "-c", ":"))


def press(caller: Caller, key: str) -> None:
    """Do what the entry with this key does, without the menu; `help` stands for `?`.

    Raises `no_such_target` where the menu has no such entry; a verb says itself why it cannot.
    """
    asked = _asked(caller)
    world = asked.world
    calls = _Calls(world, asked.client, asked.caller)
    if key == "help":
        command = calls.help()
    elif key == "l":
        command = calls.silent(_lock_verb(world), ".")
    else:
        numbered = zip("123456789", world.worktrees if world else (), strict=False)
        tree = next((tree for number, tree in numbered if number == key), None)
        if tree is None:
            raise HqtError(
                Code.NO_SUCH_TARGET,
                f"There is no worktree {key} here.",
                "The menu shows which there are.",
            )
        command = calls.silent("open", tree.id)
    popups.behind(asked.tmux, asked.client.name, pressed=command)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who asked, and what is there."""

    tmux: Tmux
    caller: Caller
    client: Client
    world: World | None  # None: not in a repository


def _asked(caller: Caller) -> _Asked:
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
    launcher = shlex.quote(str(plugin.LAUNCHER))
    if snapshot.published.get(_LAUNCHER) != launcher:
        tmux.run(["set-option", "-g", _LAUNCHER, launcher])
    caller = worlds.settled(caller, lambda: snapshot)
    return _Asked(tmux, caller, client, _world(caller, snapshot))


def _screens(asked: _Asked) -> dict[str, list[str]]:
    """The menu's pages; in a client that is too small for a menu, the picker."""
    client, pane, world = asked.client, asked.caller.pane, asked.world
    title = world.repository.root.name if world else "hqt"
    entries = list(_entries(asked.caller, world, client))
    pages = menus.commands(entries, client=client, pane=pane, title=f" {title} ")
    words = [*own_words(), "--client", client.name, *_pane(asked.caller), "ui", "switch"]
    return pages or {"menu0": popups.opening(client, words, pane=pane)}


def _late(*_: object) -> NoReturn:
    raise HqtError(
        Code.TIMEOUT,
        "The menu could not be made in time.",
        "`hqt doctor` looks at what it is made from.",
    )


def _world(caller: Caller, snapshot: Snapshot) -> World | None:
    """The world here with whatever settings can be read: what is wrong with them is said by the
    actions that need them, and the others go on."""
    try:
        return worlds.join(caller, caller.directory, lambda: snapshot, forgiving=True)
    except HqtError as error:
        if error.code is Code.NOT_A_REPOSITORY:
            return None
        raise


def _entries(caller: Caller, world: World | None, client: Client) -> Iterator[Entry]:
    """What can be done here; what cannot now stays in its place, dimmed."""
    calls = _Calls(world, client, caller)
    here = world.current if world else None
    linked = here is not None and not here.main
    session = targets.session_here(world) if world else None
    yield Entry("New…", "n", calls.screen("new"))
    yield Entry("Switch…", "s", calls.screen("switch"))
    yield _if(session and world, Entry("Move…", "m", calls.screen("move")))
    yield _if(session and world, Entry("New and move here…", "M", calls.screen("move", "--new")))
    yield Entry("Remove…", "x", calls.screen("remove"))
    if session:
        yield Entry("Archive", "a", calls.archive(session))
    else:
        yield Entry("Archive")
    yield _if(world, Entry("Undo the last removal", "u", calls.silent("undo")))
    yield _if(world, Entry("Git", "g", calls.screen("git")))
    verb = _lock_verb(world)
    yield _if(linked, Entry(verb.capitalize(), "l", calls.silent(verb, ".")))
    yield Entry("Help", "?", calls.help())
    if world:
        yield RULE
        icons = named(world.config.icons)
        for number, view in enumerate(_counted(world), start=1):
            key = str(number) if number < 10 else ""
            yield Entry(_label(world, view, icons), key, calls.silent("open", view.worktree.id))


def _lock_verb(world: World | None) -> str:
    here = world.current if world else None
    return "unlock" if here is not None and here.locked is not None else "lock"


def _if(possible: object, entry: Entry) -> Entry:
    return entry if possible else Entry(entry.label)


def _counted(world: World) -> tuple[WorktreeView, ...]:
    """Every worktree with its counts; without any where they are not known soon."""
    found: list[tuple[WorktreeView, ...]] = []

    def count() -> None:
        try:
            found.append(views.all_counted(world))
        except HqtError:
            return

    counting = threading.Thread(target=count, daemon=True)
    counting.start()
    counting.join(PATIENCE)
    return found[0] if found else tuple(views.plain(world, tree) for tree in world.worktrees)


def _label(world: World, view: WorktreeView, icons: Icons) -> str:
    tree = view.worktree
    state = _state(world, view)
    known = view.changes is not None or view.unique_commits is not None
    words = [
        "*" if view.current else " ",
        icons.state(state) if state else " ",
        f"{icons.branch} {tree.label}",
        "" if known or tree.missing else icons.ellipsis,
        changes(view.changes) if view.changes and view.changes.any else "",
        f"{icons.unique}{view.unique_commits}" if view.unique_commits else "",
        tree.operation or "",
        "locked" if tree.locked is not None else "",
        "missing" if tree.missing else "",
        state if state in ("waiting", "error", "done") else "",
    ]
    return " ".join(word for word in words if word)


def _state(world: World, view: WorktreeView) -> str:
    """What agents are doing in a worktree: the most urgent; "" where there is none."""
    panes = world.snapshot.panes if world.snapshot else ()
    inside = set(view.windows or ())
    return most_urgent([pane.agent_state for pane in panes if pane.window in inside])


class _Calls:
    """The tmux commands behind the entries."""

    def __init__(self, world: World | None, client: Client, caller: Caller) -> None:
        self._client = client
        self._pane = caller.pane
        self._config = world.config if world else None
        self._flags = ["--client", client.name, *_pane(caller)]

    def screen(self, *words: str) -> tuple[str, ...]:
        """Opens a screen of hqt."""
        return self._opened([*own_words(), *self._flags, "ui", *words])

    def help(self) -> tuple[str, ...]:
        """Opens the help in a pager."""
        return self._opened(["/bin/sh", "-c", _HELP, "sh", *own_words(), "--help"])

    def silent(self, *words: str) -> tuple[str, ...]:
        """Calls hqt in the background; it answers in the status line. Ids and fixed words only,
        since a shell reads them."""
        call = f"#{{{_LAUNCHER}}} {shlex.join(['--key', *self._flags])} {shlex.join(words)}"
        return ("run-shell", "-b", call)

    def archive(self, session: Session) -> tuple[str, ...]:
        """Asks, then archives the session here."""
        label = formats.window_name(session.nickname).replace("%", "％")  # else a date, to tmux
        label = formats.cut(label, self._client.width - len(_ARCHIVE.format("")))
        act = formats.line([self.silent("archive", f"session:{session.id}")])
        return ("confirm-before", "-t", self._client.name, "-p", _ARCHIVE.format(label), act)

    def _opened(self, command: list[str]) -> tuple[str, ...]:
        if self._config is None:
            return tuple(popups.opening(self._client, command, pane=self._pane))
        width, height = self._config.popup_width, self._config.popup_height
        opening = popups.opening(self._client, command, pane=self._pane, width=width, height=height)
        return tuple(opening)


def _pane(caller: Caller) -> list[str]:
    return ["--pane", caller.pane] if caller.pane else []
