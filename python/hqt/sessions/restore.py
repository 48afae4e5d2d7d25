"""The story of `restore`: a removed or vanished worktree checked out again where it was.

From the trash if it is there, else from its branch, else from its base commit (design §4). Only the
missing worktree's own unlocked registration is replaced; an existing directory is refused.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace

from hqt.errors import Code, HqtError
from hqt.models import Caller, Progress, Session, TrashEntry, Worktree
from hqt.results import Opened
from hqt.sessions import adopting, inspect, setup, targets, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.setup import Prepared
from hqt.sessions.targets import Target
from hqt.sessions.trash import matching
from hqt.sessions.undo import revive
from hqt.sessions.world import World


def restore(caller: Caller, name: str, progress: Progress | None) -> Opened:
    """Bring the worktree that `name` means back at its recorded directory; opens no window.

    Raises what resolving a target raises, `path_exists` when its directory is there,
    `missing_worktree` when it is elsewhere, `locked`, `worktree_and_branch_gone` when nothing is
    left to restore it from.
    """
    settled = settle(caller, "restore")
    found = _meant(worlds.anywhere(caller), name)
    world = found.world
    if isinstance(found, Trashed):
        with changing(world.repository, "restore", world.caller) as recovered:
            return revive(world, found.entry.id, None, (*settled, *recovered))
    tree, session = found.worktree, found.session
    if tree is None and session and session.worktree_path is None:
        raise _without_worktree(name)
    if world.plain:
        raise HqtError(
            Code.NOT_A_REPOSITORY,
            f"{world.repository.root} is no repository any more; nothing was changed.",
            "Bring its git directory back, then try again.",
        )
    if tree is not None and not tree.missing:
        raise HqtError(
            Code.PATH_EXISTS,
            f"The worktree of {name!r} is there: {tree.path}. Nothing was changed.",
            "`hqt open` goes to its window.",
        )
    adopting.require_unmoved(world, tree)
    with changing(world.repository, "restore", world.caller):
        made, recreated, prepared = check_out_again(world, tree, session, progress)
    world = worlds.again(world)
    mine = session or next(iter(world.sessions_in(made)), None)
    return Opened(
        session=views.session_view(world, mine) if mine else None,
        worktree=views.counted(world, made),
        window=None,
        source=made.path,
        branch_recreated=recreated,
        notes=(*settled, *prepared.notes),
        verb="restored",
    )


@dataclass(frozen=True, slots=True)
class Trashed:
    """A target that is in the trash."""

    world: World
    entry: TrashEntry


def _meant(here: World, name: str) -> Trashed | Target:
    """What is to come back: out of this repository's trash first; out of another's last.

    Raises what resolving a target raises."""
    if entry := _in_trash(here, name):
        return Trashed(here, entry)
    try:
        return targets.find(here.caller, name)
    except HqtError as error:
        if error.code is not Code.NO_SUCH_TARGET:
            raise
        others = targets.other_worlds(here, name)
        kept = [Trashed(one, entry) for one in others if (entry := _in_trash(one, name))]
        if not kept:
            raise
        if len(kept) > 1:
            raise targets.ambiguous(name, [str(one.entry.path) for one in kept]) from None
        return kept[0]


def _without_worktree(name: str) -> HqtError:
    return HqtError(
        Code.NO_SUCH_TARGET,
        f"Session {name!r} has no worktree to restore; nothing was changed.",
        "`hqt open` brings its window back.",
    )


def _in_trash(world: World, name: str) -> TrashEntry | None:
    """The newest removed worktree that `name` means."""
    if world.plain:
        return None
    return next((one for one in matching(world, name) if not one.vanished), None)


def out_of_the_trash(world: World, session: Session) -> Opened | None:
    """Under the lock: the worktree that went with an archive, brought back whole as `undo` does.

    None where the trash has none, where it could not go back onto its branch, which is elsewhere
    by now, and where it cannot be brought back: then its branch alone is what there is to go on.
    """
    from hqt.git import branches, trash

    if not world.is_archived(session) or world.worktree_of(session):
        return None
    family = {one.id for one in (session, *world.parents(session))}
    for entry in trash.entries(world.repository):
        if entry.vanished or entry.path != session.worktree_path:
            continue
        if entry.session.get("id") not in family or entry.branch != session.worktree_branch:
            continue
        if entry.branch:
            tip = branches.commit_of(world.repository, entry.branch)
            taken = branches.used_by(world.repository, entry.branch, world.worktrees)
            if taken or tip not in {None, entry.head}:
                return None
        try:
            return revive(world, entry.id, None, counts=False)
        except HqtError as error:
            if error.code in {Code.INTERRUPTED, Code.STORE_FAILED}:
                raise
            return None
    return None


def check_out_again(
    world: World, tree: Worktree | None, session: Session | None, progress: Progress | None
) -> tuple[Worktree, bool, Prepared]:
    """Under the lock: register and fill a vanished worktree at its recorded path, with the files
    of its setup; the flag says whether its branch had to be made again from the base commit.

    Raises `locked` when git's lock is on the missing one, `worktree_and_branch_gone`.
    """
    from hqt.git import branches, creation, journal, places, worktrees

    path = tree.path if tree else session.worktree_path if session else None
    branch = tree.branch if tree and tree.branch else session.worktree_branch if session else None
    base = session.base_commit if session else None
    commit = branches.commit_of(world.repository, branch) if branch else None
    detached = tree.head if tree and not tree.branch else None
    start = commit or detached or base
    if path is None or start is None:
        raise HqtError(
            Code.WORKTREE_AND_BRANCH_GONE,
            "Its worktree and its branch are both gone, and no base commit is known.",
            "`hqt trash list` and `git reflog` may still know it; `hqt new` starts anew.",
        )
    new = creation.NewWorktree(
        path=path,
        commit=start,
        branch=branch,
        create_branch=branch is not None and commit is None,
        upstream=None,
    )
    pool = worlds.pool(world)
    noted = journal.noted(
        world.repository,
        places.settled(path),
        start,
        branch if new.create_branch else None,
        pool,
        by_row=False,
    )
    with noted as note, ExitStack() as undo:
        aside = _set_aside(world, tree, undo) if tree else None
        listed = worktrees.list_worktrees(world.repository)
        made = creation.create(
            world.repository,
            new,
            worktrees=listed,
            pool=pool,
            progress=progress,
            filters=world.config.filters,
            undo=undo,
            note=note,
        )
        prepared = setup.prepare(world, made, undo)
        undo.pop_all()
    if aside:
        prepared = replace(prepared, notes=(*prepared.notes, _told(aside)))
    return made, new.create_branch, prepared


def _set_aside(world: World, tree: Worktree, undo: ExitStack) -> TrashEntry:
    """Move the registration of a vanished worktree into the trash: what its index or a rebase in
    it alone held stays restorable, and it is needed again if the folder was only moved.

    Raises `locked` when git's lock is on it."""
    from hqt import verdict
    from hqt.git import trash, worktrees

    require_unlocked(tree)
    holds = verdict.holds(inspect.losses(world, tree, None))
    entry = trash.take(trash.prepare(world.repository, tree, holds=holds)).entry

    def put_back() -> None:
        listed = worktrees.list_worktrees(world.repository)
        trash.undo(world.repository, entry.id, to=None, worktrees=listed)

    undo.callback(put_back)
    return entry


def require_unlocked(tree: Worktree) -> None:
    """Raise `locked` where a vanished worktree has git's lock: its disk may only be away."""
    if tree.locked is not None:
        raise HqtError(
            Code.LOCKED,
            f"The vanished worktree at {tree.path} is locked"
            + (f" ({tree.locked})." if tree.locked else "."),
            "Its disk may only be away; `hqt unlock` lifts the lock.",
        )


def _told(aside: TrashEntry) -> str:
    return (
        "If the old folder was only moved, register it again with"
        f" `hqt trash restore {aside.id} --to ITS_NEW_PATH`."
    )
