"""Whether a branch goes with its worktree (design §5, Remove): one rule, for question and deed."""

from __future__ import annotations

from hqt.models import Session, Worktree
from hqt.sessions.world import World


def kept(world: World, tree: Worktree, going: Session | None, unique: int) -> str:
    """Why the branch of `tree` stays when nobody has said what becomes of it; "" when it goes too.

    `going` is the session that goes with the worktree, `unique` how many commits only it holds.
    The reason fits one branch and several: "Branch fix stays: not merged." Raises `git_failed`.
    """
    from hqt.git import branches

    if going is None or not going.owns_branch or going.worktree_branch != tree.branch:
        return _by_whom(tree, going)
    if world.config.delete_branch != "merged":
        return f"@hqt-delete-branch is {world.config.delete_branch}"
    if unique or tree.branch is None or not branches.merged(world.repository, tree.branch):
        return "not merged"
    return ""


def _by_whom(tree: Worktree, going: Session | None) -> str:
    """A worktree made for this session, but not its branch: that was there before. Of any other
    nobody knows any more; the session that made it may be gone, or live elsewhere now."""
    if going and going.owns_worktree and going.worktree_branch == tree.branch:
        return "not made by hqt"
    return "not known to be made by hqt"
