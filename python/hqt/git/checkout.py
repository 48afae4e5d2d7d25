"""Filling a new worktree with its files: by libgit2 in this process, or by git.

libgit2 is faster where it is loaded already and the files are few, but only git gets filters,
encodings, sparse checkouts, permissions and missing objects right (git-facts §4); `support` says
where that matters.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import configuration, files, process, repository, support
from hqt.git.lock import Pulse
from hqt.models import Progress, Repository

# Most files for libgit2. Against `git worktree add` (processor time, everything from discovery on):
# 0.8 at 100 files where hqt by git takes 1.2; even at 400; 1.5 against 1.1 at 1,000.
FEW = 400

_UPDATING = re.compile(r"Updating files:\s+\d+% \((\d+)/(\d+)\)")


def suits_libgit2(repo: Repository, source_git_dir: Path, commit: str) -> bool:
    """Whether libgit2 would write the files of `commit` as git does, and sooner.

    `source_git_dir` is the git directory of the checkout it is started from, whose index tells how
    many files there are about. Loading libgit2 takes ten times what it saves, so one that is not
    loaded yet never suits.
    """
    if "pygit2" not in sys.modules or not 0 < size_of(source_git_dir) <= FEW:
        return False
    place = repo.checkout or repo.root
    judged = support.misjudged(place, source_git_dir, repo.common_dir, commit=commit)
    return judged.opens and not judged.checkout


def fill(
    repo: Repository,
    path: Path,
    git_dir: Path,
    *,
    by_libgit2: bool,
    filters: bool = True,
    progress: Progress | None = None,
) -> None:
    """Write index and files of the HEAD of the new, empty worktree at `path`.

    Whoever waits for the repository's lock is given a sign of life while git gets on. `filters` off
    writes files as they are stored, the configuration untouched. `progress` hears of the stage
    `checkout` as files get done. Raises `git_failed` or `timeout`; then some files may have been
    written.
    """
    if by_libgit2 and _by_libgit2(path, progress):
        return
    _by_git(repo, path, git_dir, filters, progress)


def _by_libgit2(path: Path, progress: Progress | None) -> bool:
    """False when libgit2 gives up; git takes what is there for files to be written over."""
    import pygit2
    from pygit2.callbacks import CheckoutCallbacks

    class Reporting(CheckoutCallbacks):
        def checkout_progress(self, path: str, completed_steps: int, total_steps: int) -> None:  # noqa: ARG002
            if progress and completed_steps:
                progress("checkout", completed_steps, total_steps)

    try:
        checkout = repository.open_checkout(path)
    except HqtError as error:
        if error.code is not Code.UNSUPPORTED_REPOSITORY:
            raise
        return False
    strategy = pygit2.enums.CheckoutStrategy
    try:
        checkout.checkout_head(  # type: ignore[no-untyped-call]  # pygit2 leaves it untyped
            strategy=strategy.SAFE | strategy.RECREATE_MISSING,
            callbacks=Reporting() if progress else None,
        )
    except (pygit2.GitError, OSError, ValueError, KeyError):
        return False
    return True


def _by_git(
    repo: Repository, path: Path, git_dir: Path, filters: bool, progress: Progress | None
) -> None:
    """As `git worktree add` does it, with its progress read from standard error."""
    done, pulse = 0, Pulse(repo.common_dir)

    def hear(line: bytes) -> None:
        nonlocal done
        pulse.beat()
        found = _UPDATING.search(os.fsdecode(line))
        if found and progress and int(found[1]) != done:
            done = int(found[1])
            progress("checkout", done, int(found[2]))

    environment = {
        # never found by searching: without them a vanished .git would reset the repository around
        "GIT_DIR": str(git_dir),
        "GIT_WORK_TREE": str(path),
        "GIT_PROGRESS_DELAY": "0",
        **({} if filters else _without_filters(repo, git_dir)),
    }
    answer = process.ask(
        "reset", "--hard", "--no-recurse-submodules",
        cwd=path, env=environment, timeout=process.LONG, on_error_line=hear,
    )  # fmt: skip
    if answer.status and not _is_complete(path, git_dir, environment):
        raise HqtError(
            Code.GIT_FAILED,
            f"The files of {path} could not be written: {_complaint(answer)}.",
            "Mend what git complains of; if it is a filter, such as git-lfs, install it or turn"
            " @hqt-filters off.",
            process.failed(answer, "reset").details,
        )


def _complaint(answer: process.Answer) -> str:
    """Its first line, which has the cause, and its last, which has the consequence."""
    text = os.fsdecode(answer.err).replace("\r", "\n")
    lines = [line for line in text.splitlines() if line.strip() and not _UPDATING.search(line)]
    ends = dict.fromkeys(line.strip().rstrip(".") for line in (lines[:1] + lines[-1:]))
    return "; ".join(ends) or answer.complaint


def _is_complete(path: Path, git_dir: Path, environment: dict[str, str]) -> bool:
    """Whether everything is there in spite of git's complaint."""
    if not (git_dir / "index").exists():
        return False
    query = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules")
    answer = process.ask(*query, cwd=path, env=environment)
    return answer.status == 0 and not answer.out and not answer.err


def _without_filters(repo: Repository, git_dir: Path) -> dict[str, str]:
    """Environment that turns every configured filter driver off for one git command."""
    said = configuration.settings(repo.common_dir, git_dir)
    drivers = {setting.subsection for setting in said if setting.name.startswith("filter.")}
    pairs = [
        (f"filter.{driver}.{key}", value)
        for driver in sorted(drivers)
        for key, value in (("smudge", ""), ("process", ""), ("required", "false"))
    ]
    environment = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment


def size_of(git_dir: Path) -> int:
    """How many entries the index of a checkout has, from its header; 0 when there is none."""
    try:
        header = files.beginning(git_dir / "index", 12)
    except OSError:
        return 0
    return int.from_bytes(header[8:12]) if header[:4] == b"DIRC" else 0
