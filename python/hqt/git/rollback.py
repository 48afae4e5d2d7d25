"""Taking back a creation that failed: only what it made, and only while nobody has used it.

Files are deleted by name, those of the commit alone, so a file that is not the commit's can never
go; where anything was changed or added, the whole worktree stays and is named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hqt.errors import Failure, HqtError
from hqt.git import admin, branches, files, pristine
from hqt.git.exclude import POOL_IGNORE, Exclusion
from hqt.git.interrupts import held_back
from hqt.git.permissions import Permissions
from hqt.models import Repository


@dataclass(slots=True)
class Made:
    """What a creation has made so far; each is noted in one breath with its making."""

    repo: Repository
    path: Path
    commit: str
    branch: str | None
    mark: str = ""  # random; in the lock and in the branch's reflog, to know them again by
    folders: list[Path] = field(default_factory=list)  # above the worktree, outermost first
    ignore: Path | None = None  # the pool's .gitignore
    excluded: Exclusion | None = None
    new_branch: bool = False
    entry: Path | None = None  # the admin directory
    tree: bool = False  # the worktree's own folder
    linked: bool = False  # its .git, and thus its registration


def roll_back(made: Made) -> tuple[str, ...]:
    """Undo what `made` lists, newest first, and return a clause for each thing that had to stay."""
    with held_back():
        if made.linked and (why := _used(made)):
            return tuple(_keep(made, why))
        return tuple(_remove(made))


def explained(error: BaseException, left: tuple[str, ...]) -> BaseException:
    """`error` with what stayed named in it, and in its details as `left`."""
    if not left:
        return error
    sentence = f"Left behind: {'; '.join(left)}."
    if not isinstance(error, Failure):
        error.add_note(sentence)
        return error
    error.message = f"{error.message} {sentence}"
    error.args = (error.message,)
    error.details["left"] = list(left)
    return error


def _keep(made: Made, why: str) -> Iterator[str]:
    yield f"the worktree {made.path}, as {why}"
    if made.new_branch:
        yield f"its branch {made.branch}"
    assert made.entry is not None
    with contextlib.suppress(OSError):
        admin.replace_lock(made.entry, None, Permissions())


def _remove(made: Made) -> Iterator[str]:
    if made.linked:
        yield from _attempt(
            f"files in {made.path}",
            lambda: pristine.delete_files(made.repo, made.path, made.commit),
        )
    if made.tree:
        yield from _attempt(f"the folder {made.path}", made.path.rmdir)
    if made.entry:
        import shutil

        entry = made.entry
        yield from _attempt(f"the admin directory {entry}", lambda: shutil.rmtree(entry))
        with contextlib.suppress(OSError):  # as git: the folder goes with its last entry
            entry.parent.rmdir()
    if made.new_branch and made.branch:
        name = made.branch
        deleted = False
        with contextlib.suppress(HqtError):
            deleted = branches.delete(made.repo, name, made.commit)
        if not deleted and branches.commit_of(made.repo, name):
            yield f"the branch {name}"
    if made.excluded:
        yield from _attempt(f"a line in {made.excluded.file}", made.excluded.undo)
    for folder in reversed(made.folders):
        with contextlib.suppress(OSError):  # somebody else uses it by now
            if made.ignore and made.ignore.parent == folder and _is_untouched(made.ignore):
                made.ignore.unlink()
            folder.rmdir()


def _used(made: Made) -> str | None:
    assert made.entry is not None
    return pristine.why_used(made.repo, made.entry, made.path, made.commit)


def _attempt(what: str, action: Callable[[], object]) -> Iterator[str]:
    try:
        action()
    except FileNotFoundError:
        pass
    except (OSError, HqtError) as error:
        yield f"{what} ({error.strerror if isinstance(error, OSError) else error})"


def _is_untouched(ignore: Path) -> bool:
    try:
        alone = list(ignore.parent.iterdir()) == [ignore]
        return alone and POOL_IGNORE.startswith(files.read(ignore))
    except OSError:
        return False
