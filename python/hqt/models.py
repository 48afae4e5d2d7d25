"""The frozen records that travel between layers. No behaviour beyond what follows from a field."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

Progress = Callable[[str, int, int], None]  # stage, how much is done, of how much
CREATING = "hqt: creating"  # how the reason of git's lock begins while hqt makes a worktree


@dataclass(frozen=True, slots=True)
class Repository:
    """One object store, seen from where hqt was started. All paths are physical (realpath)."""

    common_dir: Path
    main: Path | None  # main checkout; None where there is none (bare) or it cannot be known
    bare: bool
    checkout: Path | None  # the selected checkout; None inside a bare or git directory
    subfolder: str = ""  # where in the checkout hqt was started, "" at its root

    @property
    def root(self) -> Path:
        """What to call the repository: its main checkout, else its common directory."""
        return self.main or self.common_dir


@dataclass(frozen=True, slots=True)
class Worktree:
    """A registered checkout, as git's administrative files describe it right now."""

    path: Path  # realpath; for a missing one the recorded path, its existing part resolved
    git_dir: Path  # the admin directory; for the main checkout the common directory
    main: bool
    head: str | None  # commit id in hex; None when unborn or unreadable
    branch: str | None  # short name; None when detached
    locked: str | None = None  # the reason, which may be empty; None when not locked
    missing: bool = False
    operation: str | None = None  # rebase, merge, cherry-pick, revert, bisect, am

    @property
    def id(self) -> str:
        """The first 12 hex digits of the path's sha256."""
        return worktree_id(self.path)

    @property
    def label(self) -> str:
        """The branch, else `<directory name>@<7 hex>`; only the name where HEAD is broken."""
        return self.branch or (f"{self.path.name}@{self.head[:7]}" if self.head else self.path.name)

    @property
    def being_made(self) -> bool:
        """Whether its files are still coming: then what is in it means nothing."""
        return (self.locked or "").startswith(CREATING)


def worktree_id(path: Path) -> str:
    """The id of the worktree at a physical path (design §2)."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Changes:
    """Entries as `git status` shows them, counted."""

    staged: int = 0
    modified: int = 0
    untracked: int = 0
    conflicted: int = 0

    @property
    def any(self) -> bool:
        return bool(self.staged or self.modified or self.untracked or self.conflicted)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit to show to a person."""

    id: str
    subject: str


@dataclass(frozen=True, slots=True)
class IgnoredFiles:
    """Ignored files of a worktree: the precious ones by name, the rest summed."""

    precious: tuple[str, ...] = ()
    files: int = 0  # of the rest; a lower bound when `partial`
    size: int = 0  # bytes, of the rest
    partial: bool = False  # the walk was cut short
    in_main: tuple[str, ...] = ()  # those of `precious` that the main checkout has just so

    @property
    def at_stake(self) -> tuple[str, ...]:
        """The precious ones that are nowhere else."""
        return tuple(name for name in self.precious if name not in self.in_main)


class Dispute(NamedTuple):
    """What libgit2 sees in a worktree and git does not, or why it could not look."""

    code: str  # what it would be refused for
    sentence: str


@dataclass(frozen=True, slots=True)
class Losses:
    """What would go with a worktree (design §5, inventory). Names are paths below it."""

    staged: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    conflicted: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()  # edits behind skip-worktree or assume-unchanged
    unique: tuple[Commit, ...] = ()  # of the live HEAD or branch, and of the recorded branch
    unique_count: int = 0  # all of them; `unique` may name only the newest
    private_refs: tuple[str, ...] = ()  # per-worktree refs that alone hold commits
    operation: str | None = None
    submodules: tuple[str, ...] = ()  # with work of their own: `path (what)`
    nested_repositories: tuple[str, ...] = ()  # with something of their own: `path (what)`
    nested_worktrees: tuple[str, ...] = ()  # absolute paths of registered worktrees inside
    mounts: tuple[str, ...] = ()
    ignored: IgnoredFiles = IgnoredFiles()
    stashes: tuple[str, ...] = ()  # made on the branch; they stay, but are named
    elsewhere: str | None = None  # where the unique content also is; informs only
    unstarted: bool = False  # no commit since its base
    disputed: tuple[Dispute, ...] = ()
    unsure: tuple[str, ...] = ()  # a sentence for each check that failed or could not finish
    timed_out: bool = False  # one of those ran out of time


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason not to remove a worktree."""

    code: str
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of this machine, as far as it can be read."""

    pid: int
    parent: int
    name: str
    cwd: str | None  # None when it may not be read
    stopped: bool = False
    group: int = 0  # process group
    started: str = ""  # when; tells a process from a later one with the same id


@dataclass(frozen=True, slots=True)
class Pane:
    """A tmux pane from one listing."""

    id: str  # %5
    window: str  # @3
    session: str  # $1
    session_name: str
    pid: int
    path: str  # current path; "" when unknown
    command: str
    dead: bool = False
    window_session: str = ""  # @hqt_session of its window
    window_worktree: str = ""  # @hqt_worktree of its window
    agent_state: str = ""  # @hqt_agent of the pane
    window_active: bool = False
    pane_active: bool = False
    window_name: str = ""
    window_branch: str = ""  # @hqt_branch of its window
    window_state: str = ""  # @hqt_state of its window: the most urgent of its panes'
    window_dirty: str = ""  # @hqt_dirty of its window
    window_unique: str = ""  # @hqt_unique of its window
    window_index: int = 0  # its window's place in its tmux session
    started: str = ""  # the session whose program hqt started in it, until another one is there
    start_path: str = ""  # where it was opened; "" before tmux 3.3


class Client(NamedTuple):
    """An attached tmux client."""

    name: str
    session: str  # $1
    window: str  # @3: the window it looks at
    activity: int = 0  # seconds since the epoch
    width: int = 0
    height: int = 0
    control: bool = False
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Occupants:
    """Who is in a worktree."""

    panes: tuple[Pane, ...] = ()
    clients: tuple[Client, ...] = ()  # that look at one of the panes' windows
    busy: tuple[str, ...] = ()  # a sentence for each program that makes it busy
    processes: tuple[Process, ...] = ()  # outside the panes
    sessions: tuple[str, ...] = ()  # ids of other hqt sessions that live there


@dataclass(frozen=True, slots=True)
class Cleanup:
    """Where the reclaiming of an archived session's worktree stands (design §5, archive)."""

    status: Literal["scheduled", "retained", "removed", "failed"]
    revision: int  # the number of the attempt, from 1
    reason: str | None = None  # why retained or failed


@dataclass(frozen=True, slots=True)
class Session:
    """A row of the store: what neither git nor tmux can know."""

    id: str
    nickname: str
    harness: str
    project: Path  # main checkout (else common directory) it belongs to
    created_at: int  # seconds since the epoch
    conversation: str | None = None
    worktree_path: Path | None = None
    worktree_branch: str | None = None
    base_commit: str | None = None
    owns_worktree: bool = False  # it, or its parent, made the worktree
    owns_branch: bool = False  # hqt made the branch
    parent: str | None = None  # session it was forked from
    archived: bool = False
    prompt: str | None = None
    cleanup: Cleanup | None = None
    subfolder: str = (
        ""  # where below its root the harness started: conversations are kept by folder
    )
    tmux_session: str | None = None  # name of the tmux session its window was last seen in
    window_index: int | None = None  # and the window's place in it


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """A removed worktree that can still be restored."""

    id: str
    path: Path  # where it was, and where undo brings it
    branch: str | None
    head: str | None
    removed_at: int  # seconds since the epoch
    holds: tuple[str, ...]  # codes that were refused without force; empty: nothing would be lost
    size: int | None = None  # bytes, when asked for
    session: dict[str, object] = field(default_factory=dict)  # the session's row, if it went too
    vanished: bool = False  # it had no folder any more, so only its registration is here


@dataclass(frozen=True, slots=True)
class Caller:
    """From where and for whom hqt was called."""

    directory: Path  # as typed: -C, else the pane's folder for a key, else the current directory
    socket_name: str | None = None  # -L
    socket_path: str | None = None  # --socket
    client: str | None = None  # the tmux client that pressed the key
    pane: str | None = None  # the pane that asked; None outside tmux
    by_key: bool = False  # a binding passed the pane: its folder counts, not the process's
    interactive: bool = False  # standard input is a terminal
    process: int | None = None  # the one that called, where this one works for it (warm start)
    tell: Callable[[str], None] | None = None  # told, again and again, why it has to wait
