"""The modes of files that hqt writes into a repository, as `core.sharedRepository` wants them."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import NamedTuple

from hqt.git import configuration, process
from hqt.models import Repository

_NAMED = {"umask": 0, "group": 0o660, "all": 0o664, "world": 0o664, "everybody": 0o664}
_OLD = {0: 0, 1: 0o660, 2: 0o664}  # values from before there were octal modes


class Permissions(NamedTuple):
    """What to do to a mode that the umask has already shaped."""

    bits: int = 0
    exact: bool = False  # the bits replace the mode instead of widening it

    def of(self, mode: int) -> int:
        """The mode a file or folder of mode `mode` should have (git's adjust_shared_perm)."""
        bits = self.bits if mode & stat.S_IWUSR else self.bits & ~0o222
        folder = stat.S_ISDIR(mode)
        if folder or mode & stat.S_IXUSR:
            bits |= (bits & 0o444) >> 2
        wanted = (mode & 0o7000) | bits if self.exact else stat.S_IMODE(mode) | bits
        if folder and self.bits and wanted & 0o060:
            wanted |= stat.S_ISGID
        return wanted

    def apply(self, path: Path) -> None:
        """Give `path`, which this user has just made, its mode."""
        if not self.bits:
            return
        now = path.lstat().st_mode
        if (wanted := self.of(now)) != stat.S_IMODE(now):
            path.chmod(wanted)


def of_repository(repo: Repository) -> Permissions:
    """What the repository's configuration asks for. git is asked only if a file mentions it."""
    said = configuration.settings(repo.common_dir, repo.common_dir)
    if not any(setting.name == "core.sharedrepository" for setting in said):
        return Permissions()
    query = ("config", "--get", "core.sharedRepository")
    answer = process.ask(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
    return parse(answer.text) if answer.status == 0 else Permissions()


def parse(value: str) -> Permissions:
    """`core.sharedRepository` as git reads it; what git refuses to read changes nothing."""
    word = value.lower()
    if word in _NAMED:
        return Permissions(_NAMED[word])
    if re.fullmatch("[0-7]+", word):
        number = int(word, 8)
        if number in _OLD:
            return Permissions(_OLD[number])
        return Permissions(number & 0o666, exact=True) if number & 0o600 == 0o600 else Permissions()
    return Permissions(0o660) if word in {"", "true", "yes", "on"} else Permissions()


def make_folder(path: Path, permissions: Permissions) -> None:
    """A new folder with the repository's mode. Raises OSError as that does."""
    path.mkdir()
    permissions.apply(path)
