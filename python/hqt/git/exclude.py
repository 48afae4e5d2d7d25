"""Keeping the pool out of `git status`: one line in the common directory's `info/exclude`.

That file applies in every checkout of the repository, and no commit ever carries it.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, permissions
from hqt.git.places import lies_in
from hqt.models import Repository

_SPECIAL = re.compile(rb"[\\*?\[]")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What `ensure` changed, so that it can be taken back."""

    file: Path
    before: bytes | None  # None: there was no such file
    after: bytes

    def undo(self) -> None:
        """Restore the file, unless somebody else has changed it since. Raises OSError."""
        if self.file.read_bytes() != self.after:
            return
        if self.before is None:
            self.file.unlink()
        else:
            _replace(self.file, self.before, permissions.Permissions())


def ensure(repo: Repository, pool: Path) -> Exclusion | None:
    """Exclude the folder `pool` from every checkout, once; what was changed, None if nothing.

    Only a pool that lies in a checkout needs it. The user's lines are kept byte for byte, the file
    is replaced in one step. A path with a newline cannot be written as a pattern; there the pool's
    own `.gitignore` has to do. Raises `git_failed` when the file cannot be written.
    """
    pattern = pattern_of(repo, pool)
    if pattern is None:
        return None
    file = Path(os.path.realpath(repo.common_dir / "info" / "exclude"))
    try:
        before = file.read_bytes() if file.exists() else None
        lines = (before or b"").split(b"\n")
        if pattern in (line.removesuffix(b"\r") for line in lines):
            return None
        gap = b"\n" if before and not before.endswith(b"\n") else b""
        after = (before or b"") + gap + pattern + b"\n"
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


def pattern_of(repo: Repository, pool: Path) -> bytes | None:
    """The pattern for `pool`, anchored at the root of the innermost checkout that holds it."""
    folders: dict[str, str] = {}
    linked = (admin.worktree_path(entry, folders) for entry in admin.entries(repo.common_dir))
    physical = Path(os.path.realpath(pool))
    known = (repo.main, repo.checkout, *linked)
    holders = [root for root in known if root and lies_in(physical, root)]
    if not holders:
        return None
    root = max(holders, key=lambda path: len(path.parts))
    name = os.fsencode(physical.relative_to(root))
    return None if b"\n" in name else b"/" + _SPECIAL.sub(rb"\\\g<0>", name) + b"/"


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
