"""The states of agents, and the one tmux command that records one.

Loads nothing else: an agent's hook is called at each of its steps and must not be felt.

A pane in which an agent runs has its state in `@hqt_agent`; its window shows the most urgent of all
its panes' in `@hqt_state`. (Two names, since a format read for a pane would find its window's.)

Two things that no agent reports are left to tmux itself, by hooks that a recorded state brings
along, so that no process runs for them: *done* becomes *idle* when a client looks at the window,
and *working* does when the spinner in the pane's title is gone (an interrupt fires no event).
"""

from __future__ import annotations

STATES = ("waiting", "error", "done", "working", "idle", "unknown")  # the most urgent first
HOOK = 8922  # the index of hqt's hooks, so that setting them again changes nothing
SEEN_HOOKS = ("session-window-changed", "client-session-changed", "client-attached")
TITLE_HOOK = "pane-title-changed"
_SIBLINGS = 3  # seconds within which the calls of one batch begin
# What programs spin in a title: braille, or quarters of a circle. Listed, since the C library's
# ranges do not know them; the blank one is no sign.
_SPINNERS = "".join(map(chr, range(0x2801, 0x2900))) + "◐◓◑◒"


def most_urgent(states: list[str]) -> str:
    """The state that a window with panes in these states shows; "" when there is none."""
    return next((state for state in STATES if state in states), "")


def recording(pane: str, state: str, *, only: str = "1", also: str = "") -> list[str]:
    """The tmux command, word by word, that sets an agent's state on its pane and on its window.

    Nothing is set, and so nothing redrawn, when the pane says so already or the format `only` is
    false; `also` is done with it. `state` is one of STATES, or "" when the agent has gone. Raises
    ValueError for anything else, and for what is no pane id.
    """
    if pane[:1] != "%" or not pane[1:].isdecimal() or state not in (*STATES, ""):
        raise ValueError(f"no pane and state of an agent: {pane!r} {state!r}")
    shown = "#{?window_active_clients,idle,done}" if state == "done" else state
    sets = [
        f'set-option -pF -t {pane} @hqt_agent "{shown}"',
        f'set-option -wF -t {pane} @hqt_state "{_urgent()}"',
        *([also] if also else []),
        *_hooks(pane, state),
    ]
    when = f"#{{&&:#{{!=:#{{@hqt_agent}},{state}}},{only}}}"
    return ["if-shell", "-F", "-t", pane, when, " ; ".join(sets)]


def asking(pane: str, what: str, now: int) -> list[str]:
    """As `recording` of *waiting*: `what` is a word for the call that has to be answered, "" where
    it is not known; `now` is in seconds since the epoch."""
    return recording(pane, "waiting", also=f'set-option -p -t {pane} @hqt_asked "{now} {what}"')


def begun(pane: str, now: int) -> list[str]:
    """As `recording` of *working*, for a call that begins. Calls begin side by side, so just after
    a question it is a sibling's and no answer; later the question must have been answered."""
    older = f"#{{<:#{{@hqt_asked}},{now - _SIBLINGS}}}"
    return recording(pane, "working", only=f"#{{||:#{{!=:#{{@hqt_agent}},waiting}},{older}}}")


def ended(pane: str) -> list[str]:
    """As `recording` of *working*, for a call that has ended. Where the pane is waiting nothing is
    set; what it waits for is printed: seconds since the epoch and the word given to `asking`."""
    waits = "#{==:#{@hqt_agent},waiting}"
    command = recording(pane, "working", only=f"#{{!=:1,{waits}}}")
    return [*command, f'display-message -p -t {pane} "#{{?{waits},#{{@hqt_asked}},}}"']


def rested(pane: str) -> list[str]:
    """As `recording` of *done*, but only of an agent that was thought to be working."""
    return recording(pane, "done", only="#{==:#{@hqt_agent},working}")


def _hooks(pane: str, state: str) -> list[str]:
    """What tmux has to look out for while an agent is in this state."""
    title = f"{TITLE_HOOK}[{HOOK}]"
    if state == "done":
        seen = [f"set-hook -g {event}[{HOOK}] {{ {_seen()} }}" for event in SEEN_HOOKS]
        return [*seen, _recounted(pane)]
    if state == "working":
        return [f"set-hook -p -t {pane} {title} {{ {_stopped()} }}"]
    if state == "":
        return [f"set-hook -pu -t {pane} {title}", f"set-option -pqu -t {pane} @hqt_spins"]
    return []


def _recounted(pane: str) -> str:
    """The window's changes are counted anew, if the plugin says that they are shown anywhere."""
    call = f"#{{@hqt_launcher}} --key --client '' --pane {pane} status --publish"
    return f'if-shell -F "#{{@hqt_refresh}}" {{ run-shell -b "{call}" }}'


def _seen() -> str:
    each = "#{?#{==:#{@hqt_agent},done},set-option -p -t #{pane_id} @hqt_agent idle ; ,}"
    return (
        'if-shell -F "#{m:* done *, #{P:#{@hqt_agent} }}" { '
        f'run-shell -C "#{{P:{each}}}" ; set-option -wF @hqt_state "{_urgent()}" }}'
    )


def _stopped() -> str:
    spins = f"#{{m/r:[{_SPINNERS}],#{{pane_title}}}}"
    ends = f'set-option -p @hqt_agent idle ; set-option -wF @hqt_state "{_urgent()}"'
    return (
        f'if-shell -F "{spins}" '
        '{ if-shell -F "#{!=:#{@hqt_spins},1}" { set-option -p @hqt_spins 1 } } '
        '{ if-shell -F "#{@hqt_spins}" { set-option -pu @hqt_spins ; '
        f'if-shell -F "#{{==:#{{@hqt_agent}},working}}" {{ {ends} }} }} }}'
    )


def _urgent() -> str:
    """`most_urgent` of a window's panes, as a format."""
    form = ""
    for state in reversed(STATES):
        form = f"#{{?#{{m:* {state} *, #{{P:#{{@hqt_agent}} }}}},{state},{form}}}"
    return form
