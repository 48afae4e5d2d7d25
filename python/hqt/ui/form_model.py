"""The records of the form for a new session: what it opens with, asks for, is told and holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from hqt.models import Progress
from hqt.ui.events import Click, Edited, Key, Resized, Text, Wheel


class Mode(StrEnum):
    """What the worktree has checked out."""

    NEW = "new"
    EXISTING = "existing"
    DETACHED = "detached"


class Phase(StrEnum):
    """Where the form is in its life."""

    EDITING = "editing"
    SUBMITTING = "submitting"
    CANCELLING = "cancelling"  # waits for the rollback
    DONE = "done"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Start:
    """A start revision on offer: what to call it, what to type for it, what it is."""

    name: str  # current, main
    revision: str
    resolved: str = ""


@dataclass(frozen=True, slots=True)
class FormDefaults:
    """What the form opens with."""

    nickname: str = ""
    isolate: bool = True
    isolate_possible: bool = True
    from_: str = "HEAD"
    resolved: str = ""  # what `from_` is: "main 3f2a1c9 Subject"; "" when it has to be asked
    alternatives: tuple[Start, ...] = ()
    harnesses: tuple[str, ...] = ("shell",)
    harness: str = ""  # "" is the first
    promptless: tuple[str, ...] = ()  # of the harnesses those that take no prompt
    missing: tuple[str, ...] = ()  # of the harnesses those whose program is not installed
    note: str = ""  # a sentence about worktrees that are made here
    pool: str = ""  # where the worktree will be made
    prompt: str = ""
    repository: str = ""
    title: str = "New session"
    named_only: bool = False  # asks for the nickname and nothing else


@dataclass(frozen=True, slots=True)
class FormValues:
    """What is in the form. Of `branch` and `existing`, the one that `mode` names counts."""

    nickname: str
    isolate: bool
    mode: Mode
    branch: str
    existing: str
    folder: str  # "" when left as previewed
    from_: str
    harness: str
    prompt: str


@dataclass(frozen=True, slots=True)
class FormResult:
    """The values that were submitted, and are done."""

    values: FormValues


@dataclass(frozen=True, slots=True)
class SubmitOutcome:
    """How a submission ended; a failure with its sentence, remedy, and the field it is about."""

    ok: bool
    error: str = ""
    remedy: str = ""
    field: str = ""


def _none(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class FormServices:
    """What the form asks for. All but `slug` are called in threads of their own."""

    slug: Callable[[str], str]  # pure
    validate: Callable[[FormValues], Mapping[str, str]]  # field → sentence; {} when all is well
    path_preview: Callable[[FormValues], str]
    revisions: Callable[[str], list[str]]  # branches and tags that complete a prefix
    branches: Callable[[], list[str]]  # that can be checked out
    submit: Callable[[FormValues, Progress], SubmitOutcome]
    cancel: Callable[[], None]  # `submit` then rolls back and returns; harmless at any time
    resolve: Callable[[str], str] = _none  # a revision → what it is, "" when nothing


@dataclass(frozen=True, slots=True)
class Slugged:
    """The slug of a nickname."""

    nickname: str
    slug: str


@dataclass(frozen=True, slots=True)
class Validated:
    """What is wrong with some values."""

    values: FormValues
    errors: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Previewed:
    """Where some values would put the worktree."""

    values: FormValues
    path: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a start revision is."""

    revision: str
    answer: str


@dataclass(frozen=True, slots=True)
class Offered:
    """Completions of a field for what was typed; for `existing`, all branches."""

    field: str
    typed: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progressed:
    """How far the submission is; `total` 0 when that cannot be told."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Submitted:
    """The end of a submission."""

    outcome: SubmitOutcome


FormEvent = (
    Key
    | Edited
    | Click
    | Wheel
    | Resized
    | Slugged
    | Validated
    | Previewed
    | Resolved
    | Offered
    | Progressed
    | Submitted
)


@dataclass(frozen=True, slots=True)
class FormState:
    """Everything the form shows."""

    defaults: FormDefaults
    nickname: Text
    branch: Text
    existing: Text
    folder: Text
    from_: Text
    prompt: Text
    isolate: bool
    mode: Mode
    harness: str
    focus: str = "nickname"
    slug: str = ""
    branch_edited: bool = False
    folder_edited: bool = False
    resolved: Resolved = Resolved("", "")
    errors: Validated | None = None
    branches: tuple[str, ...] | None = None
    revisions: Offered | None = None
    picked: int | None = None  # in `suggestions`
    phase: Phase = Phase.EDITING
    progress: Progressed | None = None
    failure: SubmitOutcome | None = None
    tried: bool = False  # to submit: then a field that was left empty is wrong, too

    @property
    def prompts(self) -> bool:
        """Whether the chosen harness takes a prompt."""
        return self.harness not in self.defaults.promptless

    @property
    def values(self) -> FormValues:
        """What would be submitted now."""
        return FormValues(
            nickname=self.nickname.text.strip(),
            isolate=self.isolate,
            mode=self.mode,
            branch=self.branch.text.strip(),
            existing=self.existing.text.strip(),
            folder=self.folder.text.strip() if self.folder_edited else "",
            from_=self.from_.text.strip(),
            harness=self.harness,
            prompt=self.prompt.text.strip() if self.prompts else "",
        )
