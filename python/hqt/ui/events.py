"""What can happen to any screen. A screen's own events stand beside its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Key:
    """A key press: a character, or a name such as `enter`, `s-tab`, `c-x`, `m-enter`."""

    name: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The line editor changed a field's text or moved its cursor (an index into the text)."""

    field: str
    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class Click:
    """A press of the mouse button on a target, `offset` cells from where it begins."""

    target: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Wheel:
    """The mouse wheel: rows to move, negative upwards."""

    rows: int


@dataclass(frozen=True, slots=True)
class Resized:
    """The screen's size in cells."""

    width: int
    height: int


Event = Key | Edited | Click | Wheel | Resized


@dataclass(frozen=True, slots=True)
class Text:
    """A text under edit; the cursor is an index into it."""

    text: str = ""
    cursor: int = 0

    @classmethod
    def ending(cls, text: str) -> Text:
        """`text` with the cursor behind it."""
        return cls(text, len(text))


@dataclass(frozen=True, slots=True)
class Field:
    """The field that has the line editor: its name, what it holds, whether it has lines."""

    name: str
    text: Text
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """That a screen is finished, and with what; None when the user left."""

    result: R | None
