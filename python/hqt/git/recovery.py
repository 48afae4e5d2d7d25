"""What a crash, a full disk or an interrupt left half done is finished or taken back.

What was intended is in the manifest; how far it came is seen on the disk. A removal is irrevocable
once the tree is in the trash, an undo once the admin entry is back in its place; before that they
are taken back. Each step looks first whether it is needed, so recovery may be cut short too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import (
    admin,
    branch_records,
    disposal,
    entry,
    files,
    links,
    moved,
    passage,
    snapshots,
    whereabouts,
)
from hqt.git.entry import Entry
from hqt.git.lock import Pulse
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
            return _untake(one, returned)
        case State.RESTORING if one.has_admin:
            take_back(one)
            return f"Bringing {one.place.path} back had failed halfway; it is in the trash again."
        case State.RESTORING:
            finish_restoring(one, returned)
            return f"Bringing {one.place.path} back was finished."


def _untake(one: Entry, returned: Returned) -> str:
    """Take a removal back whose tree is not in the trash; says where the worktree is.

    Raises OSError and HqtError, and what `returned` raises: it is told of a worktree that is
    elsewhere than it was, as its repository was moved.
    """
    passage.remove_partial(one.partial)
    _return_tree(one)
    one = passage.reattach(_followed(one))
    where = "where it was"
    if one.place.path != one.path:
        returned(one.place.path, one.manifest.session)
        where = f"at {one.place.path} now"
    _discard(one)
    return f"The removal of {one.path} was taken back; it is {where}."


def _followed(one: Entry) -> Entry:
    """The entry, its place being where the tree is now whose `.git` was set aside; its admin entry
    in the trash if that is elsewhere than it was, to be put back for there.

    Raises OSError, and `missing_worktree` if the tree is not found: then only the entry can link it
    to the repository again.
    """
    if not one.manifest.tree or not os.path.lexists(one.dotgit):
        return one
    folders = tuple(dict.fromkeys(_candidates(one)))
    here = next((folder for folder in folders if _is_marked(one, folder)), None)
    if here is None:
        if any(moved.is_of(one.repository, one.home, folder) for folder in folders):
            return one  # its `.git` had not been set aside, or has been put back
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"The worktree that was at {one.path} is not found, and {one.dotgit} is what links it"
            " to git; put it back there, or delete that file if the worktree is gone for good.",
            "Then run any hqt command that changes something.",
        )
    path = Path(os.path.realpath(here))
    if path == Path(os.path.realpath(one.place.path)):
        return one
    if not one.has_admin:
        _require_registered(one)
        one.home.rename(one.admin)
    head = links.read(one.admin / "HEAD")  # it may have followed a branch that was renamed
    return entry.change(one, place=dataclasses.replace(one.place, path=path, head=head))


def _candidates(one: Entry) -> Iterator[Path]:
    """Where a tree may be that is not in the trash, the likeliest first."""
    pool, recorded = one.manifest.pool, tuple(dict.fromkeys((one.place.path, one.path)))
    yield from recorded
    then = None
    if os.path.lexists(one.dotgit):
        then = whereabouts.common_dir_named(one.path, files.read(one.dotgit))
    for path in recorded:
        if then and (now := whereabouts.present(path, pool, then, one.common_dir)):
            yield now
        yield from moved.candidates(one.repository, path, pool)


def _is_marked(one: Entry, folder: Path) -> bool:
    try:
        return passage.is_marked(one, folder)
    except OSError:  # whatever that is, it cannot be linked
        return False


def finish_taking(one: Entry) -> tuple[Path, ...]:
    """The rest of a removal whose tree is in the trash; what could not be deleted of a tree that
    had to be copied. Raises OSError.
    """
    left: tuple[Path, ...] = ()
    if os.path.lexists(passage.away(one)):
        left = snapshots.remove_copied(passage.away(one), one.tree, Pulse(one.common_dir).beat)
    entry.change(one, state=State.TAKEN)
    passage.remove_empty_parents(one.path, one.manifest.pool)
    return left


def finish_restoring(one: Entry, returned: Returned) -> None:
    """The rest of an undo: register the worktree where its tree already is, tell of it, and drop
    the entry, which alone holds the session until then.

    Raises OSError and HqtError, and what `returned` raises.
    """
    one = passage.reattach(_followed(one))
    at = _arrived(one)
    if at is None:
        raise HqtError(
            Code.GIT_FAILED,
            f"{one.place.path} does not lead to {one.home}; what is left of it was kept.",
            "Look what is at that path, then run any hqt command that changes something.",
        )
    returned(at, one.manifest.session)
    disposal.remove(disposal.condemn(one))


def _arrived(one: Entry) -> Path | None:
    """Where the worktree of an undo is that only had to be finished: where it was to come, or, its
    repository having been moved, where git has been told that it is, or has yet to be told."""
    known, folders = admin.worktree_path(one.home), list(_candidates(one))
    ours = {Path(os.path.realpath(path)) for path in folders}
    if known and known in ours and admin.points_back(one.home, known):
        return known
    _require_registered(one)
    if not one.manifest.tree:
        return one.place.path
    return next((path for path in folders if moved.is_of(one.repository, one.home, path)), None)


def take_back(one: Entry) -> None:
    """Undo an undo whose admin entry is still in the trash. Raises OSError and HqtError."""
    place = one.place
    if one.has_tree and passage.is_marked(one, place.path):  # a copy, on another file system
        snapshots.remove_copied(place.path, one.tree, Pulse(one.common_dir).beat)
    elif one.manifest.tree and not one.has_tree:
        here = next((folder for folder in _candidates(one) if _is_marked(one, folder)), None)
        if here is None:
            raise HqtError(
                Code.GIT_FAILED,
                f"The tree of {one.path} is neither in the trash nor at {place.path}.",
                f"Put it back as {one.tree}, then run any hqt command that changes something.",
            )
        here.rename(one.tree)
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
    """That the admin entry is the worktree's: by the path that it names, or as it names it, if that
    is relative and leads elsewhere since the repository was moved."""
    known = Path(os.path.realpath(one.place.path))
    if admin.worktree_path(one.home) != known and not _says_the_same(one):
        raise HqtError(
            Code.IDENTITY_MISMATCH,
            f"{one.home} is not the entry of the worktree {one.place.path}; its pins were kept.",
            "Look with `git worktree list`.",
        )


def _says_the_same(one: Entry) -> bool:
    try:
        return links.read(one.home / "gitdir") == one.manifest.gitdir
    except OSError:
        return False


def _is_a_draft(directory: Path) -> bool:
    """Whether it was left by a crash before anything was written; then it is gone now."""
    try:
        if not {child.name for child in directory.iterdir()} <= _DRAFTS:
            return False
        disposal.remove(directory)
    except OSError:
        return False
    return not os.path.lexists(directory)
