"""What makes a directory a git directory, read from its files: no git, no libgit2, microseconds.

The rules are those of git's own setup (`gitrepository-layout`): a `.git` file holds `gitdir: PATH`,
a git directory has a HEAD, and objects and refs there or where its `commondir` points.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from hqt.git import files, process

_HEADER = re.compile(r'\[\s*([\w.-]+)(?:\s+"[^"\\]*")?\s*\]')
_KEY = re.compile(r"([A-Za-z][\w-]*)\s*(?:=\s*(.*))?")
_HEX = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)")
_TRUE = {"true", "yes", "on", "1"}


class BrokenGitFile(Exception):
    """A `.git` that is a file but leads nowhere; git stops here, so nothing above it counts."""


class Format(NamedTuple):
    """What a repository's own configuration says about its shape. Includes do not count here."""

    bare: bool | None  # None: not said
    worktree: str | None  # core.worktree, relative to the git directory
    plain: bool  # nothing that hqt would have to ask git about


def read_git_file(file: Path) -> Path | None:
    """The git directory that a `.git` file names, absolute; None if `file` is no such file.

    Only the form is judged, not whether the directory is there.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return None
        content = files.read(file)
    except OSError:
        return None
    name = content.removeprefix(b"gitdir: ").rstrip(b"\r\n")
    if len(name) == len(content) or not name or b"\0" in name or not content.startswith(b"gitdir"):
        return None
    return file.parent / os.fsdecode(name)


def git_dir_of(checkout: Path) -> Path | None:
    """The physical git directory of the checkout whose root is `checkout`; None without a `.git`.

    Raises `BrokenGitFile` with a clause that says why, when `.git` is a file that leads nowhere.
    """
    dot_git = checkout / ".git"
    if is_git_directory(dot_git):
        return Path(os.path.realpath(dot_git))
    if not dot_git.is_file():
        return None
    named = read_git_file(dot_git)
    if named is None:
        raise BrokenGitFile(f"{dot_git} is not a file that git understands")
    if not is_git_directory(named):
        raise BrokenGitFile(f"{dot_git} points to {named}, which is not a git directory")
    return Path(os.path.realpath(named))


def is_git_directory(path: Path) -> bool:
    """Whether git would take `path` for a git directory, an admin directory included."""
    if not _valid_head(path / "HEAD"):
        return False
    common = common_dir_of(path)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def common_dir_of(git_dir: Path) -> Path:
    """The physical common directory that `git_dir` belongs to; itself when it is not linked."""
    try:
        named = files.read(git_dir / "commondir").rstrip()
    except OSError:
        return Path(os.path.realpath(git_dir))
    return Path(os.path.realpath(git_dir / os.fsdecode(named)))


def read_format(common_dir: Path) -> Format:
    """The shape that the configuration of a common directory declares."""
    files = [common_dir / "config", common_dir / "config.worktree"]
    values: dict[str, str] = {}
    for file in files:
        found = _quick(file)
        values |= _asked(file) if found is None else found
        if values.get("extensions.worktreeconfig", "").lower() not in _TRUE:
            break
    bare = values.get("core.bare")
    known = {"extensions.worktreeconfig", "extensions.preciousobjects", "extensions.noop"}
    plain = (
        values.get("core.repositoryformatversion", "0") in {"0", "1"}
        and not any(key.startswith("extensions.") and key not in known for key in values)
        and not (bare and bare.lower() in _TRUE and "core.worktree" in values)
    )
    return Format(
        None if bare is None else bare.lower() in _TRUE, values.get("core.worktree"), plain
    )


def _valid_head(head: Path) -> bool:
    try:
        if head.is_symlink():
            return str(head.readlink()).startswith("refs/")
        content = files.read(head)
    except OSError:
        return False
    if content.startswith(b"ref:"):
        return content[4:].lstrip().startswith(b"refs/")
    return bool(_HEX.match(content))


def _quick(file: Path) -> dict[str, str] | None:
    """The `core` and `extensions` keys of a file as git itself writes them; None when anything in
    it needs a real parser: quotes, escapes, continued lines, a key behind a header.
    """
    try:
        text = os.fsdecode(files.read(file))
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    if text.startswith("\ufeff") or "\\\n" in text or "\\\r" in text:
        return None
    values, section = {}, ""
    for raw in text.split("\n"):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            header = _HEADER.fullmatch(line)
            if header is None:
                return None
            section = header[1].lower() if '"' not in line else ""
        elif section in {"core", "extensions"}:
            key = _KEY.fullmatch(line)
            if key is None or any(char in line for char in '"\\#;'):
                return None
            values[f"{section}.{key[1].lower()}"] = "true" if key[2] is None else key[2]
    return values


def _asked(file: Path) -> dict[str, str]:
    """The same by git's own parser; empty where git cannot read the file either."""
    answer = process.ask("config", "--file", str(file), "-z", "--list", cwd=Path("/"))
    values = {}
    for entry in os.fsdecode(answer.out).split("\0"):
        key, equals, value = entry.partition("\n")
        if key.startswith(("core.", "extensions.")):
            values[key] = value if equals else "true"
    return values
