"""Single settings of a repository as git reads them, and changing them under git's own lock.

`configuration` says without a process whether a setting is mentioned at all; only then git is
asked.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from hqt.git import configuration, process
from hqt.models import Repository

_NO_LOCK = 255  # what `git config` exits with when somebody else holds the file's lock
_NOT_THERE = 128  # what it exits with when there is no such section
_PATIENCE = 5.0  # seconds to wait for that lock


class Entry(NamedTuple):
    """One value that git found."""

    key: str  # section and last word in lower case
    value: str


def mentioned(repo: Repository, name: str) -> bool:
    """Whether any configuration file names `name`: "core.ignorecase", the subsection left out."""
    said = configuration.settings(repo.common_dir, repo.common_dir)
    return any(setting.name == name for setting in said)


def value(repo: Repository, key: str) -> str | None:
    """A setting's value; None when it is not set. A key without "=" is the empty string."""
    if not mentioned(repo, key.lower()):
        return None
    answer = process.ask(
        f"--git-dir={repo.common_dir}", "config", "--get", key, cwd=repo.common_dir
    )
    return answer.text if answer.status == 0 else None


def is_on(repo: Repository, key: str) -> bool:
    """Whether a boolean setting is true; false when it is not set or no boolean."""
    if not mentioned(repo, key.lower()):
        return False
    query = ("config", "--type=bool", "--get", key)
    answer = process.ask(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
    return answer.text == "true"


def matching(repo: Repository, pattern: str) -> tuple[Entry, ...]:
    """Every setting whose key matches git's extended regular expression, in git's order."""
    query = ("config", "-z", "--get-regexp", pattern)
    answer = process.ask(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
    pairs = (text.partition("\n") for text in os.fsdecode(answer.out).split("\0") if text)
    return tuple(Entry(key, value) for key, _, value in pairs)


def put(repo: Repository, key: str, value: str) -> None:
    """Set a value in the repository's own file. Raises `git_failed`."""
    _change(repo, "--replace-all", key, value)


def add(repo: Repository, key: str, value: str) -> None:
    """Add a value to those of the key in the repository's own file. Raises `git_failed`."""
    _change(repo, "--add", key, value)


def drop_section(repo: Repository, section: str, subsection: str) -> None:
    """Remove a section from the repository's own file, if it is there. Raises `git_failed`."""
    said = configuration.settings(repo.common_dir, repo.common_dir)
    if any(s.subsection == subsection and s.name.startswith(f"{section}.") for s in said):
        _change(repo, "--remove-section", f"{section}.{subsection}", ok=(0, _NOT_THERE))


def _change(repo: Repository, *arguments: str, ok: tuple[int, ...] = (0,)) -> None:
    """Wait for a moment while somebody else writes: eight creations at once must all succeed."""
    command = (f"--git-dir={repo.common_dir}", "config", "--local", *arguments)
    deadline = time.monotonic() + _PATIENCE
    while True:
        answer = process.ask(*command, cwd=repo.common_dir)
        if answer.status in ok:
            return
        if answer.status != _NO_LOCK or time.monotonic() > deadline:
            raise process.failed(answer, *command)
        time.sleep(0.01)
