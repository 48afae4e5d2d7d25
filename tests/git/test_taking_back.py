"""Taking a creation back while somebody works in it, or cut short at any of its steps.

The property: either it never was, or what somebody has done meanwhile is in its place and named.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from helpers.faults import Fault, fault, walk
from helpers.making import listed, plan, pool_of
from helpers.repos import commit, git
from hqt.errors import Code, HqtError
from hqt.git import aside, creation, journal, repository, retraction, sighting, worktrees

NEVER = 0  # no fault


@pytest.fixture
def repo(repo: Path) -> Path:
    commit(repo, "deep/er/file")
    commit(repo, "deep/other")
    return repo


class Creation:
    """One that is complete, and about to be taken back."""

    def __init__(self, repo: Path, branch: str | None = "topic", path: Path | None = None) -> None:
        self.found = repository.discover(repo)
        wish = plan(self.found, branch, path=path)
        self.tree, self.pool = wish.path, pool_of(self.found)
        self.stack = ExitStack()
        note = self.stack.enter_context(
            journal.noted(self.found, wish.path, wish.commit, branch, self.pool)
        )
        undo = self.stack.enter_context(ExitStack())
        rows = worktrees.list_worktrees(self.found)
        creation.create(self.found, wish, worktrees=rows, pool=self.pool, undo=undo, note=note)
        self.untouched = True  # nothing of it had been deleted when somebody acted
        self.error = HqtError(Code.TMUX_UNAVAILABLE, "No window.", "Start tmux.")

    def fail(self) -> str:
        """Take it back; what stayed."""
        with suppress(HqtError):
            self.stack.__exit__(type(self.error), self.error, None)
        return "; ".join(self.error.details.get("left", []))  # type: ignore[arg-type]


def settled(repo: Path) -> str:
    """What the next call of hqt says that it had to settle, after which nothing is aside."""
    found = repository.discover(repo)
    said = " ".join(retraction.take_back(found, lambda _: False))
    assert not journal.pending(found)
    assert not list((repo / ".git").glob("hqt/unmade*"))
    assert not list(repo.glob(".worktrees/.hqt*"))
    return said


def state(repo: Path) -> tuple[str, list[str], bool]:
    pool = repo / ".worktrees"
    return git(repo, "for-each-ref"), sorted(listed(repo)), pool.exists() and any(pool.iterdir())


def erase(repo: Path) -> None:
    """Whatever is still there of it."""
    for folder in (repo / ".worktrees", repo / ".git" / "worktrees"):
        shutil.rmtree(folder, ignore_errors=True)
    git(repo, "branch", "-D", "topic", check=False)


@pytest.mark.parametrize("kind", ["killed", "error", "full"])
def test_cut_short_at_any_step(repo: Path, kind: str) -> None:
    before, tree = state(repo), repo / ".worktrees" / "topic"
    outcomes: list[bool] = []

    def after(met: Fault) -> None:
        said = settled(repo) + left[-1]
        now = state(repo)
        # A pool that cannot be deleted is no harm.
        gone = now == before if kind == "killed" else now[:2] == before[:2] and not tree.exists()
        outcomes.append(gone)
        if not gone:
            assert kind != "killed", met.calls
            assert "topic" in said
            if tree.exists():
                assert listed(repo)[str(tree)].get("locked") is None
                lines = git(tree, "status", "--porcelain").splitlines()
                assert all(line.startswith((" D", "D ")) for line in lines)
                assert git(repo, "branch", "--list", "topic")
        git(repo, "fsck", "--no-dangling")
        erase(repo)
        if met.happened:
            left.append("")
            made.append(Creation(repo))

    made, left = [Creation(repo)], [""]

    def story() -> None:
        left[-1] = made[-1].fail()

    assert walk(story, after, kind) > 15
    assert True in outcomes


def test_a_recovery_that_is_cut_short_at_any_step(repo: Path) -> None:
    before = state(repo)
    for at in range(1, 100, 3):
        one = Creation(repo)
        with fault(at, "killed") as met:
            one.fail()
        for again in range(1, 100):
            with fault(again, "killed") as second:
                retraction.take_back(one.found, lambda _: False)
            if not second.happened:
                break
        settled(repo)
        assert state(repo) == before, (met.calls, second.calls)
        if not met.happened:
            return
    raise AssertionError("it never ends")


def test_cut_short_without_a_note(repo: Path) -> None:
    """It is given up before the window is made, whose failure takes everything back too."""
    for at in range(1, 100):
        one = Creation(repo)
        note = repo / ".git" / "hqt" / "creating.json"
        with fault(at, "killed") as met:
            one.fail()
        note.unlink(missing_ok=True)
        said = settled(repo)
        tree = repo / ".worktrees" / "topic"
        if str(tree) in listed(repo) and tree.exists() and (tree / ".git").exists():
            lines = git(tree, "status", "--porcelain").splitlines()
            assert all(line.startswith((" D", "D ")) for line in lines), at
            assert not said or str(tree) in said
        erase(repo)
        if not met.happened:
            return
    raise AssertionError("it never ends")


def test_on_another_file_system_it_is_aside_beside_its_path(repo: Path, elsewhere: Path) -> None:
    before, seen = state(repo), set()
    for at in range(1, 100):
        one = Creation(repo, path=elsewhere / "topic")
        with fault(at, "killed") as met:
            one.fail()
        seen |= {place.name.partition("-")[0] for place in elsewhere.iterdir()}
        settled(repo)
        assert state(repo) == before
        assert list(elsewhere.iterdir()) == []
        if not met.happened:
            break
    assert seen == {"topic", ".hqt"}
    one = Creation(repo, path=elsewhere / "topic")
    somebody = Somebody(one.tree)
    with fault(NEVER) as met:

        def meet(name: str) -> None:
            if name == "rename" and not met.calls.count("rename"):
                os.write(somebody.file, b"mine\n")
            met.calls.append(name)

        met.meet = meet  # type: ignore[method-assign]
        assert str(one.tree) in one.fail()
    assert git(one.tree, "status", "--porcelain") == " M file0"
    assert os.listdir(elsewhere) == ["topic"]  # noqa: PTH208
    somebody.close()


def test_a_mount_point_is_emptied_where_it_is(repo: Path, sealed: Path) -> None:
    place = sealed / "mount"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        before = state(repo)
        assert Creation(repo, path=place).fail() == ""
        assert state(repo) == before
        assert list(place.iterdir()) == []
        assert place.is_mount()
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_folder_that_was_there_before_is_the_same_afterwards(repo: Path) -> None:
    place = repo / ".worktrees" / "topic"
    place.mkdir(parents=True)
    before = place.stat().st_ino
    assert Creation(repo).fail() == ""
    assert place.stat().st_ino == before
    assert list(place.iterdir()) == []


# Somebody is at work in there, at any moment


class Somebody:
    """Who has the new worktree open: its folder, and a file of it."""

    def __init__(self, tree: Path, folder: str = "") -> None:
        self.folder = os.open(tree / folder, os.O_RDONLY | os.O_DIRECTORY)
        self.file = os.open(tree / "file0", os.O_WRONLY | os.O_APPEND)

    @property
    def place(self) -> str:
        """Where the folder is now."""
        return f"/proc/{os.getpid()}/fd/{self.folder}"

    def git(self, *arguments: str) -> str | None:
        """What git says in there; None when it fails."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.place, capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else None

    def close(self) -> None:
        os.close(self.folder)
        os.close(self.file)


def at_any_step(
    repo: Path, act: Callable[[Somebody], object], folder: str = "", branch: str | None = "topic"
) -> Iterator[tuple[Creation, Somebody, str, object]]:
    """A creation taken back, somebody acting before a step of that, a later one each time: the
    creation, somebody, what stayed and what the act returned."""
    for at in range(1, 200):
        one = Creation(repo, branch)
        somebody = Somebody(one.tree, folder)
        returned: list[object] = []
        with fault(NEVER) as met:

            def meet(name: str, met: Fault = met, somebody: Somebody = somebody) -> None:
                met.calls.append(name)
                if len(met.calls) == at:  # noqa: B023  (called within this very turn)
                    one.untouched = "unlink" not in met.calls  # noqa: B023
                    returned.append(act(somebody))  # noqa: B023

            met.meet = meet  # type: ignore[method-assign]
            left = one.fail()
        if not returned:
            somebody.close()
            assert at > 15
            return
        settled(repo)
        yield one, somebody, left, returned[0]
        somebody.close()
        erase(repo)
    raise AssertionError("it never ends")


def test_what_is_written_through_an_open_file_stays(repo: Path) -> None:
    """But for a write that falls exactly between the look at the file and its deletion."""

    def write(somebody: Somebody) -> bool:
        os.write(somebody.file, b"mine\n")
        return os.fstat(somebody.file).st_nlink > 0

    lost = kept = 0
    for one, somebody, left, was_there in at_any_step(repo, write):
        if os.fstat(somebody.file).st_nlink:
            kept += 1
            assert (one.tree / "file0").read_text() == "0\nmine\n"
            assert str(one.tree) in left
            assert listed(repo)[str(one.tree)].get("branch") == "refs/heads/topic"
            if one.untouched:
                assert git(one.tree, "status", "--porcelain") == " M file0"
        elif was_there:
            lost += 1
    assert kept > 5
    assert lost <= 1


@pytest.mark.parametrize("folder", ["", "deep/er"])
def test_a_file_that_comes_into_an_open_folder_stays(repo: Path, folder: str) -> None:
    def write(somebody: Somebody) -> bool:
        try:
            os.close(os.open("mine", os.O_CREAT | os.O_WRONLY, dir_fd=somebody.folder))
        except FileNotFoundError:
            return False  # the folder is gone
        return True

    for one, _, left, written in at_any_step(repo, write, folder):
        if written:
            assert (one.tree / folder / "mine").exists()
            assert str(one.tree) in left
            assert str(one.tree) in listed(repo)
            assert git(one.tree, "status", "--porcelain", "-unormal")


@pytest.mark.parametrize("branch", ["topic", None])
def test_a_commit_is_refused_or_stays(repo: Path, branch: str | None) -> None:
    def act(somebody: Somebody) -> str | None:
        done = somebody.git("commit", "-q", "--allow-empty", "-m", "Mine")
        return None if done is None else somebody.git("rev-parse", "HEAD") or "unknown"

    outcomes = set()
    for _, _, _, made in at_any_step(repo, act, branch=branch):
        outcomes.add(made is not None)
        if made:
            assert made in git(repo, "rev-list", "--all").split()
    assert outcomes == {True, False}


def test_a_private_reference_is_refused_or_stays(repo: Path) -> None:
    def act(somebody: Somebody) -> str | None:
        if "worktrees" not in (somebody.git("rev-parse", "--git-dir") or ""):
            return None  # refused, or its `.git` is gone, and the folder with it in the same moment
        tree = somebody.git("rev-parse", "HEAD^{tree}")
        own = tree and somebody.git("commit-tree", "-m", "Mine", tree)
        return own if own and somebody.git("update-ref", "refs/worktree/mine", own) == "" else None

    outcomes = set()
    for one, _, left, made in at_any_step(repo, act):
        outcomes.add(made is not None)
        if made:
            assert git(one.tree, "rev-parse", "refs/worktree/mine") == made
            assert str(one.tree) in left
    assert outcomes == {True, False}


def test_nothing_is_deleted_through_a_link_in_place_of_a_folder(repo: Path, sealed: Path) -> None:
    (sealed / "elsewhere" / "er").mkdir(parents=True)
    for name in ("er/file", "other"):
        (sealed / "elsewhere" / name).write_text(f"deep/{name}\n")

    def act(somebody: Somebody) -> bool:
        try:
            os.rename("deep", "mine", src_dir_fd=somebody.folder, dst_dir_fd=somebody.folder)
        except FileNotFoundError:
            return False
        os.symlink(sealed / "elsewhere", "deep", dir_fd=somebody.folder)
        return True

    for one, _, left, acted in at_any_step(repo, act):
        assert (sealed / "elsewhere" / "er" / "file").read_text() == "deep/er/file\n"
        assert (sealed / "elsewhere" / "other").exists()
        if acted:
            assert (one.tree / "mine").is_dir()
            assert (one.tree / "deep").is_symlink()
            assert str(one.tree) in left


# Its place, or its name, is somebody else's by then


def test_where_its_path_is_taken_it_comes_beside_it(repo: Path) -> None:
    one = Creation(repo)
    entry = repo / ".git" / "worktrees" / "topic"
    put = aside.take(one.found.common_dir, "abc", entry, one.tree, tree=True)
    one.tree.mkdir()
    (one.tree / "theirs").write_text("theirs\n")
    home, place = aside.put_back(put)
    assert (home, place) == (entry, one.tree.with_name("topic.hqt-abc"))
    assert place is not None
    assert git(place, "status", "--porcelain") == ""
    assert str(place) in listed(repo)
    assert [file.name for file in one.tree.iterdir()] == ["theirs"]


def test_where_its_name_is_taken_it_gets_another(repo: Path) -> None:
    one = Creation(repo)
    entry = repo / ".git" / "worktrees" / "topic"
    put = aside.take(one.found.common_dir, "abc", entry, one.tree, tree=True)
    (entry / "theirs").write_text("theirs\n")
    home, place = aside.put_back(put)
    assert home != entry
    assert place == one.tree
    assert git(one.tree, "status", "--porcelain") == ""
    assert git(one.tree, "branch", "--show-current") == "topic"
    assert (entry / "theirs").exists()


def test_no_git_works_in_a_tree_that_is_aside(repo: Path) -> None:
    one = Creation(repo)
    somebody = Somebody(one.tree)
    entry = repo / ".git" / "worktrees" / "topic"
    put = aside.take(one.found.common_dir, "abc", entry, one.tree, tree=True)
    assert not one.tree.exists()
    assert somebody.git("rev-parse", "--git-dir") is None
    somebody.close()
    aside.put_back(put)
    assert git(one.tree, "status", "--porcelain") == ""


def test_a_touch_is_seen(repo: Path) -> None:
    """Though the content is the same, and the time of change is set back."""
    seen = sighting.look(repo / "deep")
    assert sighting.difference(repo / "deep", seen) is None
    file = repo / "deep" / "other"
    found = file.stat()
    content = file.read_bytes()
    file.write_bytes(content[::-1])
    file.write_bytes(content)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert sighting.difference(repo / "deep", seen) == "other"
    assert sighting.delete(repo / "deep", seen) == "other"
    assert file.read_bytes() == content
