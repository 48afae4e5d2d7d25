"""Local branches: their names, who has them checked out, making and deleting them.

Always full reference names: a bare name can resolve to a tag.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import files, gitconfig, process, refs, tracking
from hqt.git.interrupts import held_back
from hqt.git.tracking import Choice
from hqt.models import Repository, Worktree
from hqt.names import is_branch_name


class Use(NamedTuple):
    """Who has a branch, so that nobody else may check it out."""

    place: Path  # the checkout; the git directory where its checkout cannot be known
    how: str  # "checked out", "being rebased" or "being bisected"

    def target(self, branch: str) -> str:
        """What `hqt open` calls the checkout that has `branch`."""
        return f"branch:{branch}" if self.how == "checked out" else str(self.place)


def check_name(name: str) -> None:
    """Raise `invalid_name` unless git accepts `name` for a branch."""
    if not is_branch_name(name):
        raise HqtError(
            Code.INVALID_NAME,
            f"{name!r} is no name that git accepts for a branch.",
            "Leave out spaces, `..`, `~^:?*[\\`, a leading `-` or `.`, and a final `.lock` or `/`.",
            {"name": name},
        )


def names(repo: Repository) -> frozenset[str]:
    """The short names of all local branches."""
    if backend := refs.files_of(repo.common_dir):
        return backend.branches()
    answer = _git(repo, "for-each-ref", "--format=%(refname)", "refs/heads/")
    return frozenset(line.removeprefix("refs/heads/") for line in answer.text.splitlines())


def commit_of(repo: Repository, branch: str) -> str | None:
    """The branch's tip in hex, None when there is no such branch."""
    return refs.commit_of(repo.common_dir, f"refs/heads/{branch}")


def remote_tracking(repo: Repository, name: str) -> Choice:
    """What `--checkout NAME` means: a local branch, else the only remote-tracking one, whose local
    branch is then to be made. Nothing is made or fetched here.

    Raises `invalid_name` and what `tracking.choose` raises.
    """
    check_name(name)
    return tracking.choose(repo, name)


def clash(repo: Repository, name: str, *, but: str | None = None) -> str | None:
    """The branch that keeps a new one called `name` from being made; None when nothing does.

    The same name, one that would have to be a folder and a file at once (`a` and `a/b`), and where
    `core.ignorecase` is set one that differs only in case. `but` is a branch that will be gone.
    """
    present = names(repo) - {but}
    if exact := _in_the_way(name, {other: other for other in present}):
        return exact
    twin = _in_the_way(name.casefold(), {other.casefold(): other for other in present})
    return twin if twin and gitconfig.is_on(repo, "core.ignoreCase") else None


def _in_the_way(wanted: str, present: Mapping[str, str]) -> str | None:
    """The branch, by how its name is to be compared, that has a name or needs it for a folder."""
    if wanted in present:
        return present[wanted]
    for known in sorted(present):
        if known.startswith(f"{wanted}/") or wanted.startswith(f"{known}/"):
            return present[known]
    return None


def used_by(repo: Repository, branch: str, worktrees: Iterable[Worktree]) -> Use | None:
    """Who keeps others from checking `branch` out, by git's own rule: a checkout of it, or a rebase
    or bisect that will come back to it. The HEAD of a bare repository does not count.
    """
    full = f"refs/heads/{branch}"
    rows = [(row.path, row.git_dir, row.branch) for row in worktrees]
    if not repo.bare and repo.main is None:  # its checkout is unknown from here, but is one
        head = refs.head_of(repo.common_dir, repo.common_dir)
        rows.append((repo.common_dir, repo.common_dir, head.branch))
    for place, git_dir, checked_out in rows:
        if checked_out == branch:
            return Use(place, "checked out")
        if full in _rebased(git_dir):
            return Use(place, "being rebased")
        if _text(f"{git_dir}/BISECT_START").removeprefix("refs/heads/") == branch:
            return Use(place, "being bisected")
    return None


def create(
    repo: Repository, name: str, commit: str, *, by_libgit2: bool = False, mark: str = ""
) -> None:
    """A new branch at `commit` (hex). By git, so that its hooks run, unless `by_libgit2`.

    `mark` becomes a part of the reflog's first line, where there is a reflog.

    The reference's lock decides between two at once. No upstream is configured, whatever
    `branch.autoSetupMerge` says: a start given by hand is no wish to follow it. Raises
    `branch_exists` and `git_failed`.
    """
    full, message = f"refs/heads/{name}", f"branch: Created from {commit[:12]}"
    message += f" ({mark})" if mark else ""
    if by_libgit2:
        failure = _create_by_libgit2(repo, full, commit, message)
    else:
        arguments = ("update-ref", "-m", message, full, commit, "")
        answer = process.ask(f"--git-dir={repo.common_dir}", *arguments, cwd=repo.common_dir)
        failure = process.failed(answer, "update-ref") if answer.status else None
    if failure:
        other = clash(repo, name)
        raise taken(name, other) if other else failure


def _create_by_libgit2(repo: Repository, full: str, commit: str, message: str) -> HqtError | None:
    import pygit2

    from hqt.git.repository import open_common

    opened = open_common(repo)
    try:
        opened.create_reference(full, pygit2.Oid(hex=commit), force=False, message=message)
    except (pygit2.GitError, OSError, ValueError) as error:
        _drop_empty_reflog(repo, full)
        return HqtError(
            Code.GIT_FAILED,
            f"The branch {full.removeprefix('refs/heads/')!r} could not be made: {error}.",
            "Check the permissions of the git directory and the space on its disk.",
        )
    return None


def _drop_empty_reflog(repo: Repository, full: str) -> None:
    """libgit2 makes it first, and leaves it when the disk is full."""
    reflog = repo.common_dir / "logs" / full
    with contextlib.suppress(OSError):
        if reflog.stat().st_size == 0 and refs.commit_of(repo.common_dir, full) is None:
            reflog.unlink()


def taken(name: str, other: str, use: Use | None = None) -> HqtError:
    """The error for a new branch whose name `other` has, or stands in the way of; where a checkout
    has that one (`use`), nobody else can."""
    what = f"{name!r} exists" if other == name else f"{other!r} stands in the way of {name!r}"
    where, remedy = "", f"Choose another name, or take the existing branch with --checkout {other}."
    if use:
        where = f" and is {use.how} at {use.place}"
        remedy = f"`hqt open {use.target(other)}` goes there; or choose another name."
    return HqtError(
        Code.BRANCH_EXISTS,
        f"A branch called {what}{where}; it was left as it is.",
        remedy,
        {"branch": name, "existing": other},
    )


def delete(
    repo: Repository, branch: str, expected: str, worktrees: Iterable[Worktree] = ()
) -> bool:
    """Delete a branch with its reflog and configuration, if its tip still is `expected` (hex).

    False, and nothing changed, when the tip has moved, the branch is gone, or it is in use
    anywhere. `worktrees` are read anew when none are given. Raises `git_failed`.
    """
    from hqt.git.worktrees import list_worktrees

    if used_by(repo, branch, worktrees or list_worktrees(repo)):
        return False
    full = f"refs/heads/{branch}"
    with held_back():
        arguments = ("update-ref", "--no-deref", "-d", full, expected)
        answer = process.ask(f"--git-dir={repo.common_dir}", *arguments, cwd=repo.common_dir)
        if answer.status:
            if commit_of(repo, branch) != expected:
                return False
            raise process.failed(answer, "update-ref")
        gitconfig.drop_section(repo, "branch", branch)
    return True


def merged(repo: Repository, branch: str) -> bool:
    """Whether `git branch -d` would call the branch merged: into its upstream, or where that is
    not there, into the main checkout's HEAD. False when in doubt.
    """
    full = f"refs/heads/{branch}"
    upstream = _git(repo, "for-each-ref", "--format=%(upstream)", full).text
    for target in (upstream, "HEAD"):
        if target and _ask(repo, "rev-parse", "--verify", "--quiet", f"{target}^{{commit}}") == 0:
            return _ask(repo, "merge-base", "--is-ancestor", full, target) == 0
    return False


def _ask(repo: Repository, *arguments: str) -> int:
    return process.ask(f"--git-dir={repo.common_dir}", *arguments, cwd=repo.common_dir).status


def _git(repo: Repository, *arguments: str) -> process.Answer:
    return process.git(f"--git-dir={repo.common_dir}", *arguments, cwd=repo.common_dir)


def _rebased(git_dir: Path) -> set[str]:
    """Full names of the branches that a rebase in this checkout will move at its end."""
    found = {_text(f"{git_dir}/{kind}/head-name") for kind in ("rebase-merge", "rebase-apply")}
    # --update-refs: three lines a branch, its name first
    return found | set(_text(f"{git_dir}/rebase-merge/update-refs").split("\n")[::3])


def _text(file: str) -> str:
    try:
        return os.fsdecode(files.read(file)).strip()
    except OSError:
        return ""
