"""Branches as they were, with configuration and reflog, and making them again exactly so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import branches, durable, files, gitconfig, process, worktrees
from hqt.git.lock import own_directory
from hqt.git.manifest import Branch
from hqt.git.refs import files_of
from hqt.models import Repository

_HEADS = "refs/heads/"


def concerned(admin: Path, head: str | None) -> tuple[str, ...]:
    """The branches, by full name, that a checkout with this admin directory goes back to.

    `head` is what its HEAD points to; a rebase or bisect also knows the branch it began on.
    """
    names = [head or ""]
    names += [_text(admin / kind / "head-name") for kind in ("rebase-merge", "rebase-apply")]
    # `rebase --update-refs` will move these too: three lines each, the name first.
    names += _text(admin / "rebase-merge" / "update-refs").split("\n")[::3]
    if start := _text(admin / "BISECT_START"):
        names.append(_HEADS + start.removeprefix(_HEADS))
    return tuple(dict.fromkeys(name for name in names if name.startswith(_HEADS)))


def record(repo: Repository, names: Iterable[str]) -> tuple[Branch, ...]:
    """These branches as they are now. Raises `git_failed` and OSError."""
    wanted = tuple(names)
    if not wanted:
        return ()
    settings = _settings(repo)
    return tuple(
        Branch(name, _tip(repo, name), _of(settings, name), _reflog(repo, name)) for name in wanted
    )


def is_missing(repo: Repository, branch: Branch) -> bool:
    """Whether it had a commit and is not there any more."""
    return branch.tip is not None and _tip(repo, branch.ref) is None


def has_moved(repo: Repository, branch: Branch) -> bool:
    """Whether it now is at another commit, or has one where it had none."""
    now = _tip(repo, branch.ref)
    return now is not None and now != branch.tip


def revive(repo: Repository, branch: Branch) -> None:
    """Make a missing branch again, as it was. Raises `branch_exists`, `git_failed`, OSError."""
    assert branch.tip is not None
    branches.create(repo, branch.ref.removeprefix(_HEADS), branch.tip)
    present = _of(_settings(repo), branch.ref)
    if not present:
        for key, value in branch.settings:
            gitconfig.add(repo, key, "true" if value is None else value)
    log = _log(repo, branch.ref)
    if branch.reflog is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        draft = own_directory(repo.common_dir) / "reflog"  # none may be left among git's own
        durable.write(log, os.fsencode(branch.reflog), draft=draft)
    else:
        log.unlink(missing_ok=True)


def forget(repo: Repository, branch: Branch) -> None:
    """Take `revive` back, unless the branch has moved or is in use meanwhile."""
    assert branch.tip is not None
    rows = worktrees.list_worktrees(repo)
    branches.delete(repo, branch.ref.removeprefix(_HEADS), branch.tip, rows)


def _tip(repo: Repository, ref: str) -> str | None:
    files = files_of(repo.common_dir)
    if files is None:
        raise HqtError(
            Code.UNSUPPORTED_REPOSITORY,
            "This repository keeps its references in a reftable, which the trash cannot serve.",
            "Use git's own commands in this repository.",
        )
    return files.commit(ref)


def _settings(repo: Repository) -> list[tuple[str, str | None]]:
    query = ("config", "--local", "-z", "--get-regexp", r"^branch\.")
    answer = process.git(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir, ok=(0, 1))
    pairs = (text.partition("\n") for text in os.fsdecode(answer.out).split("\0") if text)
    return [(key, value if newline else None) for key, newline, value in pairs]


def _of(settings: Iterable[tuple[str, str | None]], ref: str) -> tuple[tuple[str, str | None], ...]:
    """Those of one branch: a name may hold dots, the last word of a key never does."""
    prefix = f"branch.{ref.removeprefix(_HEADS)}"
    return tuple(one for one in settings if one[0].rpartition(".")[0] == prefix)


def _log(repo: Repository, ref: str) -> Path:
    return repo.common_dir / "logs" / ref


def _reflog(repo: Repository, ref: str) -> str | None:
    try:
        return os.fsdecode(files.read(_log(repo, ref)))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _text(file: Path) -> str:
    try:
        return os.fsdecode(files.read(file)).strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
