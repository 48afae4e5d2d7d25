"""What tmux shows of hqt: options that status lines read, pushed when they change, never polled.

A window has `@hqt_state`, `@hqt_branch` and `@hqt_dirty`; a pane in which an agent runs has
`@hqt_agent`, its state. (A pane's option has a name of its own, since a format that is read for a
pane would else find its window's.) A window shows the most urgent of its panes' states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hqt.tmux import formats
from hqt.tmux.listing import Snapshot
from hqt.tmux.server import Tmux

STATES = ("waiting", "error", "done", "working", "idle", "unknown")  # the most urgent first


@dataclass(frozen=True, slots=True)
class Indicator:
    """What a window shows. None: left as it is."""

    branch: str | None = None  # the label of its worktree
    dirty: str | None = None  # a count, or "" when clean or unknown
    state: str | None = None


def publish(tmux: Tmux, snapshot: Snapshot, windows: Mapping[str, Indicator]) -> int:
    """Set what differs from the snapshot, in one call; the number of options that were set.

    Every set redraws every client, so nothing is set that is there already, and tmux is not called
    at all when nothing differs. Windows that the snapshot does not know are left out.
    """
    known = {pane.window: pane for pane in snapshot.panes}
    sets = []
    for window, indicator in windows.items():
        pane = known.get(window)
        if pane is None:
            continue
        wanted = (
            ("@hqt_branch", indicator.branch, pane.window_branch),
            ("@hqt_dirty", indicator.dirty, pane.window_dirty),
            ("@hqt_state", indicator.state, pane.window_state),
        )
        sets += [
            ["set-option", "-wq", "-t", window, name, new]
            for name, new, old in wanted
            if new is not None and new != old
        ]
    tmux.run(*sets)
    return len(sets)


def most_urgent(states: list[str]) -> str:
    """The state that a window with panes in these states shows; "" when there is none."""
    return next((state for state in STATES if state in states), "")


def agent_event(pane: str, state: str) -> list[str]:
    """The one tmux command that records an agent's state: on its pane, and on its window the most
    urgent of all its panes. Nothing is set, and so nothing redrawn, when the pane says so already.

    `state` is one of STATES, or "" when the agent has gone. Pure: how it is sent is up to a caller
    who cannot afford to load much.
    """
    sets = [
        ["set-option", "-p", "-t", pane, "@hqt_agent", state],
        ["set-option", "-wF", "-t", pane, "@hqt_state", _URGENT],
    ]
    differs = f"#{{!=:#{{@hqt_agent}},{state}}}"
    return ["if-shell", "-F", "-t", pane, differs, formats.line(sets)]


def _urgent() -> str:
    form = ""
    for state in reversed(STATES):
        form = f"#{{?#{{m:* {state} *, #{{P:#{{@hqt_agent}} }}}},{state},{form}}}"
    return form


_URGENT = _urgent()
