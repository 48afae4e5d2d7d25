"""A worktree on another file system than its repository: copied, verified, only then deleted."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from pathlib import Path

import pytest

from helpers import states, trashing
from helpers.faults import Fault, walk
from helpers.portraits import differences, portrait
from helpers.repos import commit, git, linked
from helpers.trashing import Case
from hqt.errors import Code, HqtError
from hqt.git import entry, passage, snapshots, trash
from hqt.git.lock import Pulse
from hqt.git.manifest import State

STATES = """clean; staged and modified; a conflicted rebase with an autostash; intent to add;
a submodule with a commit of its own; a nested repository; modified with a split index;
untracked with a name that is not utf8; edited behind skip worktree; on an unborn branch"""


@pytest.mark.parametrize("name", STATES.replace("\n", " ").split("; "))
def test_a_worktree_comes_back_as_it_was(name: str, sealed: Path, elsewhere: Path) -> None:
    repo, unused = states.fresh(sealed)
    git(repo, "worktree", "remove", str(unused))
    git(repo, "worktree", "add", "-q", str(tree := elsewhere / "topic"), "topic")
    states.by_name()[name].build(repo, tree)
    before = portrait(tree, reflogs=False)
    removed = trashing.remove(repo, tree, "dirty")
    assert list(elsewhere.iterdir()) == []
    trashing.collect_garbage(repo)
    trashing.undo(repo, removed.id)
    assert differences(before, portrait(tree, reflogs=False)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_who_waits_for_the_lock_sees_that_it_gets_on(
    repo: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a file that takes its time is copied, read back and deleted, not only between files."""
    tree = linked(repo, elsewhere / "topic")
    (tree / "large").write_bytes(b"x" * (10 << 16))
    beats: list[Path] = []
    monkeypatch.setattr(Pulse, "beat", lambda pulse, *_: beats.append(pulse._file))
    removed = trashing.remove(repo, tree, "dirty")
    assert len(beats) > 3 * 10
    assert set(beats) == {repo / ".git" / "hqt" / "lock"}
    beats.clear()
    trashing.undo(repo, removed.id)
    assert len(beats) > 2 * 10


def test_every_kind_of_file(repo: Path, elsewhere: Path) -> None:
    tree = linked(repo, elsewhere / "topic")
    (tree / "empty" / "deep").mkdir(parents=True)
    (tree / "read only").mkdir()
    (tree / "read only" / "file").write_text("file\n")
    (tree / "read only" / "file").chmod(0o444)
    (tree / "read only").chmod(0o555)
    (tree / "link").symlink_to("./no//where/")
    (tree / "to folder").symlink_to("empty")
    os.mkfifo(tree / "pipe", 0o640)
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(tree)
        listening.bind("socket")
        os.chdir("/")
    (tree / "setuid").write_text("#!/bin/sh\n")
    (tree / "setuid").chmod(0o4755)
    os.link(tree / "file0", tree / "twin")
    with (tree / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 20)
    os.utime(tree / "file0", ns=(1, 1_000_000_001))
    with_attribute = True
    try:
        os.setxattr(tree / "file0", "user.hqt", b"kept")
    except OSError:
        with_attribute = False
    before = portrait(tree)
    removed = trashing.remove(repo, tree)
    assert not tree.exists()
    trashing.undo(repo, removed.id)
    assert differences(before, portrait(tree)) == []
    assert stat.S_ISFIFO((tree / "pipe").stat().st_mode)
    assert (tree / "file0").stat().st_mtime_ns == 1_000_000_001
    if with_attribute and os.listxattr(tree / "file0"):
        assert os.getxattr(tree / "file0", "user.hqt") == b"kept"


def test_from_here_to_there(repo: Path, elsewhere: Path) -> None:
    """Undo to another file system than the trash is on."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    commit(tree, "one")
    (tree / "new").write_text("new\n")
    before = portrait(tree)
    removed = trashing.remove(repo, tree)
    back = elsewhere / "made" / "topic"
    trashing.undo(repo, removed.id, to=back)
    after = portrait(back)
    assert before.files.keys() == after.files.keys()
    assert before.admin["index"] == after.admin["index"]
    assert before.said["status"] == after.said["status"]
    assert [child.name for child in back.parent.iterdir()] == ["topic"]
    assert trashing.leftovers(repo) == []


@pytest.mark.parametrize("kind", ["error", "killed"])
def test_a_removal_that_fails_anywhere(sealed: Path, elsewhere: Path, kind: str) -> None:
    case = Case(sealed, elsewhere)
    outcomes = []

    def after(_met: Fault) -> None:
        said = case.recover()
        assert kind != "error" or said == (), "what could be settled at once was"
        outcomes.append(case.require_whole())
        for aside in elsewhere.glob("some/.hqt-*"):
            assert kind == "error", "only a deletion that fails leaves anything"
            shutil.rmtree(aside)

    assert walk(case.remove, after, kind, step=2) > 60
    assert set(outcomes) == {True, False}


def test_an_undo_that_is_killed_anywhere(sealed: Path, elsewhere: Path) -> None:
    case = Case(sealed, elsewhere)
    case.remove()
    outcomes = []

    def after(_met: Fault) -> None:
        case.recover()
        outcomes.append(case.require_whole())
        assert not list(elsewhere.glob("**/.hqt-*"))
        case.remove()

    assert walk(case.undo, after, "killed", step=2) > 60
    assert set(outcomes) == {True, False}


def test_what_a_survivor_changes_after_the_copy_is_not_deleted(
    repo: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It still stands in the tree, which has moved aside; what it wrote late stays there."""
    tree = linked(repo, elsewhere / "topic")
    os.chdir(tree)
    real = os.sync

    def late() -> None:
        real()
        Path("late").write_text("late\n")
        Path("file0").write_text("changed after the copy\n")

    monkeypatch.setattr(os, "sync", late)
    taken = trash.take(trashing.prepare(repo, tree))
    (aside,) = elsewhere.iterdir()
    assert set(taken.left) == {aside, aside / "late", aside / "file0"}
    assert (aside / "late").read_text() == "late\n"
    assert (aside / "file0").read_text() == "changed after the copy\n"
    trashing.undo(repo, taken.entry.id)
    assert git(tree, "status", "--porcelain") == ""


def test_what_is_written_while_it_is_copied_is_noticed(
    repo: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = linked(repo, elsewhere / "topic")
    before = git(tree, "rev-parse", "HEAD")
    real = shutil.copystat

    def slow(source: Path, target: Path, *, follow_symlinks: bool = True) -> None:
        real(source, target, follow_symlinks=follow_symlinks)
        if source.name == "file0":
            source.write_text("written meanwhile\n")

    monkeypatch.setattr(shutil, "copystat", slow)
    with pytest.raises(HqtError) as refused:
        trashing.remove(repo, tree)
    assert refused.value.code is Code.BUSY
    assert "file0 changed while" in refused.value.message
    assert git(tree, "status", "--porcelain") == " M file0"
    assert git(tree, "rev-parse", "HEAD") == before
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_copy_that_does_not_fit_is_not_begun(
    repo: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = linked(repo, elsewhere / "topic")
    monkeypatch.setattr(snapshots, "size", lambda _: 1 << 60)
    with pytest.raises(HqtError) as refused:
        trashing.prepare(repo, tree)
    assert "does not fit" in refused.value.message
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mknod needs root")
def test_a_device_is_refused_clearly(repo: Path, elsewhere: Path) -> None:
    tree = linked(repo, elsewhere / "topic")
    try:
        os.mknod(tree / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices can be made here")
    before = git(tree, "status", "--porcelain")
    with pytest.raises(HqtError) as refused:
        trashing.remove(repo, tree)
    assert "device" in refused.value.message
    assert git(tree, "status", "--porcelain") == before
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_disk_that_is_away_after_a_crash_is_waited_for(sealed: Path, elsewhere: Path) -> None:
    """Its tree may be on there under either name; nothing is given up before that is known."""
    case = Case(sealed, elsewhere / "disk")
    one = trashing.prepare(case.repo, case.tree)
    one = entry.change(one, state=State.TAKING, far=True, mode=0o755)
    passage.set_aside(one)
    case.admin.rename(one.admin)
    case.tree.rename(passage.away(one))
    (elsewhere / "disk").rename(elsewhere / "unplugged")
    (said,) = trash.recover(trashing.discover(case.repo))
    assert "their disk may be away" in said
    assert trashing.pins(case.repo)
    (elsewhere / "unplugged").rename(elsewhere / "disk")
    case.recover()
    assert case.require_whole()


def test_holes_stay_holes(sealed: Path, elsewhere: Path) -> None:
    """An image of a disk takes in the trash what it took before, not what it might once take."""
    (tree := sealed / "tree").mkdir()
    for name, stretches in {"empty": (), "ends": (0, 99 << 20), "middle": (50 << 20,)}.items():
        with (tree / name).open("wb") as file:
            file.truncate(100 << 20)
            for offset in stretches:
                file.seek(offset)
                file.write(os.urandom(5000))
    snapshots.copy(tree, elsewhere / "copy", lambda: None)
    for one in tree.iterdir():
        there = elsewhere / "copy" / one.name
        assert there.stat().st_size == 100 << 20
        assert there.stat().st_blocks * 512 < 1 << 20
        assert there.read_bytes() == one.read_bytes()
    with (elsewhere / "copy" / "middle").open("r+b") as file:
        file.seek(70 << 20)
        file.write(b"x")
    assert snapshots.remove_copied(tree, elsewhere / "copy", lambda: None) == (
        tree / "middle",
        tree,
    )


def test_a_pool_that_has_moved_there_and_is_linked(
    sealed: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository has moved too, so the copy says where it was; a failure after it is undone."""
    repo, tree = states.fresh(sealed)
    states.by_name()["staged and modified"].build(repo, tree)
    before = portrait(tree)
    removed = trashing.remove(repo, tree, "dirty")
    now, back = sealed / "moved", elsewhere / "topic"
    repo.rename(now)
    (now / ".worktrees").rmdir()
    (now / ".worktrees").symlink_to(elsewhere)
    with monkeypatch.context() as patched:
        patched.setattr(passage, "reattach", lambda _: (now / "nothing").rmdir())
        with pytest.raises(HqtError):
            trashing.undo(now, removed.id)
    assert list(elsewhere.iterdir()) == []
    assert trashing.undo(now, removed.id).path == back
    assert (back / ".git").read_text() == f"gitdir: {now}/.git/worktrees/topic\n"
    after = portrait(back)
    for one in (before, after):
        one.admin.pop("gitdir"), one.files.pop(".git")
    assert differences(before, after) == []
