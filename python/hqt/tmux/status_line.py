"""What a status line shows of hqt, as one text that tmux itself fills in: `#{E:@hqt_status}`.

Everything in it is an option of a window, pushed when it changes; how many agents wait or work tmux
counts itself. So nothing runs while nothing happens. Looking at a window of hqt asks once for its
changes to be counted anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hqt.tmux.listing import Snapshot
from hqt.tmux.server import Tmux

OPTION = "@hqt_status"
HOOK = 8923  # the index of hqt's hooks, so that setting them again changes nothing
HOOKS = ("session-window-changed", "client-session-changed", "client-focus-in")
COUNTED = ("waiting", "error", "done", "working")  # the states of agents that are worth a sign
# As the plugin's own keys call it; nothing is called before the plugin has said where it is.
_REFRESH = (
    'if-shell -F "#{&&:#{@hqt_launcher},#{@hqt_branch}}" { run-shell -b "#{@hqt_launcher} --key '
    "--client '#{client_name}' --pane #{pane_id} status --publish\" }"
)


@dataclass(frozen=True, slots=True)
class Signs:
    """What stands before a name or a count."""

    branch: str
    dirty: str
    unique: str
    states: Mapping[str, str]


UNICODE = Signs(
    "⎇ ",
    "±",
    "↑",
    MappingProxyType({"waiting": "◆", "error": "✗", "done": "✔", "working": "●"}),
)
ASCII = Signs(
    "Y ",
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


def template(signs: Signs) -> str:
    """The same as a format, read for the window that is shown. A branch is data, so its `#` is
    replaced: a status line would take `#[…]` in it for a style."""
    parts = [
        f"#{{?#{{@hqt_branch}},{signs.branch}#{{s/[#]/＃/:@hqt_branch}} ,}}",
        f"#{{?#{{@hqt_dirty}},{signs.dirty}#{{@hqt_dirty}} ,}}",
        f"#{{?#{{@hqt_unique}},{signs.unique}#{{@hqt_unique}} ,}}",
    ]
    for state in COUNTED:
        windows = f"S:#{{W:#{{?#{{==:#{{@hqt_state}},{state}}},x,}}}}"
        parts.append(f"#{{?#{{{windows}}},{signs.states[state]}#{{n;{windows}}} ,}}")
    return "".join(parts)


def offer(tmux: Tmux, snapshot: Snapshot, signs: Signs) -> None:
    """Set `@hqt_status`, and the hooks that keep a window's counts, unless they are there already.
    A server that will not is left alone: everything else works without."""
    wanted = template(signs)
    if snapshot.published.get(OPTION) != wanted:
        hooks = [["set-hook", "-g", f"{event}[{HOOK}]", _REFRESH] for event in HOOKS]
        tmux.ask(["set-option", "-g", OPTION, wanted], *hooks)
