"""The stories of `lock` and `unlock`: git's own lock, so that git honours it too."""

from __future__ import annotations

from hqt.git import worktrees
from hqt.models import Caller, Worktree
from hqt.results import LockChanged
from hqt.sessions import targets
from hqt.sessions.changing import changing, settle
from hqt.sessions.locate import require_worktree
from hqt.sessions.targets import Target


def lock(caller: Caller, name: str, reason: str) -> LockChanged:
    """Lock a worktree. Raises `locked` when it is, `main_checkout` for the main one."""
    settle(caller, "lock")
    target = targets.find(caller, name, by_name=False)
    tree = require_worktree(target, name)
    with changing(target.world.repository, "lock", caller):
        worktrees.lock(target.world.repository, tree, reason)
    return LockChanged(_now(target, tree), target.world.sign)


def unlock(caller: Caller, name: str) -> LockChanged:
    """Unlock a worktree. Raises `git_failed` when it is not locked, `main_checkout` likewise."""
    settle(caller, "unlock")
    target = targets.find(caller, name, by_name=False)
    tree = require_worktree(target, name)
    with changing(target.world.repository, "unlock", caller):
        worktrees.unlock(target.world.repository, tree)
    return LockChanged(_now(target, tree), target.world.sign)


def toggle(caller: Caller, name: str) -> str:
    """Lock what is not locked, unlock what is; a sentence that says which."""
    tree = require_worktree(targets.find(caller, name, by_name=False), name)
    if tree.locked is None:
        return f"Locked {lock(caller, name, '').worktree.label}."
    return f"Unlocked {unlock(caller, name).worktree.label}."


def _now(target: Target, tree: Worktree) -> Worktree:
    listed = worktrees.list_worktrees(target.world.repository)
    return next((one for one in listed if one.path == tree.path), tree)
