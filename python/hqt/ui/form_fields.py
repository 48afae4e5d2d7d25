"""What follows from the form's state: which fields there are, and what they hold and offer."""

from __future__ import annotations

from dataclasses import replace

from hqt.ui.events import Field, Text
from hqt.ui.form_model import FormState, Mode, Phase

TEXTS = ("nickname", "branch", "existing", "folder", "from_", "prompt")
SUGGESTED = 6  # completions offered at once


def fields(state: FormState) -> tuple[str, ...]:
    """The fields that can be reached, in order."""
    if state.defaults.named_only:
        return ("nickname",)
    names = ["nickname"]
    if state.defaults.isolate_possible:
        names.append("isolate")
    if state.isolate:
        names.append("mode")
        if state.mode is Mode.NEW:
            names.append("branch")
        elif state.mode is Mode.EXISTING:
            names.append("existing")
        names.append("folder")
        if state.mode is not Mode.EXISTING:
            names.append("from_")
    if len(state.defaults.harnesses) > 1:
        names.append("harness")
    if state.prompts:
        names.append("prompt")
    return tuple(names)


def errors(state: FormState) -> tuple[tuple[str, str], ...]:
    """What is known to be wrong with the fields on screen, in their order."""
    known = dict(state.errors.errors) if state.errors else {}
    shown = fields(state)
    rest = tuple((name, told) for name, told in known.items() if name not in shown)
    return tuple((name, known[name]) for name in shown if known.get(name)) + rest


def told(state: FormState) -> tuple[tuple[str, str], ...]:
    """What of the errors is shown: nothing is wrong yet with a field that waits to be filled in."""
    known = errors(state)
    waits = not state.tried and not state.existing.text.strip()
    return tuple(one for one in known if not (waits and one[0] == "existing"))


def suggestions(state: FormState) -> tuple[str, ...]:
    """The completions on offer for the focused field, best first; none once one is complete."""
    typed = held(state, state.focus).text if state.focus in TEXTS else ""
    found: tuple[str, ...] = ()
    if state.phase is not Phase.EDITING:
        return ()
    if state.focus == "existing" and state.branches:
        lowered = typed.lower()
        matching = [name for name in state.branches if lowered in name.lower()]
        found = tuple(sorted(matching, key=lambda n: not n.lower().startswith(lowered)))
    elif state.focus == "from_" and state.revisions and state.revisions.typed == typed:
        found = state.revisions.items
    return () if typed in found else found[:SUGGESTED]


def held(state: FormState, name: str) -> Text:
    """What the text field `name` holds."""
    value = getattr(state, name)
    assert isinstance(value, Text)
    return value


def field(state: FormState) -> Field | None:
    """The text field under edit; None on the others, and while the form works."""
    if state.phase is not Phase.EDITING or state.focus not in TEXTS:
        return None
    return Field(state.focus, held(state, state.focus), state.focus == "prompt")


def guess(state: FormState) -> str:
    """The folder as it is shown until `path_preview` has answered."""
    names = {Mode.NEW: state.branch.text, Mode.EXISTING: state.existing.text}
    name = names.get(state.mode, state.slug).strip()
    return f"{state.defaults.pool}/{name}" if state.defaults.pool and name else ""


def with_text(state: FormState, name: str, text: Text) -> FormState:
    """`state` with another text in a field."""
    match name:
        case "nickname":
            return replace(state, nickname=text)
        case "branch":
            return replace(state, branch=text)
        case "existing":
            return replace(state, existing=text)
        case "folder":
            return replace(state, folder=text)
        case "from_":
            return replace(state, from_=text)
        case _:
            return replace(state, prompt=text)
