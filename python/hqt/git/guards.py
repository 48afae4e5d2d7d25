"""What must hold before a worktree's files move, whatever was forced: the refusals of design §5
that a deletion rests on. Asked when a removal is prepared and again right before anything moves.

What takes a look through the whole tree, other repositories' worktrees, is the inventory's
(`losses.nested_worktrees`), which is taken before both and refuses whatever was forced.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, worktrees
from hqt.git.mounts import mounts_below
from hqt.git.refs import files_of
from hqt.models import Repository, Worktree


def require_takable(repo: Repository, entry: Path, path: Path) -> Worktree:
    """The linked worktree at `path` as it is now, if it may go into the trash with its admin
    `entry`.

    Raises `unsupported_repository`, `main_checkout`, `identity_mismatch`, `locked`, `nested` or
    `busy`, and OSError where something cannot be read.
    """
    if files_of(repo.common_dir) is None:
        raise HqtError(
            Code.UNSUPPORTED_REPOSITORY,
            "This repository keeps its references in a reftable, whose reflogs hqt cannot carry"
            f" into the trash; {path} was left as it is.",
            "`git worktree remove` removes it, without a way back.",
        )
    worktree = _registered(repo, entry, path)
    if worktree.locked is not None:
        raise HqtError(
            Code.LOCKED,
            f"The worktree at {path} is locked; nothing was removed.",
            "`hqt unlock` lifts the lock; nothing else does.",
        )
    for what in _inside(repo, worktree):
        raise HqtError(
            Code.NESTED,
            f"{path} holds {what}; nothing was removed.",
            "Remove or move that first.",
        )
    for lock in _git_locks(repo, entry):
        raise HqtError(
            Code.BUSY,
            f"git is at work in {path}: {lock} exists; nothing was removed.",
            "Wait until it has ended. If no git runs there, a crash left the file; delete it.",
        )
    return worktree


def _registered(repo: Repository, entry: Path, path: Path) -> Worktree:
    """What git has registered, if entry and directory name each other or the directory is gone."""
    found = worktrees.find(repo, entry) if entry.parent == repo.common_dir / "worktrees" else None
    if entry == repo.common_dir:
        raise HqtError(
            Code.MAIN_CHECKOUT,
            f"{path} is the repository's main checkout, which hqt never removes.",
            "Name a linked worktree; `hqt list` shows them.",
        )
    if found is None or found.path != path or (found.missing and os.path.lexists(path)):
        raise worktrees.mismatch(entry, path)
    if not found.missing:
        worktrees.require_identity(repo, found)
    return found


def _inside(repo: Repository, worktree: Worktree) -> Iterator[str]:
    """What a rename would carry along and a deletion destroy, although it is not the worktree's."""
    if repo.common_dir.is_relative_to(worktree.path):
        yield f"the repository itself, {repo.common_dir}"
    for other in admin.entries(repo.common_dir):
        root = admin.worktree_path(other)
        if root and other != worktree.git_dir and root.is_relative_to(worktree.path):
            yield f"another registered worktree, {root}"
    if not worktree.missing:
        for point in mounts_below(worktree.path):
            yield f"a mount, {point}"


def _git_locks(repo: Repository, entry: Path) -> Iterator[Path]:
    """Lock files of a running git, in the admin entry and on the branch that HEAD points to."""
    pending = [entry]
    while pending:
        for file in pending.pop().iterdir():
            if file.is_dir() and not file.is_symlink():
                pending += [file] if file.name != "objects" else []
            elif file.name.endswith(".lock"):
                yield file
    files = files_of(repo.common_dir)
    ref = files.head(entry).ref if files else None
    if ref and (lock := repo.common_dir / f"{ref}.lock").exists():
        yield lock
