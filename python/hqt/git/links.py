"""How a worktree and its admin entry find each other, and a submodule its git directory in there;
and what they must say when they come back to another place or under another name.

What leads there as it is written keeps its bytes; otherwise a relative path stays relative.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from hqt.git import durable, files, gitdir, process
from hqt.git.entry import Entry
from hqt.git.manifest import Link

_PREFIX = "gitdir: "


def submodules(admin: Path, home: Path, path: Path) -> tuple[Link, ...]:
    """The initialised submodules of the worktree at `path`, also in one another.

    `admin` is where its entry is now, `home` where git looks for it. Raises OSError.
    """
    found = []
    for git_dir in _git_dirs(admin / "modules"):
        below = git_dir.relative_to(admin)
        said = gitdir.read_format(git_dir).worktree
        if said is None:
            continue
        checkout = Path(os.path.normpath(home / below / said))
        if checkout.is_relative_to(path):
            named = _text(checkout / ".git")
            inside = str(checkout.relative_to(path))
            found.append(Link(str(below), inside, said, named if _names(named) else ""))
    return tuple(found)


def write_admin(entry: Entry) -> None:
    """Make the admin entry in the trash say what fits the entry's place. Raises OSError."""
    said, place = entry.manifest, entry.place
    _write(entry.admin / "gitdir", _like(said.gitdir, place.path / ".git", entry.home))
    _write(entry.admin / "HEAD", place.head)
    for link in said.links:
        worktree = _like(link.worktree, place.path / link.checkout, entry.home / link.git_dir)
        git_dir = entry.admin / link.git_dir
        if gitdir.read_format(git_dir).worktree != worktree:
            setting = ("config", "--file", str(git_dir / "config"), "core.worktree", worktree)
            process.git(*setting, cwd=entry.directory)


def write_submodules(entry: Entry, tree: Path) -> None:
    """The same for the `.git` files of the submodules checked out in `tree`. Raises OSError."""
    for link in entry.manifest.links:
        file, named = tree / link.checkout / ".git", link.gitfile
        if named:
            target = entry.home / link.git_dir
            base = entry.place.path / link.checkout
            named = _PREFIX + _like(named.removeprefix(_PREFIX), target, base)
        if named and _names(_text(file)):
            _write(file, named)


def follows(entry: Entry, tree: Path) -> bool:
    """Whether the worktree that vanished from its path is at `tree`, moved there by hand: by a
    relative path its `.git` led to the admin entry from where it was, and leads nowhere from here.
    """
    text = _text(tree / ".git")
    said = text.removeprefix(_PREFIX).rstrip("\r\n")
    if not _names(text) or said.startswith("/") or gitdir.is_git_directory(tree / said):
        return False
    home = entry.common_dir / "worktrees" / entry.manifest.name
    return os.path.realpath(entry.path / said) == os.path.realpath(home)


def write_gitfile(entry: Entry, tree: Path) -> None:
    """Let the relative `.git` of `tree` lead to the admin entry again. Raises OSError."""
    said = _text(tree / ".git").removeprefix(_PREFIX)
    _write(tree / ".git", _PREFIX + _like(said, entry.home, tree))


def gitfile(entry: Entry) -> bytes:
    """What the worktree's own `.git` must say at the entry's place. Raises OSError."""
    before = os.fsdecode(files.read(entry.dotgit))
    return os.fsencode(_PREFIX + _like(before.removeprefix(_PREFIX), entry.home, entry.place.path))


def _git_dirs(modules: Path) -> Iterator[Path]:
    """Git directories below `modules`; a submodule's name may hold slashes."""
    if not modules.is_dir():
        return
    for folder in sorted(modules.iterdir()):
        if not folder.is_dir() or folder.is_symlink():
            continue
        if (folder / "HEAD").is_file() and (folder / "config").is_file():
            yield folder
            yield from _git_dirs(folder / "modules")
        else:
            yield from _git_dirs(folder)


def _like(before: str, target: Path, base: Path) -> str:
    """`before` if it leads from `base` to `target`; else `target` in its manner: absolute, or
    relative to `base`.
    """
    if os.path.realpath(base / before.rstrip("\r\n")) == os.path.realpath(target):
        return before
    newline = "\n" if before.endswith("\n") else ""
    absolute = before.startswith("/")
    return (str(target) if absolute else os.path.relpath(target, base)) + newline


def _names(text: str) -> bool:
    return text.startswith(_PREFIX)


def read(file: Path) -> str:
    """A file of an admin entry as text; a HEAD that is a symbolic link as the file it stands for.

    Raises OSError.
    """
    if file.is_symlink():
        return f"ref: {file.readlink()}\n"
    return os.fsdecode(files.read(file))


def _text(file: Path) -> str:
    return "" if file.is_symlink() or not file.is_file() else read(file)


def _write(file: Path, text: str) -> None:
    """Only what differs is written, and the mode stays; also after a crash in here."""
    durable.draft_of(file).unlink(missing_ok=True)
    data = os.fsencode(text)
    if read(file) != text:
        mode = stat.S_IMODE(file.lstat().st_mode)
        durable.write(file, data)
        if not file.is_symlink():
            file.chmod(mode)
