"""What a crash, a full disk or an interrupt left half done is finished or taken back.

What was intended is in the manifest; how far it came is seen on the disk. A removal is irrevocable
once the tree is in the trash, an undo once the admin entry is back in its place; before that they
are taken back. Each step looks first whether it is needed, so recovery may be cut short too.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import admin, branch_records, disposal, entry, passage, snapshots
from hqt.git.entry import Entry
from hqt.git.manifest import State
from hqt.models import Repository

# Told where a worktree is back, and the record of the session that went with it ({}: none).
Returned = Callable[[Path, Mapping[str, object]], None]

_DRAFTS = {".manifest.json.new"}


def unfinished(repo: Repository) -> bool:
    """Whether a removal, an undo or an emptying is under way, or was cut short."""
    found, unreadable = entry.read_all(repo)
    return bool(unreadable) or any(one.manifest.state is not State.TAKEN for one in found)


def unheard(_path: Path, _session: Mapping[str, object]) -> None:
    """For whom sessions are nothing."""


def recover(repo: Repository, returned: Returned = unheard) -> tuple[str, ...]:
    """Settle everything that is unfinished; a sentence for each. To be run under the lock.

    `returned` is told of each worktree that is back, before its entry is dropped. Raises nothing:
    what cannot be settled is said, and left as it is for the next time.
    """
    found, unreadable = entry.read_all(repo)
    said = []
    for one in found:
        if one.manifest.state is not State.TAKEN:
            try:
                said.append(settle(one, returned))
            except (OSError, HqtError) as error:
                said.append(
                    f"What was begun with the worktree {one.path} could not be finished:"
                    f" {str(error).rstrip('.')}. All of it is in {one.directory}."
                )
    said += [
        f"{directory} has no readable manifest; it was left alone."
        for directory in unreadable
        if not _is_a_draft(directory)
    ]
    with contextlib.suppress(OSError, HqtError):  # the next sweep would do it too
        disposal.finish_condemning(repo)
    return tuple(said)


def settle(one: Entry, returned: Returned = unheard) -> str:
    """Finish or take back what was begun with one entry; says what was done.

    Raises OSError and HqtError; then another try can go on from there.
    """
    match one.manifest.state:
        case State.TAKEN:
            return ""
        case State.PREPARED:
            _discard(one)
            return f"The removal of {one.path} had not begun; it was called off."
        case State.TAKING if one.has_tree:
            left = finish_taking(one)
            where = f" Not all of it could be deleted in {passage.away(one)}." if left else ""
            return f"The removal of {one.path} was finished; `hqt undo` brings it back.{where}"
        case State.TAKING:
            passage.remove_partial(one.partial)
            _return_tree(one)
            _discard(passage.reattach(one))
            return f"The removal of {one.path} was taken back; it is where it was."
        case State.RESTORING if one.has_admin:
            take_back(one)
            return f"Bringing {one.place.path} back had failed halfway; it is in the trash again."
        case State.RESTORING:
            finish_restoring(one, returned)
            return f"Bringing {one.place.path} back was finished."


def finish_taking(one: Entry) -> tuple[Path, ...]:
    """The rest of a removal whose tree is in the trash; what could not be deleted of a tree that
    had to be copied. Raises OSError.
    """
    left: tuple[Path, ...] = ()
    if os.path.lexists(passage.away(one)):
        left = snapshots.remove_copied(passage.away(one), one.tree)
    entry.change(one, state=State.TAKEN)
    passage.remove_empty_parents(one.path, one.manifest.pool)
    return left


def finish_restoring(one: Entry, returned: Returned) -> None:
    """The rest of an undo: register the worktree where its tree already is, tell of it, and drop
    the entry, which alone holds the session until then.

    Raises OSError and HqtError, and what `returned` raises.
    """
    one = passage.reattach(one)
    _require_registered(one)
    if one.manifest.tree and not admin.points_back(one.home, one.place.path):
        raise HqtError(
            Code.GIT_FAILED,
            f"{one.place.path} does not lead to {one.home}; what is left of it was kept.",
            "Look what is at that path, then run any hqt command that changes something.",
        )
    returned(one.place.path, one.manifest.session)
    disposal.remove(disposal.condemn(one))


def take_back(one: Entry) -> None:
    """Undo an undo whose admin entry is still in the trash. Raises OSError and HqtError."""
    place = one.place
    if one.has_tree and passage.is_marked(one, place.path):  # a copy, on another file system
        snapshots.remove_copied(place.path, one.tree)
    elif one.manifest.tree and not one.has_tree:
        if not passage.is_marked(one, place.path):
            raise HqtError(
                Code.GIT_FAILED,
                f"The tree of {one.path} is neither in the trash nor at {place.path}.",
                f"Put it back as {one.tree}, then run any hqt command that changes something.",
            )
        place.path.rename(one.tree)
    passage.remove_partial(passage.arriving(one))
    passage.release_claim(one)
    for branch in one.manifest.branches:
        if branch.ref in place.revived and not branch_records.is_missing(one.repository, branch):
            branch_records.forget(one.repository, branch)
    if place.made:
        passage.remove_empty_parents(place.path, place.made.parent)
    entry.change(one, state=State.TAKEN, place=None)


def after_failure(repo: Repository, id: str, returned: Returned = unheard) -> State | None:
    """Settle at once what can be settled; the state of the entry then, None when there is none.

    Raises nothing; what fails again is left to `recover`.
    """
    with contextlib.suppress(OSError, HqtError):
        settle(entry.find(repo, id), returned)
    try:
        return entry.find(repo, id).manifest.state
    except (OSError, HqtError):
        _is_a_draft(entry.trash_directory(repo.common_dir) / id)
        return None


def _return_tree(one: Entry) -> None:
    """Move a tree back that had been moved aside, to be copied."""
    away = passage.away(one)
    if os.path.lexists(away):
        if os.path.lexists(one.path):
            raise HqtError(
                Code.PATH_EXISTS,
                f"There is something at {one.path} now, so {away} cannot go back there.",
                "Move it away, then run any hqt command that changes something.",
            )
        away.rename(one.path)
    elif one.manifest.far and not os.path.lexists(one.path):
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"Neither {one.path} nor {away} is there; their disk may be away.",
            "Mount it, then run any hqt command that changes something.",
        )


def _discard(one: Entry) -> None:
    """Drop an entry whose worktree is in its place, and only then."""
    _require_registered(one)
    if one.has_tree or one.has_admin:
        raise HqtError(
            Code.GIT_FAILED,
            f"{one.directory} still holds the worktree {one.path}; it was left alone.",
            "`hqt doctor` looks at the repository.",
        )
    disposal.remove(disposal.condemn(one))


def _require_registered(one: Entry) -> None:
    if admin.worktree_path(one.home) != Path(os.path.realpath(one.place.path)):
        raise HqtError(
            Code.IDENTITY_MISMATCH,
            f"{one.home} is not the entry of the worktree {one.place.path}; its pins were kept.",
            "Look with `git worktree list`.",
        )


def _is_a_draft(directory: Path) -> bool:
    """Whether it was left by a crash before anything was written; then it is gone now."""
    try:
        if not {child.name for child in directory.iterdir()} <= _DRAFTS:
            return False
        disposal.remove(directory)
    except OSError:
        return False
    return not os.path.lexists(directory)
