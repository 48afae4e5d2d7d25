"""What the screen before a removal says about itself: what is at stake, and what Enter does. Pure.

It closes sessions while the box is off, and removes their worktrees with them while it is on.
"""

from __future__ import annotations

from hqt.ui.confirm_model import ConfirmState, Occupant, RemovalQuestion, Step
from hqt.ui.text import enumerated

_TITLES = {
    Step.LOSS: "This goes with the worktree",
    Step.EVACUATE: "Others live in the worktree",
    Step.BUSY: "Still at work in there",
}
_TIMES = ("", "once", "twice", "three times")


def busy(state: ConfirmState) -> tuple[Occupant, ...]:
    """Who would be ended by what is chosen now."""
    there = state.question.occupants
    return tuple(man for man in there if man.busy and (state.remove or not man.outside))


def steps(state: ConfirmState) -> tuple[Step, ...]:
    """What has to be agreed to, one by one, after the first screen."""
    question = state.question
    needed: list[Step] = []
    if state.remove and question.losses:
        needed.append(Step.LOSS)
    if state.remove and question.others:
        needed.append(Step.EVACUATE)
    if busy(state):
        needed.append(Step.BUSY)
    return tuple(needed)


def unchosen(state: ConfirmState) -> bool:
    """Whether there is nothing that Enter could do yet."""
    return not state.remove and not state.question.sessions


def closes(state: ConfirmState) -> bool:
    """Whether only sessions would go by what is chosen now."""
    undecided = state.loading and state.question.worktrees
    return not (state.remove or undecided or state.question.refused or unchosen(state))


def title(state: ConfirmState) -> str:
    """The first line."""
    question = state.question
    asked = question.closing if closes(state) else question.title
    return _TITLES.get(state.step, asked)


def stake(state: ConfirmState) -> str:
    """The headline: what would go, or stay, by what is chosen now."""
    question = state.question
    if state.step is Step.EVACUATE:
        return "They would be moved to the main checkout first."
    if state.step is Step.BUSY:
        return "They would be ended with their windows."
    if not question.worktrees:
        return f"{_closing(question)}; nothing in git changes."
    lost = enumerated(tuple(loss.summary for loss in question.losses))
    if state.step is Step.LOSS:
        return f"{lost[:1].upper()}{lost[1:]}."
    if closes(state):
        stays = "Its worktree stays" if question.worktrees == 1 else "The worktrees stay"
        return f"{stays}, with {lost}." if question.losses else f"{stays}."
    return f"With the worktree would go {lost}." if question.losses else "Nothing would be lost."


def enter(state: ConfirmState) -> str:
    """What Enter does, the box being as it is."""
    question = state.question
    if unchosen(state):
        return "Nothing is chosen, so Enter does nothing: Space chooses the worktree."
    times = _TIMES[len(steps(state))]
    asks = f"asks {times} more, then " if times else ""
    going = [*_numbered(question.sessions, "session"), *_windows(question.windows)]
    if state.remove:
        going += _numbered(question.worktrees, "worktree")
        return f"Enter {asks}removes {_listed(going)}."
    several = question.worktrees > 1
    stays = "the worktrees stay as they are" if several else "the worktree stays as it is"
    return f"Enter {asks}closes {_listed(going)}; {stays}."


def _closing(question: RemovalQuestion) -> str:
    alone, windows = question.sessions == 1, question.windows
    if not windows:
        return "It has no window" if alone else "They have no windows"
    whose = "Its" if alone else "Their"
    word, verb = ("window", "closes") if len(windows) == 1 else ("windows", "close")
    return f"{whose} {word} {enumerated(windows)} {verb}"


def _windows(ids: tuple[str, ...]) -> list[str]:
    return [f"window {ids[0]}"] if len(ids) == 1 else _numbered(len(ids), "window")


def _numbered(count: int, noun: str) -> list[str]:
    return [noun if count == 1 else f"{count} {noun}s"] if count else []


def _listed(things: list[str]) -> str:
    return enumerated(tuple(things)) if things[1:] else f"the {things[0]}"
