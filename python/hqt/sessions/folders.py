"""In which folder a session starts: the same one below the root, wherever it lives."""

from __future__ import annotations

from pathlib import Path

from hqt.models import Session, Worktree
from hqt.sessions.world import World


def mirrored(world: World, tree: Worktree | None) -> Path:
    """Where a new session starts: the caller's folder, mirrored in the worktree if it exists
    there; without a worktree the caller's folder in the project."""
    if world.plain:
        return world.caller.directory
    return _below(root(world, tree), world.repository.subfolder)


def root(world: World, tree: Worktree | None) -> Path:
    """The root of where a session lives: of its worktree, else of the project."""
    return tree.path if tree else world.repository.main or world.repository.root


def home(world: World, session: Session, tree: Worktree | None) -> Path:
    """Where a session that was started before starts again: in the same folder, if it is there."""
    return _below(root(world, tree), session.subfolder)


def subfolder(world: World, start: Path, tree: Worktree | None) -> str:
    """Where below its root a session starts, "" at the root or elsewhere."""
    top = root(world, tree)
    return str(start.relative_to(top)) if start != top and start.is_relative_to(top) else ""


def _below(root: Path, subfolder: str) -> Path:
    below = root / subfolder
    return below if below.is_dir() else root
