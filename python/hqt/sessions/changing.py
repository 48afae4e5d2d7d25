"""How every changing verb enters a repository: under its lock, after unfinished business."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import faults
from hqt.errors import Code, HqtError
from hqt.models import Caller, Repository, Session
from hqt.sessions import world as worlds

if TYPE_CHECKING:
    from hqt.git.lock import Holder


@contextmanager
def changing(
    repository: Repository, verb: str, caller: Caller | None = None
) -> Iterator[tuple[str, ...]]:
    """Hold the repository's lock; first finish or revert what a killed call left behind.

    Yields a sentence for each thing that was finished or reverted, which the log has too. Raises
    `repository_locked` when another hqt holds the lock and does not get on; whoever has to wait for
    one that does is told so, if there is a `caller`. Never to be held across a question to the
    user.
    """
    from hqt.git import trash
    from hqt.git.lock import repository_lock
    from hqt.sessions.returning import keeper

    earlier = _of_an_earlier_one(repository)
    with repository_lock(repository, verb, waiting=_telling(caller)):
        for row in earlier:
            worlds.rows().update(row.id, owns_worktree=False, owns_branch=False)
        said = (
            *_taken_back(repository),
            *trash.recover(repository, keeper(repository)),
            *_forget_removed(repository),
        )
        for sentence in said:
            faults.note(f"{repository.common_dir}: {sentence}")
        yield said


def _taken_back(repository: Repository) -> tuple[str, ...]:
    """What a killed creation has left, if there was one."""
    from hqt.git import journal

    if not journal.pending(repository):
        return ()
    from hqt.git import retraction

    return retraction.take_back(repository, _has_a_session)


def _telling(caller: Caller | None) -> Callable[[Holder | None], None] | None:
    if caller is None or (tell := caller.tell) is None:
        return None
    return lambda holder: tell(f"Waiting for {holder or 'another hqt'} in this repository.")


def _of_an_earlier_one(repository: Repository) -> list[Session]:
    """The rows that call this repository their project and say that they made something, although
    hqt has never changed anything in it: they are of an earlier one at its place."""
    if (repository.common_dir / "hqt").exists():
        return []
    rows = worlds.rows().all(repository.root)
    return [row for row in rows if row.owns_worktree or row.owns_branch]


def _forget_removed(repository: Repository) -> Iterator[str]:
    """Delete the rows that a removal, which deletes its row last, did not come to any more: the
    worktree is not there, and the trash has it with this very session, not archived."""
    from hqt.git import entry

    with suppress(HqtError):
        store = worlds.rows()
        rows = store.all(repository.root, archived=False)
        gone = [one for one in rows if one.worktree_path and not one.worktree_path.exists()]
        if not gone:
            return
        kept = [one.manifest for one in entry.read_all(repository)[0]]
        removed = {
            (m.session.get("id"), m.path, m.session.get("cleanup_revision"))
            for m in kept
            if not m.session.get("archived")
        }
        for session in gone:
            attempt = session.cleanup.revision if session.cleanup else None
            this = (session.id, session.worktree_path, attempt)
            if this in removed and store.delete(session.id):
                yield f"Session {session.nickname} is removed: its worktree is in the trash."


def _has_a_session(path: Path) -> bool:
    """Whether a session's row names the worktree: it is written when the worktree is complete."""
    return any(session.worktree_path == path for session in worlds.rows().all())


def settle(caller: Caller, verb: str) -> tuple[str, ...]:
    """Before a changing verb looks at anything: finish or revert what a killed call has left in
    the caller's repository, so that the same command can be given again. A sentence for each."""
    from hqt.git import journal, recovery, repository

    try:
        found = repository.discover(caller.directory)
    except HqtError as error:
        if error.code in {Code.NOT_A_REPOSITORY, Code.UNSUPPORTED_REPOSITORY}:
            return ()
        raise
    if not (journal.pending(found) or recovery.unfinished(found) or _of_an_earlier_one(found)):
        return ()
    with changing(found, verb, caller) as said:
        return said
