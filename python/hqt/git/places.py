"""Where a new worktree may be put. Nothing is changed here."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import gitconfig
from hqt.models import Repository, Worktree


def settled(path: Path) -> Path:
    """`path` with its folder made physical; its last component is taken as it is."""
    if path.name in {"", ".."}:
        return Path(os.path.realpath(path))
    return Path(os.path.realpath(path.parent)) / path.name


def check_name(path: Path) -> None:
    """Raise `invalid_name` for a path that no file system takes."""
    _look(path)


def check(repo: Repository, path: Path, worktrees: Iterable[Worktree], pool: Path | None) -> None:
    """Raise unless a new worktree may be put at `path`, which `settled` has returned.

    An empty folder may be there already, as with `git worktree add`. Raises `path_exists` for
    one that is taken, and `git_failed` where nothing can be written.
    """
    worktrees = tuple(worktrees)
    found = _look(path)
    _check_registered(path, worktrees)
    if found is not None and not _is_empty_folder(path, found):
        raise _taken(path, f"{path} exists already")
    _check_above(path)
    _check_surroundings(repo, path, worktrees, pool)
    _check_case(repo, path, worktrees)


def lies_in(path: Path, folder: Path) -> bool:
    """Whether `path` is somewhere below `folder`, both absolute and physical."""
    return str(path).startswith(f"{str(folder).rstrip('/')}/")


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EACCES:
            raise _unwritable(path.parent) from error
        why = "is too long" if number == errno.ENAMETOOLONG else "cannot be used"
        raise HqtError(
            Code.INVALID_NAME,
            f"The path {str(path)[:60]!r}… {why}; nothing was made.",
            "Choose a shorter name.",
        ) from error


def _is_empty_folder(path: Path, found: os.stat_result) -> bool:
    if not stat.S_ISDIR(found.st_mode):
        return False
    try:
        with os.scandir(path) as entries:
            return not any(entries)
    except OSError:
        return False


def _check_registered(path: Path, worktrees: tuple[Worktree, ...]) -> None:
    for worktree in worktrees:
        if worktree.path == path and worktree.missing:
            raise _taken(
                path,
                f"{path} is the place of a worktree whose folder is gone",
                "Restore or remove it first; if it was moved, `git worktree repair NEW_PATH`.",
            )
        if worktree.missing and lies_in(worktree.path, path):
            raise _taken(path, f"{path} would lie around the missing worktree {worktree.path}")


def _check_above(path: Path) -> None:
    """The first folder above that exists has to be one, and to take a new entry."""
    for folder in path.parents:
        found = _look(folder)
        if found is None:
            continue
        if not folder.is_dir():
            raise _taken(folder, f"{folder} is not a folder, so {path} cannot lie below it")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise _unwritable(folder)
        return


def _check_surroundings(
    repo: Repository, path: Path, worktrees: tuple[Worktree, ...], pool: Path | None
) -> None:
    """Inside a checkout or a git directory only below the pool, where the pool itself lies."""
    inner = Path(os.path.realpath(pool)) if pool else None
    places = {worktree.path: _kind(worktree) for worktree in worktrees}
    for surrounding, what in {repo.common_dir: "git directory", **places}.items():
        if not lies_in(path, surrounding):
            continue
        if inner is None or not lies_in(inner, surrounding) or not lies_in(path, inner):
            raise _taken(path, f"{path} lies inside the {what}", "Choose another place.")
    if any(part.lower() == ".git" for part in path.parts):
        raise _taken(path, f"{path} lies inside a .git folder")


def _kind(worktree: Worktree) -> str:
    if worktree.main:
        return f"main checkout {worktree.path}, whose status would show it as untracked"
    return f"worktree {worktree.path}"


def _check_case(repo: Repository, path: Path, worktrees: tuple[Worktree, ...]) -> None:
    wanted = str(path).casefold()
    twins = [other.path for other in worktrees if str(other.path).casefold() == wanted]
    try:
        beside = list(path.parent.iterdir())
    except OSError:
        beside = []
    twins += [other for other in beside if other.name.casefold() == path.name.casefold()]
    twin = next((twin for twin in twins if twin != path), None)
    if twin and gitconfig.is_on(repo, "core.ignoreCase"):
        raise _taken(path, f"{path} differs from {twin} only in case, which git ignores here")


def _taken(path: Path, sentence: str, remedy: str = "Choose another name or --path.") -> HqtError:
    return HqtError(
        Code.PATH_EXISTS, f"{sentence}; it was left alone.", remedy, {"path": str(path)}
    )


def _unwritable(folder: Path) -> HqtError:
    return HqtError(
        Code.GIT_FAILED,
        f"Nothing can be written in {folder}; nothing was made.",
        "Check its permissions, or choose another place with --path.",
        {"path": str(folder)},
    )
