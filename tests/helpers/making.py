"""Making worktrees through hqt as the stories do, and looking whether anything was left behind."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from helpers.repos import git
from hqt.git import branches, creation, repository, worktrees
from hqt.git.creation import NewWorktree
from hqt.git.tracking import Upstream
from hqt.models import Repository, Worktree


def pool_of(repo: Repository) -> Path:
    """Where the tests put new worktrees: the default pool of design §2."""
    if repo.main:
        return repo.main / ".worktrees"
    hidden = repo.common_dir.name.startswith(".")
    return (repo.common_dir.parent if hidden else repo.common_dir) / ".worktrees"


def plan(
    repo: Repository,
    branch: str | None = "topic",
    *,
    path: Path | None = None,
    start: str = "HEAD",
    existing: bool = False,
    upstream: Upstream | None = None,
) -> NewWorktree:
    """What `new` would plan for these words."""
    return NewWorktree(
        path=path or pool_of(repo) / (branch or "detached"),
        commit=repository.resolve(repo, start, checkout=repo.checkout),
        branch=branch,
        create_branch=branch is not None and not existing,
        upstream=upstream,
    )


def make(
    start: Path,
    branch: str | None = "topic",
    *,
    path: Path | None = None,
    from_: str = "HEAD",
    existing: bool = False,
    filters: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
    undo: ExitStack | None = None,
    notice: Callable[[str], None] | None = None,
) -> Worktree:
    """A worktree made from the folder `start`."""
    repo = repository.discover(start)
    wish = plan(repo, branch, path=path, start=from_, existing=existing)
    return creation.create(
        repo,
        wish,
        worktrees=worktrees.list_worktrees(repo),
        pool=pool_of(repo),
        filters=filters,
        progress=progress,
        undo=undo,
        notice=notice,
    )


def check_out(start: Path, name: str, undo: ExitStack | None = None) -> Worktree:
    """A worktree for `--checkout NAME`."""
    repo = repository.discover(start)
    found = branches.remote_tracking(repo, name)
    wish = NewWorktree(
        pool_of(repo) / found.branch, found.commit, found.branch, found.create, found.upstream
    )
    listed = worktrees.list_worktrees(repo)
    return creation.create(repo, wish, worktrees=listed, pool=pool_of(repo), undo=undo)


def everything(root: Path) -> dict[str, str]:
    """Every file below `root` with its mode and content: equal means that nothing was touched."""
    found = {}
    for folder, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            content = b""
            if stat.S_ISREG(mode):
                content = path.read_bytes()
            elif stat.S_ISLNK(mode):
                content = os.fsencode(path.readlink())
            found[str(path.relative_to(root))] = f"{mode:o} {content!r}"
    return found


def listed(repo: Path) -> dict[str, dict[str, str]]:
    """What `git worktree list` says, by path; a flag without text is the empty string."""
    blocks = {}
    for block in git(repo, "worktree", "list", "--porcelain").split("\n\n"):
        if block.strip():
            lines = dict(line.partition(" ")[::2] for line in block.strip().splitlines())
            blocks[os.path.realpath(lines.pop("worktree"))] = lines
    return blocks
