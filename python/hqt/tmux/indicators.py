"""What tmux shows of hqt: options that status lines read, pushed when they change, never polled.

A window has `@hqt_state`, `@hqt_branch`, `@hqt_dirty` and `@hqt_unique`. Agents' states come from
`agent_states`, what a status line makes of all this from `status_line`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hqt.tmux.listing import Snapshot
from hqt.tmux.server import Tmux


@dataclass(frozen=True, slots=True)
class Indicator:
    """What a window shows. None: left as it is."""

    branch: str | None = None  # the label of its worktree
    dirty: str | None = None  # a count, or "" when clean or unknown
    state: str | None = None
    unique: str | None = None  # a count of commits, as `dirty`


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
            ("@hqt_unique", indicator.unique, pane.window_unique),
            ("@hqt_state", indicator.state, pane.window_state),
        )
        sets += [
            ["set-option", "-wq", "-t", window, name, new]
            for name, new, old in wanted
            if new is not None and new != old
        ]
    tmux.run(*sets)
    return len(sets)
