"""Which operation a checkout is in the middle of, as `git status` would say."""

from __future__ import annotations

import os
import re
from pathlib import Path

from hqt.git import files, process

_COMMAND = re.compile(rb"^\s*(pick|p|revert)\s", re.MULTILINE)


def operation_in_progress(git_dir: Path) -> str | None:
    """`rebase`, `merge`, `cherry-pick`, `revert`, `bisect`, `am`, or None.

    `git_dir` is the admin directory, or the common directory for the main checkout. One look at
    its entries; with reftable git is asked too, as CHERRY_PICK_HEAD and REVERT_HEAD are no files
    there. Where several are going on, the one that `git status` names first.
    """
    try:
        with os.scandir(git_dir) as found:
            entries = {entry.name for entry in found}
    except OSError:
        return None
    if "rebase-apply" in entries:
        return "am" if (git_dir / "rebase-apply" / "applying").exists() else "rebase"
    if "rebase-merge" in entries:
        return "rebase"
    if "MERGE_HEAD" in entries:
        return "merge"
    between = _between_commits(git_dir) if "sequencer" in entries else None
    for name, operation in (("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")):
        if operation == between or name in entries:
            return operation
        if "reftable" in entries and _has_reference(git_dir, name):
            return operation
    return "bisect" if "BISECT_LOG" in entries else None


def _between_commits(git_dir: Path) -> str | None:
    """A sequence of several picks or reverts, also after one of them was committed by hand."""
    try:
        todo = files.read(git_dir / "sequencer" / "todo")
    except OSError:
        return None
    command = _COMMAND.search(todo)
    if command is None:
        return None
    return "revert" if command[1] == b"revert" else "cherry-pick"


def _has_reference(git_dir: Path, name: str) -> bool:
    query = ("rev-parse", "--verify", "--quiet", name)
    return process.ask(f"--git-dir={git_dir}", *query, cwd=git_dir).status == 0
