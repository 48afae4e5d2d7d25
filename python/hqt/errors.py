"""What can go wrong, as one tree.

    Failure            what every one of them tells: a code, a sentence, a remedy, details
    ├─ HqtError        every expected failure
    └─ Interrupted     INT, TERM or HUP arrived; rolled back as any other failure. No Exception, so
                       that nobody who can do without a failed part goes on without the signal

A message says what happened and what was left untouched, the remedy what to do next. Both end
with a period; neither begins with "Error:". Anything that is not an `HqtError` is a fault in hqt
and becomes `internal` at the error boundary in `cli`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import TracebackType


class Code(StrEnum):
    """The codes of the public interface, in their order of precedence (design §4)."""

    USAGE = "usage"
    CONFIG_INVALID = "config_invalid"
    NOT_A_REPOSITORY = "not_a_repository"
    UNSUPPORTED_REPOSITORY = "unsupported_repository"
    NO_COMMITS = "no_commits"
    NO_SUCH_TARGET = "no_such_target"
    AMBIGUOUS_TARGET = "ambiguous_target"
    PROJECT_MISSING = "project_missing"
    MISSING_WORKTREE = "missing_worktree"
    WORKTREE_AND_BRANCH_GONE = "worktree_and_branch_gone"
    INVALID_NAME = "invalid_name"
    NO_SUCH_REVISION = "no_such_revision"
    NO_SUCH_BRANCH = "no_such_branch"
    BRANCH_EXISTS = "branch_exists"
    BRANCH_IN_USE = "branch_in_use"
    PATH_EXISTS = "path_exists"
    NAME_COLLISION = "name_collision"
    MAIN_CHECKOUT = "main_checkout"
    IDENTITY_MISMATCH = "identity_mismatch"
    LOCKED = "locked"
    OPERATION_IN_PROGRESS = "operation_in_progress"
    DIRTY = "dirty"
    UNIQUE_COMMITS = "unique_commits"
    NESTED = "nested"
    BUSY = "busy"
    CANNOT_RESUME = "cannot_resume"
    REPOSITORY_LOCKED = "repository_locked"
    TIMEOUT = "timeout"
    GIT_FAILED = "git_failed"
    TMUX_UNAVAILABLE = "tmux_unavailable"
    STORE_FAILED = "store_failed"
    INTERRUPTED = "interrupted"
    INTERNAL = "internal"


_RANK = {code: rank for rank, code in enumerate(Code)}
_EXIT = {Code.USAGE: 2, Code.INTERNAL: 3, Code.INTERRUPTED: 130}


class Failure(BaseException):
    """What a failure tells.

    `details` holds only what JSON can hold; its keys are part of the public interface.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        remedy: str = "",
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.details: dict[str, object] = dict(details or {})

    @property
    def exit_status(self) -> int:
        """The process exit status: 1 unless the code has one of its own."""
        return _EXIT.get(self.code, 1)


class HqtError(Failure, Exception):
    """An expected failure."""


class Interrupted(Failure):
    """A signal asked hqt to stop; everything that was begun has been rolled back."""

    def __init__(self, signal_name: str) -> None:
        """`by_hand`: somebody pressed Ctrl-C."""
        super().__init__(
            Code.INTERRUPTED,
            f"Interrupted by {signal_name}; what had been begun was rolled back.",
            "Run the same command again.",
        )
        self.by_hand = signal_name == "SIGINT"


class Become(BaseException):
    """No failure: this call ends by becoming another program, started in `folder` by `words`.

    It is done at the boundary, by the process that has the caller's terminal (the warm start's
    child has it not).
    """

    def __init__(self, folder: str, words: tuple[str, ...]) -> None:
        super().__init__(words)
        self.folder = folder
        self.words = words


def foremost(errors: Iterable[HqtError]) -> HqtError:
    """The error that the public order of codes puts first; raises ValueError if there is none."""
    return min(errors, key=lambda error: _RANK[error.code])


class Checks:
    """Checks that are all made, whatever the others found; of what they found the public order of
    codes says which is told.

    `with checks:` keeps the `HqtError` that ends the block, and goes on after it.
    """

    def __init__(self) -> None:
        self.failed: list[HqtError] = []

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, HqtError):
            return False
        self.failed.append(error)
        return True

    def settle(self) -> None:
        """Raise the foremost of what was found, if anything was."""
        if self.failed:
            raise foremost(self.failed)


def on_failure(
    act: Callable[[BaseException], None],
) -> Callable[[type[BaseException] | None, BaseException | None, TracebackType | None], None]:
    """For `ExitStack.push`: lets `act` have the exception that ends the block, if one does."""

    def leave(
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if error is not None:
            act(error)

    return leave
