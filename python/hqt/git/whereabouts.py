"""Where a removed worktree belongs after its repository, or the folder of both, has been moved.

The `.git` of a tree in the trash, its marker, names the entry's directory as it was at the removal,
and so the common directory of then. Nothing is changed here.
"""

from __future__ import annotations

import os
from pathlib import Path

from hqt.git import files

_PREFIX = b"gitdir: "
_TRASH = ("hqt", "trash")


def named_by(tree: Path) -> Path | None:
    """The entry's directory, absolute, that the marker of `tree` names; None without a marker.

    Raises OSError where it cannot be read.
    """
    try:
        content = files.read(tree / ".git")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    named = Path(os.fsdecode(content.removeprefix(_PREFIX).removesuffix(b"\n")))
    known = content.startswith(_PREFIX) and named.is_absolute() and named.parts[-3:-1] == _TRASH
    return named if known else None


def common_dir_of(directory: Path) -> Path:
    """The common directory whose trash the entry's directory `directory` is in."""
    return directory.parents[len(_TRASH)]


def common_dir_named(tree: Path, content: bytes) -> Path | None:
    """The common directory that the `.git` of a worktree at the path `tree` named, by what it said
    then; None if that was another kind of file."""
    said = os.fsdecode(content.removeprefix(_PREFIX).removesuffix(b"\n"))
    named = Path(os.path.normpath(tree / said))
    return named.parents[1] if named.parent.name == "worktrees" else None


def present(recorded: Path, pool: Path | None, then: Path, now: Path) -> Path | None:
    """Where the path `recorded` is today, the common directory having moved from `then` to `now`.

    Below the repository it is the same place below it now; at the old path there may be another
    clone. Beside it (`../project.worktrees`) it went along if its pool is there now, or is no
    longer where it was. Elsewhere it stays. None where it was below what has no counterpart.
    """
    old, new = _root(then), _root(now)
    if then == now:
        return recorded
    if recorded.is_relative_to(old):
        return new / recorded.relative_to(old) if _is_inner(then) == _is_inner(now) else None
    before, after = old.parent, new.parent
    if old.name != new.name or before == before.parent or not recorded.is_relative_to(before):
        return recorded
    known = pool and pool.is_relative_to(before) and recorded.is_relative_to(pool)
    folder = pool if pool and known else recorded.parent
    went = (after / folder.relative_to(before)).is_dir() or not folder.is_dir()
    return after / recorded.relative_to(before) if went else recorded


def dead_link(path: Path) -> Path | None:
    """The folder above `path` that is a symbolic link to nowhere; its disk may be away."""
    return next((one for one in path.parents if one.is_symlink() and not one.exists()), None)


def _root(common_dir: Path) -> Path:
    return common_dir.parent if _is_inner(common_dir) else common_dir


def _is_inner(common_dir: Path) -> bool:
    return common_dir.name == ".git"
