"""Finding the repository, opening it, and naming its commits.

Discovery follows git's own setup by a look at files alone, in well under a millisecond, and asks
git only where something is unusual: extensions, another owner, a bare directory.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.git import gitdir, process, refs
from hqt.git.gitdir import BrokenGitFile
from hqt.models import Repository

if TYPE_CHECKING:
    import pygit2

_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HIDDEN_BARE = ".bare"


def discover(start: Path) -> Repository:
    """The repository that the folder `start` lies in.

    As git would find it there without any `GIT_*` variable: the nearest `.git` counts, and one that
    is broken ends the search rather than giving way to a repository around it. Where git finds
    nothing, a folder that holds its repository in `.bare` is one too. Raises `not_a_repository`
    (also for a folder that does not exist or a broken `.git`) and `unsupported_repository` when git
    refuses what is there.
    """
    folder = _entered(start)
    try:
        git_dir, holder = _search(folder)
    except OSError as error:
        raise HqtError(
            Code.NOT_A_REPOSITORY,
            f"It cannot be seen whether {folder} is in a repository: {error.strerror}.",
            "Check the permissions of that folder and of those above it.",
        ) from error
    common_dir = gitdir.common_dir_of(git_dir)
    linked = common_dir != git_dir
    shape = gitdir.read_format(common_dir)
    if holder is None or not shape.plain or not _owned(git_dir, holder):
        _confirm(folder if holder or folder.is_relative_to(git_dir) else git_dir)
    main = _main_checkout(common_dir, shape, None if linked else holder)
    unsaid = shape.bare is None and main is None and not linked
    if linked:
        checkout = holder
    else:
        checkout = main if holder and main and folder.is_relative_to(main) else None
    subfolder = str(folder.relative_to(checkout)) if checkout else "."
    return Repository(
        common_dir=common_dir,
        main=main,
        bare=bool(shape.bare) or unsaid,
        checkout=checkout,
        subfolder="" if subfolder == "." else subfolder,
    )


def open_checkout(path: Path) -> pygit2.Repository:
    """The checkout whose root is `path`, opened by libgit2 without searching upwards.

    Raises `unsupported_repository` for what libgit2 cannot open; git may still be able to.
    """
    import pygit2

    _align_search_paths()
    try:
        return pygit2.Repository(str(path), pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
    except (pygit2.GitError, OSError, ValueError) as error:
        raise HqtError(
            Code.UNSUPPORTED_REPOSITORY,
            f"libgit2 cannot open {path}: {str(error).rstrip('.')}.",
            "Use git itself for this repository; see `hqt doctor`.",
        ) from error


def open_common(repo: Repository) -> pygit2.Repository:
    """The repository itself, as `open_checkout` opens a checkout."""
    return open_checkout(repo.common_dir)


def git_dir_of(repo: Repository, checkout: Path | None) -> Path:
    """The git directory whose HEAD is that of `checkout`; None means the repository's own.

    Raises `missing_worktree` when there is no checkout any more.
    """
    if checkout is None or checkout == repo.main:
        return repo.common_dir
    try:
        found = gitdir.git_dir_of(checkout)
    except BrokenGitFile as error:
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"The checkout at {checkout} cannot be used: {error}.",
            "Run `git worktree repair` from the main checkout, or restore the worktree.",
        ) from error
    if found is None:
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"There is no checkout at {checkout}.",
            "Restore the worktree, or start from another one.",
        )
    return found


def resolve(repo: Repository, revision: str, *, checkout: Path | None) -> str:
    """The full commit id in hex that `revision` names; tags are peeled, HEAD is `checkout`'s.

    Whatever git understands as one revision is taken, and nothing is taken for an option. Raises
    `no_such_revision` (also for files and folders), and `no_commits` when the revision leads to a
    HEAD that has no commit yet.
    """
    git_dir = git_dir_of(repo, checkout)
    files = refs.files_of(repo.common_dir)
    if revision == "HEAD" and files:
        found = files.head(git_dir).commit
    else:
        found = _commit_of(git_dir, revision)
    if found is None:
        raise _unresolved(git_dir, revision)
    return found


def require_commits(repo: Repository) -> None:
    """Raise `no_commits` for a repository in which nothing was ever committed or fetched."""
    files = refs.files_of(repo.common_dir)
    if files and files.head(repo.common_dir).commit:
        return
    answer = process.ask("rev-list", "--all", "--max-count=1", cwd=repo.common_dir)
    if answer.status == 0 and not answer.out:
        raise _no_commits("repository")


def _entered(start: Path) -> Path:
    try:
        folder = Path(os.path.realpath(start, strict=True))
        entered = folder.is_dir()
    except (OSError, ValueError):
        entered = False
    if not entered:
        raise HqtError(
            Code.NOT_A_REPOSITORY,
            f"There is no folder {start}.",
            "Name a folder inside a git repository, with -C or by going there.",
        )
    return folder


def _search(folder: Path) -> tuple[Path, Path | None]:
    """The git directory and the folder that holds its `.git`; None inside a git directory."""
    device = folder.stat().st_dev
    for level in (folder, *folder.parents):
        if level.stat().st_dev != device:
            break  # as git, which does not leave the file system it started on
        try:
            found = gitdir.git_dir_of(level)
        except BrokenGitFile as error:
            raise HqtError(
                Code.NOT_A_REPOSITORY,
                f"{error}, so {folder} belongs to no repository.",
                "Run `git worktree repair` in the main checkout if a worktree or the repository was"
                " moved; remove that .git file if it means nothing any more.",
            ) from error
        if found:
            return found, level
        if gitdir.is_git_directory(level):
            return level, None
    for level in (folder, *folder.parents):
        if gitdir.is_git_directory(level / _HIDDEN_BARE):
            return Path(os.path.realpath(level / _HIDDEN_BARE)), None
    raise HqtError(
        Code.NOT_A_REPOSITORY,
        f"{folder} is in no git repository.",
        "Go to a repository, or run `git init` here first.",
    )


def _main_checkout(common_dir: Path, shape: gitdir.Format, holder: Path | None) -> Path | None:
    """A separate git directory does not know its checkout: only `holder`, which led there, does."""
    if shape.bare:
        return None
    if shape.worktree is not None:
        return Path(os.path.realpath(common_dir / shape.worktree))
    if holder is None and common_dir.name == ".git":
        return common_dir.parent
    return holder


def _owned(git_dir: Path, holder: Path) -> bool:
    """Whether everything that git's `safe.directory` is about belongs to who runs hqt."""
    paths = (git_dir, holder, holder / ".git")
    try:
        return all(path.lstat().st_uid == os.geteuid() for path in paths)
    except OSError:  # gone in this moment
        return False


def _confirm(folder: Path) -> None:
    """Let git say whether it works here."""
    answer = process.ask("rev-parse", "--git-dir", cwd=folder)
    if answer.status == 0:
        return
    lines = os.fsdecode(answer.err).splitlines()
    fatal = next((line for line in lines if line.startswith("fatal: ")), answer.complaint)
    said = fatal.removeprefix("fatal: ").rstrip(".")
    remedy = "Use a git that knows this repository, or mend what it complains of."
    if "safe.directory" in os.fsdecode(answer.err):
        remedy = "If you trust its owner, run the `git config` line that git names there."
    raise HqtError(
        Code.UNSUPPORTED_REPOSITORY,
        f"git does not work in {folder}: {said}.",
        remedy,
        {"stderr": os.fsdecode(answer.err)[-2000:]},
    )


def _align_search_paths() -> None:
    """Point libgit2 at this call's HOME: it remembers the one of the process that loaded it, which
    in a warm start was another call's.
    """
    import pygit2

    home = os.environ.get("HOME") or ""
    xdg = os.environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    level = pygit2.enums.ConfigLevel
    for key, path in ((level.GLOBAL, home), (level.XDG, f"{xdg}/git" if xdg else "")):
        if pygit2.settings.search_path[key] != path:
            pygit2.settings.search_path[key] = path


def _commit_of(git_dir: Path, revision: str) -> str | None:
    if not revision.strip() or "\0" in revision:
        return None
    if revision.startswith(":"):  # ":/text" would take "^{commit}" for a part of the text
        found = _object_of(git_dir, revision)
        return _object_of(git_dir, f"{found}^{{commit}}") if found else None
    return _object_of(git_dir, f"{revision}^{{commit}}")


def _object_of(git_dir: Path, revision: str) -> str | None:
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
    answer = process.ask(f"--git-dir={git_dir}", *query, cwd=git_dir)
    hex = answer.text
    return hex if answer.status == 0 and _HEX.fullmatch(hex) else None


def _unresolved(git_dir: Path, revision: str) -> HqtError:
    if revision.startswith(("HEAD", "@")) and _object_of(git_dir, "HEAD") is None:
        return _no_commits("checkout")
    said = f"There is no commit {revision!r} here" if revision else "The revision is empty"
    if revision.strip() and "\0" not in revision and (found := _object_of(git_dir, revision)):
        kind = process.ask(f"--git-dir={git_dir}", "cat-file", "-t", found, cwd=git_dir).text
        said = f"{revision!r} names a {kind}, not a commit" if kind else said
    return HqtError(
        Code.NO_SUCH_REVISION,
        f"{said}; nothing was made.",
        "Name a branch, a tag or a commit; `git log --oneline` lists commits.",
        {"revision": revision},
    )


def _no_commits(what: str) -> HqtError:
    return HqtError(
        Code.NO_COMMITS,
        f"This {what} has no commit yet, so nothing can start from it.",
        "Make a first commit, then try again.",
    )
