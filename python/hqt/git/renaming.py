"""Another name for a branch, in whose checkouts nothing else changes: `git branch -m`.

Git moves the reflog, the configuration and the HEAD of each checkout along.
"""

from __future__ import annotations

from collections.abc import Iterable

from hqt.errors import Code, HqtError
from hqt.git import branches, process
from hqt.git.interrupts import held_back
from hqt.models import Repository, Worktree


def check(repo: Repository, old: str, new: str, worktrees: Iterable[Worktree]) -> None:
    """Everything that keeps branch `old` from being called `new`; nothing is changed.

    Raises `invalid_name`, `no_such_branch`, `branch_exists` (also for a name that would have to be
    a folder and a file at once), and `operation_in_progress` while a rebase or bisect anywhere
    will come back to it.
    """
    branches.check_name(new)
    if branches.commit_of(repo, old) is None:
        raise HqtError(
            Code.NO_SUCH_BRANCH,
            f"The branch {old!r} has no commit yet or is gone; it cannot be renamed.",
            "Commit something first.",
            {"branch": old},
        )
    if other := branches.clash(repo, new, but=old):
        raise branches.taken(new, other)
    for tree in worktrees:
        use = branches.used_by(repo, old, [tree])
        operation = tree.operation if use else None
        if operation:
            raise HqtError(
                Code.OPERATION_IN_PROGRESS,
                f"A {operation} is going on in {tree.path}, which comes back to {old!r}; "
                "the branch was not renamed.",
                "Finish or abort it first.",
                {"branch": old, "path": str(tree.path)},
            )


def rename(repo: Repository, old: str, new: str) -> None:
    """Call branch `old` `new`, under the repository's lock, after `check`.

    Raises `git_failed`; then the branch has its old name again.
    """
    with held_back():
        answer = _move(repo, old, new)
        if answer.status == 0:
            return
        if branches.commit_of(repo, old) is None and branches.commit_of(repo, new):
            _move(repo, new, old)  # git had moved the reference, and failed at what follows
    raise process.failed(answer, "branch")


def _move(repo: Repository, old: str, new: str) -> process.Answer:
    arguments = (f"--git-dir={repo.common_dir}", "branch", "-m", "--", old, new)
    return process.ask(*arguments, cwd=repo.common_dir)
