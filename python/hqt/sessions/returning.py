"""The row of a session whose worktree comes back from the trash."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hqt.models import Repository
from hqt.sessions import rows
from hqt.sessions import world as worlds


def keeper(repository: Repository) -> Callable[[Path, Mapping[str, object]], None]:
    """What keeps the session of a worktree that is back at a path, by the record that went into
    the trash with it: called before the trash lets go of that, and again after a crash. A project
    that is gone was moved: it is this repository.

    What it returns raises `store_failed`.
    """

    def keep(path: Path, record: Mapping[str, object]) -> None:
        from hqt.git import worktrees

        if not record:
            return
        session = rows.session(record)
        tree = next((t for t in worktrees.list_worktrees(repository) if t.path == path), None)
        branch = (tree.branch if tree else None) or session.worktree_branch
        moved = not os.path.lexists(session.project)
        project = repository.root if moved else session.project
        where: dict[str, Any] = {
            "worktree_path": path,
            "worktree_branch": branch,
            "project": project,
        }
        session = replace(session, **where)
        where["archived"] = False
        with worlds.rows().transaction() as store:
            if store.update(session.id, **where) is None:
                store.add(session)

    return keep
