"""Taking a half-made worktree out of everybody's reach before it is deleted, and putting it back.

First its admin entry: from then on git fails hard in the tree, so that nothing can be committed
there any more. Then the tree, so that no path leads into it. They stand in `<common dir>/hqt/`:

    unmade.MARK.NAME    the admin entry NAME; `../..` in its `commondir` still is right there
    unmade.MARK         the tree; on another file system `.hqt-MARK` beside its path

    unmade-gone.MARK    an admin entry that is being deleted

An empty folder keeps the entry's name meanwhile, lest a new worktree gets it, which the old tree's
`.git` would then lead into. A crash is seen by what stands there: whoever finds it puts it back, or
deletes what is left of a deletion.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hqt.git import admin, disposal, durable, files
from hqt.git.lock import own_directory
from hqt.git.permissions import Permissions

_PREFIX = "unmade."
_GONE = "unmade-gone."


class Aside(NamedTuple):
    """One worktree, and where it is while it is aside."""

    common_dir: Path
    mark: str  # of its creation; in hexadecimal digits
    name: str  # of its admin entry
    path: Path | None  # where it was made; None where its entry does not say

    @property
    def home(self) -> Path:
        return self.common_dir / "worktrees" / self.name

    @property
    def admin(self) -> Path:
        return self.common_dir / "hqt" / f"{_PREFIX}{self.mark}.{self.name}"

    @property
    def tree(self) -> Path | None:
        """Where the tree is; None where there is none."""
        own = self.common_dir / "hqt" / f"{_PREFIX}{self.mark}"
        beside = [self.path.with_name(f".hqt-{self.mark}"), self.path] if self.path else []
        return next((place for place in (own, *beside) if os.path.lexists(place)), None)


def take(common_dir: Path, mark: str, entry: Path, path: Path, *, tree: bool) -> Aside:
    """Take the admin directory `entry` aside, and with `tree` the folder at `path` too.

    A folder that cannot be moved, a mount point for example, stays where it is. Raises OSError
    where the entry cannot be moved; then nothing has happened.
    """
    one = Aside(common_dir, mark, entry.name, path)
    own_directory(common_dir)
    entry.rename(one.admin)
    with contextlib.suppress(OSError):
        entry.mkdir()
    if tree:
        _move(path, one)
    return one


def put_back(one: Aside) -> tuple[Path, Path | None]:
    """Put both where they were; the entry's place and the tree's, None where there is no tree.

    Where somebody has taken its path, the tree comes beside it; where somebody has the name of the
    entry, that gets another. Raises OSError; another try can go on from there.
    """
    tree, place = one.tree, one.path
    if tree and place and tree != place:
        place = _returned(tree, place, one.mark)
        if place != one.path:
            durable.write(one.admin / "gitdir", os.fsencode(f"{place / '.git'}\n"))
    home = one.home
    home.parent.mkdir(exist_ok=True)
    try:
        one.admin.rename(home)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise
        home = admin.make_entry(one.common_dir, Path(one.name), Permissions())
        one.admin.rename(home)
        if tree and place and os.path.lexists(place / ".git"):
            durable.write(place / ".git", os.fsencode(f"gitdir: {home}\n"))
    return home, place if tree else None


def drop(one: Aside) -> None:
    """Delete the entry, whose tree is gone, for good. Raises OSError; then it still is aside."""
    with contextlib.suppress(OSError):
        one.home.rmdir()
        one.home.parent.rmdir()  # as git: the folder goes with its last entry
    one.admin.rename(one.common_dir / "hqt" / f"{_GONE}{one.mark}")
    sweep(one.common_dir)
    with contextlib.suppress(OSError):  # anything else is in there, in every call of hqt
        (one.common_dir / "hqt").rmdir()


def sweep(common_dir: Path) -> None:
    """Go on with the deletion of admin entries that was cut short, as far as that is possible."""
    for name in _names(common_dir):
        if name.startswith(_GONE):
            with contextlib.suppress(OSError):
                disposal.remove(common_dir / "hqt" / name)


def pending(common_dir: Path) -> bool:
    """Whether anything is aside, or on its way to be deleted."""
    return any(name.startswith((_PREFIX, _GONE)) for name in _names(common_dir))


def found(common_dir: Path) -> list[Aside]:
    """What a crash has left aside."""
    return list(_found(common_dir))


def _found(common_dir: Path) -> Iterator[Aside]:
    for name in _names(common_dir):
        mark, _, entry = name.removeprefix(_PREFIX).partition(".")
        if name.startswith(_PREFIX) and entry:
            path = None
            with contextlib.suppress(OSError):
                said = os.fsdecode(files.read(common_dir / "hqt" / name / "gitdir").rstrip())
                # relative to the entry, and as deep there as at home
                path = Path(os.path.normpath(common_dir / "worktrees" / entry / said)).parent
            yield Aside(common_dir, mark, entry, path)


def _names(common_dir: Path) -> list[str]:
    try:
        return sorted(one.name for one in (common_dir / "hqt").iterdir())
    except OSError:
        return []


def _move(path: Path, one: Aside) -> None:
    with contextlib.suppress(OSError):
        try:
            path.rename(one.common_dir / "hqt" / f"{_PREFIX}{one.mark}")
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            path.rename(path.with_name(f".hqt-{one.mark}"))


def _returned(tree: Path, path: Path, mark: str) -> Path:
    """Move the tree to its path, or beside it; where it is then."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for place in (path, path.with_name(f"{path.name}.hqt-{mark}")):
        try:
            tree.rename(place)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                raise
        else:
            return place
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
