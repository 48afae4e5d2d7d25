"""The pool is kept out of `git status` by one line, and the user's lines stay as they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.making import everything, make
from helpers.repos import bare_repository, commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import exclude
from hqt.git.repository import discover

LINES = b"# mine\n*.log\n"
SIGN = b"# made by hqt\n"


def file_of(repo: Path) -> Path:
    return repo / ".git" / "info" / "exclude"


def status(checkout: Path) -> str:
    return git(checkout, "status", "--porcelain", "--untracked-files=all")


def test_the_pool_is_excluded_once(repo: Path) -> None:
    file_of(repo).write_bytes(LINES)
    found, pool = discover(repo), repo / ".worktrees"
    tree = linked(repo, pool / "deep" / "topic")
    assert status(repo) == "?? .worktrees/deep/topic/"
    assert exclude.ensure(found, pool, pool / "y")
    assert file_of(repo).read_bytes() == LINES + SIGN + b"/.worktrees/\n"
    assert status(repo) == ""
    (tree / "new").touch()
    assert status(tree) == "?? new"
    assert exclude.ensure(found, pool, pool / "y") is None
    assert file_of(repo).read_bytes() == LINES + SIGN + b"/.worktrees/\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, SIGN + b"/.worktrees/\n"),
        (b"", SIGN + b"/.worktrees/\n"),
        (b"a", b"a\n" + SIGN + b"/.worktrees/\n"),
        (b"a\r\n", b"a\r\n" + SIGN + b"/.worktrees/\n"),
        (b"\xff \n\n", b"\xff \n\n" + SIGN + b"/.worktrees/\n"),
        (b"/.worktrees/", b"/.worktrees/"),
        (b"/.worktrees/\r\nx", b"/.worktrees/\r\nx"),
        (b"#/.worktrees/\n", b"#/.worktrees/\n" + SIGN + b"/.worktrees/\n"),
    ],
)
def test_every_byte_of_the_user_stays(repo: Path, before: bytes | None, after: bytes) -> None:
    shutil.rmtree(repo / ".git" / "info")
    if before is not None:
        file_of(repo).parent.mkdir()
        file_of(repo).write_bytes(before)
    exclude.ensure(discover(repo), repo / ".worktrees", repo / ".worktrees" / "topic")
    assert file_of(repo).read_bytes() == after


def test_it_can_be_taken_back(repo: Path) -> None:
    found, before = discover(repo), everything(repo)
    changed = exclude.ensure(found, repo / ".worktrees", repo / ".worktrees" / "topic")
    assert changed
    changed.undo()
    assert everything(repo) == before
    changed = exclude.ensure(found, repo / ".worktrees", repo / ".worktrees" / "topic")
    assert changed
    with file_of(repo).open("ab") as file:
        file.write(b"somebody else's\n")
    changed.undo()
    assert file_of(repo).read_bytes().endswith(b"/.worktrees/\nsomebody else's\n")


def test_mode_and_symbolic_link_are_kept(repo: Path, sealed: Path) -> None:
    shared = sealed / "shared-excludes"
    shared.write_bytes(LINES)
    shared.chmod(0o640)
    file_of(repo).unlink(missing_ok=True)
    file_of(repo).symlink_to(shared)
    exclude.ensure(discover(repo), repo / ".worktrees", repo / ".worktrees" / "topic")
    assert file_of(repo).is_symlink()
    assert shared.read_bytes() == LINES + SIGN + b"/.worktrees/\n"
    assert shared.stat().st_mode & 0o777 == 0o640


def test_a_pool_in_a_linked_worktree(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    pool = tree / ".agents" / "worktrees"
    linked(tree, pool / "x", "inner")
    exclude.ensure(discover(tree), pool, pool / "topic")
    assert b"\n/.agents/worktrees/\n" in file_of(repo).read_bytes()
    assert status(tree) == ""


def test_a_pool_outside_needs_nothing(repo: Path, sealed: Path) -> None:
    before = everything(repo)
    bare = bare_repository(sealed / "bare.git", repo)
    assert exclude.ensure(discover(repo), sealed / "pool", sealed / "pool" / "topic") is None
    assert exclude.ensure(discover(repo), repo, repo / "topic") is None
    assert (
        exclude.ensure(discover(bare), bare / ".worktrees", bare / ".worktrees" / "topic") is None
    )
    assert everything(repo) == before


def test_a_name_that_no_pattern_can_hold(repo: Path) -> None:
    assert exclude.ensure(discover(repo), repo / "a\nb", repo / "a\nb" / "topic") is None


@given(
    name=st.text(st.sampled_from("ab.#!*?[]\\ ü\udcff$~^-"), min_size=1, max_size=8).filter(
        lambda name: name not in {".", ".."}
    )
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_the_pool_is_called(sealed: Path, name: str) -> None:
    shutil.rmtree(sealed / "project", ignore_errors=True)
    repo = repository(sealed / "project", files=0)
    exclude.ensure(discover(repo), repo / name, repo / name / "topic")
    for folder in (name, "other", f"{name}x"):
        (repo / folder).mkdir()
        (repo / folder / "file").touch()
    shown = git(repo, "status", "--porcelain", "-z", "--untracked-files=all").split("\0")
    assert sorted(shown[:-1]) == sorted(["?? other/file", f"?? {name}x/file"])


def test_an_unwritable_file_is_said(repo: Path) -> None:
    shutil.rmtree(repo / ".git" / "info")
    (repo / ".git" / "info").write_text("no folder")
    with pytest.raises(HqtError) as caught:
        exclude.ensure(discover(repo), repo / ".worktrees", repo / ".worktrees" / "topic")
    assert caught.value.code is Code.GIT_FAILED


def test_the_pools_own_ignore_file_hides_the_pool_but_nothing_in_its_worktrees(repo: Path) -> None:
    tree = make(repo, "deep/topic").path
    pool = repo / ".worktrees"
    assert (pool / ".gitignore").read_bytes() == b"*\n"
    file_of(repo).write_bytes(b"")
    assert status(repo) == ""
    (tree / "new").touch()
    (tree / "file0").write_text("changed\n")
    assert status(tree) == " M file0\n?? new"


def tracked(repo: Path) -> None:
    commit(repo, "docs/guide")


def untracked(repo: Path) -> None:
    (repo / "docs").mkdir()
    (repo / "docs" / "guide").touch()


def deleted(repo: Path) -> None:
    commit(repo, "docs/guide")
    shutil.rmtree(repo / "docs")


def tracked_elsewhere(repo: Path) -> None:
    commit(linked(repo, repo.parent / "away", "away"), "docs/guide")


@pytest.mark.parametrize("story", [tracked, untracked, deleted, tracked_elsewhere])
def test_a_pool_with_anything_else_in_it_is_not_excluded(
    repo: Path, story: Callable[[Path], None]
) -> None:
    story(repo)
    pool = repo / "docs"
    exclude.ensure(discover(repo), pool, pool / "a")
    exclude.ensure(discover(repo), pool, pool / "b[c")
    exclude.ensure(discover(repo), pool, repo.parent / "outside")
    excluded = file_of(repo).read_bytes()
    assert excluded.endswith(SIGN + b"/docs/a/\n" + SIGN + b"/docs/b\\[c/\n")
    for place in repo, linked(repo, pool / "a", "a"):
        (place / "docs").mkdir(exist_ok=True)
        (place / "docs" / "new").touch()
        assert "?? docs/new" in status(place)
    assert "docs/a/" not in status(repo)


def test_what_only_that_line_hides_is_seen(repo: Path) -> None:
    found = discover(repo)
    exclude.ensure(found, repo / ".worktrees", repo / ".worktrees" / "topic")
    with file_of(repo).open("ab") as file:
        file.write(b"/.mine/\n")
    tree = linked(repo, repo / ".worktrees" / "topic")
    for name in (".worktrees/a", ".worktrees/deep/b", ".mine/c"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    assert status(tree) == ""
    folders = (".worktrees/", ".mine/")
    assert exclude.hidden(found, tree, folders, [repo]) == (".worktrees/",)
    entries = (".worktrees/a", ".worktrees/deep/b", ".mine/c")
    assert exclude.hidden(found, tree, entries, [repo]) == entries[:2]


def test_a_pool_of_its_own_is_nothing_to_see(repo: Path) -> None:
    """In a worktree that was the start of others, which are gone or still there."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    found, pool = discover(tree), tree / ".agents" / "worktrees"
    inner = linked(tree, pool / "deep" / "inner", "inner")
    (pool / ".gitignore").write_bytes(b"*\n")
    exclude.ensure(found, pool, inner)
    for entry in (".agents/worktrees/", ".agents/", ".agents/worktrees/.gitignore"):
        assert exclude.hidden(found, tree, [entry], [repo, inner]) == ()
    (pool / "mine").touch()
    assert exclude.hidden(found, tree, [".agents/"], [repo, inner]) == (".agents/",)
