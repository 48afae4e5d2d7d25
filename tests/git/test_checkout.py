"""A new worktree has the very files, index and status that `git worktree add` would give it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest

from helpers.making import everything, make
from helpers.repos import bare_repository, commit, git, repository
from hqt.errors import Code, HqtError
from hqt.git import checkout
from hqt.git.lock import repository_lock
from hqt.git.repository import discover

assert pygit2  # loaded, so that it may be chosen


@pytest.fixture(params=["libgit2", "git"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to write files; libgit2 only where it suits."""
    if request.param == "git":
        monkeypatch.setattr(checkout, "FEW", 0)
    return str(request.param)


def suits(repo: Path) -> bool:
    return checkout.suits_libgit2(discover(repo), repo / ".git", git(repo, "rev-parse", "HEAD"))


def files(tree: Path) -> dict[str, str]:
    return {name: said for name, said in everything(tree).items() if name != ".git"}


def assert_like_git(repo: Path, start: Path | None = None) -> Path:
    """A worktree of hqt's beside one of git's, both made from `start`: no difference."""
    start = start or repo
    git(start, "worktree", "add", "-q", "-b", "theirs", str(repo.parent / "theirs"))
    theirs, ours = repo.parent / "theirs", make(start, "ours").path
    if (theirs / "out").exists() and not (start / "out").exists():
        assert not (ours / "out").exists()
        pytest.skip("this git loses sparse patterns")
    assert files(ours) == files(theirs)
    for question in (
        ("status", "--porcelain=v2", "--untracked-files=all", "--ignored"),
        ("ls-files", "-s"),
        ("ls-files", "-v"),
        ("ls-files", "--eol"),
    ):
        assert git(ours, *question) == git(theirs, *question)
    assert git(ours, "status", "--porcelain") == ""
    return ours


# Repositories that need care; whether libgit2 may write them.


def ordinary(repo: Path) -> None:
    (repo / "run").write_text("#!/bin/sh\n")
    (repo / "run").chmod(0o755)
    (repo / "link").symlink_to("nowhere")
    (repo / "deep" / "er").mkdir(parents=True)
    (repo / "deep" / "er" / "empty").touch()
    (repo / os.fsdecode(b"\xff\n ")).write_text("any bytes\n")
    (repo / ".gitignore").write_text("*.log\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Everything")


def line_ends(repo: Path) -> None:
    (repo / ".gitattributes").write_text("*.crlf text eol=crlf\n*.lf text eol=lf\n*.id ident\n")
    for name in ("a.crlf", "a.lf", "a.txt", "bin"):
        (repo / name).write_bytes(b"one\ntwo\n")
    (repo / "a.id").write_text("$Id$\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Line ends")
    git(repo, "config", "core.autocrlf", "true")


def global_line_ends(repo: Path) -> None:
    git(repo, "config", "--global", "core.autocrlf", "true")


def a_filter(repo: Path) -> None:
    git(repo, "config", "filter.shout.clean", "tr A-Z a-z")
    git(repo, "config", "filter.shout.smudge", "tr a-z A-Z")
    commit(repo, ".gitattributes", "*.shout filter=shout\n")
    commit(repo, "a.shout", "WORDS\n")


def a_filter_from_elsewhere(repo: Path) -> None:
    a_filter(repo)
    git(repo, "rm", "-q", ".gitattributes")
    git(repo, "commit", "-q", "-m", "No attributes")
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "attributes").write_text("*.shout filter=shout\n")


def an_encoding(repo: Path) -> None:
    commit(repo, ".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE\n")
    (repo / "a.u16").write_bytes("words\n".encode("utf-16-le"))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Encoded")


def a_submodule(repo: Path) -> None:
    other = repository(repo.parent / "other")
    git(repo, "submodule", "--quiet", "add", str(other), "sub")
    git(repo, "commit", "-q", "-m", "Submodule")


def a_sparse_checkout(repo: Path) -> None:
    for name in ("in/file", "out/file"):
        commit(repo, name)
    git(repo, "sparse-checkout", "set", "--cone", "in")


def an_old_sparse_checkout(repo: Path) -> None:
    a_sparse_checkout(repo)
    git(repo, "config", "--unset", "extensions.worktreeConfig", check=False)
    (repo / ".git" / "config.worktree").unlink(missing_ok=True)
    git(repo, "config", "core.sparseCheckout", "true")


def shared(repo: Path) -> None:
    git(repo, "config", "core.sharedRepository", "group")


def split_index(repo: Path) -> None:
    git(repo, "config", "core.splitIndex", "true")


CASES: dict[Callable[[Path], None], bool] = {
    ordinary: True,
    line_ends: True,
    global_line_ends: True,
    a_submodule: True,
    a_filter: False,
    a_filter_from_elsewhere: False,
    an_encoding: False,
    a_sparse_checkout: False,
    an_old_sparse_checkout: False,
    shared: False,
    split_index: False,
}


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_difference_to_git(repo: Path, case: Callable[[Path], None]) -> None:
    case(repo)
    assert suits(repo) == (CASES[case] and checkout.FEW > 0)
    assert_like_git(repo)


def test_sparse_patterns_are_those_of_the_selected_checkout(repo: Path) -> None:
    for name in ("in/file", "out/file"):
        commit(repo, name)
    tree = make(repo, "sparse").path
    git(tree, "sparse-checkout", "set", "--cone", "in")
    ours = assert_like_git(repo, tree)
    assert not (ours / "out").exists()
    assert (make(repo, "full").path / "out" / "file").exists()


def test_settings_of_the_selected_checkout_alone(repo: Path, sealed: Path) -> None:
    bare = bare_repository(sealed / "bare.git", repo)
    git(bare, "config", "extensions.worktreeConfig", "true")
    git(bare, "config", "--unset", "core.bare")
    git(bare, "config", "--worktree", "core.bare", "true")
    git(bare, "config", "--worktree", "x.y", "kept")
    tree = make(bare, "ours").path
    assert git(tree, "config", "x.y") == "kept"
    assert git(tree, "status", "--porcelain") == ""
    assert git(tree, "config", "--worktree", "core.bare", check=False) == ""


def test_objects_that_are_not_here_yet_are_got(repo: Path, sealed: Path) -> None:
    commit(repo, "file1", "promised\n")
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(sealed, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo}", "partial")
    tree = make(sealed / "partial").path
    assert (tree / "file1").read_text() == "promised\n"
    assert git(tree, "status", "--porcelain") == ""


def test_a_repository_of_many_files_is_left_to_git(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary(repo)
    assert suits(repo)
    monkeypatch.setattr(checkout, "FEW", 3)
    assert not suits(repo)


def test_a_commit_without_files(sealed: Path) -> None:
    repo = repository(sealed / "project", files=0)
    assert git(make(repo).path, "status", "--porcelain") == ""


# Progress


@pytest.mark.usefixtures("engine")
def test_progress_begins_with_nothing_done_and_ends_with_all(sealed: Path) -> None:
    repo = repository(sealed / "project", files=120)
    heard: list[tuple[str, int, int]] = []
    make(repo, progress=lambda *said: heard.append(said))
    assert heard[:2] == [("prepare", 0, 0), ("checkout", 0, 120)]
    assert heard[-1] == ("checkout", 120, 120)
    done = [said[1] for said in heard[1:]]
    assert done == sorted(done)
    assert len(done) > 50


# Filters


def test_who_waits_for_the_lock_sees_that_it_gets_on(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not anybody asked for progress."""
    monkeypatch.setattr(checkout, "FEW", 0)
    with repository_lock(discover(repo), "new"):
        lock = repo / ".git" / "hqt" / "lock"
        os.utime(lock, (0, 0))
        make(repo, "ours")
        assert lock.stat().st_mtime > 0


def test_filters_can_be_left_out_for_one_creation(repo: Path) -> None:
    a_filter(repo)
    before = git(repo, "config", "--list")
    tree = make(repo, filters=False).path
    assert (tree / "a.shout").read_text() == "words\n"
    assert git(repo, "config", "--list") == before
    assert (make(repo, "other").path / "a.shout").read_text() == "WORDS\n"


def a_missing_program(repo: Path) -> None:
    """As a repository with git-lfs looks where git-lfs is not installed."""
    commit(repo, ".gitattributes", "*.bin filter=l.f=s\n")
    commit(repo, "a.bin", "pointer\n")
    for key, value in (
        ("smudge", "git-lfs-is-not-here smudge -- %f"),
        ("clean", "git-lfs-is-not-here clean -- %f"),
        ("process", "git-lfs-is-not-here filter-process"),
        ("required", "true"),
    ):
        git(repo, "config", f"filter.l.f=s.{key}", value)


def test_a_required_filter_that_is_missing_fails_cleanly(repo: Path) -> None:
    a_missing_program(repo)
    before = everything(repo)
    with pytest.raises(HqtError) as caught:
        make(repo)
    assert caught.value.code is Code.GIT_FAILED
    assert "@hqt-filters off" in caught.value.remedy
    assert "git-lfs-is-not-here" in caught.value.message
    assert everything(repo) == before


def test_with_filters_off_it_is_not_missed(repo: Path) -> None:
    a_missing_program(repo)
    tree = make(repo, filters=False).path
    assert (tree / "a.bin").read_text() == "pointer\n"


def test_filters_are_off_in_an_older_spelling_of_their_section_too(repo: Path) -> None:
    commit(repo, ".gitattributes", "*.bin filter=loud\n")
    commit(repo, "a.bin", "pointer\n")
    with (repo / ".git" / "config").open("a") as config:
        config.write("[filter.loud]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n")
    assert (make(repo, "on").path / "a.bin").read_text() == "POINTER\n"
    assert (make(repo, "off", filters=False).path / "a.bin").read_text() == "pointer\n"


def test_a_filter_that_is_not_required_may_be_missing(repo: Path) -> None:
    a_missing_program(repo)
    git(repo, "config", "filter.l.f=s.required", "false")
    git(repo, "config", "--unset", "filter.l.f=s.process")
    assert (make(repo).path / "a.bin").read_text() == "pointer\n"


# Care


def test_git_is_never_left_to_find_the_repository_around(repo: Path) -> None:
    """Were the new `.git` to vanish, `reset --hard` must not hit the main checkout."""
    commit(repo, "file0", "committed\n")
    (repo / "file0").write_text("precious and not committed\n")

    def spoil(stage: str, done: int, _total: int) -> None:
        if (stage, done) == ("checkout", 0):
            (repo / ".worktrees" / "topic" / ".git").unlink()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkout, "FEW", 0)
        with pytest.raises(HqtError) as caught:
            make(repo, progress=spoil)
    assert str(repo / ".worktrees" / "topic") in str(caught.value.details["left"])
    assert (repo / "file0").read_text() == "precious and not committed\n"


def test_files_that_are_there_already_are_not_written_over(repo: Path) -> None:
    def intrude(stage: str, done: int, _total: int) -> None:
        if (stage, done) == ("checkout", 0):
            (repo / ".worktrees" / "topic" / "mine").write_text("mine\n")

    tree = make(repo, progress=intrude).path
    assert (tree / "mine").read_text() == "mine\n"
    assert git(tree, "status", "--porcelain") == "?? mine"
