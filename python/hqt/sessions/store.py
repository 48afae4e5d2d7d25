"""The store: a SQLite file with what neither git nor tmux can know. It never overrules either.

A connection lives for one transaction: nothing is open between two calls, so that a fork, a
crash or a question to the user can never hold a lock. Reading writes nothing: a missing file
reads as empty, an older one is brought up to date in memory, one in a folder that cannot be
written is read all the same.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hqt.errors import Code, HqtError
from hqt.models import Session

if TYPE_CHECKING:
    import sqlite3

    from hqt.sessions.rows import Rows

Result = TypeVar("Result")
TIMEOUT = 5.0  # seconds to wait for another writer


class Store:
    """The store at `path`."""

    def __init__(self, path: Path, *, timeout: float = TIMEOUT) -> None:
        self.path = path
        self.set_aside: Path | None = None  # where a damaged file went, if one was found
        self._timeout = timeout

    def add(self, session: Session) -> None:
        """Add a row. Raises `store_failed`, also for an id that is there already."""
        with self.transaction() as rows:
            rows.add(session)

    def get(self, id: str) -> Session | None:
        """The session with this id; raises `store_failed`."""
        return self.read(lambda rows: rows.get(id))

    def all(
        self, project: Path | None = None, *, archived: bool | None = None
    ) -> tuple[Session, ...]:
        """Sessions, oldest first: of one project or of all, archived or not or (None) both."""
        return self.read(lambda rows: rows.all(project, archived=archived))

    def update(self, id: str, **fields: Any) -> Session | None:
        """The session after its `fields` were replaced; None if there is none (any more)."""
        with self.transaction() as rows:
            return rows.update(id, **fields)

    def delete(self, id: str) -> bool:
        """Whether there was such a row; now there is none."""
        with self.transaction() as rows:
            return rows.delete(id)

    def require_writable(self) -> None:
        """Raise `store_failed` now, when a change would do so later."""
        with self.transaction():
            pass

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Rows]:
        """All or nothing: rows to read and change, committed at the end of the block.

        Any exception rolls back. Inside the block use only the rows it gives: another call of the
        store would wait for this one. Raises `store_failed`.
        """
        import sqlite3

        from hqt.sessions.rows import Rows

        connection = self._twice(self._begin)
        try:
            yield Rows(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.close()  # rolls back; and a damaged file is only renamed when nobody is in
            self._put_aside(error)
            raise self._failed(error) from error
        finally:
            connection.close()

    def read(self, question: Callable[[Rows], Result]) -> Result:
        """The answer to a question that changes nothing; raises `store_failed`."""
        return self._twice(lambda: self._ask(question))

    def _twice(self, attempt: Callable[[], Result]) -> Result:
        """What `attempt` gives; if the file is damaged, what it gives on a new one."""
        import sqlite3

        try:
            return attempt()
        except sqlite3.Error as error:
            if not self._put_aside(error):
                raise self._failed(error) from error
        try:
            return attempt()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _begin(self) -> sqlite3.Connection:
        """A connection inside a write transaction, its schema up to date."""
        from hqt.sessions import migrations, store_files

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Prompts are nobody else's business; SQLite gives its side files the same mode.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise self._unusable("written", error.strerror) from error
        connection = self._connect()
        try:
            # One look, before anything changes, at a file that another process may be filling.
            connection.execute("BEGIN")
            store_files.require_known(self.path, connection)
            connection.execute("COMMIT")
            _prefer_log(connection)
            connection.execute("BEGIN IMMEDIATE")
            store_files.require_known(self.path, connection)
            migrations.migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _ask(self, question: Callable[[Rows], Result]) -> Result:
        import sqlite3

        from hqt.sessions import migrations, store_files
        from hqt.sessions.rows import Rows

        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            with contextlib.closing(store_files.in_memory(self.path, None)) as empty:
                return question(Rows(empty))
        except OSError as error:
            raise self._unusable("read", error.strerror) from error
        try:
            with contextlib.closing(self._connect()) as connection:
                connection.execute("BEGIN")
                if migrations.version(connection) == migrations.LATEST:
                    return question(Rows(connection))
        except sqlite3.OperationalError as error:
            if store_files.code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise
            return self._ask_copy(question, store_files.unwritable(self.path))
        return self._ask_copy(question, contextlib.closing(self._connect()))

    def _ask_copy(
        self,
        question: Callable[[Rows], Result],
        opened: contextlib.AbstractContextManager[sqlite3.Connection],
    ) -> Result:
        from hqt.sessions import store_files
        from hqt.sessions.rows import Rows

        try:
            with (
                opened as source,
                contextlib.closing(store_files.in_memory(self.path, source)) as memory,
            ):
                return question(Rows(memory))
        except OSError as error:
            raise self._unusable("read", error.strerror) from error

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        return sqlite3.connect(self.path, timeout=self._timeout, isolation_level=None)

    def _put_aside(self, error: sqlite3.Error) -> bool:
        """Whether another attempt makes sense: the file was damaged and no longer is."""
        from hqt.sessions import store_files

        if not store_files.is_damage(error):
            return False
        try:
            place = store_files.put_aside(self.path)
        except OSError:  # the folder cannot be written: the damage is reported instead
            return False
        self.set_aside = place or self.set_aside
        return True

    def _unusable(self, done: str, reason: str | None) -> HqtError:
        return HqtError(
            Code.STORE_FAILED,
            f"The store {self.path} cannot be {done} ({reason}). Nothing in it was changed.",
            "Look at the owner and the permissions of the file and its folder.",
        )

    def _failed(self, error: sqlite3.Error) -> HqtError:
        """The sentence and the remedy for what SQLite said."""
        import sqlite3

        from hqt.sessions import store_files

        code = store_files.code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            what = f"has been held by another program for {self._timeout:g} seconds"
            remedy = "Try again; if it stays so, look who has the file open."
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return self._unusable("used", str(error))
        elif code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            what = f"could not be written to the disk ({error})"
            remedy = "Make room on the disk, then try again."
        elif store_files.is_damage(error):
            what = "is damaged" + (
                f" and was set aside as {self.set_aside}" if self.set_aside else ""
            )
            remedy = "Try again." if self.set_aside else "Move the file aside."
        else:
            what = f"refused the change ({error})"
            remedy = "Try again; `hqt doctor` looks at the store."
        return HqtError(
            Code.STORE_FAILED, f"The store {self.path} {what}. Nothing in it was changed.", remedy
        )


def damaged(path: Path) -> tuple[Path, ...]:
    """The stores that were found damaged and set aside beside the one at `path`, oldest first."""
    try:
        beside = os.listdir(path.parent)  # noqa: PTH208 - every call asks, and it may have no folder
    except OSError:
        return ()
    begin, beyond = f"{path.name}.corrupt-", ("-wal", "-shm")
    names = (name for name in beside if name.startswith(begin) and not name.endswith(beyond))
    return tuple(path.with_name(name) for name in sorted(names))


def _prefer_log(connection: sqlite3.Connection) -> None:
    """Write-ahead logging where the file system can, so that nobody who reads waits."""
    import sqlite3

    # Another process may be switching at this moment, or the file system cannot: either mode works.
    with contextlib.suppress(sqlite3.OperationalError):
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
