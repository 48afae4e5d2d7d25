"""What a repository's own `.hqt.toml` asks for in a fresh worktree, and the plan to do it.

    [setup]
    copy = [".env", "certs/*.pem"]     # from the main checkout, never over a file that is there
    link = ["node_modules"]            # symbolic links to the main checkout's
    command = "npm ci"                 # in the new window, before the harness, once trusted

The file comes with the repository and may be hostile: patterns stay inside it, links are never
followed out of it, on either side, and the command runs only after the user has trusted the exact
content of the whole file.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hqt import toml_file
from hqt.toml_file import Document

FILE = ".hqt.toml"
_KEYS = ("copy", "link", "command")
# Control characters but tab and newline, and what reorders or hides text on a screen.
_HIDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_LINKED = re.compile(rb"gitdir: .*/worktrees/[^/]+\n?", re.DOTALL)  # a linked worktree's `.git`


@dataclass(frozen=True, slots=True)
class Setup:
    """What `.hqt.toml` says."""

    path: Path
    digest: str  # sha256 of the whole file: what the user trusts, or does not
    copy: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    command: str | None = None  # for `sh -c`; it needs trust


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to make in the new worktree; its parent folders are made as needed."""

    kind: Literal["copy", "link", "folder"]
    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """Every step, and a sentence for each thing that is left out and why."""

    steps: tuple[Step, ...]
    left_out: tuple[str, ...]


def read(checkout: Path) -> Setup | None:
    """What the `.hqt.toml` of a checkout asks for, None where there is none.

    Raises `config_invalid` naming file, line and key.
    """
    path = checkout / FILE
    raw = toml_file.read_bytes(path)
    if raw is None:
        return None
    document = toml_file.parse(path, raw)
    document.require_keys((), ("setup",))
    document.require_keys(("setup",), _KEYS)
    return Setup(
        path,
        hashlib.sha256(raw).hexdigest(),
        _patterns(document, "copy"),
        _patterns(document, "link"),
        _command(document),
    )


def plan(setup: Setup, main: Path, worktree: Path) -> SetupPlan:
    """The steps that `setup` asks for in `worktree`, from `main`. Looks, and changes nothing.

    Both are physical paths. What is there already stays as it is. A folder with a `.git` of its
    own is another checkout (a worktree of the pool, a submodule) and is left out whole.
    """
    steps: dict[Path, Step] = {}
    left_out: list[str] = []
    absent: dict[str, None] = {}
    for kind, patterns in (("link", setup.link), ("copy", setup.copy)):
        for pattern in patterns:
            found = sorted(main.glob(pattern))
            if "**" in pattern:
                found = [source for source in found if not _unmeant(source, main)]
            if not found:
                absent[pattern] = None
            for source in found:
                _add(kind, source, main, worktree, steps, left_out)
    if absent:
        left_out.insert(0, f"nothing in {main} matches {', '.join(absent)}.")
    return SetupPlan(tuple(steps.values()), tuple(dict.fromkeys(left_out)))


def _add(
    kind: str,
    source: Path,
    main: Path,
    worktree: Path,
    steps: dict[Path, Step],
    left_out: list[str],
) -> None:
    name = source.relative_to(main)
    target = worktree / name
    if target in steps:
        return
    if reason := _obstacle(kind, source, target, main, worktree):
        left_out.append(f"{name}: {reason}.")
        return
    mode = source.lstat().st_mode
    if kind == "link":
        steps[target] = Step("link", source, target)
    elif stat.S_ISDIR(mode):
        steps[target] = Step("folder", source, target)
        for inner in _entries(source):
            _add(kind, inner, main, worktree, steps, left_out)
    elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        steps[target] = Step("copy", source, target)
    else:
        left_out.append(f"{name}: it is neither a file nor a folder nor a link.")


def _obstacle(kind: str, source: Path, target: Path, main: Path, worktree: Path) -> str:
    """Why `source` cannot be brought to `target`; "" if it can."""
    name = source.relative_to(main)
    folder = source.is_dir() and not source.is_symlink()
    around = [main / parent for parent in name.parents[:-1]]
    if ".git" in name.parts or any(os.path.lexists(one / ".git") for one in (source, *around)):
        return "it belongs to another checkout"
    if folder and worktree.is_relative_to(source):
        return "the new worktree is in it"
    if not _inside(source.parent, main):
        return "a link leads out of the repository"
    if not _inside(target.parent, worktree):
        return "a link leads out of the worktree"
    if os.path.lexists(target):
        both = kind == "copy" and folder and target.is_dir() and not target.is_symlink()
        return "" if both else "it is there already"
    return ""


def _unmeant(source: Path, main: Path) -> bool:
    """Whether something that was found at any depth is git's own or lies in a linked worktree, as
    all of the pool does: nobody means that, so nothing is told of it. A submodule is none."""
    name = source.relative_to(main)
    if ".git" in name.parts:
        return True
    for folder in (main / parent for parent in name.parents[:-1]):
        try:
            if _LINKED.fullmatch((folder / ".git").read_bytes()):
                return True
        except OSError:
            continue
    return False


def _inside(folder: Path, root: Path) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(root)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        return


def _patterns(document: Document, key: str) -> tuple[str, ...]:
    keys = ("setup", key)
    value = document.table(("setup",)).get(key, [])
    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise document.invalid(keys, "must be a list of texts", 'Write it as ["…", "…"].')
    for pattern in value:
        parts = pattern.split("/")
        if not pattern or pattern.startswith("/") or ".." in parts or "\0" in pattern:
            problem = f"holds {pattern!r}, which is not inside the repository"
            raise document.invalid(keys, problem, "Name files below the main checkout.")
        # A second ** adds nothing but time, which grows with the power of their number.
        if pattern == "." or parts.count("**") != pattern.count("**") or parts.count("**") > 1:
            problem = f"holds {pattern!r}, which is not a pattern of files"
            raise document.invalid(keys, problem, "Use * within a name, and ** once, for folders.")
    return tuple(value)


def _command(document: Document) -> str | None:
    keys = ("setup", "command")
    value = document.table(("setup",)).get("command")
    if value is None:
        return None
    # What is asked about must be what is run: nothing may hide on the screen that asks.
    if not isinstance(value, str) or not value.strip() or _HIDING.search(value):
        problem = "must be text in which nothing is hidden or reordered"
        raise document.invalid(keys, problem, "Write it as one shell command line.")
    return value
