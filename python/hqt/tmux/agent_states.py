"""The states of agents, and the one tmux command that records one.

Loads nothing else: an agent's hook is called at each of its steps and must not be felt.

A pane in which an agent runs has its state in `@hqt_agent`; its window shows the most urgent of all
its panes' in `@hqt_state`. (Two names, since a format read for a pane would find its window's.)
"""

from __future__ import annotations

STATES = ("waiting", "error", "done", "working", "idle", "unknown")  # the most urgent first


def most_urgent(states: list[str]) -> str:
    """The state that a window with panes in these states shows; "" when there is none."""
    return next((state for state in STATES if state in states), "")


def recording(pane: str, state: str) -> list[str]:
    """The tmux command, word by word, that sets an agent's state on its pane and on its window.

    Nothing is set, and so nothing redrawn, when the pane says so already. `state` is one of STATES,
    or "" when the agent has gone. Raises ValueError for anything else, and for what is no pane id.
    """
    if pane[:1] != "%" or not pane[1:].isdecimal() or state not in (*STATES, ""):
        raise ValueError(f"no pane and state of an agent: {pane!r} {state!r}")
    sets = (
        f'set-option -p -t {pane} @hqt_agent "{state}" ; '
        f'set-option -wF -t {pane} @hqt_state "{_urgent()}"'
    )
    return ["if-shell", "-F", "-t", pane, f"#{{!=:#{{@hqt_agent}},{state}}}", sets]


def _urgent() -> str:
    """`most_urgent` of a window's panes, as a format."""
    form = ""
    for state in reversed(STATES):
        form = f"#{{?#{{m:* {state} *, #{{P:#{{@hqt_agent}} }}}},{state},{form}}}"
    return form
