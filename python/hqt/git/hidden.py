"""Edits that `git status` is told not to see: skip-worktree and assume-unchanged (git-facts §4)."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from hqt.git import question, status
from hqt.git.question import Place

LISTING = ("ls-files", "-v", "-z")
# Cached (H) and unmerged (M); every other letter, or a small one, hides something. One search for a
# byte that begins a record: record by record, 100,000 files take ten times as long.
_HIDING = re.compile(rb"\0([^HM\0]) ([^\0]+)")


class Flagged(NamedTuple):
    """A file whose changes git does not look for."""

    path: str
    skipped: bool  # skip-worktree: in a sparse checkout it is rightly absent


def flagged(listing: bytes) -> tuple[Flagged, ...]:
    """The hidden files in the output of `LISTING`."""
    return tuple(
        Flagged(os.fsdecode(found[2]), found[1] in (b"S", b"s"))
        for found in _HIDING.finditer(b"\0" + listing)
    )


def edits(place: Place, files: tuple[Flagged, ...]) -> tuple[str, ...]:
    """Those of `files` that differ from the index, compared by content as git would without flags.

    An absent file counts only if it was not to be skipped. Raises `git_failed`, `timeout`, OSError.
    """
    assert place.work_tree is not None
    there = [one for one in files if os.path.lexists(place.work_tree / one.path)]
    gone = [one.path for one in files if one not in there and not one.skipped]
    if not there:
        return tuple(gone)
    names = "".join(f"{one.path}\0" for one in there)
    with tempfile.TemporaryDirectory(prefix="hqt-") as folder:
        index = Path(folder) / "index"
        shutil.copyfile(place.git_dir / "index", index)
        env = {"GIT_INDEX_FILE": os.fspath(index)}
        for flag in ("--no-skip-worktree", "--no-assume-unchanged"):
            command = ("update-index", flag, "-z", "--stdin")
            question.ask(place, *command, input=os.fsencode(names), env=env)
        every = (*status.COMMAND, "--no-renames", status.ALONE)
        out = question.ask(place, *every, env=env)
    hidden = {one.path for one in there}
    changed = [entry.path for entry in status.parse(out) if entry.modified]
    return tuple(sorted([*gone, *(path for path in changed if path in hidden)]))
