"""What the stories hand to `report`: frozen, complete, nothing left to look up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hqt.models import (
    Changes,
    Losses,
    Occupants,
    Refusal,
    Repository,
    Session,
    TrashEntry,
    Worktree,
)
from hqt.names import branch_sign

SIGN = branch_sign("unicode")  # what stands before a branch; `sign` in what follows


@dataclass(frozen=True, slots=True)
class WorktreeView:
    """A row of `list`: a worktree with what git, tmux and the store say of it."""

    worktree: Worktree
    current: bool
    base_commit: str | None  # None unless hqt made it
    changes: Changes | None  # None: unknown
    unique_commits: int | None  # None: unknown
    windows: tuple[str, ...] | None  # None: no tmux server answers
    tmux_session: str  # the derived name
    tmux_session_exists: bool
    sessions: tuple[str, ...]
    sign: str = SIGN
    interrupted: bool = False  # who was making it is dead


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session with what can be seen of it right now."""

    session: Session
    state: str
    worktree: Worktree | None
    window: str | None


class Listing(NamedTuple):
    """One repository, its worktrees (main checkout first) and its sessions."""

    repository: Repository
    worktrees: tuple[WorktreeView, ...]
    sessions: tuple[SessionView, ...]
    sign: str = SIGN


class Listings(NamedTuple):
    """Every repository that hqt knows."""

    repositories: tuple[Listing, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that is in its place: the answer of new, open, move, restore and undo."""

    session: SessionView | None
    worktree: WorktreeView | None
    window: str | None
    source: Path | None
    branch_recreated: bool = False
    notes: tuple[str, ...] = ()  # sentences: what else happened that the user should know
    verb: str = "created"
    renamed: tuple[tuple[str, str], ...] = ()  # by `rename`: names before and after


class NotOpened(NamedTuple):
    """A session that `open --all` could not bring back, and why."""

    session: Session
    code: str
    message: str
    remedy: str


class Reopened(NamedTuple):
    """The answer of `open --all`: what was, or with --dry-run would be, brought back."""

    opened: tuple[Opened, ...]
    dry_run: bool
    failed: tuple[NotOpened, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that would go with a worktree, and who is in it."""

    worktree: WorktreeView
    sessions: tuple[SessionView, ...]
    losses: Losses
    occupants: Occupants
    refusals: tuple[Refusal, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Removed:
    """One target that is gone. `path` is None for a session without a worktree."""

    path: Path | None
    branch: str | None
    branch_deleted: bool
    windows_closed: tuple[str, ...]
    trash: str | None
    session: str | None = None
    notes: tuple[str, ...] = ()
    nickname: str | None = None  # of the session
    sign: str = SIGN


class Removals(NamedTuple):
    """The answer of `remove`."""

    removed: tuple[Removed, ...]


class Archived(NamedTuple):
    """The answer of `archive`: the session, with how its worktree's cleanup stands."""

    session: SessionView
    windows_closed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrashListing:
    """The answer of `trash list` and `trash empty`."""

    entries: tuple[TrashEntry, ...]
    emptied: bool = False
    living: frozenset[str] = frozenset()  # ids of entries whose path or branch is in use again
    sign: str = SIGN


class Located(NamedTuple):
    """The answer of `path`."""

    path: Path


class LockChanged(NamedTuple):
    """The answer of `lock` and `unlock`."""

    worktree: Worktree
    sign: str = SIGN


class Instructions(NamedTuple):
    """The answer of `instructions`: what an agent should know, from the settings in force."""

    sentences: tuple[str, ...]
    worktree_dir: Path | None  # where new worktrees go; None where there can be none
    start: str  # the checkout that they start from: "current" or "main"
    harness: str
    main: Path | None  # the main checkout
    worktree: Path | None  # the checkout that the caller is in
    session: str | None  # the session that the caller is in


class Trust(NamedTuple):
    """The answer of `trust`: a repository's setup command, and what the user says of it."""

    path: Path  # of the file that asks for it
    digest: str  # of that file
    command: str
    trusted: bool | None  # None: not asked yet
    project: Path


@dataclass(frozen=True, slots=True)
class Status:
    """The answer of `status`: the segment of a status line, and what it is made of."""

    text: str
    label: str | None  # of the checkout that the caller is in
    dirty: int | None  # entries of `git status`; None: unknown
    unique: int | None  # commits; None: unknown
    agents: Mapping[str, int]  # windows of the tmux server by the state of their agent


class Jumped(NamedTuple):
    """The answer of `jump`: where the client is now."""

    window: str
    label: str
    state: str  # of its agent; "" where there is none


class Installed(NamedTuple):
    """The answer of `install`."""

    sentences: tuple[str, ...]
    launcher: Path
    called: Path | None  # what the command `hqt` is in the caller's PATH
    link: Path | None  # what was linked
    loaded: bool  # the tmux server has the plugin
    line: str  # for tmux.conf


class Uninstalled(NamedTuple):
    """The answer of `uninstall`."""

    sentences: tuple[str, ...]
    server: bool  # there was a tmux server
    keys: tuple[str, ...]  # that were unbound
    windows: tuple[str, ...]  # that tmux names again
    deleted: tuple[Path, ...]
    state: Path  # what stays: sessions and log


@dataclass(frozen=True, slots=True)
class Setting:
    """An option as it counts."""

    name: str
    value: str
    origin: str  # "default", the tmux option, or a file and the keys in it


@dataclass(frozen=True, slots=True)
class Mistake:
    """What in config.toml stops other verbs: file, line and key in a sentence."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The answer of `config`."""

    settings: tuple[Setting, ...]
    file: Path
    unknown: tuple[str, ...]  # tmux options that look like hqt's and are not
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `doctor`."""

    subject: str
    level: str  # ok, note, warning, error
    message: str
    remedy: str = ""


class Diagnosis(NamedTuple):
    """The answer of `doctor`."""

    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        return not any(finding.level == "error" for finding in self.findings)
