"""What `new --fork` begins with: another session, its conversation and its checkout."""

from __future__ import annotations

from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Session
from hqt.sessions.locate import find_session
from hqt.sessions.world import World


def parent(world: World, name: str, harness: str | None) -> Session:
    """The session of this repository that `name` means.

    Raises `no_such_target`, also for one of another repository, and `usage` for another `harness`
    than the parent's.
    """
    target, found = find_session(world.caller, name)
    if target.world.repository.common_dir != world.repository.common_dir:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"Session {found.nickname!r} belongs to {target.world.repository.root}, not to this "
            "repository; nothing was made.",
            "Go there, or start anew here without --fork.",
        )
    if harness is not None and harness != found.harness:
        raise HqtError(
            Code.USAGE,
            f"A fork of {found.nickname!r} runs {found.harness}, not {harness}; nothing was made.",
            "Leave -H out, or start anew without --fork.",
        )
    return found


def source(world: World, parent: Session) -> Path | None:
    """The checkout that a fork starts from: its parent's. Raises `missing_worktree`."""
    tree = world.worktree_of(parent)
    if parent.worktree_path is not None and (tree is None or tree.missing):
        raise HqtError(
            Code.MISSING_WORKTREE,
            f"The worktree of {parent.nickname!r} is not there any more; nothing was made.",
            f"`hqt restore {parent.nickname}` brings it back; --from starts elsewhere.",
        )
    return tree.path if tree else world.repository.main or world.repository.checkout
