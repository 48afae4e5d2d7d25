"""Repositories inside a worktree: found wherever they are, and whether they hold anything.

Only one that is provably clean and pushed holds nothing of its own; whatever cannot be shown is
named. A repository found so may have come from anywhere: git fetches nothing there and runs no
program of its configuration, and one that names a filter is not asked but named.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import admin, gitdir, hidden, question, status
from hqt.git.mounts import counts_folders
from hqt.git.question import Place

PATIENCE = 30.0  # seconds for looking through the whole tree
_WORKERS = 3
_EDITED = "uncommitted changes"
_UNREADABLE = "a history that cannot be read"

Settings = tuple[tuple[str, str], ...]  # names and values


class Found(NamedTuple):
    """A repository below the root of a tree; a bare one has no files of its own."""

    path: str  # of its folder, below the root
    bare: bool = False


class Nested(NamedTuple):
    """Repositories with something of their own, as `path (what)`, below the root."""

    repositories: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # what these repositories and submodules ignore
    edited: tuple[str, ...] = ()  # submodules with uncommitted changes, which `git status` shows
    worktrees: tuple[str, ...] = ()  # registered with a repository outside


def find(root: Path, *, without: Collection[Path] = ()) -> tuple[Found, ...]:
    """Every `.git` below `root` except its own, and every bare repository, ignored folders too.

    The folders `without` (what is mounted there, other worktrees) are left alone. Raises
    `git_failed` for a folder that cannot be read and `timeout` when the tree is too large: what was
    not seen may hold anything.
    """
    skip = {os.fspath(folder) for folder in without}
    found = _find(os.fspath(root), skip, time.monotonic() + PATIENCE)
    return tuple(sorted(found, key=lambda one: one.path))


def judge(root: Path, home: Path, found: Sequence[Found]) -> Nested:
    """What the repositories found below `root` have of their own.

    `home` is the admin directory of the worktree at `root`; its submodules' git directories lie in
    there, those of submodules that were put away as well.
    """
    modules = {git_dir: _module_name(home, git_dir) for git_dir in _modules(home / "modules")}
    if not (found or modules):
        return Nested()
    from concurrent.futures import ThreadPoolExecutor

    where = {one: git_dir for one in found if (git_dir := _git_dir(root / one.path)) in modules}
    foreign = [one for one in found if one not in where and is_registered(root, one)]
    strangers = [one for one in found if one not in where and one not in foreign]
    with ThreadPoolExecutor(_WORKERS) as pool:
        owned = pool.map(lambda one: _own(root, one), strangers)
        kept = pool.map(lambda one: _own_commits(Place(one), root, _said(Place(one))), modules)
        files = pool.map(lambda one: _own_files(where[one], root / one.path), where)
        of_submodules = {
            name: clause for name, clause in zip(modules.values(), kept, strict=True) if clause
        }
        ignored: list[str] = []
        edited: list[str] = []
        repositories: list[str] = []
        for one, (clause, names) in zip(strangers, owned, strict=True):
            ignored += (f"{one.path}/{name}" for name in names)
            if clause:
                repositories.append(f"{one.path} ({clause})")
        for one, (clause, names) in zip(where, files, strict=True):
            ignored += (f"{one.path}/{name}" for name in names)
            if clause:
                of_submodules.setdefault(one.path, clause)
            if clause == _EDITED:
                edited.append(one.path)
    submodules = sorted(f"{name} ({clause})" for name, clause in of_submodules.items())
    return Nested(
        tuple(repositories),
        tuple(submodules),
        tuple(ignored),
        tuple(edited),
        tuple(one.path for one in foreign),
    )


def _find(root: str, skip: set[str], deadline: float) -> Iterator[Found]:
    waiting, cut = [root], len(root) + 1
    device = counts_folders(Path(root))
    while waiting:
        folder = waiting.pop()
        if time.monotonic() > deadline:
            raise HqtError(
                Code.TIMEOUT,
                f"Looking through {root} took longer than {PATIENCE:g} seconds.",
                "Look what makes the disk slow, then try again.",
            )
        try:
            if device is not None and _is_leaf(folder, device):
                if folder != root:
                    os.lstat(f"{folder}/.git")
                    yield Found(folder[cut:])
                continue
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if len(name) == 4 and name.lower() == ".git":  # some disks ignore case
                        if folder != root:
                            yield Found(folder[cut:])
                    elif entry.is_dir(follow_symlinks=False):
                        if name == "objects" and gitdir.is_git_directory(Path(folder)):
                            yield Found(folder[cut:], bare=True)
                        if entry.path not in skip:
                            waiting.append(entry.path)
        except FileNotFoundError:
            continue  # no `.git` in a leaf, or a folder that is gone meanwhile
        except OSError as error:
            raise HqtError(
                Code.GIT_FAILED,
                f"{folder} cannot be read: {error.strerror}.",
                "Make the folder readable, then try again.",
            ) from error


def _is_leaf(folder: str, device: int) -> bool:
    """Whether a folder has no folders in it, so that its files need not be listed: of 100,000 files
    that saves more than half of the time."""
    seen = os.lstat(folder)
    return seen.st_nlink == 2 and seen.st_dev == device


def _modules(folder: Path) -> Iterator[Path]:
    """The git directories in a `modules` folder, by their physical paths."""
    if not folder.is_dir():
        return
    for inner in sorted(folder.iterdir()):
        if gitdir.is_git_directory(inner):
            yield Path(os.path.realpath(inner))
            yield from _modules(inner / "modules")
        elif inner.is_dir() and not inner.is_symlink():  # a name with a slash
            yield from _modules(inner)


def _module_name(home: Path, git_dir: Path) -> str:
    """A submodule's name, which is its path unless it was moved."""
    below = git_dir.relative_to(os.path.realpath(home / "modules"))
    return "/".join(part for part in below.parts if part != "modules")


def _git_dir(folder: Path) -> Path | None:
    try:
        return gitdir.git_dir_of(folder)
    except gitdir.BrokenGitFile:
        return None


def is_registered(root: Path, found: Found) -> bool:
    """Whether a repository outside of `root` has this folder registered as its worktree: it would
    lose it, and its next prune the index and what only HEAD there holds."""
    entry = None if found.bare else _git_dir(root / found.path)
    if entry is None or not (entry / "commondir").exists():
        return False
    outside = not gitdir.common_dir_of(entry).is_relative_to(os.path.realpath(root))
    return outside and admin.worktree_path(entry) == Path(os.path.realpath(root / found.path))


def _own(root: Path, found: Found) -> tuple[str | None, tuple[str, ...]]:
    """What a repository that is no submodule has of its own, as a clause, None for nothing; and its
    ignored entries, as far as it may be asked for them."""
    if found.bare:
        return "a bare repository", ()
    git_dir = _git_dir(root / found.path)
    if git_dir is None:
        return "a `.git` that leads nowhere", ()
    if (git_dir / "commondir").exists():
        return "a worktree of another repository", ()
    place = Place(git_dir, root / found.path)
    said = _said(place)
    commits = _own_commits(place, root, said)
    if said is None:
        return commits, ()
    if any(name.startswith("filter.") for name, _ in said):
        return commits or "filters of its own, which hqt does not run", ()
    files, ignored = _own_files(git_dir, root / found.path)
    return commits or files, ignored


def _own_commits(place: Place, root: Path, said: Settings | None) -> str | None:
    """What a git directory has that none of its remotes had at the last fetch or push; `said` is
    its configuration, None where that cannot be read.

    A remote below `root`, which goes too, proves nothing.
    """
    git_dir = place.git_dir
    try:
        if (git_dir / "worktrees").is_dir() and any((git_dir / "worktrees").iterdir()):
            return "worktrees of its own"
        if said is None:
            return _UNREADABLE
        for name, value in said:
            is_remote = name.startswith("remote.") and name.endswith(".url")
            if is_remote and _is_below(value, git_dir, root):
                return "a remote in the same folder"
        revisions = ("--max-count=1", "--all", "--not", "--remotes")
        out = question.ask(place, "rev-list", *revisions)
        return "commits of its own" if out else None
    except (HqtError, OSError):
        return _UNREADABLE


def _own_files(git_dir: Path, folder: Path) -> tuple[str | None, tuple[str, ...]]:
    """What a checkout has that its last commit has not, as a clause; and its ignored entries."""
    place = Place(git_dir, folder)
    wanted = (*status.COMMAND, "--no-renames", status.ALONE, "--ignored=traditional")
    try:
        with ExitStack() as asked:
            answer = asked.enter_context(question.begun(place, *wanted))
            listing = asked.enter_context(question.begun(place, *hidden.LISTING))
            flagged = hidden.flagged(listing())
            entries = status.parse(answer())
    except (HqtError, OSError, ValueError):
        return "a status that cannot be read", ()
    ignored = tuple(entry.path for entry in entries if entry.ignored)
    if len(ignored) < len(entries):
        return _EDITED, ignored
    return ("files hidden from git status" if flagged else None), ignored


def _said(place: Place) -> Settings | None:
    """Every setting of the repository's own files, as git itself reads them at this place: what it
    may run there hangs on that, and an include can lead to another file from another folder. None
    where they cannot be read."""
    try:
        out = question.ask(place, "config", "--list", "--includes", "--show-scope", "-z")
    except (HqtError, OSError):
        return None
    fields = os.fsdecode(out).split("\0")
    told = zip(fields[::2], (one.partition("\n") for one in fields[1::2]), strict=False)
    beyond = {"system", "global", "command"}
    return tuple((name, value) for scope, (name, _, value) in told if scope not in beyond)


def _is_below(url: str, git_dir: Path, root: Path) -> bool:
    """Whether a remote's address is a path below `root`."""
    path = url.removeprefix("file://")
    if not path or ":" in path.partition("/")[0]:
        return False
    return Path(os.path.realpath(git_dir.parent / path)).is_relative_to(root)
