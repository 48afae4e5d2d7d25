"""How the picker looks. Pure: (state, width, height) → View."""

from __future__ import annotations

from dataclasses import dataclass

from hqt.ui import picker_columns
from hqt.ui.icons import Icons
from hqt.ui.picker_layout import Layout, layout
from hqt.ui.picker_model import Action, PickerRow, PickerState
from hqt.ui.picker_state import focused, preview
from hqt.ui.text import clean, clip, scrolled
from hqt.ui.view import (
    BAD,
    BOLD,
    DIM,
    NOTICE,
    REVERSE,
    Cursor,
    Fragment,
    Hint,
    Line,
    View,
    fit,
    footer,
    line_width,
    page,
    restyled,
    scroll,
    spread,
    targeted,
)

MARGIN = 3  # cells before the first column: mark, here, space

WORDS = {
    Action.OPEN: "open",
    Action.CHOOSE: "choose",
    Action.NEW: "new",
    Action.REMOVE: "remove",
    Action.ARCHIVE: "archive",
    Action.LOCK: "lock/unlock",
    Action.GIT: "git",
    Action.COPY: "copy path",
}


@dataclass(frozen=True, slots=True)
class _Told:
    """A line of the help, and how it reads where there is less room."""

    key: str
    does: str
    short: str


_HELP = (
    _Told("Tab", "mark for several at once", "mark"),
    _Told("^N", "a new session", "new"),
    _Told("^X", "remove", "remove"),
    _Told("^A", "archive", "archive"),
    _Told("^L", "lock or unlock", "lock"),
    _Told("^G", "git, in its directory", "git"),
    _Told("^Y", "copy its path", "copy path"),
    _Told("^T", "all repositories, or this one", "all repos"),
    _Told("^R", "archived sessions, too", "archived"),
    _Told("F5", "read everything again", "reread"),
    _Told("Esc", "leave", "leave"),
    _Told("+~?!", "staged, modified, untracked, conflicted", "git status"),
)


_STATES = {
    "working": "an agent, or a program, at work",
    "waiting": "an agent that waits for you",
    "done": "done, and not looked at yet",
    "idle": "an agent, or a shell, at rest",
    "error": "an agent that has failed",
    "unknown": "a state or a count that is not known",
    "closed": "no window is open",
    "archived": "put aside",
}
_NARROW = 18  # cells in which a line of the help can be read at all


def view(state: PickerState, width: int, height: int, icons: Icons) -> View:
    """The whole picker, or its help."""
    if state.help:
        return _help(state, width, height, icons)
    parts = layout(width, height)
    top, cursor = _filter(state, width, icons)
    middle = _list(state, parts, icons)
    if parts.beside:
        side = [_about(state, parts.beside - 2, icons)]
        side += _preview(state, parts.beside - 2, len(middle) - 1, icons)
        bar = Fragment(f"{icons.wall} ", DIM)
        middle = [
            (*fit(line, parts.row_width), bar, *told)
            for line, told in zip(middle, side, strict=True)
        ]
    elif parts.below:
        middle.append(_rule(state, width, icons))
        middle += _preview(state, width, parts.below - 1, icons)
    return page([top, *middle, _bottom(state, width, icons)], width, height, cursor)


def _filter(state: PickerState, cells: int, icons: Icons) -> tuple[Line, Cursor]:
    """The line on which the filter is typed, and what is shown of how many rows."""
    count = f"{len(state.shown)}/{len(state.rows)}" if state.listed else icons.ellipsis
    told = [Fragment(f"{count} ", DIM)]
    if state.marks:
        told.insert(0, Fragment(f"{len(state.marks)} marked  ", NOTICE))
    if state.scope.all_repositories:
        told.insert(-1, Fragment("all repositories  ", NOTICE, "key:c-t"))
    if state.scope.archived:
        told.insert(-1, Fragment("archived too  ", NOTICE, "key:c-r"))
    room = max(cells - 4 - line_width(told), cells // 3)
    part = scrolled(state.filter.text, state.filter.cursor, room)
    typed = Fragment(part.text, "", f"filter:{part.start}")
    if not state.filter.text:
        typed = Fragment(clip(clean(state.options.title), room, icons.ellipsis), DIM, "filter:0")
    sign = Fragment(f" {icons.cursor} ", NOTICE)
    return spread((sign, typed), told, cells), Cursor(3 + part.cursor, 0)


def _list(state: PickerState, parts: Layout, icons: Icons) -> list[Line]:
    cells = parts.row_width - MARGIN - 1
    placed = picker_columns.place(state.rows, state.filled, cells, icons)
    lines: list[Line] = []
    if parts.headings:
        lines.append((Fragment(" " * MARGIN), *picker_columns.headings(placed)))
    places = [row.key for row in state.shown]
    place = places.index(state.cursor) if state.cursor in places else 0
    top = scroll(state.top, place, parts.rows, len(places))
    for row in state.shown[top : top + parts.rows]:
        line = _row(state, row, placed, icons)
        if row.key == state.cursor:
            line = fit(restyled(line, REVERSE), parts.row_width)
        lines.append(line)
    if not state.shown and parts.rows:
        lines.append((Fragment(" " * MARGIN), Fragment(_nothing(state, icons), DIM)))
    return lines + [()] * (parts.headings + parts.rows - len(lines))


def _row(
    state: PickerState,
    row: PickerRow,
    placed: tuple[picker_columns.Placed, ...],
    icons: Icons,
) -> Line:
    mark = icons.mark if row.key in state.marks else " "
    here = "*" if row.current else " "
    said = picker_columns.cells(row, row.key in state.filled, placed, icons)
    margin = Fragment(f"{mark}{here} ", NOTICE, f"mark:{row.key}")
    return (margin, *targeted(said, f"row:{row.key}"))


def _nothing(state: PickerState, icons: Icons) -> str:
    if state.listed is None:
        return f"Reading{icons.ellipsis}"
    return "Nothing answers to that." if state.rows else state.options.empty


def _about(state: PickerState, cells: int, icons: Icons) -> Line:
    """The path that the preview is about."""
    row = focused(state)
    path = clip(clean(row.path), max(cells - 2, 0), icons.ellipsis, keep_end=True) if row else ""
    return (Fragment(f" {path} " if path else "", DIM),)


def _rule(state: PickerState, cells: int, icons: Icons) -> Line:
    """The line above the preview."""
    named = (Fragment(icons.rule * 2, DIM), *_about(state, cells - 4, icons))
    return (*named, Fragment(icons.rule * max(cells - line_width(named), 0), DIM))


def _preview(state: PickerState, cells: int, height: int, icons: Icons) -> list[Line]:
    row, known = focused(state), preview(state)
    lines: list[Line] = []
    if row and known is None:
        lines = [(Fragment(f" {icons.ellipsis}", DIM),)]
    elif known:
        for told in known.lines[:height]:
            shown = clean(told.expandtabs(4))
            lines.append((Fragment(" "), Fragment(clip(shown, cells - 1, icons.ellipsis))))
    return [fit(line, cells) for line in lines] + [fit((), cells)] * (height - len(lines))


def _bottom(state: PickerState, cells: int, icons: Icons) -> Line:
    """What there is to say, else the keys."""
    if state.pending:
        doing = WORDS[state.pending.action].capitalize()
        return (Fragment(f" {doing}{icons.ellipsis}", NOTICE),)
    if state.message:
        message = clip(clean(state.message), cells - 2, icons.ellipsis)
        return (Fragment(f" {message}", BAD if state.failed else BOLD),)
    hints = [
        Hint("Enter", WORDS[state.options.enter], "enter"),
        Hint("^N", "new", "c-n"),
        Hint("^X", "remove", "c-x"),
        Hint("Tab", "mark", "tab"),
        Hint("^A", "archive", "c-a"),
        Hint("^L", "lock", "c-l"),
        Hint("^G", "git", "c-g"),
        Hint("^Y", "copy", "c-y"),
        Hint("^T", "all", "c-t"),
        Hint("^R", "archived", "c-r"),
    ]
    return footer(hints, Hint("?", "help", "?"), cells)


def _help(state: PickerState, cells: int, height: int, icons: Icons) -> View:
    """All keys and signs, in as many columns as the height demands and the width allows."""
    word = WORDS[state.options.enter]
    told = [_Told("Enter", word, word), *_HELP]
    told.append(_Told(icons.unique, "commits that exist nowhere else", "unique"))
    told.append(_Told("*", "where you are", "here"))
    told.append(_Told(icons.mark, "marked", "marked"))
    told += [_Told(icons.state(state), _STATES[state], state) for state, _ in icons.states]
    room = max(height - 2, 1)
    told = told[: room * max(cells // _NARROW, 1)]  # where there is no room for all, the keys
    each = max(cells // -(-len(told) // room), 1)
    lines: list[Line] = [(Fragment(" Keys and signs", BOLD),)]
    for number in range(min(room, len(told))):
        line: list[Fragment] = []
        for item in told[number::room]:
            does = item.does if len(item.does) + 8 <= each else item.short
            line += fit([Fragment(f" {item.key.ljust(6)}", BOLD), Fragment(does)], each)
        lines.append(targeted(line, "key:escape"))
    lines += [()] * (height - 1 - len(lines))
    closing = footer([], Hint("Any key", "goes back", "escape"), cells)
    return page([*lines, closing], cells, height)
