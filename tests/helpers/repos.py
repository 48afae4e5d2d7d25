"""Real repositories for tests, built by the real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(
    cwd: Path, *arguments: str, check: bool = True, input: str | None = None, **env: str
) -> str:
    """Run the user's git in `cwd` and return its standard output without the last newline."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=cwd,
        input=input,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        timeout=120,
    )
    if check and done.returncode:
        raise AssertionError(
            f"git {arguments} in {cwd}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout.removesuffix("\n")


def commit(
    cwd: Path, name: str = "file", text: str | None = None, message: str | None = None
) -> str:
    """Write one file, commit it, and return the commit's id."""
    (cwd / name).parent.mkdir(parents=True, exist_ok=True)
    (cwd / name).write_text(text if text is not None else f"{name}\n")
    git(cwd, "add", "-f", "--", name)
    git(cwd, "commit", "-q", "-m", message or f"Change {name}")
    return git(cwd, "rev-parse", "HEAD")


def repository(path: Path, *, files: int = 1, options: tuple[str, ...] = ()) -> Path:
    """A repository on branch `main` with one commit of `files` files; returns its real path."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", *options)
    for number in range(files):
        (path / f"file{number}").write_text(f"{number}\n")
    git(path, "add", "-A")
    git(path, "commit", "-q", "--allow-empty", "-m", "First")
    return path.resolve()


def bare_repository(path: Path, source: Path) -> Path:
    """A bare clone of `source` at `path`."""
    git(source, "clone", "-q", "--bare", str(source), str(path))
    return path.resolve()


def linked(repo: Path, path: Path, branch: str = "topic", *start: str) -> Path:
    """A worktree made by git itself, on a new branch."""
    git(repo, "worktree", "add", "-q", "-b", branch, str(path), *start)
    return path.resolve()
