"""Keeping the pool out of `git status`: one line in the common directory's `info/exclude`.

That file applies in every checkout of the repository, and no commit ever carries it. So it may name
a folder only if nothing but worktrees is in there, in any checkout; and what it hides in a worktree
nobody has asked git to ignore. Such lines are known by the comment before them.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import admin, files, permissions, process
from hqt.git.places import lies_in
from hqt.models import Repository

POOL_IGNORE = b"*\n"  # the `.gitignore` of a pool that hqt has made
_SIGN = b"# made by hqt"
_SPECIAL = re.compile(rb"[\\*?\[]")
_ESCAPED = re.compile(rb"\\(.)")


class Exclusion(NamedTuple):
    """What `ensure` changed, so that it can be taken back."""

    file: Path
    before: bytes | None  # None: there was no such file
    after: bytes

    def undo(self) -> None:
        """Restore the file, unless somebody else has changed it since. Raises OSError."""
        if files.read(self.file) != self.after:
            return
        if self.before is None:
            self.file.unlink()
        else:
            _replace(self.file, self.before, permissions.Permissions())


def ensure(repo: Repository, pool: Path, path: Path) -> Exclusion | None:
    """Exclude the folder `pool` from every checkout, once; what was changed, None if nothing.

    Only a pool that lies in a checkout needs it. One that holds anything but worktrees stays as
    it is, and the new worktree's own `path` in it is excluded instead. The user's lines are kept
    byte for byte, the file is replaced in one step. A path with a newline cannot be written as a
    pattern. Raises `git_failed` when the file cannot be written.
    """
    roots = _checkouts(repo)
    physical = Path(os.path.realpath(pool))
    root = _holder(roots, physical)
    pattern = _pattern(physical, root) if root else None
    if root is None or pattern is None:
        return None
    file = _file(repo)
    try:
        before = files.read(file) if file.exists() else None
        lines = [line.removesuffix(b"\r") for line in (before or b"").split(b"\n")]
        if pattern not in lines and not _is_for_worktrees(physical.relative_to(root), root, roots):
            pattern = _pattern(path, root) if lies_in(path, physical) else None
        if pattern is None or pattern in lines:
            return None
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        after = b"".join((before or b"", gap, _SIGN, b"\n", pattern, b"\n"))
        mode = permissions.of_repository(repo)
        with contextlib.suppress(FileExistsError):
            permissions.make_folder(file.parent, mode)
        _replace(file, after, mode)
    except OSError as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"{file} could not be written: {error.strerror}.",
            "Check the permissions of the repository's git directory and the space on its disk.",
        ) from error
    return Exclusion(file, before, after)


def hidden(
    repo: Repository, root: Path, ignored: Iterable[str], worktrees: Collection[Path]
) -> tuple[str, ...]:
    """Those of the `ignored` entries of the checkout at `root` (as `git status` spells them) that
    are there only because hqt keeps, or kept, worktrees in such a folder.

    What is in `worktrees` does not count, nor what hqt puts into a pool. Raises OSError.
    """
    file = _file(repo)
    lines = files.read(file).split(b"\n") if file.exists() else []
    own = [
        os.fsdecode(_ESCAPED.sub(rb"\1", line)).strip("/")
        for sign, line in itertools.pairwise(lines)
        if sign == _SIGN
    ]
    found = set()
    for entry in ignored:
        name = entry.rstrip("/")
        for folder in own:
            inside = name == folder or name.startswith(f"{folder}/")
            if (inside or folder.startswith(f"{name}/")) and not _holds_only(
                root / (name if inside else folder), worktrees
            ):
                found.add(entry)
    return tuple(sorted(found))


def _file(repo: Repository) -> Path:
    return Path(os.path.realpath(repo.common_dir / "info" / "exclude"))


def _checkouts(repo: Repository) -> set[Path]:
    folders: dict[str, str] = {}
    linked = (admin.worktree_path(entry, folders) for entry in admin.entries(repo.common_dir))
    return {root for root in (repo.main, repo.checkout, *linked) if root}


def _holder(roots: Iterable[Path], folder: Path) -> Path | None:
    """The innermost checkout that holds `folder`."""
    holders = [root for root in roots if lies_in(folder, root)]
    return max(holders, key=lambda path: len(path.parts)) if holders else None


def _pattern(folder: Path, root: Path) -> bytes | None:
    """The pattern for `folder`, anchored at the root of a checkout."""
    name = os.fsencode(folder.relative_to(root))
    return None if b"\n" in name else b"/" + _SPECIAL.sub(rb"\\\g<0>", name) + b"/"


def _is_for_worktrees(below: Path, root: Path, roots: Collection[Path]) -> bool:
    """Whether no checkout has anything else in this folder; the one at `root` nothing tracked."""
    if not all(_holds_only(one / below, roots) for one in roots):
        return False
    answer = process.ask("ls-files", "-z", "--", f":(top,literal){below}", cwd=root)
    return answer.status == 0 and not answer.out


def _holds_only(place: Path, worktrees: Collection[Path]) -> bool:
    """Whether a folder holds nothing but worktrees, the folders above them and hqt's own file."""
    if not os.path.lexists(place):
        return True
    try:
        if place.is_dir() and not place.is_symlink():
            return all(one in worktrees or _holds_only(one, worktrees) for one in place.iterdir())
        return place.name == ".gitignore" and files.read(place) == POOL_IGNORE
    except OSError:
        return False


def _replace(file: Path, content: bytes, mode: permissions.Permissions) -> None:
    draft = admin.draft_of(file)
    try:
        draft.write_bytes(content)
        if file.exists():
            draft.chmod(stat.S_IMODE(file.stat().st_mode))
        else:
            mode.apply(draft)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
