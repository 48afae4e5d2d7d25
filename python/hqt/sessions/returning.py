"""The row of a session whose worktree comes back from the trash."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hqt.models import Repository, Session, Worktree
from hqt.sessions import rows
from hqt.sessions import world as worlds


def keeper(repository: Repository) -> Callable[[Path, Mapping[str, object]], None]:
    """What keeps the session of a worktree that is back at a path, by the record that went into
    the trash with it: called before the trash lets go of that, and again after a crash. A project
    that is gone was moved: it is this repository. A session that lives elsewhere by now stays
    there.

    What it returns raises `store_failed`.
    """

    def keep(path: Path, record: Mapping[str, object]) -> None:
        from hqt.git import worktrees

        if not record:
            return
        session = rows.session(record)
        listed = worktrees.list_worktrees(repository)
        tree = next((one for one in listed if one.path == path), None)
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
            now = store.get(session.id)
            if now is None:
                store.add(session)
            elif home_elsewhere(now, path, listed) is None:
                store.update(session.id, **where)

    return keep


def home_elsewhere(session: Session, path: Path, worktrees: Sequence[Worktree]) -> Worktree | None:
    """The checkout that a session has by now, where that is another than the one that is back at
    `path`: `open` made it after an archive, or it was moved."""
    if session.worktree_path is None:
        return next((tree for tree in worktrees if tree.main), None)
    home = worlds.home_of(session, worktrees)
    return None if home is None or home.missing or home.path == path else home
