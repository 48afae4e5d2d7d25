"""A vanished worktree that `open` is to bring back: whether it is one, what stands in the way."""

from __future__ import annotations

from hqt.errors import Checks, Code, HqtError
from hqt.models import Session, Worktree
from hqt.sessions import adopting
from hqt.sessions.world import World


def is_vanished(tree: Worktree | None, session: Session | None) -> bool:
    """Whether a session's worktree, or the one that was named, has no directory any more."""
    if tree is not None:
        return tree.missing
    return session is not None and session.worktree_path is not None


def require_possible(
    checks: Checks, world: World, tree: Worktree | None, session: Session | None
) -> None:
    """Let `checks` find what a look can tell before anything is begun."""
    from hqt.sessions import restore

    with checks:
        adopting.require_unmoved(world, tree)
    with checks:
        require_branch(world, tree, session)
    if tree:
        with checks:
            restore.require_unlocked(tree)
    elif session:
        with checks:
            adopting.require_gone(session)


def require_branch(world: World, tree: Worktree | None, session: Session | None) -> None:
    """A vanished worktree is made again from its branch alone: from where it once began its work
    would look lost."""
    from hqt.git import branches

    branch = (tree.branch if tree else None) or (session.worktree_branch if session else None)
    if branch is None or branches.commit_of(world.repository, branch) is not None:
        return
    name = session.nickname if session else branch
    raise HqtError(
        Code.WORKTREE_AND_BRANCH_GONE,
        f"The worktree of {name!r} and its branch {branch} are both gone; nothing was opened.",
        "`hqt trash list` shows what can be brought back; `hqt restore` begins again where the "
        "branch once began.",
        {"branch": branch},
    )
