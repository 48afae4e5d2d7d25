"""The question before a removal: runs its core, and loads what it could not say at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hqt.errors import HqtError
from hqt.ui import confirm_state, confirm_view, icons
from hqt.ui.confirm_model import (
    ConfirmServices,
    ConfirmState,
    Loaded,
    Loss,
    Occupant,
    Refusal,
    RemovalAnswer,
    RemovalQuestion,
)
from hqt.ui.jobs import spawn
from hqt.ui.shell import Core, Shell

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

__all__ = [
    "ConfirmServices",
    "Loss",
    "Occupant",
    "Refusal",
    "RemovalAnswer",
    "RemovalQuestion",
    "run",
]


def run(
    question: RemovalQuestion,
    services: ConfirmServices | None = None,
    *,
    icon_set: str = "unicode",
    input: Input | None = None,
    output: Output | None = None,
) -> RemovalAnswer | None:
    """Ask until the user has agreed to every step, or leaves (None).

    With `services.load` the question is only what is known at once; nothing can be agreed to
    before the whole one is there, and a failure to find out is a refusal. HqtError `usage` without
    a terminal.
    """
    load = services.load if services else None
    core: Core[ConfirmState, RemovalAnswer] = Core(
        step=confirm_state.step,
        view=confirm_view.view,
        keys=confirm_state.KEYS,
        takes=confirm_state.takes,
        field=confirm_state.field,
        outcome=confirm_state.outcome,
    )
    state = confirm_state.initial(question, icons.named(icon_set), loading=load is not None)

    def find_out() -> None:
        with shell.faults():
            try:
                loaded = load() if load else question
            except HqtError as error:
                loaded = replace(question, refused=Refusal(error.message, error.remedy))
            shell.post(Loaded(loaded))

    shell = Shell(core, state, lambda _before, _after: None)
    return shell.run(lambda: spawn(find_out) if load else None, input=input, output=output)
