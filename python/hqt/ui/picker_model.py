"""The records of the picker: its rows, what it asks for, what it is told, what it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hqt.models import CREATING, Changes
from hqt.ui.events import Click, Edited, Key, Resized, Text, Wheel


class Action(StrEnum):
    """What can be done with rows."""

    OPEN = "open"
    CHOOSE = "choose"  # what Enter does where a row is only asked for
    NEW = "new"
    REMOVE = "remove"
    ARCHIVE = "archive"
    LOCK = "lock"  # or unlock
    GIT = "git"
    COPY = "copy"  # the path


@dataclass(frozen=True, slots=True)
class PickerRow:
    """A worktree with one of its sessions, a worktree without any, or a session without one."""

    worktree: str | None  # id
    session: str | None  # id
    label: str  # branch, or <directory>@<hex>; "" for a session without a worktree
    nickname: str = ""
    path: str = ""
    state: str = ""  # of the session: working, waiting, done, …
    changes: Changes | None = None  # None: not yet known, or unknown
    unique: int | None = None  # commits that exist nowhere else; None as above
    operation: str | None = None
    locked: str | None = None  # the reason, which may be empty
    missing: bool = False
    windows: int | None = None
    age: int | None = None  # seconds
    current: bool = False
    main: bool = False
    repository: str = ""
    archived: bool = False
    interrupted: bool = False  # who was making it is dead

    @property
    def being_made(self) -> bool:
        """Whether its files are still coming: then what is in it means nothing."""
        return (self.locked or "").startswith(CREATING)

    @property
    def key(self) -> str:
        """What stays the same about a row when everything is read anew."""
        return f"{self.worktree or ''}/{self.session or ''}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows are asked for."""

    all_repositories: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows in their order. One that is not complete removes none of the rows shown."""

    rows: tuple[PickerRow, ...]
    complete: bool = True
    message: str = ""  # why it is not complete


@dataclass(frozen=True, slots=True)
class PickerServices:
    """What the picker asks for, each call in a thread.

    `fill` returns its row with `changes`, `unique`, `operation` and `age` as they are now; other
    fields are ignored. Whatever of them cannot be known stays None. `act` does what stays in the
    picker, and returns a sentence about it; a refusal is an HqtError.
    """

    rows: Callable[[Scope], Listing]
    fill: Callable[[PickerRow], PickerRow]
    preview: Callable[[PickerRow], tuple[str, ...]]
    act: Callable[[Action, tuple[PickerRow, ...]], str]


STAYING = frozenset({Action.ARCHIVE, Action.LOCK, Action.COPY})


@dataclass(frozen=True, slots=True)
class PickerOptions:
    """How the picker opens. Actions that are not `staying` end it."""

    title: str = "Worktrees"
    enter: Action = Action.OPEN
    scope: Scope = Scope()
    staying: frozenset[Action] = STAYING
    icon_set: str = "unicode"
    empty: str = "Nothing is here yet; ^N makes one."


@dataclass(frozen=True, slots=True)
class PickerResult:
    """What to do, and with which rows; none for `new`."""

    action: Action
    rows: tuple[PickerRow, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """An answer of `rows`."""

    scope: Scope
    listing: Listing


@dataclass(frozen=True, slots=True)
class ListFailed:
    """`rows` had no answer."""

    scope: Scope
    message: str


@dataclass(frozen=True, slots=True)
class Filled:
    """An answer of `fill`; `row` as it was asked with where there was none."""

    row: PickerRow


@dataclass(frozen=True, slots=True)
class Previewed:
    """An answer of `preview`."""

    key: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Acted:
    """An answer of `act`."""

    message: str
    failed: bool = False


PickerEvent = (
    Key | Edited | Click | Wheel | Resized | Listed | ListFailed | Filled | Previewed | Acted
)


_EMPTY = Text()


@dataclass(frozen=True, slots=True)
class PickerState:
    """Everything the picker shows."""

    options: PickerOptions
    scope: Scope
    rows: tuple[PickerRow, ...] = ()
    shown: tuple[PickerRow, ...] = ()  # those that answer to the filter, best first
    listed: Scope | None = None  # the scope of `rows`
    listings: int = 0  # how many there have been
    filled: frozenset[str] = frozenset()  # keys whose fill has answered since the last listing
    filter: Text = _EMPTY
    cursor: str = ""  # key of the row in focus
    top: int = 0
    marks: frozenset[str] = frozenset()
    reading: int = 1  # how often the rows were asked for
    message: str = ""
    failed: bool = False  # the message is a refusal
    help: bool = False
    pending: PickerResult | None = None  # `act` is at work
    leaving: bool = False
    result: PickerResult | None = None
    previews: tuple[Previewed, ...] = ()
    width: int = 80
    height: int = 24
