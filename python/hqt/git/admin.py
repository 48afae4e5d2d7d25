"""The administrative files of a linked worktree: `<common dir>/worktrees/<id>/` and its `.git`.

Their form is git's (`gitrepository-layout`, `git-worktree`, "DETAILS"); git must be able to go on
with whatever is written here.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import files, gitdir, permissions
from hqt.git.permissions import Permissions

_REFUSED_IN_REFS = re.compile(r"[\x00-\x20\x7f~^:?*\[\\/]|\.\.|@\{")
_LONGEST = 200  # bytes, so that a suffix and git's own files below still fit


def entries(common_dir: Path) -> list[Path]:
    """The admin directories of all registered worktrees, in no order."""
    try:
        with os.scandir(common_dir / "worktrees") as found:
            return [common_dir / "worktrees" / entry.name for entry in found if entry.is_dir()]
    except OSError:
        return []


def worktree_path(entry: Path, folders: dict[str, str] | None = None) -> Path | None:
    """The worktree's root that an admin directory names; None where git would not list it.

    A relative path (git 2.48) counts from the admin directory. The existing part is physical;
    `folders` remembers that of folders through one listing, as most worktrees share a pool.
    """
    try:
        recorded = files.read(f"{entry}/gitdir").rstrip()
    except OSError:
        return None
    if not recorded:
        return None
    place = os.fsdecode(recorded.removesuffix(b"/.git"))
    if not place.startswith("/"):
        place = f"{entry}/{place}"
    folder, _, name = place.rpartition("/")
    if folders is None or name in {"", ".", ".."} or os.path.islink(place):  # noqa: PTH114
        return Path(os.path.realpath(place))
    if folder not in folders:
        folders[folder] = os.path.realpath(folder or "/")
    return Path(folders[folder], name)


def points_back(entry: Path, path: Path) -> bool:
    """Whether the `.git` of the worktree at `path` is a plain file that names this admin entry."""
    dot_git = path / ".git"
    named = None if dot_git.is_symlink() else gitdir.read_git_file(dot_git)
    return named is not None and os.path.realpath(named) == os.path.realpath(entry)


def lock_reason(entry: Path) -> str | None:
    """Why a worktree is locked, which may be empty; None when it is not. Unreadable is locked."""
    try:
        return os.fsdecode(files.read(f"{entry}/locked").strip())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""


def write_lock(entry: Path, reason: str, mode: Permissions) -> None:
    """Lock, in one step, with the reason in place. Raises FileExistsError when already locked."""
    text = os.fsencode(reason)
    content = text if not text or text.endswith(b"\n") else text + b"\n"
    draft = draft_of(entry / "locked")
    draft.write_bytes(content)
    try:
        mode.apply(draft)
        try:
            (entry / "locked").hardlink_to(draft)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links: git's own way is as good there
            write_new(entry / "locked", content, mode)
    finally:
        draft.unlink()


def replace_lock(entry: Path, reason: str | None, mode: Permissions) -> None:
    """Change the reason of hqt's own lock in one step; None unlocks."""
    if reason is None:
        (entry / "locked").unlink()
        return
    draft = draft_of(entry / "locked")
    draft.write_bytes(os.fsencode(reason) + b"\n" if reason else b"")
    mode.apply(draft)
    draft.replace(entry / "locked")


def make_entry(common_dir: Path, path: Path, mode: Permissions) -> Path:
    """A new, empty admin directory for a worktree at `path`; `mkdir` decides who gets a name.

    The name is flat: `add_worktree` of libgit2 with a slash in it makes entries git cannot see.
    """
    base = common_dir / "worktrees"
    with contextlib.suppress(FileExistsError):
        permissions.make_folder(base, mode)
    stem = entry_name(path.name)
    for number in range(100_000):
        entry = base / (f"{stem}{number}" if number else stem)
        with contextlib.suppress(FileExistsError):
            permissions.make_folder(entry, mode)
            return entry
    raise HqtError(
        Code.GIT_FAILED,
        f"No free name for a worktree like {stem} is left in {base}.",
        "Run `git worktree prune` to drop the entries of worktrees that are gone.",
    )


def entry_name(name: str) -> str:
    """A folder's name as one component of a reference name, which git wants an entry to be."""
    clean = _REFUSED_IN_REFS.sub("-", name)
    cut = os.fsdecode(os.fsencode(clean)[:_LONGEST])
    while (trimmed := cut.lstrip(".-").removesuffix(".lock").rstrip(".")) != cut:
        cut = trimmed
    return cut if cut not in {"", "@"} else "worktree"


def draft_of(path: Path) -> Path:
    """A name beside `path` that nobody else uses, for content that is to appear in one step."""
    return path.with_name(f"{path.name}.hqt-{os.getpid()}-{threading.get_ident()}")


def write_new(path: Path, content: bytes, mode: Permissions) -> None:
    """A file that must not exist yet, with the repository's mode. Raises OSError."""
    with path.open("xb") as file:
        file.write(content)
    mode.apply(path)
