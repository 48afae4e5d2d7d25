"""What the store keeps, for whom, and what it does when the disk is against it."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.calls import done, hqt
from hqt import paths
from hqt.errors import Code, HqtError
from hqt.models import Cleanup, Session
from hqt.sessions import rows
from hqt.sessions.store import Store, damaged

PROJECT = Path("/r/app")
PLAIN = Session("s1", "Fix it", "shell", PROJECT, 1700000000)
FULL = Session(
    id="s2",
    nickname="修复 #(x)\nsecond line",
    harness="claude",
    project=Path("/r/\udcff\nold"),
    created_at=1700000001,
    conversation="c-1",
    worktree_path=Path("/r/app/.worktrees/fix#it\udce4"),
    worktree_branch="fix/\udce4",
    base_commit="a" * 40,
    owns_worktree=True,
    owns_branch=True,
    parent="s1",
    archived=True,
    prompt="Say \"no\" to 'quotes' — and \udcfe",
    cleanup=Cleanup("retained", 3, "dirty"),
    subfolder="packages/\udcff",
    tmux_session="work",
    window_index=7,
)


@pytest.fixture
def store(sealed: Path) -> Store:
    return Store(sealed / "state" / "hqt" / "sessions.db", timeout=0.2)


def refused(attempt: Callable[[], object]) -> HqtError:
    with pytest.raises(HqtError) as caught:
        attempt()
    error = caught.value
    assert error.code is Code.STORE_FAILED
    assert error.message.endswith(".")
    assert error.remedy.endswith(".")
    return error


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_store_that_is_not_there_reads_as_empty_and_is_not_made(store: Store) -> None:
    assert store.all() == ()
    assert store.get("s1") is None
    assert not store.path.parent.parent.exists()


def test_what_was_added_comes_back_whole(store: Store) -> None:
    store.add(PLAIN)
    store.add(FULL)
    assert store.all() == (PLAIN, FULL)
    assert store.get("s2") == FULL


def test_a_plain_session_has_no_worktree_in_the_file_either(store: Store) -> None:
    store.add(PLAIN)
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        found = connection.execute("SELECT worktree_path, worktree_branch FROM sessions")
        assert found.fetchall() == [(None, None)]


TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.binary().map(os.fsdecode)
# Without the NULs bytes meet that are a character together: a path is what its bytes say.
PATHS = TEXT.map(lambda text: Path(os.fsdecode(os.fsencode("/" + text.replace("\0", "")))))


@given(path=PATHS, branch=TEXT, prompt=TEXT)
def test_any_text_and_any_path_survives_the_file_and_json(
    path: Path, branch: str, prompt: str
) -> None:
    session = replace(
        FULL, id=branch, project=path, worktree_path=path, worktree_branch=branch, prompt=prompt
    )
    assert rows.session(json.loads(json.dumps(rows.record(session)))) == session
    with contextlib.closing(memory()) as connection:
        there = rows.Rows(connection)
        there.add(session)
        assert there.get(branch) == session
        assert there.all(path) == (session,)


def memory() -> sqlite3.Connection:
    from hqt.sessions import store_files

    return store_files.in_memory(Path("unused"), None)


def test_sessions_are_listed_by_project_and_by_archive(store: Store) -> None:
    other = replace(FULL, id="s3", project=PROJECT, archived=False)
    for session in (other, FULL, PLAIN):
        store.add(session)
    assert [s.id for s in store.all(PROJECT)] == ["s1", "s3"]
    assert [s.id for s in store.all(FULL.project)] == ["s2"]
    assert [s.id for s in store.all(archived=True)] == ["s2"]
    assert [s.id for s in store.all(archived=False)] == ["s1", "s3"]
    assert store.all(Path("/r")) == ()


def test_an_update_changes_what_it_names_and_nothing_else(store: Store) -> None:
    store.add(PLAIN)
    store.add(FULL)
    cleanup = Cleanup("scheduled", 1)
    assert store.update("s1", conversation="new", cleanup=cleanup) == replace(
        PLAIN, conversation="new", cleanup=cleanup
    )
    assert store.all() == (replace(PLAIN, conversation="new", cleanup=cleanup), FULL)
    assert store.update("s2", cleanup=None, archived=False) == store.get("s2")
    with pytest.raises(TypeError):
        store.update("s1", colour="red")


def test_a_row_that_is_gone_is_neither_updated_nor_deleted_again(store: Store) -> None:
    store.add(PLAIN)
    assert store.delete("s1")
    assert not store.delete("s1")
    assert store.update("s1", nickname="x") is None
    assert store.all() == ()


def test_an_id_that_is_taken_never_overwrites(store: Store) -> None:
    store.add(PLAIN)
    refused(lambda: store.add(replace(FULL, id="s1")))
    assert store.all() == (PLAIN,)


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failed_creation_leaves_no_row(store: Store, failure: type[BaseException]) -> None:
    def create() -> None:
        with store.transaction() as there:
            there.add(PLAIN)
            assert there.get("s1") == PLAIN
            raise failure

    with pytest.raises(failure):
        create()
    assert store.all() == ()
    store.add(PLAIN)


def test_trust_is_remembered_by_project_and_exact_content(store: Store) -> None:
    with store.transaction() as there:
        there.set_setup_trusted(PROJECT, "d1", True)
        there.set_setup_trusted(PROJECT, "d2", True)
        there.set_setup_trusted(PROJECT, "d2", False)

    def asked(project: Path, digest: str) -> bool | None:
        return store.read(lambda there: there.setup_trusted(project, digest))

    assert asked(PROJECT, "d1") is True
    assert asked(PROJECT, "d2") is False
    assert asked(PROJECT, "d3") is None
    assert asked(Path("/r/other"), "d1") is None


def test_nobody_else_can_read_the_prompts(store: Store) -> None:
    old = os.umask(0)
    try:
        store.add(FULL)
    finally:
        os.umask(old)
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert store.path.parent.stat().st_mode & 0o777 == 0o700


def test_it_is_write_ahead_logged_so_that_a_reader_never_waits(store: Store) -> None:
    store.add(PLAIN)
    with store.transaction() as there:
        there.delete("s1")
        assert store.all() == (PLAIN,)
    with contextlib.closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def add_many(path: Path, writer: int, count: int) -> None:
    store = Store(path, timeout=60)
    for number in range(count):
        store.add(replace(PLAIN, id=f"{writer}.{number}"))
        store.update(f"{writer}.{number}", nickname=f"{writer}")


def test_sixteen_writers_at_once_lose_no_row(store: Store) -> None:
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=add_many, args=(store.path, n, 8)) for n in range(16)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * 16
    found = store.all()
    assert len(found) == 16 * 8
    assert all(session.id.split(".")[0] == session.nickname for session in found)


def test_a_store_that_another_program_holds_is_said_to_be_held(store: Store) -> None:
    store.add(PLAIN)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        error = refused(lambda: store.add(FULL))
    assert "held by another program" in error.message
    assert store.all() == (PLAIN,)


@contextlib.contextmanager
def ordinary_user(home: Path) -> Iterator[None]:
    """Root may write everywhere; so a test that needs to be refused acts as somebody else."""
    home.chmod(0o755)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@contextlib.contextmanager
def read_only(store: Store, home: Path) -> Iterator[None]:
    """The store's folder and files can be read and not written."""
    for folder in (store.path.parent.parent, store.path.parent):
        folder.chmod(0o555)
    for file in store.path.parent.iterdir():
        file.chmod(0o444)
    try:
        with ordinary_user(home):
            yield
    finally:
        store.path.parent.chmod(0o755)


def test_a_read_only_folder_can_be_listed_and_says_why_it_cannot_be_changed(
    store: Store, sealed: Path
) -> None:
    store.add(PLAIN)
    with read_only(store, sealed):
        assert store.all() == (PLAIN,)
        assert "cannot be written" in refused(lambda: store.add(FULL)).message
    assert names(store.path.parent) == ["sessions.db"]


def test_a_read_only_folder_shows_what_a_dead_writer_left_in_its_log(
    store: Store, sealed: Path
) -> None:
    store.add(PLAIN)
    with store.transaction() as there:
        there.add(FULL)
        there._connection.execute("COMMIT")
        # What is on the disk right now is what a killed process leaves: the row is in the log.
        copy = Store(sealed / "left" / "sessions.db")
        copy.path.parent.mkdir()
        for suffix in ("", "-wal"):
            Path(f"{copy.path}{suffix}").write_bytes(Path(f"{store.path}{suffix}").read_bytes())
        there._connection.execute("BEGIN")
    with read_only(copy, sealed):
        assert copy.all() == (PLAIN, FULL)
    assert names(copy.path.parent) == ["sessions.db", "sessions.db-wal"]


def test_a_store_that_may_not_even_be_read_says_so(store: Store, sealed: Path) -> None:
    store.add(PLAIN)
    with ordinary_user(sealed):
        assert "cannot be" in refused(store.all).message
        assert "permissions" in refused(lambda: store.delete("s1")).remedy


def test_something_else_in_the_stores_place_is_left_alone(store: Store) -> None:
    store.path.mkdir(parents=True)
    refused(store.all)
    refused(lambda: store.add(PLAIN))
    assert store.path.is_dir()


def spoil_all(path: Path) -> None:
    path.write_bytes(b"this is not a database\n" * 500)


def spoil_pages(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + b"\xa5" * (len(raw) - 4096))


@pytest.mark.parametrize("spoil", [spoil_all, spoil_pages])
def test_a_damaged_store_is_set_aside_and_begun_anew(
    store: Store, spoil: Callable[[Path], None]
) -> None:
    for number in range(40):
        store.add(replace(FULL, id=str(number)))
    spoil(store.path)
    content = store.path.read_bytes()
    assert store.all() == ()
    assert store.set_aside is not None
    assert store.set_aside.read_bytes() == content
    assert ".corrupt-" in store.set_aside.name
    store.add(PLAIN)
    assert store.all() == (PLAIN,)


@pytest.mark.parametrize("verb", ["list", "new", "doctor"])
def test_whoever_finds_the_damage_says_where_the_old_one_is(repo: Path, verb: str) -> None:
    done("new", "one", "--no-window", cwd=repo)
    spoil_all(paths.store_file())
    call = hqt(verb, *(["two", "--no-window"] if verb == "new" else []), cwd=repo)
    [old] = damaged(paths.store_file())
    assert str(old) in call.err
    assert "doctor" in call.err
    again = hqt("list", cwd=repo)
    assert again.err == "", "it is said once"
    found = [one for one in done("doctor", cwd=repo)["findings"] if one["subject"] == "store"]
    assert str(old) in found[1]["message"]
    assert found[1]["level"] == "warning"


def test_damage_found_while_writing_is_set_aside_too_and_the_next_try_works(store: Store) -> None:
    for number in range(40):
        store.add(replace(FULL, id=str(number)))
    spoil_pages(store.path)
    with contextlib.suppress(HqtError):
        store.add(PLAIN)
    assert store.set_aside is not None
    if not store.get("s1"):
        store.add(PLAIN)
    assert store.all() == (PLAIN,)


def test_two_who_find_the_damage_at_once_do_not_carry_off_the_new_store(store: Store) -> None:
    store.add(FULL)
    spoil_all(store.path)
    late = Store(store.path)
    with pytest.raises(sqlite3.DatabaseError) as caught:
        late._begin()
    store.add(PLAIN)
    assert late._put_aside(caught.value)
    assert late.set_aside is None
    assert late.all() == (PLAIN,)


def test_damage_in_a_read_only_folder_is_reported_and_left(store: Store, sealed: Path) -> None:
    store.add(PLAIN)
    spoil_all(store.path)
    with read_only(store, sealed):
        error = refused(store.all)
    assert "is damaged" in error.message
    assert names(store.path.parent) == ["sessions.db"]


def test_a_full_disk_changes_nothing_and_says_so(store: Store) -> None:
    store.add(PLAIN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, hard))
    try:
        error = refused(lambda: store.add(replace(FULL, prompt="x" * (1 << 20))))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "disk" in error.message
    assert store.all() == (PLAIN,)
    store.add(FULL)
