"""The registered checkouts of a repository, read from git's administrative files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, gitdir, permissions, process, refs
from hqt.git.operations import operation_in_progress
from hqt.git.refs import Head, RefFiles
from hqt.models import Repository, Worktree


def list_worktrees(repo: Repository) -> tuple[Worktree, ...]:
    """Every checkout that `git worktree list` knows, main checkout first, then by path.

    No process is started, except where references are kept in reftable. The main checkout has no
    row in a bare repository, nor where a separate git directory hides it.
    """
    heads = _heads(repo)
    folders: dict[str, str] = {}
    entries = admin.entries(repo.common_dir)
    rows = [row for entry in entries if (row := _linked(entry, heads, folders))]
    rows.sort(key=lambda row: os.fsencode(row.path))
    return (_main(repo, repo.main, heads), *rows) if repo.main else tuple(rows)


def find(repo: Repository, entry: Path) -> Worktree | None:
    """The worktree of one admin directory; None where git would not list it."""
    return _linked(entry, _heads(repo), {})


def require_identity(repo: Repository, worktree: Worktree) -> None:
    """Make sure that `worktree` is the linked worktree that git has registered there.

    Raises `main_checkout`, `missing_worktree` when its folder is gone, and `identity_mismatch`
    unless its admin directory and its `.git` file name each other.
    """
    _refuse_main(worktree)
    entry, path = worktree.git_dir, worktree.path
    if not os.path.lexists(path):
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"The folder of the worktree {path} is gone.",
            "Restore it, or remove the worktree.",
        )
    registered = (
        os.path.realpath(entry.parent) == os.path.realpath(repo.common_dir / "worktrees")
        and gitdir.common_dir_of(entry) == repo.common_dir
        and admin.worktree_path(entry) == Path(os.path.realpath(path))
    )
    if not registered or not admin.points_back(entry, path):
        raise mismatch(entry, path)


def mismatch(entry: Path, path: Path) -> HqtError:
    """The error for what is at `path` and is not the worktree of the admin directory `entry`."""
    return HqtError(
        Code.IDENTITY_MISMATCH,
        f"{path} is not the worktree that git has registered as {entry.name}"
        f"{_occupant(entry, path)}; it was left alone.",
        "If the repository was moved, `git worktree repair` in its main checkout tells git; if the"
        " worktree was, the same with its new path. Else look what is at that path.",
        {"path": str(path), "admin": str(entry)},
    )


def lock(repo: Repository, worktree: Worktree, reason: str) -> None:
    """Lock a worktree as `git worktree lock` does. Raises `main_checkout` and `locked`."""
    _refuse_main(worktree)
    try:
        admin.write_lock(worktree.git_dir, reason, permissions.of_repository(repo))
    except FileExistsError:
        present = admin.lock_reason(worktree.git_dir)
        raise HqtError(
            Code.LOCKED,
            f"{worktree.path} is locked already{f': {present}' if present else ''}.",
            "Unlock it first, if the reason no longer holds.",
            {"reason": present},
        ) from None
    except OSError as error:
        raise _unwritten(worktree, error) from error


def unlock(repo: Repository, worktree: Worktree) -> None:  # noqa: ARG001 (the pair of `lock`)
    """Take a lock away, if there is one. Raises `main_checkout`."""
    _refuse_main(worktree)
    try:
        (worktree.git_dir / "locked").unlink(missing_ok=True)
    except OSError as error:
        raise _unwritten(worktree, error) from error


class _AskedHeads:
    """The HEADs of a repository whose references are no files, by one question to git."""

    def __init__(self, repo: Repository) -> None:
        query = ("worktree", "list", "--porcelain", "-z")
        answer = process.git(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
        blocks = [block.split("\0") for block in os.fsdecode(answer.out).split("\0\0") if block]
        self._main = _head_in(blocks[0]) if blocks else Head(None, None)
        self._common = repo.common_dir
        self._linked = {
            os.path.realpath(block[0].removeprefix("worktree ")): _head_in(block)
            for block in blocks[1:]
        }

    def head(self, git_dir: Path) -> Head:
        if git_dir == self._common:
            return self._main
        path = admin.worktree_path(git_dir)
        return self._linked.get(str(path), Head(None, None))


def _heads(repo: Repository) -> RefFiles | _AskedHeads:
    return refs.files_of(repo.common_dir) or _AskedHeads(repo)


def _head_in(block: list[str]) -> Head:
    """HEAD and branch of one block of `git worktree list --porcelain`."""
    lines = dict(line.split(" ", 1) for line in block if " " in line)
    commit = lines.get("HEAD", "")
    return Head(lines.get("branch"), commit if commit.strip("0") else None)


def _main(repo: Repository, path: Path, heads: RefFiles | _AskedHeads) -> Worktree:
    head = heads.head(repo.common_dir)
    return Worktree(
        path=path,
        git_dir=repo.common_dir,
        main=True,
        head=head.commit,
        branch=head.branch,
        missing=not path.is_dir(),
        operation=operation_in_progress(repo.common_dir),
    )


def _linked(entry: Path, heads: RefFiles | _AskedHeads, folders: dict[str, str]) -> Worktree | None:
    path = admin.worktree_path(entry, folders)
    if path is None:
        return None
    head = heads.head(entry)
    return Worktree(
        path=path,
        git_dir=entry,
        main=False,
        head=head.commit,
        branch=head.branch,
        locked=admin.lock_reason(entry),
        missing=_is_missing(entry, f"{path}/.git"),
        operation=operation_in_progress(entry),
    )


def _is_missing(entry: Path, dot_git: str) -> bool:
    """Whether a worktree is known not to be at its path: nothing is there, or something else, by
    the `.git` there. One that cannot be looked at may be there, and so may one whose `.git` leads
    nowhere: the repository was moved, and git repairs it.
    """
    try:
        found = os.lstat(dot_git)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    if stat.S_ISDIR(found.st_mode):
        return True
    named = gitdir.read_git_file(Path(dot_git))
    if named is None or named == entry:
        return False
    try:
        return not named.samefile(entry) and gitdir.is_git_directory(named)
    except OSError:
        return False


def _occupant(entry: Path, path: Path) -> str:
    """What is at a worktree's path instead of it, as a clause; "" where that cannot be told."""
    if not os.path.lexists(path / ".git"):
        return ", but a folder without a .git" if path.is_dir() else ", but no folder"
    try:
        found = gitdir.git_dir_of(path)
    except (gitdir.BrokenGitFile, OSError):
        return ""
    if found is None or found == Path(os.path.realpath(entry)):
        return ""
    common = gitdir.common_dir_of(found)
    own = common == found
    return f", but {'a repository of its own' if own else f'worktree {found.name} of {common}'}"


def _refuse_main(worktree: Worktree) -> None:
    if worktree.main:
        raise HqtError(
            Code.MAIN_CHECKOUT,
            f"{worktree.path} is the repository's main checkout, not a worktree.",
            "Name a linked worktree; `hqt list` shows them.",
        )


def _unwritten(worktree: Worktree, error: OSError) -> HqtError:
    return HqtError(
        Code.GIT_FAILED,
        f"The lock of {worktree.path} could not be changed: {error.strerror}.",
        "Check the permissions of the repository's git directory.",
    )
