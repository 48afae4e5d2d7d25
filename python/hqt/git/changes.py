"""How many entries `git status` shows, for display: many worktrees at a glance.

Small checkouts are compared in process by libgit2, which is several times faster than a process
for each (git-facts §1), but only where it cannot be wrong: `support` must find nothing, and what
libgit2 is known to judge otherwise (conflicts, renames, ignored links to folders, repositories
without files) sends the question to git, as does any failure.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import HqtError
from hqt.git import process, rawindex, status
from hqt.git.support import Surroundings, misjudged, surroundings
from hqt.models import Changes, Losses, Repository, Worktree

if TYPE_CHECKING:
    import pygit2

# Index entries up to which libgit2's comparison is faster than git's, which uses every core.
SMALL = 2_000
TINY = 300  # and up to which there is nothing to gain from several threads
# Checkouts from which on loading libgit2 costs less than it saves.
MANY = 25
PATIENCE = 15.0  # seconds for one checkout; a list must not wait for a dead disk
_WORKERS = 2

_LINK = 0o120000
_LOOKS = 20_000  # directory entries looked at in search of repositories without files


def count(worktree: Worktree, repo: Repository) -> Changes | None:
    """The entries of `git status` in a worktree, untracked files included whatever the settings.

    None when they cannot be told: it is missing, git fails or takes too long.
    """
    return count_all([worktree], repo)[0]


def count_all(worktrees: Sequence[Worktree], repo: Repository) -> tuple[Changes | None, ...]:
    """As `count` for many worktrees: tiny ones one after the other, as taking turns at the
    interpreter would cost more than it gains, the others at the same time.
    """
    from concurrent.futures import ThreadPoolExecutor

    around = None
    if "pygit2" in sys.modules or len(worktrees) >= MANY:
        around = surroundings(repo.common_dir, repo.common_dir)
    with ThreadPoolExecutor(_WORKERS) as pool:
        later = {
            one.git_dir: pool.submit(_count, one, repo, around)
            for one in worktrees
            if around is None or (rawindex.size(one.git_dir) or SMALL) > TINY
        }
        now = {
            one.git_dir: _count(one, repo, around) for one in worktrees if one.git_dir not in later
        }
        return tuple(
            now[one.git_dir] if one.git_dir in now else later[one.git_dir].result()
            for one in worktrees
        )


def _count(worktree: Worktree, repo: Repository, around: Surroundings | None) -> Changes | None:
    """In process where `around` is given and libgit2 cannot be wrong, else by git."""
    if worktree.missing:
        return None
    files, found = rawindex.size(worktree.git_dir), None
    if around is not None and files is not None and files <= SMALL:
        found = _by_libgit2(worktree, repo, around)
    return found if found is not None else _by_git(worktree)


def _by_git(worktree: Worktree) -> Changes | None:
    # The place is given: without its `.git`, git would look for a repository above
    place = (f"--git-dir={worktree.git_dir}", f"--work-tree={worktree.path}")
    try:
        answer = process.git(*place, *status.COMMAND, cwd=worktree.path, timeout=PATIENCE)
        return tally(status.parse(answer.out))
    except (HqtError, ValueError):
        return None


def told_by(losses: Losses) -> Changes | None:
    """The same counts from an inventory that was taken anyway; None where it cannot tell them: a
    check failed, or what it names as two may be one rename.
    """
    if losses.unsure or len(losses.staged) > 1:
        return None
    return Changes(
        staged=len(losses.staged),
        modified=len(losses.modified),
        untracked=len(losses.untracked),
        conflicted=len(losses.conflicted),
    )


def tally(entries: Iterable[status.Entry]) -> Changes:
    """The entries by kind; one that is staged and modified counts for both."""
    listed = tuple(entries)
    return Changes(
        staged=sum(entry.staged for entry in listed),
        modified=sum(entry.modified for entry in listed),
        untracked=sum(entry.untracked for entry in listed),
        conflicted=sum(entry.conflicted for entry in listed),
    )


def _by_libgit2(worktree: Worktree, repo: Repository, around: Surroundings) -> Changes | None:
    """libgit2's answer; None where it could be wrong."""
    from hqt.git.repository import open_checkout

    support = misjudged(worktree.path, worktree.git_dir, repo.common_dir, around=around)
    if not support.opens or support.status:
        return None
    import pygit2

    try:
        return _compared(open_checkout(worktree.path), worktree.path)
    except (HqtError, pygit2.GitError, KeyError, ValueError, OSError):
        return None


def _compared(opened: pygit2.Repository, root: Path) -> Changes | None:
    import pygit2
    from pygit2.enums import DeltaStatus, DiffOption

    index = opened.index
    if index.conflicts is not None or opened.head_is_unborn:
        return None
    looked_for = DiffOption.INCLUDE_UNTRACKED | DiffOption.INCLUDE_IGNORED
    tree = index.diff_to_workdir(looked_for | DiffOption.INCLUDE_TYPECHANGE)
    staged = opened.head.peel(pygit2.Tree).diff_to_index(index, DiffOption.INCLUDE_TYPECHANGE)
    kinds = [delta.status for delta in staged.deltas]
    if DeltaStatus.ADDED in kinds and DeltaStatus.DELETED in kinds:
        return None  # perhaps renamed
    modified, untracked, ignored = 0, set[bytes](), set[bytes]()
    for delta in tree.deltas:
        path = delta.new_file.raw_path.rstrip(b"/")
        if delta.status == DeltaStatus.UNTRACKED:
            untracked.add(path)
        elif delta.status == DeltaStatus.IGNORED and delta.new_file.mode != _LINK:
            ignored.add(path)
        elif delta.status in (DeltaStatus.MODIFIED, DeltaStatus.DELETED, DeltaStatus.TYPECHANGE):
            modified += 1
        else:
            return None
    if _hidden_repositories(os.fsencode(root), untracked, ignored):
        return None
    return Changes(staged=len(kinds), modified=modified, untracked=len(untracked))


def _hidden_repositories(root: bytes, untracked: set[bytes], ignored: set[bytes]) -> bool:
    """Whether there may be a folder with a `.git` below the root that libgit2 passed over.

    It did not look into what it calls ignored, and calls a folder so that holds nothing but `.git`.
    """
    waiting, looks = [b""], 0
    while waiting:
        folder = waiting.pop()
        with os.scandir(root + b"/" + folder) as found:
            entries = list(found)
        looks += len(entries)
        if looks > _LOOKS or (folder and any(entry.name == b".git" for entry in entries)):
            return True
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        below = {folder + b"/" + entry.name if folder else entry.name for entry in folders}
        if folder not in ignored:
            waiting += below - untracked - {b".git"}
        elif len(folders) == len(entries):
            waiting += below
            ignored |= below
    return False
