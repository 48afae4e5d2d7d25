"""What a status line shows of hqt, as one text that tmux itself fills in: `#{E:@hqt_status}`.

Everything in it is an option of a window, pushed when it changes; how many agents wait or work tmux
counts itself. So nothing runs while nothing happens. The formats are in `scripts/status.conf`.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hqt import plugin
from hqt.names import branch_sign
from hqt.tmux.listing import Snapshot
from hqt.tmux.server import Tmux

OPTION = "@hqt_status"
COUNTED = ("waiting", "error", "done", "working")  # the states of agents that are worth a sign


@dataclass(frozen=True, slots=True)
class Signs:
    """What stands before a name or a count."""

    branch: str
    dirty: str
    unique: str
    states: Mapping[str, str]


UNICODE = Signs(
    f"{branch_sign('unicode')} ",
    "±",
    "↑",
    MappingProxyType({"waiting": "◆", "error": "✗", "done": "✔", "working": "●"}),
)
ASCII = Signs(
    f"{branch_sign('ascii')} ",
    "~",
    "^",
    MappingProxyType({"waiting": "!", "error": "x", "done": "=", "working": "*"}),
)


def signs(icons: str) -> Signs:
    """Those that `@hqt-icons` names: `ascii`, else Unicode."""
    return ASCII if icons == "ascii" else UNICODE


def text(signs: Signs, label: str, dirty: str, unique: str, agents: Mapping[str, int]) -> str:
    """The segment with everything filled in; "" for what there is none of."""
    parts = [
        f"{signs.branch}{label}" if label else "",
        f"{signs.dirty}{dirty}" if dirty else "",
        f"{signs.unique}{unique}" if unique else "",
        *(f"{signs.states[one]}{agents[one]}" for one in COUNTED if agents.get(one)),
    ]
    return " ".join(part for part in parts if part)


def refresh(tmux: Tmux) -> None:
    """Have counted anew, in the background, what clients have on screen, where the plugin says that
    it is shown: for each as if it had just come there. tmux calls, so nobody waits for it and it
    outlives the pane that hqt runs in. Raises what `Tmux.ask` raises."""
    listed = tmux.look(
        ["list-clients", "-F", "#{?#{&&:#{@hqt_refresh},#{@hqt_branch}},#{pane_id},}"]
    )
    call = "#{@hqt_launcher} --key --client '' --pane %s status --publish"
    tmux.ask(*(["run-shell", "-b", call % pane] for pane in dict.fromkeys(listed.out) if pane))


def offer(tmux: Tmux, snapshot: Snapshot) -> None:
    """Set what the plugin's entry sets, where no plugin is loaded. A server that will not is left
    alone: everything else works without."""
    if OPTION not in snapshot.published:
        tmux.ask(["source-file", glob.escape(str(plugin.FORMATS))])  # it takes a pattern
