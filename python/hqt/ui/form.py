"""The form for a new session: runs its core, and fetches what the core asks for."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hqt.errors import HqtError
from hqt.models import Progress
from hqt.ui import form_state, form_view, icons
from hqt.ui.form_fields import field
from hqt.ui.form_model import (
    FormDefaults,
    FormEvent,
    FormResult,
    FormServices,
    FormState,
    FormValues,
    Mode,
    Offered,
    Phase,
    Previewed,
    Progressed,
    Resolved,
    Slugged,
    Start,
    SubmitOutcome,
    Submitted,
    Validated,
)
from hqt.ui.jobs import Latest
from hqt.ui.shell import Core, Shell

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

__all__ = [
    "FormDefaults",
    "FormResult",
    "FormServices",
    "FormValues",
    "Mode",
    "Progress",
    "Start",
    "SubmitOutcome",
    "run",
]

PAUSE = 0.08  # seconds without a key before what is typed is checked


def run(
    defaults: FormDefaults,
    services: FormServices,
    *,
    icon_set: str = "unicode",
    input: Input | None = None,
    output: Output | None = None,
) -> FormResult | None:
    """Show the form until it has submitted with success, or the user leaves (None).

    A submission that is under way when the screen ends for another reason (a signal, a fault) is
    cancelled and waited for. HqtError `usage` without a terminal.
    """
    return _Form(defaults, services, icon_set).run(input, output)


class _Form:
    def __init__(self, defaults: FormDefaults, services: FormServices, icon_set: str) -> None:
        self._services = services
        self._submission: threading.Thread | None = None
        self._validation = Latest(self._validate, PAUSE)
        self._preview = Latest(self._previewed, PAUSE)
        self._completion = Latest(self._complete)
        self._resolution = Latest(self._resolve, PAUSE)
        core: Core[FormState, FormResult] = Core(
            step=form_state.step,
            view=partial(form_view.view, icons=icons.named(icon_set)),
            keys=form_state.KEYS,
            takes=form_state.takes,
            field=field,
            outcome=form_state.outcome,
        )
        self._shell = Shell(core, form_state.initial(defaults), self._changed)

    def run(self, input: Input | None, output: Output | None) -> FormResult | None:
        try:
            return self._shell.run(self._started, input=input, output=output)
        finally:
            if self._submission and self._submission.is_alive():
                self._services.cancel()
                self._submission.join()

    def _post(self, event: FormEvent) -> None:
        self._shell.post(event)

    def _started(self) -> None:
        state = self._shell.state
        nickname = state.nickname.text
        self._post(Slugged(nickname, self._services.slug(nickname)))
        self._validation.ask(state.values)
        self._preview.ask(state.values)
        if not state.resolved.answer:
            self._resolution.ask(state.from_.text.strip())

    def _changed(self, before: FormState, after: FormState) -> None:
        """Start what the change calls for."""
        if before.values != after.values:
            self._validation.ask(after.values)
            if not after.folder_edited:
                self._preview.ask(after.values)
        revision = after.from_.text.strip()
        known = after.resolved.revision == revision and after.resolved.answer
        if revision != before.from_.text.strip() and not known:
            self._resolution.ask(revision)
        if after.focus in ("existing", "from_"):
            wanted = _wanted(after)
            if wanted != _wanted(before):
                self._completion.ask(wanted)
        if after.phase is Phase.SUBMITTING and before.phase is not Phase.SUBMITTING:
            self._submission = threading.Thread(
                target=self._submit, args=(after.values,), daemon=True
            )
            self._submission.start()
        if after.phase is Phase.CANCELLING and before.phase is not Phase.CANCELLING:
            threading.Thread(target=self._services.cancel, daemon=True).start()
        # Last: it changes the state again, and what is asked for then must not be overtaken.
        if before.nickname.text != after.nickname.text:
            nickname = after.nickname.text
            self._shell.feed(Slugged(nickname, self._services.slug(nickname)))

    def _validate(self, values: FormValues) -> None:
        with self._shell.faults():
            found = self._services.validate(values)
            self._post(Validated(values, tuple(found.items())))

    def _previewed(self, values: FormValues) -> None:
        with self._shell.faults():
            self._post(Previewed(values, self._services.path_preview(values)))

    def _resolve(self, revision: str) -> None:
        with self._shell.faults():
            self._post(Resolved(revision, self._services.resolve(revision)))

    def _complete(self, wanted: _Wanted) -> None:
        with self._shell.faults():
            found = (
                self._services.branches()
                if wanted.field == "existing"
                else self._services.revisions(wanted.typed)
            )
            self._post(Offered(wanted.field, wanted.typed, tuple(found)))

    def _submit(self, values: FormValues) -> None:
        def progress(stage: str, done: int, total: int) -> None:
            self._post(Progressed(stage, done, total))

        with self._shell.faults():
            try:
                outcome = self._services.submit(values, progress)
            except HqtError as error:
                outcome = SubmitOutcome(False, error.message, error.remedy)
            self._post(Submitted(outcome))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What completions are wanted for. The branches are asked for once a visit to their field."""

    field: str
    typed: str


def _wanted(state: FormState) -> _Wanted:
    return _Wanted(state.focus, state.from_.text if state.focus == "from_" else "")
