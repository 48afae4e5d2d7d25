"""The columns of the picker: what a row says in each, and which of them there is room for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hqt.models import Changes
from hqt.ui.icons import Icons
from hqt.ui.picker_model import PickerRow
from hqt.ui.text import age, clean, clip, width_of
from hqt.ui.view import BAD, BOLD, DIM, GOOD, NOTICE, Fragment, Line, line_width

WORDY = 64  # cells from which a state has its word beside its sign
GAP = 2

STATE_STYLES = {
    "working": GOOD,
    "waiting": f"{BOLD} {NOTICE}",
    "done": GOOD,
    "error": BAD,
}
_QUIET = ("closed", "archived", "unknown", "idle")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, and what it says of a row (`filled`: its fill has answered)."""

    heading: str
    cell: Callable[[PickerRow, bool, Icons], Line]
    right: bool = False  # aligned to its right edge
    least: int = 0  # cells that it keeps while worktrees are shown, so that no count moves another


@dataclass(frozen=True, slots=True)
class Placed:
    """A column with its width."""

    column: Column
    width: int


def place(
    rows: Sequence[PickerRow], filled: frozenset[str], cells: int, icons: Icons
) -> tuple[Placed, ...]:
    """The columns to show in `cells`: those that say something of any row, or may as soon as it is
    filled in.

    The label takes what the others leave. Where that is too little, columns go, from the right.
    """
    found: list[Placed] = []
    counted = any(row.worktree and not row.missing for row in rows)
    for column in (_state_column(cells), *_COLUMNS):
        widths = [line_width(column.cell(row, row.key in filled, icons)) for row in rows]
        least = min(column.least, 11 if cells >= WORDY else 8) if counted else 0
        widest = max(*widths, least, 0)
        if widest or column is LABEL:
            found.append(Placed(column, max(widest, width_of(column.heading))))
    named = max((line_width(_label(row, True, icons)[:2]) for row in rows), default=0)
    least = min(named, max(cells * 2 // 5, 12))
    while True:
        others = sum(item.width + GAP for item in found if item.column is not LABEL)
        if cells - others >= least or found[-1].column is LABEL:
            break
        found.pop()
    room = max(cells - others, 1)
    return tuple(Placed(item.column, room) if item.column is LABEL else item for item in found)


def headings(placed: Sequence[Placed]) -> Line:
    """The line above the rows."""
    parts: list[Fragment] = []
    for item in placed:
        heading = clip(item.column.heading, item.width, "")
        shown = heading.rjust(item.width) if item.column.right else heading.ljust(item.width)
        parts.append(Fragment(shown + " " * GAP, DIM))
    return tuple(parts)


def cells(row: PickerRow, filled: bool, placed: Sequence[Placed], icons: Icons) -> Line:
    """What a row says in each of the columns."""
    parts: list[Fragment] = []
    for item in placed:
        said = item.column.cell(row, filled, icons)
        if item.column is LABEL:
            said = _squeezed(row, item.width, icons)
        gap = Fragment(" " * max(item.width - line_width(said), 0))
        parts += [gap, *said] if item.column.right else [*said, gap]
        parts.append(Fragment(" " * GAP))
    return tuple(parts)


def _sign(row: PickerRow, _filled: bool, icons: Icons) -> Line:
    if not row.state:
        return ()
    return (Fragment(icons.state(row.state), _state_style(row)),)


def _state(row: PickerRow, _filled: bool, icons: Icons) -> Line:
    if not row.state:
        return ()
    return (Fragment(f"{icons.state(row.state)} {clean(row.state)}", _state_style(row)),)


def _state_style(row: PickerRow) -> str:
    return DIM if row.state in _QUIET else STATE_STYLES.get(row.state, "")


def _label(row: PickerRow, _filled: bool, icons: Icons) -> Line:
    style = BOLD if row.current else DIM if row.archived else ""
    if not row.label:
        return (Fragment(clean(row.nickname), style),)
    parts = [Fragment(f"{icons.branch} ", DIM), Fragment(clean(row.label), style)]
    if row.nickname and row.nickname != row.label:
        parts.append(Fragment(f"  {clean(row.nickname)}", DIM))
    return tuple(parts)


def _squeezed(row: PickerRow, room: int, icons: Icons) -> Line:
    """The label cut to `room`; a nickname that would be only a letter or two is left out."""
    parts: list[Fragment] = []
    for fragment in _label(row, True, icons):
        if len(parts) == 2 and room < 6:
            break
        shown = clip(fragment.text, room, icons.ellipsis)
        parts.append(Fragment(shown, fragment.style))
        room -= width_of(shown)
    return tuple(parts)


def _repository(row: PickerRow, _filled: bool, _icons: Icons) -> Line:
    return (Fragment(clip(clean(row.repository), 20), DIM),) if row.repository else ()


def _changes(row: PickerRow, filled: bool, icons: Icons) -> Line:
    if row.changes is not None and not row.being_made:
        return changes(row.changes)
    return _not_known(row, filled, icons)


def changes(counted: Changes) -> Line:
    """Counts with the signs of `git status`; nothing where nothing changed."""
    signs = (
        ("+", counted.staged, GOOD),
        ("~", counted.modified, ""),
        ("?", counted.untracked, DIM),
        ("!", counted.conflicted, BAD),
    )
    parts: list[Fragment] = []
    for sign, count, style in signs:
        if count:
            parts += [Fragment(" ")] if parts else []
            parts.append(Fragment(f"{sign}{count}", style))
    return tuple(parts)


def _unique(row: PickerRow, filled: bool, icons: Icons) -> Line:
    if row.unique is not None and not row.being_made:
        return (Fragment(f"{icons.unique}{row.unique}", NOTICE),) if row.unique else ()
    return _not_known(row, filled, icons)


def _not_known(row: PickerRow, filled: bool, icons: Icons) -> Line:
    if not row.worktree or row.missing or row.being_made:
        return ()
    return (Fragment("?" if filled else icons.ellipsis, DIM),)


def _note(row: PickerRow, _filled: bool, _icons: Icons) -> Line:
    """An operation in progress, a lock, a missing directory: rarely there, so one column."""
    said: list[Fragment] = []
    if row.operation:
        said.append(Fragment(clean(row.operation), BAD))
    if row.locked is not None:
        making = "interrupted" if row.interrupted else "being created"
        said.append(Fragment(making if row.being_made else "locked", NOTICE))
    if row.missing:
        said.append(Fragment("missing", BAD))
    return tuple(part for word in said for part in (Fragment(" "), word))[1:]


def _windows(row: PickerRow, _filled: bool, _icons: Icons) -> Line:
    if not row.windows:
        return ()
    return (Fragment("1 window" if row.windows == 1 else f"{row.windows} windows", DIM),)


def _age(row: PickerRow, _filled: bool, _icons: Icons) -> Line:
    return (Fragment(age(row.age), DIM),) if row.age is not None else ()


LABEL = Column("branch", _label)
_COLUMNS = (
    LABEL,
    Column("repository", _repository),
    Column("changes", _changes, least=11),  # room for `+1 ~2 ?3 !4`
    Column("unique", _unique, right=True, least=6),
    Column("note", _note),
    Column("", _windows),
    Column("age", _age, right=True),
)
_SIGN_COLUMN = Column("", _sign)
_STATE_COLUMN = Column("agent", _state)


def _state_column(cells: int) -> Column:
    return _STATE_COLUMN if cells >= WORDY else _SIGN_COLUMN
