"""Where a worktree is that is missing because it, or its whole repository, was moved by `mv`.

Git goes on looking for it at the old path. It is looked for where it may well be, not everywhere;
`git worktree repair` with its path, asked in the main checkout, tells git (`repair`).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from hqt.git import admin, gitdir, places
from hqt.models import Repository, Worktree

_MOST = 1000  # entries of a folder that are looked at


def moved_to(repo: Repository, tree: Worktree, pool: Path | None = None) -> Path | None:
    """The physical folder of a missing worktree that is elsewhere now; None if none was found.

    Looked at are the ends of its recorded path below the main checkout, the folder around it and
    `pool`, and what lies beside it in its old folder and in `pool`.
    """
    if not tree.missing:
        return None
    for folder in candidates(repo, tree.path, pool):
        if folder != tree.path and is_of(repo, tree.git_dir, folder):
            return Path(os.path.realpath(folder))
    return None


def repair(repo: Repository, folder: Path | None) -> str:
    """What to type, in backquotes, to tell git that a worktree is at `folder` now; None: where that
    is, is up to whoever types. Git is asked where it works in any case: from the worktree itself it
    does not find a repository that was moved."""
    place = shlex.quote(str(folder)) if folder else "NEW_PATH"
    return f"`git -C {shlex.quote(str(repo.root))} worktree repair {place}`"


def candidates(repo: Repository, recorded: Path, pool: Path | None) -> Iterator[Path]:
    """Where a worktree that was at `recorded` may be, the likeliest first."""
    bases = [repo.root, repo.common_dir.parent, repo.root.parent, *([pool] if pool else [])]
    parts = recorded.parts[1:]
    ends = [base.joinpath(*parts[at:]) for at in range(len(parts)) for base in bases]
    yield from dict.fromkeys(ends)
    for folder in dict.fromkeys([recorded.parent, *([pool] if pool else [])]):
        yield from _folders(folder)


def _folders(parent: Path) -> Iterator[Path]:
    try:
        with os.scandir(parent) as found:
            for one in islice(found, _MOST):
                if one.is_dir(follow_symlinks=False):
                    yield parent / one.name
    except OSError:
        return


def is_of(repo: Repository, entry: Path, folder: Path) -> bool:
    """Whether the `.git` in `folder` names this admin entry: as it is now, or as it was before the
    repository was moved. Then it leads nowhere, and it is another repository's if that still is
    where the `.git` says; but not in this main checkout: that may have been cloned there anew.
    """
    if admin.points_back(entry, folder):
        return True
    dot_git = folder / ".git"
    found = None if dot_git.is_symlink() else gitdir.read_git_file(dot_git)
    if found is None:
        return False
    named = Path(os.path.normpath(found))
    if (named.parent.name, named.name) != ("worktrees", entry.name) or not _is_gone(named):
        return False
    inside = repo.main is not None and places.lies_in(Path(os.path.realpath(folder)), repo.main)
    return inside or _is_gone(named.parent.parent)


def _is_gone(path: Path) -> bool:
    """Whether nothing is there; what cannot be looked at may be there."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
