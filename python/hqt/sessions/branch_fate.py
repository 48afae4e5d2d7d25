"""Whether a branch goes with its worktree (design §5, Remove): one rule, for question and deed."""

from __future__ import annotations

from hqt.models import Session, Worktree
from hqt.sessions.world import World


def kept(world: World, tree: Worktree, going: Session | None, unique: int) -> str:
    """Why the branch of `tree` stays when nobody has said what becomes of it; "" when it goes too.

    `going` is the session that goes with the worktree, `unique` how many commits only it holds.
    Raises `git_failed`.
    """
    from hqt.git import branches

    if going is None or not going.owns_branch or going.worktree_branch != tree.branch:
        return "hqt did not make it"
    if world.config.delete_branch != "merged":
        return f"@hqt-delete-branch is {world.config.delete_branch}"
    if unique or tree.branch is None or not branches.merged(world.repository, tree.branch):
        return "it is not merged"
    return ""
