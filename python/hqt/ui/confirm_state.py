"""The question before a removal as a pure core: (state, event) → state.

Nothing that would be lost, and nobody who would be disturbed, is agreed to by Enter alone: each has
a screen of its own that names it, and a key of its own.
"""

from __future__ import annotations

from dataclasses import replace

from hqt.ui.confirm_layout import overflow
from hqt.ui.confirm_model import (
    ConfirmEvent,
    ConfirmState,
    Loaded,
    RemovalAnswer,
    RemovalQuestion,
    Step,
)
from hqt.ui.confirm_words import steps, unchosen
from hqt.ui.events import Click, Field, Key, Outcome, Resized, Wheel
from hqt.ui.icons import Icons

KEYS = (
    *("escape", "c-c", "enter", "c-j", "space", "tab", "s-tab"),
    *("up", "down", "pageup", "pagedown", "home", "end"),
)
AGREES = {Step.LOSS: "y", Step.EVACUATE: "m", Step.BUSY: "c"}
_SCROLLS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8, "home": -100_000, "end": 100_000}


def initial(question: RemovalQuestion, icons: Icons, *, loading: bool) -> ConfirmState:
    """The screen as it opens; while it is `loading` nothing can be agreed to."""
    return ConfirmState(question, icons, loading, _harmless(question) and not loading)


def _harmless(question: RemovalQuestion) -> bool:
    """Whether the worktree goes unless the user says otherwise: nothing is lost, nobody moved."""
    at_stake = question.losses or question.others or question.kept or question.refused
    return question.worktrees > 0 and not at_stake


def step(state: ConfirmState, event: ConfirmEvent) -> ConfirmState:
    """The screen after `event`."""
    match event:
        case Key(name):
            return _kept_in_view(_pressed(replace(state, message=""), name))
        case Click("worktree"):
            return _kept_in_view(_toggled(replace(state, message="")))
        case Wheel(rows):
            return _kept_in_view(replace(state, top=state.top + rows * 3))
        case Resized(width, height):
            return _kept_in_view(replace(state, width=width, height=height))
        case Loaded(question) if state.loading:
            loaded = replace(state, question=question, loading=False)
            return _kept_in_view(replace(loaded, remove=_harmless(question)))
        case _:
            return state


def takes(_state: ConfirmState, key: str) -> bool:
    """Every key is this screen's: there is nothing to type."""
    return key in KEYS


def field(_state: ConfirmState) -> Field | None:
    """No text is edited."""
    return None


def outcome(state: ConfirmState) -> Outcome[RemovalAnswer] | None:
    """What was agreed to, once it is; None in it when the user left."""
    if state.step is Step.LEFT:
        return Outcome(None)
    if state.step is not Step.DONE:
        return None
    agreed = steps(state)
    return Outcome(
        RemovalAnswer(
            remove_worktree=state.remove,
            force=state.remove and any(loss.force for loss in state.question.losses),
            close=Step.BUSY in agreed,
            evacuate=Step.EVACUATE in agreed,
        )
    )


def _pressed(state: ConfirmState, key: str) -> ConfirmState:
    if key in ("escape", "c-c"):
        return replace(state, step=Step.LEFT)
    if key in _SCROLLS:
        return replace(state, top=state.top + _SCROLLS[key])
    if state.question.refused and not state.loading:
        return replace(state, step=Step.LEFT) if key in ("enter", "c-j") else state
    if state.step is Step.REVIEW:
        if key in ("enter", "c-j"):
            return _going_on(state)
        return _toggled(state) if key == "space" else state
    agreed = key.lower() == AGREES.get(state.step)
    return _after(state, state.step) if agreed else state


def _going_on(state: ConfirmState) -> ConfirmState:
    if state.loading or unchosen(state):
        return state
    return _after(state, Step.REVIEW)


def _after(state: ConfirmState, done: Step) -> ConfirmState:
    """The step that follows `done`."""
    needed = steps(state)
    rest = needed[needed.index(done) + 1 :] if done in needed else needed
    return replace(state, step=rest[0] if rest else Step.DONE, top=0)


def _toggled(state: ConfirmState) -> ConfirmState:
    question = state.question
    if state.step is not Step.REVIEW or state.loading or not question.worktrees:
        return state
    if question.kept:
        return replace(state, message=question.kept.remedy or question.kept.reason)
    return replace(state, remove=not state.remove)


def _kept_in_view(state: ConfirmState) -> ConfirmState:
    """Scrolled no further than the list goes."""
    return replace(state, top=max(0, min(state.top, overflow(state))))
