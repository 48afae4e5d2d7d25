"""Sessions as rows of the store, and as records that JSON can hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hqt.models import Cleanup, Session

if TYPE_CHECKING:
    import sqlite3

Value = str | int | None


def record(session: Session) -> dict[str, Value]:
    """`session` by column. JSON can hold it (bytes that are not UTF-8 are lone surrogates)."""
    cleanup = session.cleanup
    return {
        "id": session.id,
        "nickname": session.nickname,
        "harness": session.harness,
        "project": str(session.project),
        "created_at": session.created_at,
        "conversation": session.conversation,
        "worktree_path": _text(session.worktree_path),
        "worktree_branch": session.worktree_branch,
        "base_commit": session.base_commit,
        "owns_worktree": int(session.owns_worktree),
        "owns_branch": int(session.owns_branch),
        "parent": session.parent,
        "archived": int(session.archived),
        "prompt": session.prompt,
        "cleanup_status": cleanup.status if cleanup else None,
        "cleanup_revision": cleanup.revision if cleanup else None,
        "cleanup_reason": cleanup.reason if cleanup else None,
        "subfolder": session.subfolder,
        "tmux_session": session.tmux_session,
        "window_index": session.window_index,
    }


def session(found: Mapping[str, Any]) -> Session:
    """The session of a record; raises KeyError where a column is missing."""
    worktree = found["worktree_path"]
    status = found["cleanup_status"]
    return Session(
        id=found["id"],
        nickname=found["nickname"],
        harness=found["harness"],
        project=Path(found["project"]),
        created_at=found["created_at"],
        conversation=found["conversation"],
        worktree_path=Path(worktree) if worktree is not None else None,
        worktree_branch=found["worktree_branch"],
        base_commit=found["base_commit"],
        owns_worktree=bool(found["owns_worktree"]),
        owns_branch=bool(found["owns_branch"]),
        parent=found["parent"],
        archived=bool(found["archived"]),
        prompt=found["prompt"],
        cleanup=Cleanup(status, found["cleanup_revision"], found["cleanup_reason"])
        if status
        else None,
        subfolder=found["subfolder"],
        tmux_session=found["tmux_session"],
        window_index=found["window_index"],
    )


class Rows:
    """The rows, seen through one connection inside one transaction. Raises `sqlite3.Error`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, new: Session) -> None:
        """A new row; an id that is taken is an error, never an overwritten row."""
        columns = _encoded(record(new))
        marks = ", ".join("?" * len(columns))
        self._connection.execute(
            f"INSERT INTO sessions ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values())
        )

    def get(self, id: str) -> Session | None:
        """The session with this id."""
        return next(iter(self._select("WHERE id = ?", id)), None)

    def all(
        self, project: Path | None = None, *, archived: bool | None = None
    ) -> tuple[Session, ...]:
        """Sessions, oldest first: of one project or of all, archived or not or (None) both."""
        found = self._select("WHERE project = ?", project) if project else self._select("")
        return tuple(s for s in found if archived is None or s.archived == archived)

    def update(self, id: str, **fields: Any) -> Session | None:
        """The session after its `fields` (names of `Session`) were replaced; None if it is gone."""
        old = self.get(id)
        if old is None:
            return None
        new = replace(old, **fields)
        columns = _encoded(record(new))
        sets = ", ".join(f"{name} = ?" for name in columns)
        self._connection.execute(
            f"UPDATE sessions SET {sets} WHERE id = ?", (*columns.values(), _encode(id))
        )
        return new

    def delete(self, id: str) -> bool:
        """Whether there was such a row; now there is none."""
        return (
            self._connection.execute("DELETE FROM sessions WHERE id = ?", (_encode(id),)).rowcount
            > 0
        )

    def setup_trusted(self, project: Path, digest: str) -> bool | None:
        """What the user said of the setup with this digest in this project; None: not asked."""
        found = self._connection.execute(
            "SELECT trusted FROM setups WHERE project = ? AND digest = ?",
            (_encode(str(project)), digest),
        ).fetchone()
        return bool(found[0]) if found else None

    def set_setup_trusted(self, project: Path, digest: str, trusted: bool) -> None:
        """Keep what the user said; the last word counts."""
        self._connection.execute(
            "INSERT OR REPLACE INTO setups (project, digest, trusted) VALUES (?, ?, ?)",
            (_encode(str(project)), digest, int(trusted)),
        )

    def _select(self, where: str, *values: str | Path) -> list[Session]:
        cursor = self._connection.execute(
            f"SELECT * FROM sessions {where} ORDER BY created_at, rowid",
            tuple(_encode(str(value)) for value in values),
        )
        names = [column[0] for column in cursor.description]
        return [session(dict(zip(names, map(_decode, row), strict=True))) for row in cursor]


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _encoded(columns: dict[str, Value]) -> dict[str, Value | bytes]:
    return {name: _encode(value) for name, value in columns.items()}


def _encode(value: Value) -> Value | bytes:
    """Text as the bytes that the file system has: UTF-8 stays text, anything else is a blob."""
    if not isinstance(value, str):
        return value
    raw = os.fsencode(value)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _decode(value: Value | bytes) -> Value:
    if isinstance(value, str):
        return os.fsdecode(value.encode())
    return os.fsdecode(value) if isinstance(value, bytes) else value
