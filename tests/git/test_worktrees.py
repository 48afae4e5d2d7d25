"""The listing is git's own, without a process; locks and identity are git's too."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.making import everything, listed
from helpers.repos import bare_repository, commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import process
from hqt.git.repository import discover
from hqt.git.worktrees import list_worktrees, lock, require_identity, unlock
from hqt.models import Repository, Worktree


def rows(start: Path) -> tuple[Worktree, ...]:
    return list_worktrees(discover(start))


def row(start: Path, name: str) -> Worktree:
    (found,) = (row for row in rows(start) if row.path.name == name)
    return found


def assert_agrees(repo: Path) -> None:
    """hqt's rows say what `git worktree list --porcelain` says, in its order."""
    expected = listed(repo)
    found = rows(repo)
    if discover(repo).bare:
        expected = {path: said for path, said in expected.items() if "bare" not in said}
    assert [str(row.path) for row in found] == list(expected)
    for worktree in found:
        said = expected[str(worktree.path)]
        assert worktree.head == (said["HEAD"] if said["HEAD"].strip("0") else None)
        full = f"refs/heads/{worktree.branch}" if worktree.branch else None
        assert full == said.get("branch")
        assert worktree.locked == said.get("locked")
        if worktree.locked is None and not worktree.main:
            assert worktree.missing == ("prunable" in said)


def test_the_main_checkout_first_then_by_path(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("c", "a/b", "a-b", "B"):
        linked(repo, repo / ".worktrees" / name, name)
    assert_agrees(repo)

    def not_asked(*_: object, **__: object) -> process.Answer:
        raise AssertionError("git was asked")

    found = discover(repo)
    monkeypatch.setattr(process, "ask", not_asked)
    assert [row.path.name for row in list_worktrees(found)] == ["project", "B", "a-b", "b", "c"]


def test_detached_unborn_and_packed(repo: Path) -> None:
    linked(repo, repo / ".worktrees" / "topic")
    git(repo, "worktree", "add", "-q", "--detach", str(repo / ".worktrees" / "detached"))
    git(linked(repo, repo / ".worktrees" / "orphan", "old"), "checkout", "-q", "--orphan", "new")
    git(repo, "pack-refs", "--all")
    assert_agrees(repo)
    assert (row(repo, "detached").branch, row(repo, "orphan").branch) == (None, "new")
    assert row(repo, "orphan").head is None
    assert row(repo, "topic").head == row(repo, "project").head is not None


def test_a_branch_that_only_points_to_another(repo: Path) -> None:
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/topic")
    tree = linked(repo, repo / ".worktrees" / "topic")
    git(tree, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert_agrees(repo)


def test_a_head_that_names_no_branch(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    git(repo, "update-ref", "refs/remotes/origin/x", "HEAD")
    git(tree, "symbolic-ref", "HEAD", "refs/remotes/origin/x")
    assert row(repo, "topic").branch is None
    assert row(repo, "topic").head == git(repo, "rev-parse", "HEAD")


def test_a_damaged_head_does_not_stop_the_listing(repo: Path) -> None:
    linked(repo, repo / ".worktrees" / "one", "one")
    linked(repo, repo / ".worktrees" / "two", "two")
    (repo / ".git" / "worktrees" / "one" / "HEAD").write_text("ref: ../../config\n")
    assert (row(repo, "one").head, row(repo, "one").branch) == (None, None)
    assert row(repo, "two").branch == "two"


def test_in_the_middle_of_a_rebase_it_is_detached_as_git_says(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    commit(repo, "file0", "main\n")
    commit(tree, "file0", "topic\n")
    git(tree, "rebase", "main", check=False)
    assert_agrees(repo)
    assert (row(repo, "topic").branch, row(repo, "topic").operation) == (None, "rebase")


def test_a_missing_worktree(repo: Path) -> None:
    for name in ("gone", "emptied", "there"):
        linked(repo, repo / ".worktrees" / name, name)
    shutil.rmtree(repo / ".worktrees" / "gone")
    (repo / ".worktrees" / "emptied" / ".git").unlink()
    assert_agrees(repo)
    assert [row(repo, name).missing for name in ("gone", "emptied", "there")] == [True, True, False]


def test_what_git_does_not_list_either(repo: Path) -> None:
    linked(repo, repo / ".worktrees" / "topic")
    admins = repo / ".git" / "worktrees"
    (admins / "empty").mkdir()
    (admins / "blank").mkdir()
    (admins / "blank" / "gitdir").write_text("")
    (admins / "file").write_text("")
    assert_agrees(repo)


def test_a_bare_repository_has_no_main_row(repo: Path, sealed: Path) -> None:
    bare = bare_repository(sealed / "bare.git", repo)
    assert rows(bare) == ()
    linked(bare, sealed / "topic")
    assert_agrees(bare)


def test_a_separate_git_directory(sealed: Path) -> None:
    repo = repository(sealed / "project", options=(f"--separate-git-dir={sealed / 'store'}",))
    tree = linked(repo, sealed / "topic")
    assert [row.path for row in rows(repo)] == [repo, tree]
    assert [row.path for row in rows(tree)] == [tree]


def test_a_path_through_a_symbolic_link(repo: Path, sealed: Path) -> None:
    (sealed / "real").mkdir()
    (sealed / "link").symlink_to("real")
    linked(repo, sealed / "link" / "topic")
    assert row(repo, "topic").path == sealed / "real" / "topic"
    assert_agrees(repo)


def test_paths_relative_to_the_admin_directory(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    admin = repo / ".git" / "worktrees" / "topic"
    (admin / "gitdir").write_text("../../../.worktrees/topic/.git\n")
    (tree / ".git").write_text("gitdir: ../../.git/worktrees/topic\n")
    assert row(repo, "topic").path == tree
    assert not row(repo, "topic").missing
    require_identity(discover(tree), row(tree, "topic"))


def test_names_of_any_bytes(repo: Path) -> None:
    name = os.fsdecode(b"a #{x}\n\xff ")
    linked(repo, repo / name, "topic")
    assert row(repo, name).path == repo / name
    require_identity(discover(repo), row(repo, name))


BRANCHES = ("one", "two", "deep/er", "deep/er2")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("detach"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("lock"), st.sampled_from(BRANCHES), st.sampled_from(["", "why", "a b"])),
        st.tuples(st.just("unlock"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("commit"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("rename"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("delete folder"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("move"), st.sampled_from(BRANCHES)),
        st.tuples(st.just("pack")),
        st.tuples(st.just("prune")),
    ),
    min_size=4,
    max_size=10,
)


def take(repo: Path, step: tuple[str, ...]) -> None:
    """One step of somebody's day with git; those that git refuses change nothing."""
    what, name, rest = (*step, "", "")[:3]
    tree = str(repo / ".worktrees" / name)
    commands = {
        "add": ("worktree", "add", "-q", "-B", name, tree),
        "detach": ("-C", tree, "checkout", "-q", "--detach"),
        "lock": ("worktree", "lock", "--reason", rest, tree),
        "unlock": ("worktree", "unlock", tree),
        "commit": ("-C", tree, "commit", "-q", "--allow-empty", "-m", name),
        "rename": ("-C", tree, "branch", "-m", f"{name}-renamed"),
        "move": ("worktree", "move", tree, f"{tree}-moved"),
        "pack": ("pack-refs", "--all"),
        "prune": ("worktree", "prune"),
    }
    if what == "delete folder":
        shutil.rmtree(tree, ignore_errors=True)
    elif what not in {"detach", "commit", "rename"} or Path(tree, ".git").exists():
        git(repo, *commands[what], check=False)


@given(steps=STEPS)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_happened_git_agrees(sealed: Path, steps: list[tuple[str, ...]]) -> None:
    repo = sealed / "project"
    shutil.rmtree(repo, ignore_errors=True)
    repository(repo)
    for step in steps:
        take(repo, step)
    assert_agrees(repo)


# Identity


@pytest.fixture
def tree(repo: Path) -> Path:
    return linked(repo, repo / ".worktrees" / "topic")


def identity(tree: Path, worktree: Worktree) -> Code | None:
    return identity_in(tree.parent.parent, worktree)


def identity_in(repo: Path, worktree: Worktree) -> Code | None:
    try:
        require_identity(discover(repo), worktree)
    except HqtError as error:
        return error.code
    return None


def test_a_worktree_is_itself(tree: Path) -> None:
    assert identity(tree, row(tree, "topic")) is None


def test_the_main_checkout_never_passes(tree: Path, repo: Path) -> None:
    assert identity(tree, row(repo, "project")) is Code.MAIN_CHECKOUT


def test_a_folder_that_is_gone(tree: Path) -> None:
    known = row(tree, "topic")
    shutil.rmtree(tree)
    assert identity(tree, known) is Code.MISSING_WORKTREE


def test_reached_through_a_symbolic_link(tree: Path, repo: Path) -> None:
    link = repo.parent / "link"
    link.symlink_to(repo)
    admin = repo / ".git" / "worktrees" / "topic"
    (admin / "gitdir").write_text(f"{link}/.worktrees/topic/.git\n")
    (tree / ".git").write_text(f"gitdir: {link}/.git/worktrees/topic\n")
    assert identity(tree, row(tree, "topic")) is None


def a_clone(repo: Path, tree: Path) -> None:
    shutil.rmtree(tree)
    git(repo, "clone", "-q", str(repo), str(tree))


def no_git_file(_repo: Path, tree: Path) -> None:
    (tree / ".git").unlink()


def a_folder_for_git_file(_repo: Path, tree: Path) -> None:
    (tree / ".git").unlink()
    (tree / ".git").mkdir()


def a_clone_with_its_store_elsewhere(repo: Path, tree: Path) -> None:
    shutil.rmtree(tree)
    git(repo, "clone", "-q", f"--separate-git-dir={repo.parent / 'store'}", str(repo), str(tree))


def another_worktree(repo: Path, tree: Path) -> None:
    other = linked(repo, repo / ".worktrees" / "other", "other")
    shutil.rmtree(tree)
    other.rename(tree)


def another_repositorys_worktree(repo: Path, tree: Path) -> None:
    shutil.rmtree(tree)
    linked(repository(repo.parent / "stranger"), tree)


def a_link_for_git_file(_repo: Path, tree: Path) -> None:
    (tree / ".git").rename(tree / "real")
    (tree / ".git").symlink_to("real")


def another_place_on_record(repo: Path, _tree: Path) -> None:
    gitdir = repo / ".git" / "worktrees" / "topic" / "gitdir"
    gitdir.write_text(f"{repo.parent}/elsewhere/.git\n")


def another_store_on_record(repo: Path, _tree: Path) -> None:
    stranger = repository(repo.parent / "stranger")
    (repo / ".git" / "worktrees" / "topic" / "commondir").write_text(f"{stranger}/.git\n")


SOMETHING_ELSE = {
    a_clone: "but a repository of its own;",
    a_clone_with_its_store_elsewhere: "but a repository of its own;",
    no_git_file: "but a folder without a .git;",
    a_folder_for_git_file: "registered as topic;",
    another_worktree: "but worktree other of {0}/project/.git;",
    another_repositorys_worktree: "but worktree topic of {0}/stranger/.git;",
}


@pytest.mark.parametrize("change", SOMETHING_ELSE)
def test_something_else_at_its_path_is_not_listed_as_the_worktree(
    tree: Path, repo: Path, change: object
) -> None:
    known = row(repo, "topic")
    assert callable(change)
    change(repo, tree)
    found = next(one for one in rows(repo) if one.git_dir == known.git_dir)
    assert (found.path, found.branch, found.missing) == (tree, "topic", True)
    with pytest.raises(HqtError) as caught:
        require_identity(discover(repo), known)
    assert caught.value.code is Code.IDENTITY_MISMATCH
    assert SOMETHING_ELSE[change].format(repo.parent) in caught.value.message


def test_a_copied_repository_does_not_have_the_worktrees_of_the_first(
    tree: Path, repo: Path
) -> None:
    copy = repo.parent / "copy"
    shutil.copytree(repo, copy, symlinks=True)
    assert row(copy, "topic").path == tree
    assert row(copy, "topic").missing
    assert not row(repo, "topic").missing


def test_a_moved_repository_has_its_worktrees_before_git_repairs_them_and_after(
    repo: Path,
) -> None:
    linked(repo, repo.parent / "outside")
    moved = repo.rename(repo.parent / "moved")
    assert_agrees(moved)
    assert not row(moved, "outside").missing
    assert identity_in(moved, row(moved, "outside")) is Code.IDENTITY_MISMATCH
    git(moved, "worktree", "repair")
    assert_agrees(moved)
    assert identity_in(moved, row(moved, "outside")) is None


def test_relative_paths_to_and_fro_and_a_moved_repository(repo: Path, sealed: Path) -> None:
    (sealed / "both").mkdir()
    repo = repo.rename(sealed / "both" / "project")
    tree = linked(repo, sealed / "both" / "outside")
    (tree / ".git").write_text("gitdir: ../project/.git/worktrees/outside\n")
    (repo / ".git" / "worktrees" / "outside" / "gitdir").write_text("../../../../outside/.git\n")
    assert not row(repo, "outside").missing

    both = (sealed / "both").rename(sealed / "moved")
    assert row(both / "project", "outside").path == both / "outside"
    assert not row(both / "project", "outside").missing
    assert identity_in(both / "project", row(both / "project", "outside")) is None

    alone = (both / "project").rename(both / "renamed")
    assert not row(alone, "outside").missing
    repository(both / "project")  # another one in its old place has no such worktree either
    assert not row(alone, "outside").missing


def test_a_worktree_moved_by_hand_is_there_again_when_git_knows_it(repo: Path, tree: Path) -> None:
    moved = tree.rename(repo.parent / "moved")
    assert row(repo, "topic").missing
    git(repo, "worktree", "repair", str(moved))
    assert_agrees(repo)
    assert (row(repo, "moved").missing, row(repo, "moved").branch) == (False, "topic")


def test_a_git_file_that_reaches_the_entry_by_another_way(repo: Path, tree: Path) -> None:
    (repo.parent / "link").symlink_to(repo)
    (tree / ".git").write_text(f"gitdir: {repo.parent}/link/.git/worktrees/topic\n")
    assert not row(repo, "topic").missing


def test_a_git_file_that_cannot_be_looked_at_may_be_the_worktrees(repo: Path, tree: Path) -> None:
    for content in (b"", b"no git file\n", b"gitdir: \xff\0\n", b"gitdir: /nowhere\n"):
        (tree / ".git").write_bytes(content)
        assert not row(repo, "topic").missing


@pytest.mark.parametrize(
    "change",
    [*SOMETHING_ELSE, a_link_for_git_file, another_place_on_record, another_store_on_record],
)
def test_what_is_not_the_registered_worktree(tree: Path, repo: Path, change: object) -> None:
    known = row(tree, "topic")
    assert callable(change)
    change(repo, tree)
    before = everything(repo)
    assert identity(tree, known) is Code.IDENTITY_MISMATCH
    assert everything(repo) == before


def test_an_admin_directory_outside_of_the_repository(tree: Path, repo: Path) -> None:
    known = row(tree, "topic")
    other = discover(repository(repo.parent / "other"))
    with pytest.raises(HqtError) as caught:
        require_identity(other, known)
    assert caught.value.code is Code.IDENTITY_MISMATCH


# Locks


@pytest.mark.parametrize("reason", ["", "on a stick", " two\nlines ", "\u00fc #{x}"])
def test_a_lock_is_gits_lock(tree: Path, repo: Path, reason: str) -> None:
    found = discover(repo)
    lock(found, row(repo, "topic"), reason)
    assert row(repo, "topic").locked == reason.strip()
    assert "locked" in listed(repo)[str(tree)]
    assert git(repo, "worktree", "remove", str(tree), check=False) == ""
    assert tree.exists()
    git(repo, "worktree", "unlock", str(tree))
    assert row(repo, "topic").locked is None


def test_unlocking_what_git_locked(tree: Path, repo: Path) -> None:
    git(repo, "worktree", "lock", "--reason", "why", str(tree))
    assert row(repo, "topic").locked == "why"
    unlock(discover(repo), row(repo, "topic"))
    assert "locked" not in listed(repo)[str(tree)]
    unlock(discover(repo), row(repo, "topic"))


def test_a_lock_is_not_taken_over(tree: Path, repo: Path) -> None:
    found = discover(repo)
    lock(found, row(repo, "topic"), "first")
    before = everything(repo)
    with pytest.raises(HqtError) as caught:
        lock(found, row(tree, "topic"), "second")
    assert (caught.value.code, caught.value.details) == (Code.LOCKED, {"reason": "first"})
    assert everything(repo) == before


def test_a_missing_worktree_can_be_locked_and_keeps_its_lock(tree: Path, repo: Path) -> None:
    shutil.rmtree(tree)
    lock(discover(repo), row(repo, "topic"), "on a stick")
    git(repo, "worktree", "prune", "--expire=now")
    assert (row(repo, "topic").missing, row(repo, "topic").locked) == (True, "on a stick")


@pytest.mark.parametrize("change", [lambda r, w: lock(r, w, ""), unlock])
def test_the_main_checkout_has_no_lock(repo: Path, change: object) -> None:
    found: Repository = discover(repo)
    assert callable(change)
    with pytest.raises(HqtError) as caught:
        change(found, row(repo, "project"))
    assert caught.value.code is Code.MAIN_CHECKOUT
