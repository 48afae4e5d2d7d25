"""Real repositories for tests, built by the real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from helpers.replicas import replica


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
    return _head(cwd) or git(cwd, "rev-parse", "HEAD")


def _head(cwd: Path) -> str:
    """The commit that has just been made in `cwd`, read from its files; "" where they do not say
    it in the simplest way."""
    if "GIT_DIR" in os.environ:
        return ""
    try:
        own = cwd / ".git"
        if own.is_file():
            own = Path(own.read_text().strip().removeprefix("gitdir: "))
        head = (own / "HEAD").read_text().strip()
        if head.startswith("ref: "):
            common = own.parents[1] if own.parent.name == "worktrees" else own
            head = (common / head.removeprefix("ref: ")).read_text().strip()
    except OSError:
        return ""
    return head if len(head) in (40, 64) else ""


def repository(path: Path, *, files: int = 1, options: tuple[str, ...] = ()) -> Path:
    """A repository on branch `main` with one commit of `files` files; returns its real path."""
    path = path.resolve()

    def build() -> None:
        path.mkdir(parents=True)
        git(path, "init", "-q", "-b", "main", *options)
        for number in range(files):
            (path / f"file{number}").write_text(f"{number}\n")
        git(path, "add", "-A")
        git(path, "commit", "-q", "--allow-empty", "-m", "First")

    if options or path.exists():
        build()
    else:
        replica(path, ("repository", files), build)
    return path


def bare_repository(path: Path, source: Path) -> Path:
    """A bare clone of `source` at `path`."""
    git(source, "clone", "-q", "--bare", str(source), str(path))
    return path.resolve()


def linked(repo: Path, path: Path, branch: str = "topic", *start: str) -> Path:
    """A worktree made by git itself, on a new branch."""
    git(repo, "worktree", "add", "-q", "-b", branch, str(path), *start)
    return path.resolve()
