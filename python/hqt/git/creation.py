"""Making a worktree: branch, admin files, files, in an order that can be taken back.

hqt writes git's administrative files itself, since libgit2's `add_worktree` writes ones that break
git (git-facts §2); git registers only where it stores more than those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hqt.errors import Code, HqtError, on_failure
from hqt.git import (
    admin,
    branches,
    checkout,
    exclude,
    gitconfig,
    hooks,
    permissions,
    places,
    registration,
    repository,
)
from hqt.git import worktrees as listing
from hqt.git.interrupts import held_back
from hqt.git.journal import Note
from hqt.git.rollback import Made, explained, roll_back
from hqt.git.tracking import Upstream
from hqt.models import Progress, Repository, Worktree


@dataclass(frozen=True, slots=True)
class NewWorktree:
    """What is to be made. Names are decided and the start is pinned to a commit."""

    path: Path  # absolute
    commit: str  # hex; for an existing branch its tip
    branch: str | None = None  # None: detached
    create_branch: bool = False
    upstream: Upstream | None = None  # what a new branch follows; None: nothing


def size_of(repo: Repository) -> int:
    """How many files a new worktree will have, about: as many as the selected checkout has now.
    0 when that cannot be told."""
    return checkout.size_of(_source(repo))


def check(
    repo: Repository, plan: NewWorktree, worktrees: Sequence[Worktree], pool: Path | None
) -> None:
    """Raise the first thing that speaks against `plan`, in the order of the codes; change nothing.

    `worktrees` is the repository's listing. Raises `invalid_name`, `no_such_branch`,
    `branch_exists`, `branch_in_use`, `path_exists`, and `git_failed` where nothing can be written.
    """
    path = places.settled(plan.path)
    places.check_name(path)
    if plan.branch is not None:
        branches.check_name(plan.branch)
        _check_branch(repo, plan.branch, plan.create_branch, worktrees)
    places.check(repo, path, worktrees, pool)


def create(
    repo: Repository,
    plan: NewWorktree,
    *,
    worktrees: Sequence[Worktree],
    pool: Path | None = None,
    progress: Progress | None = None,
    filters: bool = True,
    undo: ExitStack | None = None,
    notice: Callable[[str], None] | None = None,
    note: Note | None = None,
) -> Worktree:
    """Make `plan` and return the new worktree's row.

    Everything of `check` is checked first. A failure, an interrupt included, takes back what this
    call has made, and what has to stay is named in the error and its detail `left`. With `undo`
    the same happens when that stack is left by an exception later on. `pool` is excluded from
    status if it lies in a checkout. `progress` hears the stages `prepare` and `checkout`, `notice`
    a sentence when the post-checkout hook fails, which is no failure of the creation. `note` is
    what the journal keeps of this creation; until it is given up, git's lock stays on the worktree,
    which the row does not say. Raises what `check` raises, `git_failed`, `timeout`.
    """
    plan = replace(plan, path=places.settled(plan.path))
    check(repo, plan, worktrees, pool)
    if plan.branch and not plan.create_branch:
        plan = replace(plan, commit=branches.commit_of(repo, plan.branch) or plan.commit)
    if progress:
        progress("prepare", 0, 0)
    note = note or Note()
    made = Made(repo, plan.path, plan.commit, plan.branch, note.mark)
    with ExitStack() as own:
        taking_back = on_failure(lambda error: _take_back(made, error))
        (own if undo is None else undo).push(taking_back)
        try:
            return _make(made, plan, pool, progress, filters, notice, note)
        except OSError as error:
            raise _unwritten(plan.path, error) from error


def _make(
    made: Made,
    plan: NewWorktree,
    pool: Path | None,
    progress: Progress | None,
    filters: bool,
    notice: Callable[[str], None] | None,
    note: Note,
) -> Worktree:
    repo, source, mode = made.repo, _source(made.repo), permissions.of_repository(made.repo)
    by_git = registration.needs_git(repo)
    by_libgit2 = not by_git and checkout.suits_libgit2(repo, source, plan.commit)
    if plan.branch and plan.create_branch:
        with held_back():
            branches.create(
                repo, plan.branch, plan.commit, by_libgit2=by_libgit2, mark=f"hqt {note.mark}"
            )
            made.new_branch = True
            note.branch_made(repo, plan.branch)
        if plan.upstream:
            _follow(repo, plan.branch, plan.upstream)
    if pool:
        with held_back():
            made.excluded = exclude.ensure(repo, pool, plan.path)
    registration.make_folders(made, pool, mode)
    with registration.names_kept(repo):
        if by_git:
            _check_alone(made, plan)
            registration.register_by_git(made, source=source)
        else:
            registration.register(made, mode, source=source, by_libgit2=by_libgit2)
            _check_alone(made, plan)
            registration.point_head(made, by_libgit2=by_libgit2)
    assert made.entry is not None
    if progress:
        progress("checkout", 0, checkout.size_of(source))
    made.filling = True
    checkout.fill(
        repo, plan.path, made.entry, by_libgit2=by_libgit2, filters=filters, progress=progress
    )
    made.filling = False
    if not note.file:
        admin.replace_lock(made.entry, None, mode)
    complaint = hooks.post_checkout(repo, plan.path, made.entry, plan.commit)
    if complaint and notice:
        notice(complaint)
    row = listing.find(repo, made.entry)
    if row is None or row.missing:
        raise HqtError(
            Code.GIT_FAILED,
            f"The new worktree {plan.path} has vanished while it was made.",
            "Look what else works in this repository, then try again.",
        )
    return replace(row, locked=None)


def _check_branch(
    repo: Repository, name: str, create_branch: bool, worktrees: Sequence[Worktree]
) -> None:
    if create_branch:
        if other := branches.clash(repo, name):
            raise branches.taken(name, other, branches.used_by(repo, other, worktrees))
    elif branches.commit_of(repo, name) is None:
        raise HqtError(
            Code.NO_SUCH_BRANCH,
            f"There is no branch {name!r} with a commit here.",
            "`git branch --all` lists what is known; -b makes a new one.",
            {"branch": name},
        )
    if use := branches.used_by(repo, name, worktrees):
        raise _in_use(name, use)


def _check_alone(made: Made, plan: NewWorktree) -> None:
    """Somebody else may have checked an existing branch out since the check; then both withdraw."""
    if plan.branch is None or plan.create_branch:
        return
    others = [row for row in listing.list_worktrees(made.repo) if row.git_dir != made.entry]
    if use := branches.used_by(made.repo, plan.branch, others):
        raise _in_use(plan.branch, use)


def _in_use(name: str, use: branches.Use) -> HqtError:
    return HqtError(
        Code.BRANCH_IN_USE,
        f"Branch {name!r} is {use.how} at {use.place}; nothing was made.",
        f"`hqt open {use.target(name)}` goes there; or start a new branch from it with -b and"
        " --from.",
        {"branch": name, "path": str(use.place)},
    )


def _follow(repo: Repository, branch: str, upstream: Upstream) -> None:
    gitconfig.put(repo, f"branch.{branch}.remote", upstream.remote)
    gitconfig.put(repo, f"branch.{branch}.merge", f"refs/heads/{upstream.branch}")
    if gitconfig.value(repo, "branch.autoSetupRebase") in {"remote", "always"}:
        gitconfig.put(repo, f"branch.{branch}.rebase", "true")


def _source(repo: Repository) -> Path:
    """The git directory of the checkout hqt was started in, which git would be run in."""
    try:
        return repository.git_dir_of(repo, repo.checkout)
    except HqtError as error:
        if error.code is not Code.MISSING_WORKTREE:
            raise
        return repo.common_dir


def _take_back(made: Made, error: BaseException) -> None:
    explained(error, roll_back(made))


def _unwritten(path: Path, error: OSError) -> HqtError:
    where = error.filename if isinstance(error.filename, str) else str(path)
    return HqtError(
        Code.GIT_FAILED,
        f"{where} could not be written: {error.strerror or error}.",
        "Check the permissions there and the space on the disk, then try again.",
        {"path": str(path)},
    )
