"""A form at work without a terminal: keys go in, what is on screen comes out."""

from __future__ import annotations

from dataclasses import replace

from hqt.names import slug
from hqt.ui import form_state, form_view, icons
from hqt.ui.events import Edited, Key
from hqt.ui.form_fields import field
from hqt.ui.form_model import FormDefaults, FormEvent, FormState, Slugged, Start, Validated
from hqt.ui.view import View

DEFAULTS = FormDefaults(
    resolved="main 3f2a1c9 First",
    alternatives=(
        Start("current", "HEAD", "main 3f2a1c9 First"),
        Start("main", "main", "main 77aa001 Second"),
    ),
    harnesses=("claude", "codex", "shell"),
    promptless=("shell",),
    pool="~/project/.worktrees",
    repository="project",
)


def opened(**changes: object) -> FormState:
    """A form as it opens, with some defaults changed."""
    return form_state.initial(replace(DEFAULTS, **changes))  # type: ignore[arg-type]  # by name


def after(state: FormState, *events: FormEvent | str) -> FormState:
    """The form after keys (by name) and events, the slug answered at once as the shell does."""
    for event in events:
        before = state.nickname.text
        state = form_state.step(state, Key(event) if isinstance(event, str) else event)
        if state.nickname.text != before:
            answer = Slugged(state.nickname.text, slug(state.nickname.text))
            state = form_state.step(state, answer)
    return state


def typed(state: FormState, words: str) -> FormState:
    """The form after words typed at the end of the focused field."""
    now = field(state)
    assert now, f"{state.focus} takes no text"
    whole = now.text.text + words
    return after(state, Edited(now.name, whole, len(whole)))


def at(state: FormState, name: str) -> FormState:
    """The form with the focus on a field, reached with Tab."""
    for _ in range(10):
        if state.focus == name:
            return state
        state = after(state, "tab")
    raise AssertionError(f"Tab does not reach {name}")


def wrong(state: FormState, **told: str) -> FormState:
    """The form after its values were found to be wrong."""
    return after(state, Validated(state.values, tuple(told.items())))


def seen(state: FormState, width: int = 78, height: int = 18, ascii: bool = False) -> View:
    """What is on screen."""
    return form_view.view(state, width, height, icons.named("ascii" if ascii else "unicode"))


def screen(state: FormState, width: int = 78, height: int = 18, ascii: bool = False) -> str:
    """Its characters."""
    return "\n".join(seen(state, width, height, ascii).plain())
