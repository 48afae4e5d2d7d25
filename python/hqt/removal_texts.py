"""The answer of `remove` as people read it: whole on a terminal, its gist in a status line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hqt.names import printable
from hqt.results import Removals, Removed

_UNDO_EACH = "`hqt undo`, once for each, brings them back."


def lines(result: Removals) -> Iterator[str]:
    """Everything that happened, target by target."""
    several = len(_trashed(result.removed)) > 1
    for one in result.removed:
        yield printable(f"Removed {_called(one)}" + (f": {one.path}" if one.path else ""))
        yield from _branch(one)
        if one.windows_closed:
            yield f"Closed with it: {', '.join(one.windows_closed)}."
        if one.trash:
            undo = "." if several else "; `hqt undo` brings it back."
            yield f"In the trash as {one.trash}{undo}"
        for note in one.notes:
            yield printable(note)
    if several:
        yield _UNDO_EACH


def brief(result: Removals) -> Iterator[str]:
    """The same for one line, of which perhaps only the beginning is seen."""
    yield printable(f"Removed {', '.join(map(_called, result.removed))}")
    match _trashed(result.removed):
        case []:
            pass
        case [one]:
            what = _called(one) if len(result.removed) > 1 else "it"
            yield printable(f"`hqt undo` brings {what} back.")
        case _:
            yield _UNDO_EACH
    for one in result.removed:
        yield from map(printable, one.notes)
    for one in result.removed:
        yield from _branch(one)


def _called(one: Removed) -> str:
    if one.branch:
        return f"{one.sign} {one.branch}"
    return one.path.name if one.path else f"session {one.nickname}"


def _branch(one: Removed) -> Iterator[str]:
    if one.branch:
        yield printable(f"Branch {one.branch} {'deleted' if one.branch_deleted else 'kept'}.")


def _trashed(removed: Sequence[Removed]) -> list[Removed]:
    return [one for one in removed if one.trash]
