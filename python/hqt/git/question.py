"""Questions whose answers decide about deletion: asked so that no configuration can make git lie.

The place is given, not found: a `.git` file or `core.worktree` that leads elsewhere cannot redirect
them. Nothing is fetched, no monitor is believed, and an answer with a warning is no answer: git
says of a folder it cannot read only so, with exit status 0 (git-facts §4).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

from hqt.errors import Code, HqtError
from hqt.git import process
from hqt.git.process import Answer

PATIENCE = 60.0  # seconds; a status of a huge checkout on a cold disk is slow, but it ends

# Whatever could make a changed file look unchanged: a monitor (empty means none in every version),
# the cache of untracked folders, and looser rules for when a file counts as touched. A copy of an
# index stays one file, without flags of its own. And no hook: a copy's index is nobody's business.
_SEAL = (
    "-c core.fsmonitor= -c core.untrackedCache=false -c core.trustctime=true "
    "-c core.checkStat=default -c core.splitIndex=false -c core.ignoreStat=false "
    "-c core.hooksPath=/dev/null"
).split()
# A missing object in a partial clone is a failure here, not a reason to fetch. Grafts are left
# aside: git warns of each use of that file, and it could join histories that are not joined.
_ENVIRONMENT = (
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_GRAFT_FILE", f"{os.devnull}/none"),
)


class Place(NamedTuple):
    """The checkout that a question is about, or with no `work_tree` only its git directory."""

    git_dir: Path
    work_tree: Path | None = None

    def command(self, arguments: tuple[str, ...]) -> tuple[str, ...]:
        """Git's arguments for a question asked here."""
        where = [f"--git-dir={self.git_dir}"]
        if self.work_tree is not None:
            where.append(f"--work-tree={self.work_tree}")
        return (*where, *_SEAL, *arguments)

    @property
    def folder(self) -> Path:
        """Where git is started."""
        return self.work_tree or self.git_dir


@contextlib.contextmanager
def begun(
    place: Place, *arguments: str, timeout: float | None = None
) -> Iterator[Callable[[], bytes]]:
    """Ask while the block goes on; call what it yields for the answer, which raises as `ask`."""
    command = place.command(arguments)
    bound = PATIENCE if timeout is None else timeout
    running = process.begun(*command, cwd=place.folder, env=dict(_ENVIRONMENT), timeout=bound)
    with running as answer:
        yield lambda: _clean(answer(), arguments)


def ask(
    place: Place,
    *arguments: str,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> bytes:
    """What git says on standard output.

    Raises `git_failed` for any other exit status than 0 and for any word on standard error, and
    `timeout` after `timeout` seconds (`PATIENCE` unless given).
    """
    command = place.command(arguments)
    told = {**dict(_ENVIRONMENT), **(env or {})}
    bound = PATIENCE if timeout is None else timeout
    answer = process.ask(*command, cwd=place.folder, input=input, env=told, timeout=bound)
    return _clean(answer, arguments)


def _clean(answer: Answer, arguments: tuple[str, ...]) -> bytes:
    if answer.status:
        raise process.failed(answer, *arguments)
    if answer.err.strip():
        _noisy(answer, arguments)
    return answer.out


def _noisy(answer: Answer, arguments: tuple[str, ...]) -> NoReturn:
    raise HqtError(
        Code.GIT_FAILED,
        f"git {arguments[0]} warned: {answer.complaint.rstrip('.')}.",
        "Mend what git warns of, then try again.",
        {"status": 0, "stderr": os.fsdecode(answer.err)[-2000:]},
    )
