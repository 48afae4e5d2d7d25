"""The picker: runs its core, reads the rows, and fills in what takes longer."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hqt.errors import HqtError
from hqt.ui import icons, picker_state, picker_view
from hqt.ui.jobs import Latest, spawn
from hqt.ui.picker_layout import layout
from hqt.ui.picker_model import (
    Acted,
    Action,
    Filled,
    Listed,
    ListFailed,
    Listing,
    PickerEvent,
    PickerOptions,
    PickerResult,
    PickerRow,
    PickerServices,
    PickerState,
    Previewed,
    Scope,
)
from hqt.ui.shell import Core, Shell

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

__all__ = [
    "Action",
    "Listing",
    "PickerOptions",
    "PickerResult",
    "PickerRow",
    "PickerServices",
    "Scope",
    "run",
]

FILLERS = 3  # threads that fill rows in
PAUSE = 0.04  # seconds that the cursor rests on a row before its preview is made


def run(
    services: PickerServices,
    options: PickerOptions | None = None,
    *,
    input: Input | None = None,
    output: Output | None = None,
) -> PickerResult | None:
    """Show the picker until an action that leaves it is chosen, or the user leaves (None).

    An action that stays is always waited for. HqtError `usage` without a terminal.
    """
    return _Picker(services, options or PickerOptions()).run(input, output)


class _Picker:
    def __init__(self, services: PickerServices, options: PickerOptions) -> None:
        self._services = services
        self._action: threading.Thread | None = None
        self._lock = threading.Lock()
        self._taken: set[str] = set()  # keys of rows that a filler has, since the last listing
        self._fillers = 0
        self._reading = Latest(self._read)
        self._preview = Latest(self._look, PAUSE)
        core: Core[PickerState, PickerResult] = Core(
            step=picker_state.step,
            view=partial(picker_view.view, icons=icons.named(options.icon_set)),
            keys=picker_state.KEYS,
            takes=picker_state.takes,
            field=picker_state.field,
            outcome=picker_state.outcome,
        )
        self._shell = Shell(core, picker_state.initial(options), self._changed)

    def run(self, input: Input | None, output: Output | None) -> PickerResult | None:
        try:
            return self._shell.run(self._started, input=input, output=output)
        finally:
            if self._action:
                self._action.join()

    def _post(self, event: PickerEvent) -> None:
        self._shell.post(event)

    def _started(self) -> None:
        self._reading.ask(self._shell.state.scope)

    def _changed(self, before: PickerState, after: PickerState) -> None:
        """Start what the change calls for."""
        if after.reading != before.reading:
            self._reading.ask(after.scope)
        if after.listings != before.listings:
            self._refill()
        if after.pending and not before.pending:
            self._action = threading.Thread(target=self._act, args=(after.pending,))
            self._action.start()
        parts = layout(after.width, after.height)
        row = picker_state.focused(after)
        moved = after.cursor != before.cursor or after.listings != before.listings
        if row and moved and (parts.beside or parts.below) and not picker_state.preview(after):
            self._preview.ask(row)

    def _read(self, scope: Scope) -> None:
        with self._shell.faults():
            try:
                self._post(Listed(scope, self._services.rows(scope)))
            except HqtError as error:
                self._post(ListFailed(scope, f"{error.message} {error.remedy}".strip()))

    def _refill(self) -> None:
        """All rows are to be filled in, by as many threads as there may be."""
        with self._lock:
            self._taken.clear()
            missing = FILLERS - self._fillers
            self._fillers = FILLERS
        for _ in range(missing):
            spawn(self._fill)

    def _fill(self) -> None:
        while row := self._next():
            with self._shell.faults():
                try:
                    self._post(Filled(self._services.fill(row)))
                except HqtError:
                    self._post(Filled(replace(row, changes=None, unique=None)))

    def _next(self) -> PickerRow | None:
        """A row that nobody fills in yet, those on screen first; None ends the thread."""
        state = self._shell.state
        rows = layout(state.width, state.height).rows
        visible = state.shown[state.top : state.top + rows]
        with self._lock:
            wanted = (row for row in (*visible, *state.rows) if row.key not in self._taken)
            row = None if self._shell.over else next(wanted, None)
            if row:
                self._taken.add(row.key)
            else:
                self._fillers -= 1
            return row

    def _look(self, row: PickerRow) -> None:
        with self._shell.faults():
            try:
                lines = self._services.preview(row)
            except HqtError as error:
                lines = (error.message, error.remedy)
            self._post(Previewed(row.key, lines))

    def _act(self, result: PickerResult) -> None:
        with self._shell.faults():
            try:
                self._post(Acted(self._services.act(result.action, result.rows)))
            except HqtError as error:
                message = f"{error.message} {error.remedy}".strip()
                self._post(Acted(message, failed=True))
