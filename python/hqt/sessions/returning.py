"""The row of a session whose worktree comes back from the trash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from hqt.models import Repository
from hqt.sessions import rows
from hqt.sessions import world as worlds


def keeper(repository: Repository) -> Callable[[Path, Mapping[str, object]], None]:
    """What keeps the session of a worktree that is back at a path, by the record that went into
    the trash with it: called before the trash lets go of that, and again after a crash.

    What it returns raises `store_failed`.
    """

    def keep(path: Path, record: Mapping[str, object]) -> None:
        from hqt.git import worktrees

        if not record:
            return
        session = rows.session(record)
        tree = next((t for t in worktrees.list_worktrees(repository) if t.path == path), None)
        branch = (tree.branch if tree else None) or session.worktree_branch
        session = replace(session, worktree_path=path, worktree_branch=branch)
        where = {"worktree_path": path, "worktree_branch": branch, "archived": False}
        with worlds.rows().transaction() as store:
            if store.update(session.id, **where) is None:
                store.add(session)

    return keep
