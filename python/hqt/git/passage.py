"""The steps by which a worktree goes into the trash and comes back. Each can be done again.

Into it: `set_aside` the tree's `.git` (from here git fails hard in the tree, wherever it is, and
searches nowhere else), the admin entry, the tree. Back: the tree, then `reattach`.
"""

from __future__ import annotations

import dataclasses
import errno
import itertools
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, disposal, durable, entry, files, links, snapshots, whereabouts
from hqt.git.entry import Entry
from hqt.git.lock import Pulse


def set_aside(one: Entry) -> None:
    """Keep the `.git` of the tree at its path, and point the tree at the trash. Raises OSError."""
    file = one.path / ".git"
    if is_marked(one, one.path):
        return
    one.dotgit.unlink(missing_ok=True)
    try:
        one.dotgit.hardlink_to(file)
    except OSError:  # another file system, or one without hard links
        shutil.copy2(file, one.dotgit, follow_symlinks=False)
    durable.sync(one.directory)
    marker = one.directory / "marker"
    marker.write_bytes(one.marker)
    with _writable(one.path):
        _put(marker, file)


def is_marked(one: Entry, tree: Path) -> bool:
    """Whether the directory `tree` is this entry's, on its way. Raises OSError if unreadable.

    The id tells, as the repository may have moved since. In a copy of the repository there is an
    entry of the same id: what its marker names has a tree of its own, or this one is its.
    """
    named = whereabouts.named_by(tree)
    if named is None or named.name != one.id:
        return False
    if tree == one.tree or os.path.realpath(named) == os.path.realpath(one.directory):
        return True
    return not named.exists() or os.path.lexists(named / one.tree.name)


def take_tree(one: Entry) -> None:
    """Move the tree from its path into the trash. Raises OSError, and what `snapshots.copy` does.

    From another file system it is first moved beside its path, so that no path leads into it any
    more, then copied; what `away` holds is deleted later. A failure may leave it there.
    """
    if not _moved(one.path, one.tree):
        one.path.rename(away(one))
        _copy(one, away(one), one.partial, one.tree)


def bring_tree(one: Entry) -> None:
    """Move the tree from the trash to the entry's place. Raises as `take_tree`.

    To another file system it is copied, and is still in the trash afterwards.
    """
    if not _moved(one.tree, one.place.path):
        _copy(one, one.tree, arriving(one), one.place.path)


def away(one: Entry) -> Path:
    """Where a tree is while it is copied from another file system."""
    return one.path.parent / f".hqt-{one.id}"


def arriving(one: Entry) -> Path:
    """Where a tree that is copied to another file system is until it is complete."""
    return one.place.path.parent / f".hqt-{one.id}-back"


def remove_partial(partial: Path) -> None:
    """Delete an unfinished copy that hqt has made. Raises OSError."""
    if os.path.lexists(partial):
        disposal.remove(partial)


def reattach(one: Entry) -> Entry:
    """Register the worktree at the entry's place, where its tree already is. Raises OSError.

    The entry as it then is: its admin entry may have had to take another name.
    """
    tree = one.place.path
    _near(tree / ".git").unlink(missing_ok=True)
    if one.has_admin:
        one = _claim(one)
        links.write_admin(one)
        if one.manifest.tree:
            links.write_submodules(one, tree)
        one.admin.rename(one.home)
        durable.sync(one.home.parent)
    if one.manifest.tree and is_marked(one, tree):
        with _writable(tree):
            _put(_gitfile(one), tree / ".git")
    elif not one.manifest.tree and links.follows(one, tree):
        with _writable(tree):
            links.write_gitfile(one, tree)
    if one.manifest.tree and admin.points_back(one.home, tree):
        _restore_mode(tree, one.manifest.mode)
    return one


def release_claim(one: Entry) -> None:
    """Give back the name taken by a `reattach` that did not come to moving the admin entry."""
    if one.has_admin:
        remove_folder(one.home)


def remove_empty_parents(path: Path, top: Path | None) -> None:
    """Remove the folders above `path` that are empty, below `top`, which stays."""
    if top is None:
        return
    for parent in path.parents:
        if parent == top or top not in parent.parents or not remove_folder(parent):
            return


def remove_folder(folder: Path) -> bool:
    """Remove a folder if it is empty; whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _restore_mode(tree: Path, mode: int) -> None:
    if stat.S_IMODE(tree.stat().st_mode) != mode:
        tree.chmod(mode)


def _moved(source: Path, target: Path) -> bool:
    """Rename a tree; False, and nothing happened, if they are on two file systems."""
    try:
        with _writable(source):
            source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _copy(one: Entry, source: Path, partial: Path, target: Path) -> None:
    remove_partial(partial)
    snapshots.copy(source, partial, Pulse(one.common_dir).beat)
    partial.rename(target)


def _claim(one: Entry) -> Entry:
    """Take a name for the admin entry; `mkdir` decides, against a git that wants it too."""
    remove_folder(one.home)  # an own claim from before a crash
    one.home.parent.mkdir(exist_ok=True)
    wanted = one.manifest.name
    for number in itertools.count():
        name = f"{wanted}{number or ''}"
        one = entry.change(one, place=dataclasses.replace(one.place, name=name))
        try:
            one.home.mkdir()
        except FileExistsError:
            continue
        return one
    raise AssertionError


def _gitfile(one: Entry) -> Path:
    """The file that becomes the tree's `.git`: the one set aside, or a new one of its mode."""
    if not one.dotgit.exists():
        raise HqtError(
            Code.GIT_FAILED,
            f"{one.dotgit} is gone, so {one.place.path} cannot be linked to git again.",
            f"`git worktree repair {one.place.path}` mends the link.",
        )
    wanted = links.gitfile(one)
    if wanted == files.read(one.dotgit):
        return one.dotgit
    moved = one.directory / "gitfile"
    shutil.copy2(one.dotgit, moved)
    moved.write_bytes(wanted)
    return moved


def _put(source: Path, target: Path) -> None:
    """Replace `target` by `source` in one step, from another file system too."""
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copy2(source, _near(target), follow_symlinks=False)
        _near(target).replace(target)


def _near(file: Path) -> Path:
    return file.with_name(f"{file.name}.hqt")


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    """Let the owner rename in and of a folder for the length of the block; its mode then returns.

    The folder may have moved away by then; a crash leaves it writable, and the manifest knows.
    """
    mode = stat.S_IMODE(folder.lstat().st_mode)
    if mode & stat.S_IRWXU == stat.S_IRWXU:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fchmod(descriptor, mode | stat.S_IRWXU)
        yield
    finally:
        os.fchmod(descriptor, mode)
        os.close(descriptor)
