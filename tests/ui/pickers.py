"""A picker at work without a terminal: keys go in, what is on screen comes out."""

from __future__ import annotations

from dataclasses import replace

from hqt.ui import icons, picker_state, picker_view
from hqt.ui.events import Edited, Key
from hqt.ui.picker_model import (
    Listed,
    Listing,
    PickerEvent,
    PickerOptions,
    PickerRow,
    PickerState,
    Scope,
)
from hqt.ui.view import View

MAIN = PickerRow("a", None, "main", path="/p", main=True)
FIX = PickerRow("b", "s1", "fix-login", "Login", "/p/.worktrees/fix-login", "working", current=True)
PAY = PickerRow("c", "s2", "feature/pay", "Payments", "/p/.worktrees/feature/pay", "waiting")
ASK = PickerRow(None, "s3", "", "Ask", "/p", "idle")
ROWS = (MAIN, FIX, PAY, ASK)


def after(state: PickerState, *events: PickerEvent | str) -> PickerState:
    """The picker after keys (by name) and events."""
    for event in events:
        state = picker_state.step(state, Key(event) if isinstance(event, str) else event)
    return state


def listing(*rows: PickerRow, complete: bool = True, scope: Scope | None = None) -> Listed:
    """An answer with rows."""
    return Listed(scope or Scope(), Listing(rows, complete))


def opened(*rows: PickerRow, options: PickerOptions | None = None) -> PickerState:
    """A picker whose rows are there."""
    options = options or PickerOptions()
    state = picker_state.initial(options)
    return after(state, listing(*(rows or ROWS), scope=options.scope))


def filtered(state: PickerState, words: str) -> PickerState:
    """The picker with a filter typed."""
    return after(state, Edited("filter", words, len(words)))


def labels(state: PickerState) -> list[str]:
    """What the rows shown are called."""
    return [row.label or row.nickname for row in state.shown]


def under(state: PickerState) -> str:
    """What the row under the cursor is called."""
    row = picker_state.focused(state)
    return (row.label or row.nickname) if row else ""


def seen(state: PickerState, width: int = 78, height: int = 18, ascii: bool = False) -> View:
    """What is on screen."""
    return picker_view.view(state, width, height, icons.named("ascii" if ascii else "unicode"))


def screen(state: PickerState, width: int = 78, height: int = 18, ascii: bool = False) -> str:
    """Its characters."""
    return "\n".join(seen(state, width, height, ascii).plain())


def many(count: int) -> tuple[PickerRow, ...]:
    """So many rows."""
    return tuple(
        replace(PAY, worktree=f"w{n}", session=f"s{n}", label=f"t{n}") for n in range(count)
    )
