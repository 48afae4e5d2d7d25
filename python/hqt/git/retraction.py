"""Taking back what a killed creation has left, by its note (`journal`): under the repository's
lock, and only what is provably the creation's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hqt.git import admin, aside, branches, files, process
from hqt.git.exclude import POOL_IGNORE
from hqt.git.journal import Note, entry_of, file_of, lock_of
from hqt.git.permissions import Permissions
from hqt.git.rollback import Made, roll_back
from hqt.models import Repository

_PATIENCE = 2.0  # seconds for git to end that a killed hqt had started


class _Returned(NamedTuple):
    """A worktree that had been aside."""

    mark: str
    entry: Path
    tree: Path | None
    why: str | None = None  # it could not be put back


def take_back(repo: Repository, finished: Callable[[Path], bool]) -> tuple[str, ...]:
    """Under the lock: roll back what a killed creation has left; a sentence if there was one.

    `finished` says whether the creation of the worktree at a path had come to its end: then it
    stays. So does one that somebody has used since, and whatever is not provably its own.
    """
    returned = tuple(_return(repo))
    file = file_of(repo)
    try:
        note = Note(**json.loads(files.read(file)))
        path = Path(note.path)
    except FileNotFoundError:
        return tuple(_told(returned))
    except (OSError, ValueError, TypeError):
        with contextlib.suppress(OSError):
            file.unlink()
        return tuple(_told(returned))
    others = [one for one in returned if one.mark != note.mark]
    said: tuple[str, ...] = ()
    entry = entry_of(repo, note)
    if finished(path) if note.by_row else entry is None and (path / ".git").is_file():
        if entry:
            admin.replace_lock(entry, None, Permissions())
    else:
        _outlive_git(repo, note, entry)
        made = _made(repo, note)
        left = [*_not_its_own(made), *roll_back(made)]
        said = (f"A creation that was killed at {path} was taken back.",)
        if left:
            said = (f"A creation at {path} was killed. Left behind: {'; '.join(left)}.",)
    file.unlink(missing_ok=True)
    return (*_told(others), *said)


def _return(repo: Repository) -> Iterator[_Returned]:
    """Put back what was aside when a rollback was killed: it is judged anew."""
    aside.sweep(repo.common_dir)
    for one in aside.found(repo.common_dir):
        try:
            home, tree = aside.put_back(one)
        except OSError as error:
            yield _Returned(one.mark, one.admin, one.tree, error.strerror)
        else:
            yield _Returned(one.mark, home, tree)


def _told(returned: Iterable[_Returned]) -> Iterator[str]:
    """What became of worktrees whose creation has no note any more."""
    for one in returned:
        what = one.tree or one.entry
        if one.why:
            yield f"{what} could not be put back in its place ({one.why}); it was left alone."
            continue
        if admin.lock_reason(one.entry) == lock_of(one.mark):
            admin.replace_lock(one.entry, None, Permissions())
        yield f"Taking back a creation was cut short; {what} is where it was."


def _outlive_git(repo: Repository, note: Note, entry: Path | None) -> None:
    """Wait until no git that the killed call had started holds a lock file there any more. What is
    still there by then was left by one that was killed as well: on a branch that is the creation's
    own it goes, for git itself never would."""
    ref = repo.common_dir / "refs" / "heads" / f"{note.branch}.lock"
    locks = [entry / "index.lock", entry / "HEAD.lock"] if entry else []
    deadline = time.monotonic() + _PATIENCE
    while any(one.exists() for one in (*locks, ref)) and time.monotonic() < deadline:
        time.sleep(0.02)
    if note.branch and ref.exists() and _is_own_branch(repo, note):
        ref.unlink(missing_ok=True)


def _made(repo: Repository, note: Note) -> Made:
    """What there is of a creation: an entry with the note's lock that is still for the path, the
    tree of that entry, a branch that nobody else can have made or moved."""
    path = Path(note.path)
    made = Made(repo, path, note.commit, note.branch, note.mark)
    made.entry = entry_of(repo, note)
    if made.entry and admin.worktree_path(made.entry) not in {None, path}:
        made.entry = None
    if made.entry:
        _drop_half_a_link(made.entry, path)
    made.linked = made.entry is not None and admin.points_back(made.entry, path)
    made.filling = made.entry is not None and _is_half_filled(made.entry)
    made.tree = made.entry is not None and path.is_dir() and not path.is_symlink()
    made.new_branch = _is_own_branch(repo, note)
    pool = Path(note.pool) if note.pool else None
    if pool and path.is_relative_to(pool):
        made.folders = [one for one in reversed(path.parents) if one.is_relative_to(pool)]
        with contextlib.suppress(OSError):
            if POOL_IGNORE.startswith(files.read(pool / ".gitignore")):
                made.ignore = pool / ".gitignore"
    return made


def _is_half_filled(entry: Path) -> bool:
    """Whether its git was killed before it had written the first index."""
    try:
        return not (entry / "index").exists() and not (entry / "index.lock").stat().st_size
    except FileNotFoundError:
        return False


def _drop_half_a_link(entry: Path, path: Path) -> None:
    """Take away a `.git` that was killed while it was written: alone in the folder, and no more
    than the beginning of what it was to hold."""
    link = path / ".git"
    with contextlib.suppress(OSError):
        if link.is_symlink() or not link.is_file() or list(path.iterdir()) != [link]:
            return
        whole, half = os.fsencode(f"gitdir: {entry}\n"), files.read(link)
        if len(half) < len(whole) and whole.startswith(half):
            link.unlink()


def _is_own_branch(repo: Repository, note: Note) -> bool:
    """Whether the creation made the branch and nothing has happened to it since."""
    if note.branch is None or branches.commit_of(repo, note.branch) != note.commit:
        return False
    query = ("log", "-g", "--format=%gs", f"refs/heads/{note.branch}", "--")
    answer = process.ask(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir)
    lines = answer.text.splitlines()
    if answer.status or not lines:
        return answer.status == 0 and note.has_branch
    return len(lines) == 1 and note.mark in lines[0]


def _not_its_own(made: Made) -> Iterator[str]:
    """What is where the creation would have put something, but may be somebody else's."""
    if made.entry is None and os.path.lexists(made.path):
        yield f"what is at {made.path} now, as it may be somebody else's"
    if made.branch and not made.new_branch and branches.commit_of(made.repo, made.branch):
        yield f"the branch {made.branch}, as somebody may have made or used it"
