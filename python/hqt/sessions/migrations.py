"""The store's schema, as the steps that lead to it: forward only, each step once.

`PRAGMA user_version` counts the steps a file has behind it. A released step never changes; a new
need is a new step at the end.
"""

from __future__ import annotations

import sqlite3

STEPS: tuple[tuple[str, ...], ...] = (
    (  # 1: sessions
        """
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY NOT NULL,
            nickname TEXT NOT NULL,
            harness TEXT NOT NULL,
            project TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            conversation TEXT
        )
        """,
    ),
    (  # 2: the worktree a session lives in; both NULL for one without
        "ALTER TABLE sessions ADD COLUMN worktree_path TEXT",
        "ALTER TABLE sessions ADD COLUMN worktree_branch TEXT",
    ),
    (  # 3: what removal, archive, fork and the way back after a reboot need
        "ALTER TABLE sessions ADD COLUMN base_commit TEXT",
        "ALTER TABLE sessions ADD COLUMN owns_worktree INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN owns_branch INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN parent TEXT",
        "ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sessions ADD COLUMN prompt TEXT",
        "ALTER TABLE sessions ADD COLUMN cleanup_status TEXT",
        "ALTER TABLE sessions ADD COLUMN cleanup_revision INTEGER",
        "ALTER TABLE sessions ADD COLUMN cleanup_reason TEXT",
        "ALTER TABLE sessions ADD COLUMN subfolder TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE sessions ADD COLUMN tmux_session TEXT",
        "ALTER TABLE sessions ADD COLUMN window_index INTEGER",
    ),
    (  # 4: the setup commands the user has trusted or refused, by exact content
        """
        CREATE TABLE setups (
            project TEXT NOT NULL,
            digest TEXT NOT NULL,
            trusted INTEGER NOT NULL,
            PRIMARY KEY (project, digest)
        )
        """,
    ),
)
LATEST = len(STEPS)


def version(connection: sqlite3.Connection) -> int:
    """The number of steps the file has behind it; 0 for an empty one."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def migrate(connection: sqlite3.Connection) -> None:
    """Take the steps that are missing. The caller holds a write transaction and commits it.

    Raises `sqlite3.Error` as SQLite does; nothing of it stays when the caller rolls back.
    """
    for number, step in enumerate(STEPS, 1):
        if number > version(connection):
            for statement in step:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
