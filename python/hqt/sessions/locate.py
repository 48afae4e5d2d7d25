"""The story of `path`: where a target is."""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Caller, Session, Worktree
from hqt.results import Located
from hqt.sessions import adopting, targets
from hqt.sessions.targets import Target


def locate(caller: Caller, name: str) -> Located:
    """The directory of a target; for a session without a worktree its project.

    Raises `missing_worktree` when the directory is not there.
    """
    target = targets.find(caller, name)
    session = target.session
    if target.worktree is None and session and session.worktree_path is None:
        return Located(session.project)
    tree = require_worktree(target, name)
    if tree.missing:
        raise _gone(name)
    return Located(tree.path)


def require_worktree(target: Target, name: str) -> Worktree:
    """The worktree of a target, whether its directory is there or not.

    Raises `no_such_target` for a session that never had one, `missing_worktree` for one whose
    worktree git does not list any more, `identity_mismatch` if something is there nonetheless.
    """
    if target.worktree:
        return target.worktree
    if target.session and target.session.worktree_path is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"Session {name!r} has no worktree; nothing was changed.",
            "`hqt list` shows which have one.",
        )
    if target.session:
        adopting.require_gone(target.session)
    raise _gone(name)


def find_session(caller: Caller, name: str) -> tuple[Target, Session]:
    """The session that `name` means where only a session can be meant. Raises as `require_session`
    and what resolving a target raises."""
    try:
        target = targets.find(caller, name)
    except HqtError as error:
        if error.code is not Code.AMBIGUOUS_TARGET or name.startswith("session:"):
            raise
        try:
            target = targets.find(caller, f"session:{name}")
        except HqtError as narrowed:
            if narrowed.code is Code.NO_SUCH_TARGET:
                raise error from None
            raise
    return target, require_session(target, name)


def require_session(target: Target, name: str) -> Session:
    """The session of a target: the one that was meant, else the only one of its worktree.

    Raises `no_such_target` where there is none, `ambiguous_target` where there are several.
    """
    if target.session:
        return target.session
    inside = target.world.sessions_in(target.worktree) if target.worktree else ()
    if len(inside) == 1:
        return inside[0]
    if inside:
        names = [f"session {one.id} ({one.nickname})" for one in inside]
        raise HqtError(
            Code.AMBIGUOUS_TARGET,
            f"Several sessions live in {name!r}: {'; '.join(names)}. Nothing was changed.",
            "Name one of them.",
            {"candidates": names},
        )
    raise HqtError(
        Code.NO_SUCH_TARGET,
        f"No session lives in {name!r}; nothing was changed.",
        "`hqt list` shows the sessions; `hqt open` makes one for a worktree.",
    )


def _gone(name: str) -> HqtError:
    return HqtError(
        Code.MISSING_WORKTREE,
        f"The directory of {name!r} is not there any more.",
        f"`hqt restore {name}` checks it out again, `hqt remove {name}` forgets it.",
    )
