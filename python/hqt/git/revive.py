"""Undo: a worktree comes back from the trash as it was, file for file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import (
    admin,
    branch_records,
    branches,
    entry,
    links,
    passage,
    places,
    recovery,
    whereabouts,
)
from hqt.git.entry import Entry
from hqt.git.manifest import Branch, Place, State
from hqt.git.recovery import Returned
from hqt.models import Repository, Worktree

_HEADS = "refs/heads/"


class Undone(NamedTuple):
    """A worktree that is back."""

    path: Path
    branch: str | None  # short name; None when HEAD is detached
    branch_recreated: bool  # a branch that had been deleted was made again
    detached_because: str | None  # a sentence, where HEAD could not go back to its branch
    session: dict[str, object]  # its row; empty if none went with it


class _Head(NamedTuple):
    text: str
    branch: str | None
    because: str | None = None


def undo(
    repo: Repository,
    id: str,
    *,
    to: Path | None = None,
    worktrees: Iterable[Worktree],
    pool: Path | None = None,
    returned: Returned = recovery.unheard,
) -> Undone:
    """Bring an entry back, to where it was or to the absolute path `to`. If the repository has
    moved meanwhile, where it was is the same place as it is called now.

    `worktrees` are all checkouts of the repository as they are now, `pool` the only folder inside a
    checkout that `to` may lie in. `returned` is told where the worktree is back, before its entry
    is dropped. To be run under the lock.
    Raises `no_such_target`, `path_exists`, and `git_failed` or `busy` where it cannot be done;
    then the entry is in the trash as before.
    """
    one = entry.find(repo, id)
    said = one.manifest
    if said.state is not State.TAKEN:
        raise HqtError(
            Code.GIT_FAILED,
            f"What was begun with the worktree {one.path} is not finished, so it cannot be brought"
            " back yet.",
            "Any hqt command that changes this repository finishes it or takes it back.",
        )
    _require_own(one)
    path = Path(os.path.realpath(to)) if to else _destination(one)
    worktrees = tuple(worktrees)
    _require_free(one, path)
    if to and path != one.destination and not os.path.lexists(path):
        places.check(repo, path, worktrees, pool)
    head = _head(repo, one, worktrees)
    missing = (branch for branch in said.branches if branch_records.is_missing(repo, branch))
    revived = tuple(branch for branch in missing if not _obstacle(repo, branch))
    made = _topmost_missing(path.parent) if said.tree else None
    place = Place(path, said.name, head.text, made, tuple(branch.ref for branch in revived))
    try:
        _restore(one, place, revived, returned)
    except OSError as error:
        now = recovery.after_failure(repo, id, returned)
        if now is not None:
            raise _failed(one, path, now, error) from error
    except HqtError:
        if recovery.after_failure(repo, id, returned) is not None:
            raise
    except BaseException:
        recovery.after_failure(repo, id, returned)
        raise
    return Undone(path, head.branch, bool(revived), head.because, dict(said.session))


def _restore(one: Entry, place: Place, revived: Iterable[Branch], returned: Returned) -> None:
    one = entry.change(one, state=State.RESTORING, place=place)
    for branch in revived:
        branch_records.revive(one.repository, branch)
    if one.manifest.tree:
        place.path.parent.mkdir(parents=True, exist_ok=True)
        passage.bring_tree(one)
    recovery.finish_restoring(one, returned)


def _head(repo: Repository, one: Entry, worktrees: tuple[Worktree, ...]) -> _Head:
    """HEAD on its branch if that gives the same commit and nobody else has it; else detached."""
    said = one.manifest
    branch = next((branch for branch in said.branches if branch.ref == said.ref), None)
    if branch is None:
        return _Head(said.head, None)
    name = branch.ref.removeprefix(_HEADS)
    if use := branches.used_by(repo, name, worktrees):
        why = f"Branch {name} is {use.how} at {use.place} now"
    elif branch_records.has_moved(repo, branch):
        why = f"Branch {name} is at another commit now"
    elif other := _obstacle(repo, branch):
        why = f"Branch {other} stands in the way of {name}"
    else:
        return _Head(said.head, name)
    if said.commit is not None:
        return _Head(f"{said.commit}\n", None, f"{why}, so HEAD is detached at the same commit.")
    taken = branches.names(repo)
    fresh = next(new for n in range(1, len(taken) + 2) if (new := f"{name}-{n}") not in taken)
    because = f"{why}, so HEAD is on the branch {fresh}, without a commit like before."
    return _Head(f"ref: {_HEADS}{fresh}\n", fresh, because)


def _obstacle(repo: Repository, branch: Branch) -> str | None:
    """The branch that keeps a missing one from being made again."""
    if not branch_records.is_missing(repo, branch):
        return None
    return branches.clash(repo, branch.ref.removeprefix(_HEADS))


def _require_own(one: Entry) -> None:
    """The tree in the trash is still what was put there: git could not be told of another."""
    try:
        if not one.manifest.tree or passage.is_marked(one, one.tree):
            return
    except OSError:
        pass
    raise HqtError(
        Code.IDENTITY_MISMATCH,
        f"The .git in {one.tree} is not the one that hqt wrote there; nothing was restored.",
        f"Make it a file with the line `gitdir: {one.directory}`, then try again.",
    )


def _destination(one: Entry) -> Path:
    """Where it was, as that is called now; its folder physical, as hqt lists it."""
    path = one.destination
    if path is None:
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"{one.path} was inside the repository, which has moved and changed its kind since;"
            " nothing was restored.",
            "Say where it shall go with `--to`.",
        )
    if dead := whereabouts.dead_link(path):
        raise HqtError(
            Code.PATH_EXISTS,
            f"{dead} is a link that leads nowhere now, so nothing was restored to {path}.",
            "Mount what it leads to or mend it, or restore to another folder with `--to`.",
            {"path": str(dead)},
        )
    return places.settled(path)


def _require_free(one: Entry, path: Path) -> None:
    if any(path.is_relative_to(one.common_dir / own) for own in ("hqt", "worktrees")):
        raise HqtError(
            Code.PATH_EXISTS,
            f"{path} is inside the repository's own directory; nothing was restored.",
            "Choose a folder elsewhere with `--to`.",
        )
    # The directory of a worktree that was missing may have come back, with its disk for example, or
    # have been moved; a link that would lead to another's entry cannot be kept.
    back = admin.points_back(one.home, path) and not one.home.exists()
    known = not one.manifest.tree and (back or links.follows(one, path))
    if os.path.lexists(path) and not known:
        raise HqtError(
            Code.PATH_EXISTS,
            f"There is something at {path} now; it was left as it is, and nothing was restored.",
            "Move it away, or restore to another folder with `--to`.",
            {"path": str(path)},
        )


def _topmost_missing(folder: Path) -> Path | None:
    missing = [one for one in (folder, *folder.parents) if not os.path.lexists(one)]
    return missing[-1] if missing else None


def _failed(one: Entry, path: Path, now: State | None, error: OSError) -> HqtError:
    outcome = (
        "it is in the trash as before"
        if now is State.TAKEN
        else f"nothing of it is lost, it is in {one.directory}"
    )
    where = f" ({error.filename})" if error.filename else ""
    return HqtError(
        Code.GIT_FAILED,
        f"The worktree could not be brought back to {path}: {error.strerror}{where}; {outcome}.",
        "Mend that, then try again.",
    )
