"""The store's file when it is not as it should be: damaged, unwritable, or from another time."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.sessions import migrations

SIDE_FILES = ("-wal", "-shm")
TIMEOUT = 5.0  # seconds


def code(error: sqlite3.Error) -> int:
    """SQLite's primary result code (https://www.sqlite.org/rescode.html); 0 if it gave none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file itself is not a sound database."""
    return code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def require_known(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `store_failed` for a file of a newer hqt, or one that is not hqt's at all."""
    found = migrations.version(connection)
    if found > migrations.LATEST:
        raise HqtError(
            Code.STORE_FAILED,
            f"The store {path} was written by a newer hqt (version {found}; this one knows "
            f"{migrations.LATEST}). It was left as it is.",
            "Update hqt; or, to begin without the old sessions, move the file aside.",
        )
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found == 0 and tables:
        raise HqtError(
            Code.STORE_FAILED,
            f"The database {path} is not hqt's. It was left as it is.",
            "Move the file aside.",
        )


def in_memory(path: Path, source: sqlite3.Connection | None) -> sqlite3.Connection:
    """A copy of the store, or with None an empty one, in memory with its schema up to date."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    try:
        if source:
            source.backup(memory)
            require_known(path, memory)
        migrations.migrate(memory)
    except BaseException:
        memory.close()
        raise
    return memory


@contextlib.contextmanager
def unwritable(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading a file in a folder where SQLite cannot make its side files.

    A log that another process left behind holds the newest rows: then both files are copied,
    because SQLite cannot read a log without writing. Raises OSError and `sqlite3.Error`.
    """
    log = Path(f"{path}-wal")
    with contextlib.ExitStack() as stack:
        if log.exists() and log.stat().st_size:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hqt-")))
            copy = folder / "store"
            shutil.copyfile(path, copy)
            shutil.copyfile(log, f"{copy}-wal")
            connection = sqlite3.connect(copy, isolation_level=None)
        else:
            name = urllib.parse.quote(os.fsencode(path.absolute()))
            connection = sqlite3.connect(f"file:{name}?immutable=1", uri=True, isolation_level=None)
        yield stack.enter_context(contextlib.closing(connection))


def put_aside(path: Path) -> Path | None:
    """Rename a damaged store, so that the next writer begins a new one; None if it is sound.

    Two processes may find the damage at once: under a lock each looks again, so that the second
    does not carry off what the first has just begun. Raises OSError where nothing can be renamed.
    """
    with Path(f"{path}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _sound(path):
            return None
        place = _free_name(path)
        # The side files first: left beside a new store they would be taken for its own.
        for suffix in (*SIDE_FILES, ""):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{suffix}").rename(f"{place}{suffix}")
        return place


def _sound(path: Path) -> bool:
    with contextlib.closing(sqlite3.connect(path, timeout=TIMEOUT)) as connection:
        try:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
        except sqlite3.Error as error:
            return not is_damage(error)


def _free_name(path: Path) -> Path:
    moment = time.strftime("%Y%m%d-%H%M%S")
    place = Path(f"{path}.corrupt-{moment}")
    number = 1
    while place.exists():
        number += 1
        place = Path(f"{path}.corrupt-{moment}-{number}")
    return place
