"""Everything there is to a worktree, so that "as it was" can be compared byte for byte."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from helpers.repos import git

Files = dict[str, tuple[object, ...]]


@dataclass(frozen=True)
class Portrait:
    """A worktree's files, its admin entry's files, and what git says."""

    files: Files
    admin: Files  # the index among them
    said: dict[str, str]


def portrait(tree: Path, *, reflogs: bool = True) -> Portrait:
    """Of the worktree at `tree`. Looking changes nothing, not even the index's stat cache.

    The index is among the admin entry's files, so flags and stages need no question of their own.

    Without `reflogs` those of branches are left out: `reflog expire --all` reaches them all.
    """
    admin = (tree / os.fsdecode((tree / ".git").read_bytes()[8:-1])).resolve()
    common = (admin / os.fsdecode((admin / "commondir").read_bytes()).strip()).resolve()
    on_disk = files(tree), untimed(files(admin))
    lines = git(common, "for-each-ref").splitlines()
    listed = git(common, "worktree", "list", "--porcelain")  # -z is known from git 2.36 on
    said = {
        "status": _ask(tree, "status", "--porcelain=v2", "-z", "--branch", "--ignored"),
        "commit": _ask(tree, "rev-parse", "-q", "--verify", "HEAD"),
        "refs": "\n".join(line for line in lines if "\trefs/hqt/" not in line),
        "branches": _sorted(_ask(common, "config", "--local", "-z", "--get-regexp", r"^branch\.")),
        "listed": listed.partition(f"worktree {tree}\n")[2].partition("\n\n")[0],
    }
    if (tree / ".gitmodules").exists():
        said["submodules"] = _ask(tree, "submodule", "status", "--recursive")
    if reflogs:
        logs = untimed(files(common / "logs"))
        said["reflogs"] = repr(sorted((name, one) for name, one in logs.items() if one[1]))
    return Portrait(*on_disk, said)


def files(top: Path) -> Files:
    """Everything below `top`: kind and mode, time (in nanoseconds), content."""
    found: Files = {}
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names):
            path = Path(folder) / name
            now = path.lstat()
            # A local clone shares its objects with its origin, whose gc touches them.
            time = 0 if "objects" in path.parts else now.st_mtime_ns
            found[str(path.relative_to(top))] = (oct(now.st_mode), time, _content(path))
    return found


def differences(before: Portrait, after: Portrait) -> list[str]:
    """Where two portraits differ, one line each."""
    found = []
    for what in ("files", "admin", "said"):
        one, other = getattr(before, what), getattr(after, what)
        found += [
            f"{what} {name}: {one.get(name)!r} became {other.get(name)!r}"
            for name in sorted(one.keys() | other.keys())
            if one.get(name) != other.get(name)
        ]
    return found


def _content(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.readlink(path)  # noqa: PTH115 (the bytes, untidied)
    return hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""


def untimed(found: Files) -> Files:
    """git refreshes the time of a shared index whenever it reads it."""
    return {name: (mode, content) for name, (mode, _time, content) in found.items()}


def _sorted(settings: str) -> str:
    """Sections in the order of their names: one that was deleted comes back at the end."""
    keys = (one.partition("\n") for one in settings.split("\0"))
    return repr(sorted(keys, key=lambda one: one[0].rpartition(".")[0]))


def _ask(cwd: Path, *arguments: str) -> str:
    return git(cwd, *arguments, check=False, GIT_OPTIONAL_LOCKS="0")
