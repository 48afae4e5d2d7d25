"""Taking back a creation that failed: only what it made, and only while nobody has used it.

It is judged where it stands, so that one in use is not disturbed; then it is taken aside, out of
everybody's reach, and only what still is there as it was judged is deleted. Where anything was
changed or added, also while this goes on, the whole worktree stays, or comes back, and is named.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hqt.errors import Failure, HqtError
from hqt.git import admin, aside, branches, files, pristine, process, sighting
from hqt.git.aside import Aside
from hqt.git.exclude import POOL_IGNORE, Exclusion
from hqt.git.interrupts import held_back
from hqt.git.permissions import Permissions
from hqt.git.pristine import Judged
from hqt.models import Repository

_AT_WORK = "somebody has worked in it while it was taken back"
_LOCKS = ("index.lock", "HEAD.lock")


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
    filling: bool = False  # its git has begun to write the files, and not come to its end


def roll_back(made: Made) -> tuple[str, ...]:
    """Undo what `made` lists, newest first, and return a clause for each thing that had to stay."""
    with held_back():
        if made.filling and made.entry:
            _drop_dead_locks(made.entry)
        if made.entry and (kept := _take_back(made, made.entry)):
            return kept
        return tuple(_remove_rest(made))


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


def _take_back(made: Made, entry: Path) -> tuple[str, ...]:
    """Delete the worktree and its admin directory; what stays instead, or nothing."""
    judged = pristine.judge(made.repo, entry, made.path, made.commit, linked=made.linked)
    if judged.why:
        return tuple(_keep(made, entry, judged.why))
    if made.tree and not made.linked:
        with contextlib.suppress(OSError):  # said later on; it is the entry that tells whose it is
            made.path.rmdir()
    try:
        one = aside.take(made.repo.common_dir, made.mark, entry, made.path, tree=made.linked)
    except OSError as error:
        return tuple(_keep(made, entry, f"it could not be taken aside ({error.strerror})"))
    try:
        why = _delete(made, one, judged)
    except OSError as error:
        why = f"it could not be deleted ({error.strerror})"
    if why is None:
        return ()
    try:
        entry, place = aside.put_back(one)
    except OSError as error:
        why += f"; until the next call of hqt it is in {one.tree} ({error.strerror})"
        return tuple(_named(made, entry, why))
    made.path = place or made.path
    return tuple(_keep(made, entry, why))


def _delete(made: Made, one: Aside, judged: Judged) -> str | None:
    """Delete what is aside if it still is what was judged, else say why not. Raises OSError."""
    tree = one.tree if made.linked else None
    if sighting.difference(one.admin, judged.entry):
        return _AT_WORK
    if tree:
        link = files.read(tree / ".git", follow=False)
        found = sighting.difference(tree, judged.tree) or sighting.delete(tree, judged.tree)
        if found:
            return f"{_AT_WORK} ({found})"
        try:
            if made.tree:
                tree.rmdir()
            elif tree != made.path:  # the folder was there before
                tree.rename(made.path)
        except OSError:
            (tree / ".git").write_bytes(link)
            raise
    if sighting.difference(one.admin, judged.entry):
        return _AT_WORK
    aside.drop(one)
    return None


def _keep(made: Made, entry: Path, why: str) -> Iterator[str]:
    yield from _named(made, entry, why)
    with contextlib.suppress(OSError):
        admin.replace_lock(entry, None, Permissions())


def _named(made: Made, entry: Path, why: str) -> Iterator[str]:
    if made.linked:
        yield f"the worktree {made.path}, as {why}"
    else:
        yield f"the admin directory {entry}, as {why}"
    if made.new_branch:
        yield f"its branch {made.branch}"


def _remove_rest(made: Made) -> Iterator[str]:
    if made.tree and not made.linked:
        yield from _attempt(f"the folder {made.path}", made.path.rmdir)
    if made.new_branch and made.branch:
        name = made.branch
        deleted = False
        with contextlib.suppress(HqtError):
            deleted = not _was_used(made, name) and branches.delete(made.repo, name, made.commit)
        if not deleted and branches.commit_of(made.repo, name):
            yield f"the branch {name}"
    if made.excluded:
        yield from _attempt(f"a line in {made.excluded.file}", made.excluded.undo)
    for folder in reversed(made.folders):
        with contextlib.suppress(OSError):  # somebody else uses it by now
            if made.ignore and made.ignore.parent == folder and _is_untouched(made.ignore):
                made.ignore.unlink()
            folder.rmdir()


def _was_used(made: Made, branch: str) -> bool:
    """Whether the branch's reflog, which goes with it, may be all that knows some other commit."""
    query = ("log", "-g", "--format=%H", f"refs/heads/{branch}", "--")
    answer = process.ask(f"--git-dir={made.repo.common_dir}", *query, cwd=made.repo.common_dir)
    return answer.status != 0 or not set(answer.text.split()) <= {made.commit}


def _drop_dead_locks(entry: Path) -> None:
    """Take away the locks of our own git, which has ended. It held that of the index all along, so
    nobody else has one that is older than the time it was given to end in."""
    for name in _LOCKS:
        lock = entry / name
        with contextlib.suppress(OSError):
            if time.time() - lock.lstat().st_mtime > process.GRACE / 2:
                lock.unlink()


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
