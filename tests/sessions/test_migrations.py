"""A store of any age is brought up to date, and keeps what it held."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from hqt.errors import Code, HqtError
from hqt.models import Session
from hqt.sessions import migrations
from hqt.sessions.store import Store

V1 = {
    "id": "s1",
    "nickname": "Fix it",
    "harness": "claude",
    "project": "/r/app",
    "created_at": 1700000000,
    "conversation": "c-1",
}
V2 = {**V1, "worktree_path": "/r/app/.worktrees/fix-it", "worktree_branch": "fix-it"}
V3 = {**V2, "base_commit": "a" * 40, "owns_worktree": 1, "archived": 1, "prompt": "Do it"}
AGES = {1: V1, 2: V2, 3: V3, 4: V3}


def store_of(version: int, path: Path) -> Store:
    """A store as the hqt of that version would have left it, with one session in it."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in (s for step in migrations.STEPS[:version] for s in step):
            connection.execute(statement)
        row = AGES[version]
        marks = ", ".join("?" * len(row))
        connection.execute(
            f"INSERT INTO sessions ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
        )
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()
    return Store(path)


def version_of(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return migrations.version(connection)


def test_every_version_has_a_sample() -> None:
    assert list(AGES) == list(range(1, migrations.LATEST + 1))


def test_the_first_version_knows_no_worktree_columns_and_the_second_does(sealed: Path) -> None:
    for version, known in ((1, False), (2, True)):
        path = sealed / f"v{version}.db"
        store_of(version, path)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
        assert ("worktree_path" in columns, "worktree_branch" in columns) == (known, known)


@pytest.mark.parametrize("version", AGES)
def test_an_older_store_is_read_as_it_is_and_stays_as_it_is(version: int, sealed: Path) -> None:
    path = sealed / "store.db"
    store = store_of(version, path)
    before = path.read_bytes()
    [found] = store.all()
    assert (found.id, found.nickname, found.conversation) == ("s1", "Fix it", "c-1")
    assert found.worktree_path == (Path("/r/app/.worktrees/fix-it") if version > 1 else None)
    assert found.owns_worktree == (version > 2)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", AGES)
def test_the_first_change_brings_it_up_to_date_once(version: int, sealed: Path) -> None:
    path = sealed / "store.db"
    store = store_of(version, path)
    store.add(Session("s2", "next", "shell", Path("/r/app"), 1700000001))
    assert version_of(path) == migrations.LATEST
    assert [s.id for s in store.all()] == ["s1", "s2"]
    plain = store.get("s2")
    assert plain is not None
    assert (plain.worktree_path, plain.worktree_branch) == (None, None)


def test_a_step_that_fails_leaves_the_older_store_untouched(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sealed / "store.db"
    store = store_of(2, path)
    broken = (*migrations.STEPS[:3], ("CREATE TABLE half (a)", "NONSENSE"))
    monkeypatch.setattr(migrations, "STEPS", broken)
    with pytest.raises(HqtError):
        store.delete("s1")
    assert version_of(path) == 2
    with contextlib.closing(sqlite3.connect(path)) as connection:
        half = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'")
        assert half.fetchone() == (0,)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
    assert "base_commit" not in columns


def test_a_newer_store_is_refused_kindly_and_left_alone(sealed: Path) -> None:
    path = sealed / "store.db"
    store = store_of(migrations.LATEST, path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    before = path.read_bytes()
    for attempt in (store.all, lambda: store.delete("s1")):
        with pytest.raises(HqtError) as caught:
            attempt()
        assert caught.value.code is Code.STORE_FAILED
        assert "newer hqt" in caught.value.message
        assert "Update hqt" in caught.value.remedy
    assert path.read_bytes() == before


def test_another_programs_database_is_not_taken_over(sealed: Path) -> None:
    path = sealed / "store.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    before = path.read_bytes()
    for attempt in (Store(path).all, lambda: Store(path).delete("s1")):
        with pytest.raises(HqtError, match="not hqt's"):
            attempt()
    assert path.read_bytes() == before
