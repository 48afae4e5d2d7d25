"""Windows: opened, labelled, shown and closed. Ids only, and names as data.

A path reaches tmux in an option that is named for this one call and unset in the same batch, since
`-c` takes a format; a shown name has lost what a format would expand (`formats.window_name`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.tmux.formats import plain_window_name, window_name
from hqt.tmux.listing import MARKS, STARTED, Snapshot
from hqt.tmux.server import Tmux

# tmux gives a single word to a shell; behind this it is executed as it is, like several words.
_EXEC = ("/bin/sh", "-c", 'exec "$0" "$@"')
_MADE = "#{window_id} #{pane_id} #{session_id} #{window_index} #{pane_pid} #{session_name}"
STEADY = {"automatic-rename": "off", "allow-rename": "off"}  # a window keeps its name


@dataclass(frozen=True, slots=True)
class Window:
    """A window that has just been made."""

    id: str  # @3
    pane: str  # %5
    session: str  # $1
    index: int = 0  # its place in the tmux session
    session_name: str = ""
    pid: int = 0  # of what its pane runs


@dataclass(frozen=True, slots=True)
class _Program:
    """What a pane runs, and where."""

    cwd: Path
    command: Sequence[str] | None
    environment: Mapping[str, str]
    option: str = field(default_factory=lambda: f"@hqt_path_{os.urandom(6).hex()}")

    def batch(self, create: Sequence[str]) -> list[list[str]]:
        """`create` (new-window, …) with the program's arguments, the path's option around it."""
        words = executed(self.command or ())
        variables = (f"-e{name}={value}" for name, value in self.environment.items())
        return [
            ["set-option", "-s", self.option, os.fspath(self.cwd)],
            [*create, "-c", f"#{{{self.option}}}", *variables, *(["--", *words] if words else [])],
            ["set-option", "-su", self.option],
        ]

    def forget(self, tmux: Tmux) -> None:
        """Unset the option of a batch that stopped before it came to that."""
        tmux.ask(["set-option", "-suq", self.option])


def executed(command: Sequence[str]) -> list[str]:
    """The words that make tmux execute `command` word by word, however many they are."""
    return [*_EXEC, *command] if len(command) == 1 else list(command)


def open_window(
    tmux: Tmux,
    *,
    session: str | None,
    new_session: str | None = None,
    index: int | None = None,
    cwd: Path,
    label: str,
    command: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    started: str = "",
    select: bool = False,
    client: str | None = None,
) -> Window:
    """Open a window in the tmux session with the id `session`, or in a new one of that name; at
    the place `index`, if that is free.

    It starts in `cwd` and runs `command`, word by word and without a shell, or else what the user's
    `default-command` says; `environment` is added to what the server gives. `options` are set on
    the window; the pane is marked as the one in which the program of the hqt session `started` was
    started. With `select` it becomes its session's current window, and `client` is taken there.

    Raises `missing_worktree` when `cwd` is no folder that can be entered (tmux would silently start
    elsewhere), and `tmux_unavailable` when tmux refuses; then no window was made.
    """
    _require_folder(cwd)
    program = _Program(cwd, command, environment or {})
    if session is not None:
        places = [f"{session}:"] if index is None else [f"{session}:{index}", f"{session}:"]
        creates = [["new-window", *([] if select else ["-d"]), "-t", place] for place in places]
    else:
        creates = [["new-session", "-d", "-s", window_name(new_session or label)]]
    names = dict.fromkeys((window_name(label), plain_window_name(label)))
    more = [["switch-client", "-c", client, "-t", session]] if select and session and client else []
    for create, name in ((create, name) for create in creates for name in names):
        answer = tmux.ask(*program.batch([*create, "-P", "-F", _MADE, "-n", name]), *more)
        if answer.out:  # it was made; a client that has gone meanwhile is no failure
            break
        program.forget(tmux)
    else:
        raise tmux.failure(answer, creates[0][0])
    id, pane, of, at, pid, called = answer.out[0].split(" ", 5)
    window = Window(id, pane, of, int(at), called, int(pid or 0))
    if not cwd.is_dir():
        close_window(tmux, window.id)
        _require_folder(cwd)
    # By its id, which only its answer tells: a hook of the user's may have made another window the
    # batch's current one. What it ran may have ended at once, and its window with it.
    marks = [*_starts(window.pane, started), *_settings(options or {}, window.id)]
    tmux.ask(*marks, *_private(program, window, session))
    if session is None and index is not None and index != window.index:
        answer = tmux.ask(["move-window", "-s", window.id, "-t", f"{window.session}:{index}"])
        window = replace(window, index=index) if answer.status == 0 else window
    if select and session is None and client:
        goto(tmux, session=window.session, window=window.id, client=client)
    return window


def respawn(
    tmux: Tmux,
    pane: str,
    *,
    cwd: Path,
    command: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    started: str = "",
) -> None:
    """End what runs in `pane` (an id) and run `command` there instead, as `open_window` would."""
    _require_id("%", pane)
    _require_folder(cwd)
    program = _Program(cwd, command, environment or {})
    batch = program.batch(["respawn-pane", "-k", "-t", pane])
    # What it runs may have ended at once, and its pane with it.
    answer = tmux.ask(*batch, ["display-message", "-p", "done"], *_starts(pane, started))
    if answer.status != 0 and not answer.out:
        program.forget(tmux)
        raise tmux.failure(answer, "respawn-pane")


def keep_pane(tmux: Tmux, pane: str, keep: bool) -> None:
    """Let a pane stay when its program ends (it can be respawned then), or as the user has it."""
    _require_id("%", pane)
    value = ["on"] if keep else []
    tmux.ask(["set-option", "-pq" if keep else "-puq", "-t", pane, "remain-on-exit", *value])


def is_dead(tmux: Tmux, pane: str) -> bool:
    """Whether the program of a pane has ended, the pane being there or not."""
    form = "#{pane_id} #{pane_dead}"
    answer = tmux.look(["display-message", "-p", "-t", _require_id("%", pane), form])
    return answer.status == 0 and answer.out[:1] != [f"{pane} 0"]


def is_there(tmux: Tmux, pane: str) -> bool:
    """Whether a pane (an id) exists; False too where no server answers."""
    return pane in tmux.look(["list-panes", "-a", "-F", "#{pane_id}"]).out


def label(
    tmux: Tmux,
    snapshot: Snapshot,
    window: str,
    *,
    text: str | None = None,
    options: Mapping[str, str] | None = None,
) -> None:
    """Name a window `text` (None: leave its name) and set `options` on it: in one call, only what
    the snapshot shows to differ, since every set redraws every client. A vanished window is left
    to its fate."""
    pane = next((pane for pane in snapshot.panes if pane.window == window), None)
    if pane is None:
        return
    known = {
        "@hqt_session": pane.window_session,
        "@hqt_worktree": pane.window_worktree,
        "@hqt_branch": pane.window_branch,
        "@hqt_state": pane.window_state,
        "@hqt_dirty": pane.window_dirty,
        "@hqt_unique": pane.window_unique,
    }
    changed = {name: value for name, value in (options or {}).items() if known.get(name) != value}
    sets = [["set-option", "-w", "-t", window, name, value] for name, value in changed.items()]
    if text is None or pane.window_name in {window_name(text), plain_window_name(text)}:
        tmux.run(*sets)
        return
    for name in dict.fromkeys((window_name(text), plain_window_name(text))):
        answer = tmux.ask(*sets, ["rename-window", "-t", window, "--", name])
        if answer.status == 0:
            return
    raise tmux.failure(answer, "rename-window")


def set_options(tmux: Tmux, window: str, options: Mapping[str, str]) -> None:
    """Set options of a window ("": unset); one that has vanished is left to its fate."""
    where = ["-w", "-t", _require_id("@", window)]
    tmux.ask(
        *(
            ["set-option", *where, name, value] if value else ["set-option", "-u", *where, name]
            for name, value in options.items()
        )
    )


def disown(tmux: Tmux, window: str) -> None:
    """Take hqt's options off a window and let tmux name it again."""
    _require_id("@", window)
    sets = [["set-option", "-wuq", "-t", window, name] for name in (*MARKS, *STEADY)]
    tmux.ask(*sets, ["set-option", "-wUq", "-t", window, STARTED])  # of all its panes


def goto(tmux: Tmux, *, session: str, window: str, client: str | None) -> None:
    """Show a window of a tmux session, by their ids: in `client`, else in whoever is attached."""
    place = f"{_require_id('$', session)}:{_require_id('@', window)}"
    if client:
        tmux.run(["switch-client", "-c", client, "-t", place])
    else:
        tmux.run(["select-window", "-t", place])


def make_way(
    tmux: Tmux,
    snapshot: Snapshot,
    doomed: Collection[str],
    *,
    refuge: Path,
    expendable: Collection[str] = (),
) -> None:
    """Before the windows `doomed` are closed: no client may be thrown out of tmux.

    A tmux session that keeps a window needs nothing: tmux shows its last one. One that would lose
    all gets a shell in `refuge` (the main checkout), unless its name is `expendable` (made for the
    worktree) and its clients can go to a session that stays.
    """
    staying = [one for one in snapshot.sessions if not set(one.windows) <= set(doomed)]
    ending = [one for one in snapshot.sessions if one not in staying]
    refuges = 0
    for session in sorted(ending, key=lambda one: one.name in expendable):
        if refuges and not _windows_of(tmux, session.id) <= set(doomed):
            continue  # of a group of tmux sessions each has the windows of all
        clients = [client for client in snapshot.clients if client.session == session.id]
        if session.name in expendable and staying:
            commands = [
                ["switch-client", "-c", client.name, "-t", staying[0].id] for client in clients
            ]
            for command in commands:  # each on its own: a client may have gone meanwhile
                tmux.ask(command)
            continue
        open_window(
            tmux, session=session.id, cwd=refuge, label=refuge.name or str(refuge), select=True
        )
        staying.append(session)
        refuges += 1


def close_window(tmux: Tmux, window: str) -> None:
    """Close one window by its id. One that is gone already is closed."""
    _close(tmux, ["kill-window", "-t", _require_id("@", window)], "window_id")


def close_pane(tmux: Tmux, pane: str) -> None:
    """Close one pane by its id. One that is gone already is closed."""
    _close(tmux, ["kill-pane", "-t", _require_id("%", pane)], "pane_id")


def _windows_of(tmux: Tmux, session: str) -> set[str]:
    return {*tmux.look(["list-windows", "-t", session, "-F", "#{window_id}"]).out}


def _close(tmux: Tmux, command: list[str], kind: str) -> None:
    answer = tmux.ask(command)
    if answer.status == 0 or answer.nobody:
        return
    left = tmux.look(["list-panes", "-a", "-F", f"#{{{kind}}}"])
    if command[-1] in left.out:
        raise tmux.failure(answer, command[0])


def _settings(options: Mapping[str, str], window: str) -> list[list[str]]:
    """What keeps a window's name and says whose it is."""
    mark = ["set-option", "-w", "-t", window]
    return [[*mark, name, value] for name, value in {**STEADY, **options}.items()]


def _starts(pane: str, session: str) -> list[list[str]]:
    """The mark of a pane in which the program of a session ("": of none) has just been started."""
    if not session:
        return [["set-option", "-puq", "-t", pane, STARTED]]
    return [["set-option", "-pF", "-t", pane, STARTED, f"{session} #{{pane_pid}}"]]


def _private(program: _Program, window: Window, session: str | None) -> list[list[str]]:
    """A new tmux session takes `-e` for all windows to come; they are not this program's."""
    if session is not None:
        return []
    return [["set-environment", "-t", window.session, "-u", name] for name in program.environment]


def _require_folder(path: Path) -> None:
    if path.is_dir() and os.access(path, os.X_OK):
        return
    raise HqtError(
        Code.MISSING_WORKTREE,
        f"The folder {path} is not there or cannot be entered, so no window was opened in it.",
        "`hqt restore` brings a removed worktree back; otherwise mend the folder.",
        {"path": os.fspath(path)},
    )


def _require_id(sign: str, text: str) -> str:
    """A tmux id. With anything else tmux would guess what is meant, the empty text included."""
    if not re.fullmatch(rf"{re.escape(sign)}\d+", text):
        raise ValueError(f"not a tmux id: {text!r}")
    return text
