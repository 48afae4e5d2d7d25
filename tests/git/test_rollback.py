"""A creation that does not come to its end was never there, unless somebody has used it already."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import pygit2
import pytest

from helpers.making import check_out, everything, listed, make
from helpers.repos import commit, git, repository
from hqt.errors import Code, HqtError, Interrupted
from hqt.git import checkout, hooks, process
from hqt.git.interrupts import held_back
from hqt.git.repository import discover

assert pygit2  # loaded, so that it may be chosen

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")


@pytest.fixture(params=["libgit2", "git"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to make references and files."""
    if request.param == "git":
        monkeypatch.setattr(checkout, "FEW", 0)
    return str(request.param)


@pytest.fixture
def clone(repo: Path, sealed: Path) -> Path:
    """A clone that can check out `theirs`, which makes a branch, its upstream and a worktree."""
    commit(repo, "deep/er/file")
    git(repo, "branch", "user/theirs")
    git(sealed, "clone", "-q", str(repo), "clone")
    return sealed / "clone"


def kept(root: Path) -> dict[str, str]:
    """Everything but the folders that git itself leaves behind where references were."""
    found = everything(root)
    return {
        name: said
        for name, said in found.items()
        if not (said.startswith("4") and name.startswith((".git/refs/", ".git/logs/")))
    }


# What runs as often as git happens to say something, or as time passes: no two runs are the same.
PACED = {"hear", "beat", "_stream", "end"}


class Failure(Exception):
    """Something hqt does not know."""


@contextmanager
def raising(number: int) -> Iterator[None]:
    """As the command line does: a signal becomes an exception wherever the program is."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Interrupted(signal.Signals(number).name)

    before = signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)


def interrupt(call: Callable[[], object], line: int, number: int) -> int:
    """Run `call`, sending ourselves a signal before the given line of hqt; how many there were."""
    seen = 0

    def trace(frame: FrameType, event: str, _argument: object) -> object:
        nonlocal seen
        if "/hqt/git/" not in frame.f_code.co_filename or frame.f_code.co_name in PACED:
            return None
        if event == "line":
            seen += 1
            if seen == line:
                os.kill(os.getpid(), number)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]  # mypy wants the recursive type spelled out
    try:
        call()
    finally:
        sys.settrace(before)
    return seen


def story(clone: Path) -> None:
    """What `new` does: whatever happens before the last line takes everything back."""
    with ExitStack() as undo:
        check_out(clone, "user/theirs", undo)
        undo.pop_all()


def erase(clone: Path) -> None:
    """All that a whole `story` has made."""
    git(clone, "worktree", "remove", str(clone / ".worktrees" / "user" / "theirs"))
    git(clone, "branch", "-D", "user/theirs")
    (clone / ".worktrees" / ".gitignore").unlink()
    for name in ("user", ""):
        (clone / ".worktrees" / name).rmdir()
    excluded = clone / ".git" / "info" / "exclude"
    excluded.write_bytes(excluded.read_bytes().removesuffix(b"# made by hqt\n/.worktrees/\n"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("engine")
def test_interrupted_at_any_line(clone: Path, number: int) -> None:
    before = kept(clone)
    for _ in "ab":  # the first time does more, for libgit2 is set up
        lines = interrupt(partial(story, clone), 0, number)
        erase(clone)
        assert kept(clone) == before
    assert lines > 500
    with raising(number):
        for line in range(lines, 0, -lines // 24):
            with pytest.raises(Interrupted) as caught:
                interrupt(partial(story, clone), line, number)
            assert "left" not in caught.value.details
            assert kept(clone) == before, line


def test_a_signal_waits_for_the_end_of_a_breath() -> None:
    steps = []

    def breathe() -> None:
        with held_back():
            os.kill(os.getpid(), signal.SIGTERM)
            steps.append("still here")

    def gasp() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        steps.append("never reached")

    with raising(signal.SIGTERM):
        for act in (breathe, gasp):
            with pytest.raises(Interrupted):
                act()
    assert steps == ["still here"]


def test_outside_of_the_main_thread_there_is_nothing_to_hold_back() -> None:
    said = []

    def work() -> None:
        with held_back():
            said.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert said == ["done"]


def is_running(pid: int) -> bool:
    """Whether a process lives; one that has ended and that nobody has waited for does not."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


@pytest.fixture
def slow(repo: Path, sealed: Path) -> Path:
    """A repository whose filter tells in `$HOME/pid` when it runs, and would run for ever."""
    os.mkfifo(sealed / "never")
    git(repo, "config", "filter.slow.smudge", 'echo $$ > "$HOME/pid"; cat "$HOME/never"')
    commit(repo, ".gitattributes", "*.slow filter=slow\n")
    commit(repo, "a.slow", "words\n")
    (repo / "z").mkdir()
    commit(repo, "z/last", "words\n")
    return repo


@contextmanager
def struck(sealed: Path, act: Callable[[], object] = lambda: None) -> Iterator[None]:
    """The block is interrupted as soon as the filter runs; before that, `act`. The filter ends."""
    polled = threading.Event()  # never set: its wait paces the look

    def strike() -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not polled.wait(0.002):
            if (sealed / "pid").exists() and (sealed / "pid").read_text().endswith("\n"):
                break
        act()
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=strike)
    with raising(signal.SIGTERM):
        thread.start()
        yield
    thread.join()
    pid = int((sealed / "pid").read_text())
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        polled.wait(0.002)
    assert not is_running(pid)


@pytest.mark.parametrize("by", ["a hook", "git"])
def test_interrupted_while_a_child_starts(
    repo: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """It runs, but nobody has been told yet."""
    started = []

    class Early(subprocess.Popen[bytes]):
        def __init__(self, *arguments: object, **named: object) -> None:
            super().__init__(*arguments, **named)  # type: ignore[call-overload]
            started.append(self.pid)
            os.kill(os.getpid(), signal.SIGTERM)

    found = discover(repo)
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sleep 1000\n")
    hook.chmod(0o755)
    calls: dict[str, Callable[[], object]] = {
        "a hook": lambda: hooks.post_checkout(found, repo, repo / ".git", "0" * 40),
        "git": lambda: process.ask("-c", "alias.long=!sleep 1000", "long", cwd=repo),
    }
    monkeypatch.setattr(subprocess, "Popen", Early)
    with raising(signal.SIGTERM), pytest.raises(Interrupted):
        calls[by]()
    monkeypatch.undo()
    assert not is_running(started[-1])


def test_interrupted_in_the_middle_of_a_checkout(slow: Path, sealed: Path) -> None:
    before = kept(slow)
    with struck(sealed), pytest.raises(Interrupted):
        make(slow)
    assert kept(slow) == before


@pytest.mark.parametrize("how", ["at once", "by force"])
def test_no_lock_of_a_git_that_was_ended_stays(slow: Path, sealed: Path, how: str) -> None:
    """Where the worktree stays: whoever works in it would be refused for ever."""
    if how == "by force":  # git is told to end, and cannot
        said = 'echo $$ > "$HOME/pid"; kill -STOP $PPID; cat "$HOME/never"'
        git(slow, "config", "filter.slow.smudge", said)
    tree = slow / ".worktrees" / "topic"
    lock = slow / ".git" / "worktrees" / "topic" / "index.lock"
    seen = []

    def write() -> None:
        seen.append(lock.exists())
        (tree / "mine").write_text("mine\n")

    with struck(sealed, write), pytest.raises(Interrupted) as caught:
        make(slow)
    assert seen == [True]
    assert str(tree) in caught.value.message
    assert not lock.exists()
    git(tree, "add", "mine")


def test_a_lock_of_somebody_elses_git_stays(repo: Path) -> None:
    """It works in there after the checkout has come to its end."""
    lock = repo / ".git" / "worktrees" / "topic" / "index.lock"

    def story() -> None:
        with ExitStack() as undo:
            tree = make(repo, undo=undo).path
            (tree / "mine").write_text("mine\n")
            lock.write_text("")
            os.utime(lock, (1, 1))
            raise Failure

    with pytest.raises(Failure):
        story()
    assert lock.exists()


def test_a_fault_in_hqt_is_taken_back_too(repo: Path) -> None:
    before = kept(repo)

    def fail(stage: str, _done: int, _total: int) -> None:
        if stage == "checkout":
            raise Failure

    with pytest.raises(Failure):
        make(repo, progress=fail)
    assert kept(repo) == before


def test_what_was_there_before_stays(repo: Path) -> None:
    """An empty folder, the pool, its parents and an excluded line that others made."""
    make(repo, "deep/first")
    (repo / ".worktrees" / "deep" / "second").mkdir()
    before = kept(repo)

    def story() -> None:
        with ExitStack() as undo:
            make(repo, "deep/second", undo=undo)
            raise Failure

    with pytest.raises(Failure):
        story()
    assert kept(repo) == before


# Only while nobody has used it


def an_untracked_file(tree: Path) -> None:
    (tree / "mine").write_text("mine\n")


def an_ignored_file(tree: Path) -> None:
    (tree / "x.log").write_text("mine\n")


def a_changed_file(tree: Path) -> None:
    (tree / "file0").write_text("changed\n")


def a_longer_file(tree: Path) -> None:
    (tree / "file0").write_text("0\nand more\n")


def a_file_deep_below(tree: Path) -> None:
    (tree / "deep" / "er" / "mine").write_text("mine\n")


def a_new_folder(tree: Path) -> None:
    (tree / "mine").mkdir()


def a_link_in_place_of_a_file(tree: Path) -> None:
    (tree / "file0").unlink()
    (tree / "file0").symlink_to("elsewhere")


def a_folder_in_place_of_a_file(tree: Path) -> None:
    (tree / "file0").unlink()
    (tree / "file0").mkdir()
    (tree / "file0" / "mine").write_text("mine\n")


def something_staged(tree: Path) -> None:
    (tree / "file0").write_text("staged\n")
    git(tree, "add", "file0")
    (tree / "file0").write_text("0\n")


def a_commit(tree: Path) -> None:
    commit(tree, "mine")


def an_empty_commit(tree: Path) -> None:
    git(tree, "commit", "-q", "--allow-empty", "-m", "Mine")


def an_operation(tree: Path) -> None:
    git(tree, "bisect", "start")


def a_private_reference(tree: Path) -> None:
    own = git(tree, "commit-tree", "-m", "Mine", "HEAD^{tree}", "-p", "HEAD")
    git(tree, "update-ref", "refs/worktree/mine", own)


def a_reference_of_the_checkout_alone(tree: Path) -> None:
    own = git(tree, "commit-tree", "-m", "Mine", "HEAD^{tree}", "-p", "HEAD")
    git(tree, "update-ref", "ORIG_HEAD", own)


def a_commit_that_was_dropped_again(tree: Path) -> None:
    commit(tree, "mine")
    git(tree, "reset", "-q", "--hard", "HEAD~1")


def a_message(tree: Path) -> None:
    """Of a commit that is still being written."""
    (Path(git(tree, "rev-parse", "--absolute-git-dir")) / "COMMIT_EDITMSG").write_text("Mine\n")


def a_nested_repository(tree: Path) -> None:
    repository(tree / "nested")


USES = [
    an_untracked_file,
    an_ignored_file,
    a_changed_file,
    a_longer_file,
    a_file_deep_below,
    a_new_folder,
    a_link_in_place_of_a_file,
    a_folder_in_place_of_a_file,
    something_staged,
    a_commit,
    an_empty_commit,
    an_operation,
    a_private_reference,
    a_reference_of_the_checkout_alone,
    a_commit_that_was_dropped_again,
    a_message,
    a_nested_repository,
]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("use", USES)
def test_what_somebody_has_used_stays_and_is_named(repo: Path, use: Callable[[Path], None]) -> None:
    commit(repo, "deep/er/file")
    commit(repo, ".gitignore", "*.log\n")
    tree = repo / ".worktrees" / "topic"
    left: dict[str, str] = {}

    def story() -> None:
        with ExitStack() as undo:
            make(repo, undo=undo)
            use(tree)
            left.update(everything(tree))
            raise HqtError(Code.TMUX_UNAVAILABLE, "No window.", "Start tmux.")

    with pytest.raises(HqtError) as caught:
        story()
    error = caught.value
    assert error.code is Code.TMUX_UNAVAILABLE
    assert error.message.startswith("No window. Left behind: the worktree ")
    assert str(tree) in error.message
    assert error.message.endswith("; its branch topic.")
    assert len(error.details["left"]) == 2  # type: ignore[arg-type]  # a list, as just seen
    assert everything(tree) == left
    assert "locked" not in listed(repo)[str(tree)]
    assert git(repo, "branch", "--list", "topic")


def test_what_somebody_writes_while_it_is_made_stays(repo: Path) -> None:
    tree = repo / ".worktrees" / "topic"

    def write_and_fail(stage: str, done: int, _total: int) -> None:
        if (stage, done) == ("checkout", 0):
            (tree / "mine").write_text("mine\n")
            raise Failure

    with pytest.raises(Failure) as caught:
        make(repo, progress=write_and_fail)
    assert (tree / "mine").read_text() == "mine\n"
    assert str(tree) in caught.value.__notes__[0]
    assert "locked" not in listed(repo)[str(tree)]


def test_a_branch_that_has_moved_meanwhile_stays(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")

    def story() -> None:
        with ExitStack() as undo:
            tree = make(repo, undo=undo).path
            git(tree, "checkout", "-q", "--detach")
            git(repo, "commit", "-q", "--allow-empty", "-m", "More")
            git(repo, "branch", "-f", "topic", "main")
            raise HqtError(Code.TMUX_UNAVAILABLE, "No window.", "Start tmux.")

    with pytest.raises(HqtError) as caught:
        story()
    assert caught.value.details["left"] == ["the branch topic"]
    assert git(repo, "rev-parse", "topic") != head
    assert len(listed(repo)) == 1


@pytest.mark.parametrize("config", ["core.autocrlf=true", "filter.shout.smudge=tr a-z A-Z"])
def test_files_that_git_has_converted_are_not_taken_for_changed(repo: Path, config: str) -> None:
    git(repo, "config", "filter.shout.clean", "tr A-Z a-z")
    git(repo, "config", *config.split("=", 1))
    commit(repo, ".gitattributes", "*.shout filter=shout\n")
    commit(repo, 'a "\u00fc\n.shout', "one\ntwo\n")
    commit(repo, "b.txt", "one\ntwo\n")
    (repo / "link").symlink_to("nowhere")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Link")
    before = kept(repo)

    def story() -> None:
        with ExitStack() as undo:
            tree = make(repo, undo=undo).path
            assert {(tree / name).read_bytes() for name in ("b.txt", 'a "\u00fc\n.shout')} & {
                b"one\r\ntwo\r\n",
                b"ONE\nTWO\n",
            }
            raise Failure

    with pytest.raises(Failure):
        story()
    assert kept(repo) == before


def test_a_branch_that_has_moved_and_come_back_stays(repo: Path) -> None:
    """Its reflog, which would go with it, is all that knows the commit."""

    def story() -> None:
        with ExitStack() as undo:
            tree = make(repo, undo=undo).path
            git(tree, "checkout", "-q", "--detach")
            own = git(repo, "commit-tree", "-m", "Mine", "HEAD^{tree}")
            git(repo, "update-ref", "refs/heads/topic", own)
            git(repo, "update-ref", "refs/heads/topic", "HEAD")
            raise HqtError(Code.TMUX_UNAVAILABLE, "No window.", "Start tmux.")

    with pytest.raises(HqtError) as caught:
        story()
    assert caught.value.details["left"] == ["the branch topic"]
    assert len(git(repo, "log", "-g", "--format=%H", "topic", "--").split()) == 3


def test_empty_files_are_no_work(repo: Path) -> None:
    """A checkout on a full disk makes all that are left, and puts nothing in them."""
    for number in range(100):
        (repo / f"more{number}").write_text("words\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "More")
    before = kept(repo)

    def story() -> None:
        with ExitStack() as undo:
            tree = make(repo, undo=undo).path
            for file in tree.glob("more*"):
                file.write_bytes(b"")
            raise Failure

    with pytest.raises(Failure):
        story()
    assert kept(repo) == before


# Disks


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[Path]:
    at.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at)]
    if subprocess.run(command, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield at
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)


@root_only
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("free", [0, 4, 12, 40, 120])
def test_a_full_disk(sealed: Path, free: int) -> None:
    """With ever more of its few blocks free, the creation gets ever further."""
    with small_disk(sealed / "disk", "2m") as disk:
        repo = repository(disk / "project")
        for name in "abc":
            (repo / name).write_bytes(os.urandom(200_000))
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "Big files")
        full = os.statvfs(disk)
        (disk / "filler").write_bytes(bytes((full.f_bavail - free) * full.f_bsize))
        before = kept(repo)
        with pytest.raises(HqtError) as caught:
            make(repo)
        assert caught.value.code is Code.GIT_FAILED
        assert "left" not in caught.value.details
        assert kept(repo) == before
        (disk / "filler").unlink()
        assert git(make(repo).path, "status", "--porcelain") == ""


@root_only
@pytest.mark.usefixtures("engine")
def test_a_full_disk_and_many_files(sealed: Path) -> None:
    with small_disk(sealed / "disk", "8m") as disk:
        repo = repository(disk / "project")
        for number in range(300):
            (repo / f"more{number}").write_bytes(os.urandom(3000))
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "Many files")
        full = os.statvfs(disk)
        (disk / "filler").write_bytes(bytes((full.f_bavail - 80) * full.f_bsize))
        before = kept(repo)
        with pytest.raises(HqtError) as caught:
            make(repo)
        assert "left" not in caught.value.details
        assert kept(repo) == before


@root_only
@pytest.mark.usefixtures("engine")
def test_a_disk_that_cannot_be_written(sealed: Path) -> None:
    with small_disk(sealed / "disk", "4m") as disk:
        repo = repository(disk / "project")
        elsewhere = repository(sealed / "elsewhere")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        before = kept(disk), kept(elsewhere)
        for call in (partial(make, repo), partial(make, elsewhere, path=disk / "topic")):
            with pytest.raises(HqtError) as caught:
                call()
            assert caught.value.code is Code.GIT_FAILED
        assert (kept(disk), kept(elsewhere)) == before
