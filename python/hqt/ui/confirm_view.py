"""How the question before a removal looks. Pure: (state, width, height) → View."""

from __future__ import annotations

from hqt.ui.confirm_layout import overflow, parts
from hqt.ui.confirm_model import ConfirmState, Step
from hqt.ui.confirm_state import AGREES
from hqt.ui.confirm_words import closes, steps, unchosen
from hqt.ui.view import DIM, Fragment, Hint, Line, View, footer, page, spread

_AGREEMENTS = {
    Step.LOSS: "remove it all",
    Step.EVACUATE: "move them",
    Step.BUSY: "close them",
}


def view(state: ConfirmState, width: int, height: int) -> View:
    """The whole screen: what must be read stays, the list of names scrolls."""
    told = parts(state, width, height)
    room = told.room(height)
    top = max(0, min(state.top, len(told.body) - room))
    shown = list(told.body[top : top + room])
    if shown and top:
        shown[0] = _marked(shown[0], f"{state.icons.up} {top}", width)
    below = len(told.body) - top - room
    if shown and below > 0:
        shown[-1] = _marked(shown[-1], f"{state.icons.down} {below}", width)
    shown += [()] * (room - len(shown))
    return page([*told.head, *shown, *told.foot, _keys(state, width)], width, height)


def _marked(line: Line, sign: str, cells: int) -> Line:
    """A line with a sign at its right that there is more."""
    room = cells - len(sign) - 2
    return spread(spread(line, (), room), [Fragment(f"{sign} ", DIM)], cells)


def _keys(state: ConfirmState, cells: int) -> Line:
    leave = Hint("Esc", "leave", "escape")
    scrolls = Hint(f"{state.icons.up}{state.icons.down}", "scroll", "")
    more = [scrolls] if overflow(state) else []
    if state.loading:
        return footer([], leave, cells)
    if state.question.refused:
        return footer(more, leave, cells)
    if state.step in AGREES:
        key = AGREES[state.step]
        return footer([Hint(key, _AGREEMENTS[state.step], key), *more], leave, cells)
    if unchosen(state):
        return footer(more, leave, cells)
    does = "go on" if steps(state) else "close" if closes(state) else "remove"
    return footer([Hint("Enter", does, "enter"), *more], leave, cells)
