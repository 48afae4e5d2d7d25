"""What a manifest must know of a worktree, read from it at that moment.

Each answer is a set of the manifest's fields, by name.
"""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from hqt.git import branch_records, links
from hqt.git.refs import files_of
from hqt.models import Repository, Worktree


def of_entry(
    repo: Repository, admin: Path, home: Path, path: Path, branches: tuple[str, ...]
) -> dict[str, Any]:
    """An admin entry that is at `admin` and belongs at `home`, of the worktree at `path`.

    `branches` are full names to remember besides those the entry goes back to. Raises OSError and
    `git_failed`. Only for references kept in files, as `guards` makes sure.
    """
    files = files_of(repo.common_dir)
    assert files is not None
    head = files.head(admin)
    concerned = dict.fromkeys((*branch_records.concerned(admin, head.ref), *branches))
    return {
        "gitdir": links.read(admin / "gitdir"),
        "head": links.read(admin / "HEAD"),
        "ref": head.ref,
        "commit": head.commit,
        "branches": branch_records.record(repo, concerned),
        "links": links.submodules(admin, home, path),
    }


def of_directory(repo: Repository, worktree: Worktree) -> dict[str, Any]:
    """The worktree's directory itself. Raises OSError."""
    if worktree.missing:
        return {"tree": False}
    found = worktree.path.stat()
    far = found.st_dev != repo.common_dir.stat().st_dev
    return {"tree": True, "mode": stat.S_IMODE(found.st_mode), "far": far}
