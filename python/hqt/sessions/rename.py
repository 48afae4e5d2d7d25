"""The story of `rename`: another nickname, another branch; window and store follow.

Directory and conversation stay where they are. All checks first; then, under the repository's lock,
the branch, the rows, the windows. What fails takes back what was done before it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace

from hqt.errors import Checks, Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.names import is_branch_name, slug
from hqt.results import Opened
from hqt.sessions import placement, targets, views
from hqt.sessions import world as worlds
from hqt.sessions.changing import changing, settle
from hqt.sessions.planning import require_nickname
from hqt.sessions.targets import Target
from hqt.sessions.world import World


def rename(
    caller: Caller, name: str, nickname: str, branch: str | None, *, keep_branch: bool = False
) -> Opened:
    """Give the session that `name` means another nickname, and its branch another name.

    A worktree means the only session in it; where there are several, or none, its branch is all
    that can be meant. The branch becomes `branch`; without one, what `new` would call it, if `name`
    means the worktree, or if hqt made the branch and it still bears the name that the old nickname
    gave it. Raises `invalid_name`, `branch_exists`, `no_such_branch`,
    `operation_in_progress`, and what resolving a target raises; then everything is as before.
    """
    settle(caller, "rename")
    target = targets.find(caller, name, by_name=False)
    named = target.session is None
    inside = target.world.sessions_in(target.worktree) if named and target.worktree else ()
    if len(inside) == 1:
        target = replace(target, session=inside[0])
    old, new = _branches(target, nickname, branch, keep_branch, named)
    with _entered(target.world) as recovered, ExitStack() as undo:
        world = worlds.again(target.world)
        undo.callback(_label_again, world)  # the first to be remembered is the last to be undone
        if new and old:
            _rename_branch(world, old, new, undo)
        _rename_rows(world, target.session, nickname, (old, new) if new else None, undo)
        world = worlds.again(world)
        _label_windows(world, target)
        undo.pop_all()
    row = worlds.rows().get(target.session.id) if target.session else None
    tree = _tree(world, target)
    return Opened(
        session=views.session_view(world, row) if row else None,
        worktree=views.counted(world, tree) if tree else None,
        window=world.window_of(row) if row else None,
        source=tree.path if tree else target.world.repository.checkout,
        notes=(*recovered, *_kept(inside)),
        verb="renamed",
        renamed=tuple(_changed(world.sign, target.session, nickname, old, new)),
    )


def _changed(
    sign: str, session: Session | None, nickname: str, old: str | None, new: str | None
) -> Iterator[tuple[str, str]]:
    """What is called otherwise now: the names before and after."""
    if session and session.nickname != nickname:
        yield session.nickname, nickname
    if old and new:
        yield f"{sign} {old}", f"{sign} {new}"


def _entered(world: World) -> AbstractContextManager[tuple[str, ...]]:
    """A folder that is no repository has nothing to be locked."""
    return nullcontext(()) if world.plain else changing(world.repository, "rename", world.caller)


def _branches(
    target: Target, nickname: str, asked: str | None, keep: bool, named: bool
) -> tuple[str | None, str | None]:
    """The branch as it is called and as it will be called; None for one that keeps its name."""
    from hqt.git import renaming

    tree, session, sign = target.worktree, target.session, target.world.sign
    old = tree.branch if tree else None
    follows = asked is None and not keep and _follows(target, named)
    if session is None and asked is None and not follows:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            "There is neither a session nor a branch of its own to rename here.",
            "Name a session or a linked worktree, or give the branch with -b.",
        )
    checks, new = Checks(), asked
    with checks:
        if session is not None and not nickname.strip():
            raise HqtError(
                Code.INVALID_NAME, "A nickname cannot be empty; nothing was renamed.", "Give one."
            )
        if session is not None and nickname != session.nickname:
            require_nickname(nickname)
        if follows:
            new = _derived(nickname)
    with checks:
        if asked is not None and old is None:
            raise HqtError(
                Code.NO_SUCH_BRANCH,
                f"{f'{sign} {tree.label}' if tree else 'It'} has no branch to rename; "
                "nothing was renamed.",
                "Leave -b out to change only the nickname.",
            )
    if tree and old is not None and new is not None and new != old:
        with checks:
            renaming.check(target.world.repository, old, new, target.world.worktrees)
        with checks:
            _require_rest(tree, sign)
    checks.settle()
    return old, None if new == old else new


def _require_rest(tree: Worktree, sign: str) -> None:
    if tree.operation:
        raise HqtError(
            Code.OPERATION_IN_PROGRESS,
            f"{sign} {tree.label} is in the middle of a {tree.operation}; nothing was renamed.",
            "Finish or abort it first.",
        )


def _follows(target: Target, named: bool) -> bool:
    """Whether the branch goes by the new name: it was `named` itself, or hqt called it after the
    nickname."""
    tree, session = target.worktree, target.session
    if tree is None or tree.branch is None or tree.main:
        return False
    if named or session is None:
        return True
    return session.owns_branch and tree.branch == _name(session.nickname)


def _kept(inside: Sequence[Session]) -> tuple[str, ...]:
    """That the nicknames of several sessions stay as they are."""
    if len(inside) < 2:
        return ()
    names = ", ".join(one.nickname for one in inside)
    return (f"Only the branch was renamed, since several sessions live there: {names}.",)


def _name(nickname: str) -> str:
    """The branch that `new` makes of a nickname; "" where it would have to make one up."""
    return nickname if "/" in nickname and is_branch_name(nickname) else slug(nickname)


def _derived(nickname: str) -> str:
    if name := _name(nickname):
        return name
    raise HqtError(
        Code.INVALID_NAME,
        f"No branch can be called after {nickname!r}; nothing was renamed.",
        "Give the branch's name with -b, or keep it with --keep-branch.",
        {"name": nickname},
    )


def _rename_branch(world: World, old: str, new: str, undo: ExitStack) -> None:
    """Check again under the lock, and rename."""
    from hqt.git import renaming

    renaming.check(world.repository, old, new, world.worktrees)
    renaming.rename(world.repository, old, new)
    undo.callback(renaming.rename, world.repository, new, old)


def _rename_rows(
    world: World,
    session: Session | None,
    nickname: str,
    branch: tuple[str | None, str] | None,
    undo: ExitStack,
) -> None:
    """The session's nickname, and the branch in every row of this repository that names it."""
    before: list[Session] = []
    with worlds.rows().transaction() as rows:
        for one in world.sessions:
            row, changes = rows.get(one.id), dict[str, str]()
            if row and session and row.id == session.id:
                changes["nickname"] = nickname
            if row and branch and row.worktree_branch == branch[0]:
                changes["worktree_branch"] = branch[1]
            if row and changes:
                before.append(row)
                rows.update(row.id, **changes)
    undo.callback(_restore_rows, before)


def _restore_rows(before: list[Session]) -> None:
    with worlds.rows().transaction() as rows:
        for row in before:
            rows.update(row.id, nickname=row.nickname, worktree_branch=row.worktree_branch)


def _label_windows(world: World, target: Target) -> None:
    """The name and options of each window that shows the session, or another of its worktree."""
    tree = _tree(world, target)
    shown = list(world.shown_in(tree)) if tree else []
    if target.session and target.session.id not in {one.id for one in shown}:
        shown += [one for one in world.sessions if one.id == target.session.id]
    for session in shown:
        if window := world.window_of(session):
            placement.mark(world, window, session, _labelled_by(world, session))


def _label_again(before: World) -> None:
    """The labels as they were, where this call has changed them."""
    now = worlds.again(before)
    for session in before.sessions:
        window = before.window_of(session)
        if window and _name_of(before, window) != _name_of(now, window):
            with contextlib.suppress(HqtError):  # the first error is the one to tell
                placement.mark(now, window, session, _labelled_by(before, session))


def _labelled_by(world: World, session: Session) -> Worktree | None:
    """The checkout whose label the window of a session bears: a session without a worktree bears
    its own name, except the one that is the main checkout's."""
    return world.main if world.is_of_main(session) else world.worktree_of(session)


def _name_of(world: World, window: str) -> tuple[str, str] | None:
    panes = world.snapshot.panes if world.snapshot else ()
    found = (pane for pane in panes if pane.window == window)
    return next(((pane.window_name, pane.window_branch) for pane in found), None)


def _tree(world: World, target: Target) -> Worktree | None:
    """The worktree as it is now, its branch under the new name."""
    path = target.worktree.path if target.worktree else None
    return next((tree for tree in world.worktrees if tree.path == path), None)
