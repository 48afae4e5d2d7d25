"""Random edits of a worktree, for differential tests."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from helpers.repos import git

NAMES = ("file0", "file1", "file2", "d/a", "d/b", "d/e/c", "x.log", "ignored/y", "new", "caf\udce9")
RULES = ("*.log\n", "ignored/\n", "/d\n", "d/*\n", "**/c\n", "new*\n")


def edit(tree: Path, rng: random.Random) -> None:
    """Do between one and twelve things to it, staged or not, as people and programs do."""
    for _ in range(rng.randint(1, 12)):
        rng.choice(_STEPS)(tree, rng)


def _write(tree: Path, rng: random.Random) -> None:
    path = _path(tree, rng)
    path.write_text(rng.choice(("one\n", "two\n", "", "0\n")))


def _path(tree: Path, rng: random.Random) -> Path:
    path = tree / rng.choice(NAMES)
    for parent in (path, *path.parents):
        if parent == tree:
            break
        if parent.is_symlink() or parent.is_file():
            parent.unlink()
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _link(tree: Path, rng: random.Random) -> None:
    path = _path(tree, rng)
    path.symlink_to(rng.choice(("file0", "d", "nowhere", "/tmp")))


def _delete(tree: Path, rng: random.Random) -> None:
    path = tree / rng.choice(NAMES)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def _add(tree: Path, rng: random.Random) -> None:
    git(tree, "add", "-A", *rng.choice(((), ("--force",))), "--", ".", check=False)


def _add_one(tree: Path, rng: random.Random) -> None:
    git(tree, "add", "--", rng.choice(NAMES[:6]), check=False)


def _unstage(tree: Path, rng: random.Random) -> None:
    git(tree, "rm", "-q", "--cached", "-r", "--", rng.choice(NAMES[:6]), check=False)


def _move(tree: Path, rng: random.Random) -> None:
    git(tree, "mv", rng.choice(NAMES[:6]), rng.choice(("moved", "d/moved")), check=False)


def _commit(tree: Path, rng: random.Random) -> None:
    git(tree, "commit", "-q", "-m", f"Edit {rng.random()}", check=False)


def _mode(tree: Path, rng: random.Random) -> None:
    path = tree / rng.choice(NAMES)
    if path.is_file() and not path.is_symlink():
        path.chmod(rng.choice((0o644, 0o755)))


def _touch(tree: Path, rng: random.Random) -> None:
    path = tree / rng.choice(NAMES)
    if path.is_file():
        os.utime(path, (1, 1))


def _rule(tree: Path, rng: random.Random) -> None:
    folder = rng.choice((tree, tree / "d"))
    if folder.is_dir() and not folder.is_symlink():
        with (folder / ".gitignore").open("a") as file:
            file.write(rng.choice(RULES))


def _folder(tree: Path, rng: random.Random) -> None:
    path = tree / rng.choice(("empty", "d/empty", "ignored/deep"))
    if not any(parent.is_symlink() or parent.is_file() for parent in (path, *path.parents)):
        path.mkdir(parents=True, exist_ok=True)


def _repository(tree: Path, rng: random.Random) -> None:
    path = tree / rng.choice(("inner", "d/inner", "deep/er/inner", "ignored/inner"))
    if not any(parent.is_symlink() or parent.is_file() for parent in (path, *path.parents)):
        path.mkdir(parents=True, exist_ok=True)
        git(path, "init", "-q")
        if rng.random() < 0.5:
            (path / "file").write_text("x\n")


_STEPS = (
    _write, _write, _write, _write, _link, _delete, _delete, _add, _add_one, _unstage, _move,
    _commit, _mode, _touch, _rule, _folder, _repository,
)  # fmt: skip
