"""Making git know a new worktree: folder, admin directory, HEAD (git-facts §2, steps 2 to 4)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import (
    admin,
    configuration,
    entry,
    files,
    gitconfig,
    gitdir,
    permissions,
    process,
    repository,
)
from hqt.git.exclude import POOL_IGNORE
from hqt.git.interrupts import held_back
from hqt.git.journal import lock_of
from hqt.git.permissions import Permissions
from hqt.git.rollback import Made
from hqt.models import Repository


def needs_git(repo: Repository) -> bool:
    """Whether git keeps more about a worktree than hqt writes: reftable, relative paths."""
    return (repo.common_dir / "reftable").is_dir() or gitconfig.is_on(
        repo, "worktree.useRelativePaths"
    )


def make_folders(made: Made, pool: Path | None, mode: Permissions) -> None:
    """Every missing folder above the worktree; in a pool made here, a `.gitignore` for all of it.

    Raises OSError, and `path_exists` when something else is made there at the same time.
    """
    inner = Path(os.path.realpath(pool)) if pool else None
    for folder in reversed(made.path.parents):
        if folder.is_dir():
            continue
        with held_back(), contextlib.suppress(FileExistsError):
            permissions.make_folder(folder, mode)
            made.folders.append(folder)
            if folder == inner:
                made.ignore = folder / ".gitignore"
                admin.write_new(made.ignore, POOL_IGNORE, mode)


@contextlib.contextmanager
def names_kept(repo: Repository) -> Iterator[None]:
    """Keep the block from naming an admin entry as a vanished worktree's in the trash was named.

    Its folder may only have been moved: its `.git` would lead into the new worktree's index.
    """
    kept = []
    for one in entry.read_all(repo)[0]:
        home = repo.common_dir / "worktrees" / one.manifest.name
        if not one.manifest.tree:
            with contextlib.suppress(OSError):
                home.mkdir()
                kept.append(home)
    try:
        yield
    finally:
        for home in kept:
            with contextlib.suppress(OSError):
                home.rmdir()


def register(made: Made, mode: Permissions, *, source: Path, by_libgit2: bool) -> None:
    """Write admin files and `.git` for `made.path`, locked with the reason `lock_of`.

    `source` is the git directory whose per-worktree settings and sparse patterns are inherited, as
    `git worktree add` inherits those of where it runs. HEAD is left for `point_head`, except that
    for git's `reset` to come it may be on its branch already. Raises OSError and `path_exists`.
    """
    repo = made.repo
    with held_back():
        made.entry = admin.make_entry(repo.common_dir, made.path, mode)
        admin.write_new(made.entry / "locked", os.fsencode(f"{lock_of(made.mark)}\n"), mode)
    _make_tree(made, mode)
    if made.branch and not by_libgit2:
        head = f"ref: refs/heads/{made.branch}"
    else:  # git's own placeholder: a HEAD that stays the same would get no reflog
        head = made.commit if made.branch else "0" * len(made.commit)
    for name, text in (
        ("gitdir", str(made.path / ".git")),
        ("commondir", "../.."),
        ("HEAD", head),
    ):
        admin.write_new(made.entry / name, os.fsencode(f"{text}\n"), mode)
    _inherit(repo, source, made.entry, mode)
    try:
        with held_back():
            link = os.fsencode(f"gitdir: {made.entry}\n")
            admin.write_new(made.path / ".git", link, Permissions())
            made.linked = True
    except FileExistsError:
        raise _taken(made.path) from None


def register_by_git(made: Made, *, source: Path) -> None:
    """The same by `git worktree add`, which also takes care of HEAD and what is inherited."""
    repo = made.repo
    how = () if made.branch else ("--detach",)
    arguments = ("worktree", "add", "--no-checkout", "--lock", "--reason", lock_of(made.mark), *how)
    with held_back():
        present = made.path.exists()
        answer = process.ask(
            f"--git-dir={source}", *arguments, "--", str(made.path), made.branch or made.commit,
            cwd=repo.checkout or repo.common_dir,
        )  # fmt: skip
        home = None
        with contextlib.suppress(gitdir.BrokenGitFile):
            home = gitdir.git_dir_of(made.path)
        if answer.status == 0 and home:
            made.entry, made.tree, made.linked = home, not present, True
            return
    if made.path.exists() and any(made.path.iterdir()):
        raise _taken(made.path)
    raise process.failed(answer, "worktree add")


def point_head(made: Made, *, by_libgit2: bool) -> None:
    """Bring HEAD where it belongs, unless it is there: this writes its reflog.

    Raises `git_failed`.
    """
    if not made.branch:
        arguments = ("update-ref", "--no-deref", "HEAD", made.commit)
        process.git(f"--git-dir={made.entry}", *arguments, cwd=made.path)
    elif by_libgit2:
        _attach(made)


def _attach(made: Made) -> None:
    import pygit2

    checkout = repository.open_checkout(made.path)
    try:
        checkout.set_head(f"refs/heads/{made.branch}")
    except (pygit2.GitError, OSError, ValueError) as error:
        raise HqtError(
            Code.GIT_FAILED,
            f"HEAD of {made.path} could not be set: {str(error).rstrip('.')}.",
            "Look whether the branch is in use or the disk is full, then try again.",
        ) from error


def _make_tree(made: Made, mode: Permissions) -> None:
    try:
        with held_back():
            permissions.make_folder(made.path, mode)
            made.tree = True
    except FileExistsError:
        if not made.path.is_dir() or made.path.is_symlink() or any(made.path.iterdir()):
            raise _taken(made.path) from None


def _inherit(repo: Repository, source: Path, home: Path, mode: Permissions) -> None:
    said = {setting.name for setting in configuration.settings(repo.common_dir, source)}
    settings = source / "config.worktree"
    if "extensions.worktreeconfig" in said and settings.is_file():
        admin.write_new(home / "config.worktree", files.read(settings), mode)
        for key in ("core.bare", "core.worktree"):  # they hold for the source alone
            query = ("config", "--file", str(home / "config.worktree"), "--unset-all", key)
            process.ask(*query, cwd=home)
    patterns = source / "info" / "sparse-checkout"
    if "core.sparsecheckout" in said and patterns.is_file():
        permissions.make_folder(home / "info", mode)
        admin.write_new(home / "info" / "sparse-checkout", files.read(patterns), mode)


def _taken(path: Path) -> HqtError:
    return HqtError(
        Code.PATH_EXISTS,
        f"Something else was made at {path} at the same time; it was left alone.",
        "Choose another name or --path.",
        {"path": str(path)},
    )
