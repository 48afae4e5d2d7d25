"""The picker's rows: read anew, filled in, filtered. Pure.

A refresh never takes away what it cannot say better.
"""

from __future__ import annotations

from dataclasses import replace

from hqt.ui.fuzzy import rank
from hqt.ui.picker_model import Listed, PickerRow, PickerState


def arranged(state: PickerState) -> PickerState:
    """Choose and order the rows to show; the cursor stays on its row while that is shown."""
    typed = state.filter.text
    if typed.strip():
        ranks = [(rank(typed, (row.label, row.nickname, row.path)), row) for row in state.rows]
        found = [(points, row) for points, row in ranks if points is not None]
        shown = tuple(row for _, row in sorted(found, key=lambda pair: -pair[0]))
    else:
        shown = state.rows
    keys = [row.key for row in shown]
    cursor = state.cursor
    if cursor not in keys:
        here = [row.key for row in shown if row.current and not typed.strip()]
        cursor = (here or keys or [""])[0]
    return replace(state, shown=shown, cursor=cursor)


def listed(state: PickerState, event: Listed) -> PickerState:
    """Rows read anew: what had been filled in stays until it is filled in again."""
    known = {row.key: row for row in state.rows}
    fresh = {row.key: _remembering(row, known.get(row.key)) for row in event.listing.rows}
    rows = tuple(fresh.values())
    if not event.listing.complete and state.listed == event.scope:
        kept = [fresh.get(row.key, row) for row in state.rows]
        rows = (*kept, *(row for key, row in fresh.items() if key not in known))
    state = replace(
        state,
        rows=rows,
        listed=event.scope,
        listings=state.listings + 1,
        filled=frozenset(),
        marks=state.marks & {row.key for row in rows},
        previews=tuple(item for item in state.previews if item.key == state.cursor),
    )
    if event.listing.message:
        state = replace(state, message=event.listing.message, failed=True)
    return arranged(_near(state))


def _near(state: PickerState) -> PickerState:
    """When the row under the cursor is gone, go to the one that took its place."""
    keys = [row.key for row in state.shown]
    left = {row.key for row in state.rows}
    if state.cursor in left or state.cursor not in keys:
        return state
    place = keys.index(state.cursor)
    nearest = [key for key in (*keys[place:], *reversed(keys[:place])) if key in left]
    return replace(state, cursor=nearest[0] if nearest else "")


def _remembering(row: PickerRow, known: PickerRow | None) -> PickerRow:
    if known is None:
        return row
    return replace(
        row,
        changes=row.changes if row.changes is not None else known.changes,
        unique=row.unique if row.unique is not None else known.unique,
        age=row.age if row.age is not None else known.age,
    )


def filled(state: PickerState, answer: PickerRow) -> PickerState:
    """A row's slow facts have come; of the others nothing is taken, they may be older."""

    def with_facts(row: PickerRow) -> PickerRow:
        if row.key != answer.key:
            return row
        return replace(
            row,
            changes=answer.changes,
            unique=answer.unique,
            operation=answer.operation,
            age=answer.age,
        )

    return replace(
        state,
        rows=tuple(map(with_facts, state.rows)),
        shown=tuple(map(with_facts, state.shown)),
        filled=state.filled | {answer.key},
    )
