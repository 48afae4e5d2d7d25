"""The form for a new session as a pure core: (state, event) → state. Drawn by `form_view`."""

from __future__ import annotations

from dataclasses import replace

from hqt.ui.events import Click, Edited, Key, Outcome, Text
from hqt.ui.form_fields import TEXTS, errors, fields, guess, held, suggestions, with_text
from hqt.ui.form_model import (
    FormDefaults,
    FormEvent,
    FormResult,
    FormState,
    Mode,
    Offered,
    Phase,
    Previewed,
    Progressed,
    Resolved,
    Slugged,
    SubmitOutcome,
    Submitted,
    Validated,
)
from hqt.ui.text import clean, index_at

KEYS = (
    *("escape", "c-c", "enter", "c-j", "m-enter", "c-t"),
    *("tab", "s-tab", "up", "down", "left", "right", "space"),
)


def initial(defaults: FormDefaults) -> FormState:
    """The form as it opens, in its first field."""
    first = defaults.harnesses[0] if defaults.harnesses else ""
    return FormState(
        defaults=defaults,
        nickname=Text.ending(defaults.nickname),
        branch=Text(),
        existing=Text(),
        folder=Text(),
        from_=Text.ending(defaults.from_),
        prompt=Text.ending(defaults.prompt),
        isolate=defaults.isolate and defaults.isolate_possible,
        mode=Mode.NEW,
        harness=defaults.harness if defaults.harness in defaults.harnesses else first,
        resolved=Resolved(defaults.from_, defaults.resolved),
    )


def step(state: FormState, event: FormEvent) -> FormState:
    """The form after `event`."""
    match event:
        case Key(name):
            return _pressed(state, name)
        case Edited(name, typed, cursor):
            return _edited(state, name, Text(typed, cursor))
        case Click(target, offset):
            return _clicked(state, target, offset)
        case Slugged(nickname, slug) if nickname == state.nickname.text:
            return _prefilled(replace(state, slug=slug))
        case Validated(values) if values == state.values:
            return replace(state, errors=event)
        case Previewed(values, path) if values == state.values and not state.folder_edited:
            return replace(state, folder=Text.ending(path))
        case Resolved(revision) if revision == state.from_.text.strip():
            return replace(state, resolved=event)
        case Offered(field="existing", items=items):
            return replace(state, branches=items)
        case Offered(field="from_"):
            return replace(state, revisions=event)
        case Progressed() if state.phase is not Phase.EDITING:
            return replace(state, progress=event)
        case Submitted(outcome):
            return _submitted(state, outcome)
        case _:
            return state


def takes(state: FormState, key: str) -> bool:
    """Whether `key` is the form's now; the line editor has the others."""
    if state.phase is not Phase.EDITING:
        return True
    if key in ("left", "right", "space"):
        return state.focus not in TEXTS
    if state.focus == "prompt" and key in ("up", "down"):
        typed, cursor = state.prompt.text, state.prompt.cursor
        return "\n" not in (typed[:cursor] if key == "up" else typed[cursor:])
    return True


def outcome(state: FormState) -> Outcome[FormResult] | None:
    """What the form ends with, once it does."""
    if state.phase is Phase.DONE:
        return Outcome(FormResult(state.values))
    return Outcome(None) if state.phase is Phase.LEFT else None


def _pressed(state: FormState, key: str) -> FormState:
    if state.phase is not Phase.EDITING:
        stops = state.phase is Phase.SUBMITTING and key in ("escape", "c-c")
        return replace(state, phase=Phase.CANCELLING) if stops else state
    match key:
        case "escape" | "c-c":
            return replace(state, phase=Phase.LEFT)
        case "m-enter" | "c-j" if state.focus == "prompt":
            typed, cursor = state.prompt.text, state.prompt.cursor
            return replace(state, prompt=Text(typed[:cursor] + "\n" + typed[cursor:], cursor + 1))
        case "enter" | "m-enter" | "c-j":
            return _accepted(state) if state.picked is not None else _submitting(state)
        case "tab":
            return _moved(_accepted(state), 1)
        case "s-tab":
            return _moved(_accepted(state), -1)
        case "down" | "up":
            return _stepped(state, 1 if key == "down" else -1)
        case "c-t":
            return _next_start(state)
        case "space" | "right" | "left":
            return _turned(state, -1 if key == "left" else 1, toggles=key == "space")
        case _:
            return state


def _edited(state: FormState, name: str, text: Text) -> FormState:
    if state.phase is not Phase.EDITING or name not in TEXTS:
        return state
    if name != "prompt":
        text = Text(text.text.replace("\r", " ").replace("\n", " "), text.cursor)
    if text.text == held(state, name).text:
        return with_text(state, name, text)
    state = replace(with_text(state, name, text), failure=None, picked=None)
    if name == "branch":
        state = replace(state, branch_edited=True)
    if name == "folder":
        return replace(state, folder_edited=True)
    return _prefilled(state) if name in ("branch", "existing") else state


def _prefilled(state: FormState) -> FormState:
    """Branch and folder follow the nickname until they are edited."""
    if not state.branch_edited:
        state = replace(state, branch=Text.ending(state.slug))
    if not state.folder_edited:
        state = replace(state, folder=Text.ending(guess(state)))
    return state


def _focused(state: FormState, name: str) -> FormState:
    """Focus on `name`; a branch or folder that was left empty follows the nickname again."""
    if state.focus == "branch" and not state.branch.text.strip():
        state = _prefilled(replace(state, branch_edited=False))
    if state.focus == "folder" and not state.folder.text.strip():
        state = _prefilled(replace(state, folder_edited=False))
    return replace(state, focus=name, picked=None)


def _moved(state: FormState, by: int) -> FormState:
    order = fields(state)
    return _focused(state, order[(order.index(state.focus) + by) % len(order)])


def _stepped(state: FormState, by: int) -> FormState:
    """Up or down: through the completions while there are any that way, else to a field."""
    offered = suggestions(state)
    place = (-1 if state.picked is None else state.picked) + by
    if not offered or place >= len(offered) or place < -1:
        return _moved(state, by)
    return replace(state, picked=None if place < 0 else place)


def _accepted(state: FormState, place: int | None = None) -> FormState:
    """The picked completion in its field."""
    offered = suggestions(state)
    place = state.picked if place is None else place
    if place is None or place >= len(offered):
        return replace(state, picked=None)
    chosen = with_text(state, state.focus, Text.ending(offered[place]))
    return _prefilled(replace(chosen, picked=None, failure=None))


def _next_start(state: FormState) -> FormState:
    offered = state.defaults.alternatives
    if not offered or "from_" not in fields(state):
        return state
    revisions = [start.revision for start in offered]
    typed = state.from_.text.strip()
    place = (revisions.index(typed) + 1) % len(offered) if typed in revisions else 0
    start = offered[place]
    return replace(
        state,
        from_=Text.ending(start.revision),
        resolved=Resolved(start.revision, start.resolved),
        failure=None,
        picked=None,
    )


def _turned(state: FormState, by: int, *, toggles: bool) -> FormState:
    """A checkbox or a choice, turned by a key."""
    state = replace(state, failure=None)
    if state.focus == "isolate" and toggles:
        return _prefilled(replace(state, isolate=not state.isolate))
    if state.focus == "mode":
        modes = tuple(Mode)
        return _in_mode(state, modes[(modes.index(state.mode) + by) % len(modes)])
    if state.focus == "harness":
        names = state.defaults.harnesses
        return replace(state, harness=names[(names.index(state.harness) + by) % len(names)])
    return state


def _in_mode(state: FormState, mode: Mode) -> FormState:
    return _prefilled(replace(state, mode=mode, tried=False))


def _clicked(state: FormState, target: str, offset: int) -> FormState:
    if state.phase is not Phase.EDITING:
        return state
    name, _, rest = target.partition(":")
    if name == "suggestion" and rest.isdecimal():
        return _accepted(state, int(rest))
    if name not in fields(state):
        return state
    state = replace(_focused(state, name), failure=None)
    if name == "isolate":
        return _turned(state, 1, toggles=True)
    if name == "mode" and rest in tuple(Mode):
        return _in_mode(state, Mode(rest))
    if name == "harness" and rest in state.defaults.harnesses:
        return replace(state, harness=rest)
    if name in TEXTS and rest.isdecimal():
        return _pointed(state, name, int(rest), offset)
    return state


def _pointed(state: FormState, name: str, start: int, cells: int) -> FormState:
    """The cursor at the character under a click, `cells` from the visible one at `start`."""
    typed = held(state, name).text
    line = clean(typed[start:].partition("\n")[0])
    return with_text(state, name, Text(typed, min(start, len(typed)) + index_at(line, cells)))


def _submitting(state: FormState) -> FormState:
    known = errors(state) if state.errors and state.errors.values == state.values else ()
    if not known:
        return replace(state, phase=Phase.SUBMITTING, failure=None, progress=None)
    first, state = known[0][0], replace(state, tried=True)
    return _focused(state, first) if first in fields(state) else state


def _submitted(state: FormState, outcome: SubmitOutcome) -> FormState:
    if state.phase not in (Phase.SUBMITTING, Phase.CANCELLING):
        return state
    if outcome.ok:
        return replace(state, phase=Phase.DONE)
    state = replace(state, phase=Phase.EDITING, progress=None, failure=outcome)
    return _focused(state, outcome.field) if outcome.field in fields(state) else state
