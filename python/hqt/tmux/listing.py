"""One listing of everything hqt wants to know of a tmux server, and how it is read. Pure but for
`_kernel_path`.

Values are data and may hold anything, so fields are held apart by a mark that is drawn for each
call and cannot occur in them; tmux's own output may be mangled on its way (bytes that are not
UTF-8, control characters), which shows in a path's length.

A format finds an option in every scope (server, pane, window, tmux session, global), so hqt's marks
are not read by formats: tmux writes itself one `show-options` for each window that seems to have
any, and runs them in the same batch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hqt.models import Client, Pane
from hqt.tmux.formats import unquote

_PANE = (
    "pane_id window_id session_id session_name pane_pid pane_dead window_active pane_active "
    "n:pane_current_path pane_current_path pane_current_command window_name window_index "
    "n:pane_start_path pane_start_path"
).split()
MARKS = "@hqt_session @hqt_worktree @hqt_branch @hqt_state @hqt_dirty @hqt_unique".split()
_AGENT = "@hqt_agent"
# Which session's program hqt has started in a pane, and as which process: "1a2b3c4d 4711". What is
# respawned in the pane by somebody else is another one.
STARTED = "@hqt_started"
_CLIENT = (
    "client_name session_id window_id client_activity client_width client_height "
    "client_control_mode client_pid"
).split()
_SERVER = "version pid".split()


class TmuxSession(NamedTuple):
    """A tmux session that has windows."""

    id: str  # $1
    name: str
    windows: tuple[str, ...]  # in their order; a window can be linked into several sessions
    active: str  # the window it shows: @3


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tmux server at one moment. Each pane is there once, however often its window is linked."""

    panes: tuple[Pane, ...] = ()
    clients: tuple[Client, ...] = ()
    sessions: tuple[TmuxSession, ...] = ()
    options: Mapping[str, str] = field(
        default_factory=dict
    )  # the global `@hqt-…` settings that are set, "" included
    version: str = ""
    pid: int = 0  # of the server
    environment: frozenset[str] = frozenset()  # names of what it gives to every new window
    published: Mapping[str, str] = field(default_factory=dict)  # the global `@hqt_…` options
    default_command: str = ""  # what runs in a window that is given no command; "": the shell


def commands(mark: str) -> list[list[str]]:
    """The batch that prints what `parse` reads."""
    return [
        ["list-panes", "-a", "-F", _format("P", _PANE, mark)],
        ["list-clients", "-F", _format("C", _CLIENT, mark)],
        ["display-message", "-p", _format("E", _SERVER, mark)],
        ["show-environment", "-g"],
        ["display-message", "-p", f"{mark}O{mark}S{mark}."],
        ["show-options", "-g"],
        ["run-shell", "-C", _option_reads(mark)],
        ["display-message", "-p", _end(mark)],
    ]


def is_whole(text: str, mark: str) -> bool:
    """Whether all that `commands(mark)` print is there; only then `parse` may read it."""
    return text.endswith(_end(mark))


def _end(mark: str) -> str:
    return f"{mark}Z{mark}."


def _option_reads(mark: str) -> str:
    """A format that becomes the commands which print the options of windows and of panes."""
    marked = "".join(f"#{{{name}}}" for name in MARKS)
    window = (
        f"display-message -p {mark}O{mark}#{{window_id}}{mark}. ; "
        "show-options -wq -t #{window_id} ; "
    )
    # Of a pane's id only the number: `display-message` reads a % as the beginning of a date's part.
    pane = (
        f"display-message -p {mark}A{mark}#{{s/%//:pane_id}}{mark}. ; "
        "show-options -pq -t #{pane_id} ; "
    )
    own = f"#{{{_AGENT}}}#{{{STARTED}}}"
    return f"#{{S:#{{W:#{{?{marked},{window},}}#{{P:#{{?{own},{pane},}}}}}}}}"


def _format(kind: str, fields: list[str], mark: str) -> str:
    return mark + mark.join([kind, *(f"#{{{field}}}" for field in fields), "."])


def parse(text: str, mark: str) -> Snapshot:
    """The snapshot behind what `commands(mark)` printed."""
    rows: list[dict[str, str]] = []
    clients = []
    sessions: dict[str, TmuxSession] = {}
    version, pid, environment = "", 0, ""
    options: dict[str, dict[str, str]] = {}  # of "S", the server's globals; of windows and panes
    *printed, last = text.split(f"{mark}.")
    records = [record.split(mark) for record in printed]
    # What is printed without a format follows the record that says what it is.
    following = [*(before for before, *_ in records[1:]), last]
    for (_, kind, *fields), after in zip(records, following, strict=True):
        if kind == "P":
            rows.append(dict(zip(_PANE, fields, strict=True)))
        elif kind == "C":
            clients.append(_client(dict(zip(_CLIENT, fields, strict=True))))
        elif kind == "E":
            version, pid, environment = fields[0], int(fields[1]), after
        elif kind != "Z":
            options[{"A": "%"}.get(kind, "") + fields[0]] = _options(after)
    panes: dict[str, Pane] = {}
    for row in rows:
        pane = _pane(row, options)
        panes.setdefault(pane.id, pane)
        _add_window(sessions, pane)
    settings = options.get("S", {})
    return Snapshot(
        tuple(panes.values()),
        tuple(clients),
        tuple(sessions.values()),
        {name: value for name, value in settings.items() if name.startswith("@hqt-")},
        version,
        pid,
        _names(environment),
        {name: value for name, value in settings.items() if name.startswith("@hqt_")},
        settings.get("default-command", ""),
    )


def _pane(field: dict[str, str], options: Mapping[str, Mapping[str, str]]) -> Pane:
    pid = int(field["pane_pid"] or 0)
    path = _path(field, "pane_current_path")
    if path is None:
        path = _kernel_path(pid)
    marks = options.get(field["window_id"], {})
    own = options.get(field["pane_id"], {})
    return Pane(
        id=field["pane_id"],
        window=field["window_id"],
        session=field["session_id"],
        session_name=field["session_name"],
        pid=pid,
        path=path,
        command=field["pane_current_command"],
        dead=field["pane_dead"] == "1",
        window_session=marks.get("@hqt_session", ""),
        window_worktree=marks.get("@hqt_worktree", ""),
        agent_state=own.get(_AGENT, ""),
        window_active=field["window_active"] == "1",
        pane_active=field["pane_active"] == "1",
        window_name=field["window_name"],
        window_branch=marks.get("@hqt_branch", ""),
        window_state=marks.get("@hqt_state", ""),
        window_dirty=marks.get("@hqt_dirty", ""),
        window_unique=marks.get("@hqt_unique", ""),
        window_index=int(field["window_index"] or 0),
        started=_started(own.get(STARTED, ""), pid),
        start_path=_path(field, "pane_start_path") or "",
    )


def _path(field: dict[str, str], name: str) -> str | None:
    """A path as tmux knows it; None when it was mangled on its way."""
    path = field[name]
    whole = len(path.encode(errors="surrogateescape")) == int(field[f"n:{name}"] or 0)
    # A newline may also be a carriage return that was translated.
    return path if whole and "\n" not in path else None


def _started(value: str, pid: int) -> str:
    """The session of a pane's mark; "" when another process has taken the pane over. Of a dead
    pane not every tmux tells the process."""
    session, _, process = value.partition(" ")
    return session if pid == 0 or process == str(pid) else ""


def _client(field: dict[str, str]) -> Client:
    return Client(
        name=field["client_name"],
        session=field["session_id"],
        window=field["window_id"],
        activity=int(field["client_activity"] or 0),
        width=int(field["client_width"] or 0),
        height=int(field["client_height"] or 0),
        control=field["client_control_mode"] == "1",
        pid=int(field["client_pid"] or 0),
    )


def _add_window(sessions: dict[str, TmuxSession], pane: Pane) -> None:
    known = sessions.get(pane.session)
    windows = known.windows if known else ()
    sessions[pane.session] = TmuxSession(
        pane.session,
        pane.session_name,
        windows if pane.window in windows else (*windows, pane.window),
        pane.window if pane.window_active or known is None else known.active,
    )


def _options(text: str) -> dict[str, str]:
    ours = ("@hqt-", "@hqt_", "default-command ")
    lines = (line.partition(" ") for line in text.split("\n") if line.startswith(ours))
    return {name: unquote(value) for name, _, value in lines}


def _names(environment: str) -> frozenset[str]:
    """The variables of `show-environment`; a line that starts with `-` is one that is taken away.
    A value with line breaks may add names that are none, which does no harm."""
    lines = (line for line in environment.split("\n") if line and not line.startswith("-"))
    return frozenset(line.partition("=")[0] for line in lines)


def _kernel_path(pid: int) -> str:
    """Where tmux itself looked: the folder of the terminal's foreground process; "" if unknown."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
        foreground = int(status[status.rindex(b")") + 2 :].split()[5])
        return os.readlink(f"/proc/{foreground}/cwd")  # noqa: PTH115 (may hold any byte)
    except (OSError, ValueError):
        return ""
