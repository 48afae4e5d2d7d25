"""The picker as a pure core: (state, event) → state. Drawn by `picker_view`."""

from __future__ import annotations

from dataclasses import replace

from hqt.ui.events import Click, Edited, Field, Key, Outcome, Resized, Text, Wheel
from hqt.ui.picker_layout import list_rows
from hqt.ui.picker_model import (
    Acted,
    Action,
    Filled,
    Listed,
    ListFailed,
    PickerEvent,
    PickerOptions,
    PickerResult,
    PickerRow,
    PickerState,
    Previewed,
)
from hqt.ui.picker_rows import arranged, filled, listed
from hqt.ui.text import index_at
from hqt.ui.view import scroll

ACTIONS = {
    "c-n": Action.NEW,
    "c-x": Action.REMOVE,
    "c-a": Action.ARCHIVE,
    "c-l": Action.LOCK,
    "c-g": Action.GIT,
    "c-y": Action.COPY,
}
KEYS = (
    *("escape", "c-c", "enter", "tab", "s-tab", "up", "down", "pageup", "pagedown"),
    *("home", "end", "c-t", "c-r", "f5", "f1", "?", "c-j"),
    *ACTIONS,
)


def initial(options: PickerOptions) -> PickerState:
    """The picker as it opens, before any row is known."""
    return PickerState(options=options, scope=options.scope)


def step(state: PickerState, event: PickerEvent) -> PickerState:
    """The picker after `event`."""
    match event:
        case Key(name):
            return _visible(_pressed(state, name))
        case Edited(_, typed, cursor):
            return _visible(_filtered(state, Text(typed, cursor)))
        case Click(target, offset):
            return _visible(_clicked(state, target, offset))
        case Wheel(rows):
            return _visible(_moved(state, rows * 3))
        case Resized(width, height):
            return _visible(replace(state, width=width, height=height))
        case Listed() if event.scope == state.scope:
            return _visible(listed(state, event))
        case ListFailed(scope, message) if scope == state.scope:
            kept = state.listed or scope
            return replace(state, scope=kept, listed=kept, message=message, failed=True)
        case Filled(row):
            return filled(state, row)
        case Previewed(key):
            others = tuple(known for known in state.previews if known.key != key)
            return replace(state, previews=(*others, event))
        case Acted(message, failed):
            return _acted(state, message, failed)
        case _:
            return state


def takes(_state: PickerState, key: str) -> bool:
    """Whether `key` is the picker's: all of `KEYS` are; the line editor has the others."""
    return key in KEYS


def field(state: PickerState) -> Field | None:
    """The filter; none while the help is open."""
    return None if state.help else Field("filter", state.filter)


def outcome(state: PickerState) -> Outcome[PickerResult] | None:
    """What the picker ends with, once it does; never while an action is at work."""
    if state.pending:
        return None
    if state.result:
        return Outcome(state.result)
    return Outcome(None) if state.leaving else None


def focused(state: PickerState) -> PickerRow | None:
    """The row under the cursor."""
    return next((row for row in state.shown if row.key == state.cursor), None)


def preview(state: PickerState) -> Previewed | None:
    """What is known of the preview of the row under the cursor."""
    return next((known for known in state.previews if known.key == state.cursor), None)


def _pressed(state: PickerState, key: str) -> PickerState:
    if state.help:
        return replace(state, help=False, leaving=key == "c-c")
    state = replace(state, message="", failed=False)
    if key in ACTIONS:
        return _act(state, ACTIONS[key])
    match key:
        case "escape" | "c-c":
            return replace(state, leaving=True)
        case "enter" | "c-j":
            return _act(state, state.options.enter)
        case "tab":
            return _moved(_marked(state), 1)
        case "s-tab":
            return _moved(_marked(state), -1)
        case "up":
            return _moved(state, -1)
        case "down":
            return _moved(state, 1)
        case "pageup" | "pagedown":
            rows = max(list_rows(state.width, state.height) - 1, 1)
            return _moved(state, -rows if key == "pageup" else rows)
        case "home" | "end":
            return _moved(state, -len(state.shown) if key == "home" else len(state.shown))
        case "c-t":
            flipped = not state.scope.all_repositories
            return _rescoped(replace(state, scope=replace(state.scope, all_repositories=flipped)))
        case "c-r":
            flipped = not state.scope.archived
            return _rescoped(replace(state, scope=replace(state.scope, archived=flipped)))
        case "f5":
            return _rescoped(state)
        case "f1" | "?":
            return replace(state, help=True)
        case _:
            return state


def _rescoped(state: PickerState) -> PickerState:
    """Ask for the rows again; those shown stay until the answer."""
    return replace(state, reading=state.reading + 1)


def _clicked(state: PickerState, target: str, offset: int) -> PickerState:
    if state.help:
        return replace(state, help=False)
    name, _, rest = target.partition(":")
    if name == "filter" and rest.isdecimal():
        at = int(rest) + index_at(state.filter.text[int(rest) :], offset)
        return replace(state, filter=Text(state.filter.text, at))
    if rest not in [row.key for row in state.shown]:
        return state
    if name == "mark":
        return _marked(replace(state, cursor=rest))
    if rest == state.cursor:
        return _pressed(state, "enter")
    return replace(state, cursor=rest, message="", failed=False)


def _moved(state: PickerState, by: int) -> PickerState:
    keys = [row.key for row in state.shown]
    if not keys:
        return state
    place = keys.index(state.cursor) if state.cursor in keys else 0
    return replace(state, cursor=keys[max(0, min(place + by, len(keys) - 1))])


def _marked(state: PickerState) -> PickerState:
    row = focused(state)
    return replace(state, marks=state.marks ^ {row.key}) if row else state


def _filtered(state: PickerState, filter: Text) -> PickerState:
    typed = filter.text.replace("\r", " ").replace("\n", " ")
    changed = typed != state.filter.text
    state = replace(state, filter=Text(typed, filter.cursor))
    if not changed:
        return state
    state = replace(state, message="", failed=False, top=0)
    if typed.strip():  # the best answer; once nothing is asked the cursor stays where it was
        state = replace(state, cursor="")
    return arranged(state)


def _act(state: PickerState, action: Action) -> PickerState:
    if state.pending or state.result or state.leaving:
        return state
    rows = chosen(state, action)
    refusal = refused(action, rows)
    if refusal:
        return replace(state, message=refusal, failed=True)
    result = PickerResult(action, rows)
    if action in state.options.staying:
        return replace(state, pending=result)
    return replace(state, result=result)


def chosen(state: PickerState, action: Action) -> tuple[PickerRow, ...]:
    """The rows that an action is for: the marked ones where it takes several, else the focused."""
    if action is Action.NEW:
        return ()
    if state.marks and action in (Action.REMOVE, Action.ARCHIVE, Action.LOCK, Action.CHOOSE):
        return tuple(row for row in state.rows if row.key in state.marks)
    row = focused(state)
    return (row,) if row else ()


def refused(action: Action, rows: tuple[PickerRow, ...]) -> str:
    """Why an action makes no sense for `rows`, so that nobody waits to hear it; "" if it may."""
    if action is Action.NEW:
        return ""
    if not rows:
        return "There is no row to do that with."
    for row in rows:
        if action is Action.REMOVE and row.main and not row.session:
            return "The main checkout is never removed."
        if action is Action.LOCK and row.main:
            return "The main checkout cannot be locked."
        if action is Action.LOCK and not row.worktree:
            return "This session has no worktree that could be locked."
        if action is Action.ARCHIVE and not row.session:
            return "No session is here that could be archived."
        if action is Action.ARCHIVE and row.archived:
            return "This session is archived already."
    return ""


def _acted(state: PickerState, message: str, failed: bool) -> PickerState:
    if not state.pending:
        return state
    marks = state.marks if failed else frozenset[str]()
    return replace(
        state,
        pending=None,
        message=message,
        failed=failed,
        marks=marks,
        reading=state.reading + 1,
    )


def _visible(state: PickerState) -> PickerState:
    """Scrolled so that the row under the cursor is on screen."""
    keys = [row.key for row in state.shown]
    place = keys.index(state.cursor) if state.cursor in keys else 0
    rows = list_rows(state.width, state.height)
    return replace(state, top=scroll(state.top, place, rows, len(keys)))
