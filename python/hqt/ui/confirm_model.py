"""The records of the question before a removal: plain strings, made by who knows the facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hqt.ui.events import Click, Edited, Key, Resized, Wheel
from hqt.ui.icons import Icons


@dataclass(frozen=True, slots=True)
class Loss:
    """One kind of thing that would go with the worktree, and each of it by name."""

    summary: str  # "3 uncommitted files"
    items: tuple[str, ...] = ()
    force: bool = True  # whether hqt refuses it without force; ignored files are only named


@dataclass(frozen=True, slots=True)
class Occupant:
    """A program, pane or client in there."""

    text: str  # "vim in %5"
    busy: bool = False  # is ended, where it would not be without a word
    outside: bool = False  # not in the session's own window: only in the worktree's way


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be, and what to do about it."""

    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class RemovalQuestion:
    """What would be removed, with everything to know before."""

    title: str  # "Remove fix-login?"
    targets: tuple[str, ...] = ()  # "⎇ fix-login  ~/project/.worktrees/fix-login"
    sessions: int = 1  # that go in any case
    worktrees: int = 1  # that could go with them
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()  # worth knowing, but no loss: caches, stashes that stay
    occupants: tuple[Occupant, ...] = ()
    others: tuple[str, ...] = ()  # other sessions that live in the worktree
    stays_with: tuple[str, ...] = ()  # what stays when the worktree goes: branch, trash until when
    refused: Refusal | None = None  # nothing can be removed
    kept: Refusal | None = None  # the session can, the worktree cannot
    closing: str = ""  # the title while only sessions would go: "Close fix-login?"
    windows: tuple[str, ...] = ()  # of the sessions: "@3"


@dataclass(frozen=True, slots=True)
class RemovalAnswer:
    """What the user agreed to, in the words of `hqt remove`."""

    remove_worktree: bool
    force: bool = False
    close: bool = False
    evacuate: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmServices:
    """`load` finds out what the question could not say at once; called in a thread."""

    load: Callable[[], RemovalQuestion] | None = None


class Step(StrEnum):
    """How far the user has gone. Each step after the first has a key of its own."""

    REVIEW = "review"
    LOSS = "loss"
    EVACUATE = "evacuate"
    BUSY = "busy"
    DONE = "done"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The whole question; or, as its refusal, why it could not be found out."""

    question: RemovalQuestion


ConfirmEvent = Key | Edited | Click | Wheel | Resized | Loaded


@dataclass(frozen=True, slots=True)
class ConfirmState:
    """Everything the screen shows."""

    question: RemovalQuestion
    icons: Icons
    loading: bool
    remove: bool  # "Also remove worktree"
    step: Step = Step.REVIEW
    top: int = 0  # first visible line of the list
    message: str = ""
    width: int = 80
    height: int = 24
