"""Names, who uses a branch, what `--checkout` means, and deletion by compare and swap."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.making import everything
from helpers.repos import bare_repository, commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import branches, refs
from hqt.git.branches import Use
from hqt.git.repository import discover
from hqt.git.tracking import Choice, Upstream
from hqt.git.worktrees import list_worktrees

assert pygit2  # loaded, so that both ways of making a branch can be tried


def code_of(call: Callable[[], object]) -> Code:
    with pytest.raises(HqtError) as caught:
        call()
    return caught.value.code


# Names

NAMES = st.text(
    st.one_of(st.sampled_from("ab/.-@{~^:?*[\\ \x7f\t"), st.characters(codec="utf-8")),
    max_size=12,
)


@given(name=NAMES)
@settings(max_examples=60, deadline=None)
def test_a_name_is_accepted_exactly_when_git_accepts_it(name: str) -> None:
    command = ["git", "check-ref-format", f"refs/heads/{name}"]
    git_says = "\0" not in name and subprocess.run(command, check=False).returncode == 0
    expected = git_says and not name.startswith("-") and name != "HEAD"
    with nullcontext() if expected else pytest.raises(HqtError, match="no name that git accepts"):
        branches.check_name(name)


def test_all_names_loose_and_packed(repo: Path) -> None:
    git(repo, "branch", "packed/one")
    git(repo, "branch", "both")
    git(repo, "tag", "not-a-branch")
    git(repo, "pack-refs", "--all")
    git(repo, "branch", "-f", "both")
    git(repo, "branch", "loose/one")
    (repo / ".git" / "refs" / "heads" / "loose" / "two.lock").write_text("")
    assert branches.names(discover(repo)) == {"main", "packed/one", "both", "loose/one"}


@pytest.mark.parametrize(
    ("present", "wanted", "in_the_way"),
    [
        ("a", "a", "a"),
        ("a", "a/b", "a"),
        ("a", "a/b/c", "a"),
        ("a/b", "a", "a/b"),
        ("a/b/c", "a", "a/b/c"),
        ("a", "ab", None),
        ("ab", "a", None),
        ("a/b", "a/c", None),
        ("A", "a", None),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_keeps_a_new_branch_from_being_made(
    repo: Path, present: str, wanted: str, in_the_way: str | None, packed: bool
) -> None:
    git(repo, "branch", present)
    if packed:
        git(repo, "pack-refs", "--all")
    found = discover(repo)
    assert branches.clash(found, wanted) == in_the_way
    head = git(repo, "rev-parse", "HEAD")
    for by_libgit2 in (False, True):
        name = wanted if in_the_way else f"{wanted}{by_libgit2}"
        if in_the_way:
            with pytest.raises(HqtError) as caught:
                branches.create(found, name, head, by_libgit2=by_libgit2)
            assert caught.value.code is Code.BRANCH_EXISTS
            assert caught.value.details == {"branch": wanted, "existing": in_the_way}
            assert branches.names(found) == {"main", present}
        else:
            branches.create(found, name, head, by_libgit2=by_libgit2)
            assert git(repo, "rev-parse", f"refs/heads/{name}") == head


def test_names_that_differ_only_in_case_where_case_is_ignored(repo: Path) -> None:
    git(repo, "branch", "Feature/One")
    git(repo, "config", "core.ignoreCase", "true")
    assert branches.clash(discover(repo), "feature/ONE") == "Feature/One"
    assert branches.clash(discover(repo), "FEATURE") == "Feature/One"
    assert branches.clash(discover(repo), "feature/two") is None


@pytest.mark.parametrize("by_libgit2", [False, True])
def test_a_new_branch_has_a_reflog_and_follows_nothing(repo: Path, by_libgit2: bool) -> None:
    git(repo, "config", "branch.autoSetupMerge", "always")
    before = git(repo, "config", "--local", "--list")
    head = git(repo, "rev-parse", "HEAD")
    branches.create(discover(repo), "deep/topic", head, by_libgit2=by_libgit2)
    assert git(repo, "log", "-g", "--format=%gs", "refs/heads/deep/topic").startswith("branch: ")
    assert git(repo, "config", "--local", "--list") == before


def test_a_hook_that_forbids_the_branch(repo: Path) -> None:
    hook = repo / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no new branches on Mondays >&2\nexit 1\n")
    hook.chmod(0o755)
    head = git(repo, "rev-parse", "HEAD")
    assert code_of(lambda: branches.create(discover(repo), "topic", head)) is Code.GIT_FAILED
    assert branches.names(discover(repo)) == {"main"}


@pytest.mark.parametrize("by_libgit2", [False, True])
def test_of_two_at_once_one_wins(repo: Path, by_libgit2: bool) -> None:
    found, head = discover(repo), git(repo, "rev-parse", "HEAD")

    def make(_: int) -> Code | None:
        try:
            branches.create(found, "topic", head, by_libgit2=by_libgit2)
        except HqtError as error:
            return error.code
        return None

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(make, range(4)))
    assert sorted(map(str, outcomes)) == ["None", *["branch_exists"] * 3]


# In use


def use(repo: Path, name: str) -> Use | None:
    found = discover(repo)
    return branches.used_by(found, name, list_worktrees(found))


def test_who_has_a_branch(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    git(repo, "branch", "free")
    assert use(repo, "main") == Use(repo, "checked out")
    assert use(repo, "topic") == Use(tree, "checked out")
    assert use(repo, "free") is None
    shutil.rmtree(tree)
    assert use(repo, "topic") == Use(tree, "checked out")


@pytest.mark.parametrize("way", ["--merge", "--apply"])
def test_a_rebase_keeps_its_branch(repo: Path, way: str) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    commit(repo, "file0", "main\n")
    commit(tree, "file0", "topic\n")
    git(tree, "rebase", way, "main", check=False)
    assert use(repo, "topic") == Use(tree, "being rebased")


def test_a_rebase_keeps_the_branches_it_will_update(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    commit(tree, "one")
    git(tree, "branch", "below")
    commit(tree, "file0", "topic\n")
    commit(repo, "file0", "main\n")
    git(tree, "rebase", "--update-refs", "main", check=False)
    if not (repo / ".git" / "worktrees" / "topic" / "rebase-merge" / "update-refs").exists():
        pytest.skip("this git knows no --update-refs")
    assert use(repo, "below") == Use(tree, "being rebased")
    assert use(repo, "main") == Use(repo, "checked out")


def test_a_bisect_keeps_its_branch(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    for name in ("one", "two", "three", "four"):
        commit(tree, name)
    git(tree, "bisect", "start", "HEAD", "main")
    assert git(tree, "branch", "--show-current") == ""
    assert use(repo, "topic") == Use(tree, "being bisected")


def test_the_head_of_a_bare_repository_keeps_nothing(repo: Path, sealed: Path) -> None:
    assert use(bare_repository(sealed / "bare.git", repo), "main") is None


def test_a_main_checkout_that_cannot_be_seen_keeps_its_branch(sealed: Path) -> None:
    store = sealed / "store"
    repo = repository(sealed / "project", options=(f"--separate-git-dir={store}",))
    tree = linked(repo, sealed / "topic")
    assert use(tree, "main") == Use(store, "checked out")


# --checkout


@pytest.fixture
def clone(repo: Path, sealed: Path) -> Path:
    """A clone with remotes `origin` and `team/fork` of the same repository, both fetched."""
    for name in ("theirs", "user/feature", "only-origin"):
        git(repo, "branch", name)
    git(repo, "clone", "-q", str(repo), str(sealed / "clone"))
    git(repo, "branch", "-D", "only-origin")
    git(repo, "branch", "only-fork")
    git(sealed / "clone", "remote", "add", "-f", "team/fork", str(repo))
    return sealed / "clone"


def choose(clone: Path, name: str) -> Choice:
    return branches.remote_tracking(discover(clone), name)


def following(remote: str, branch: str) -> Upstream:
    return Upstream(remote, branch, f"refs/remotes/{remote}/{branch}")


def test_a_local_branch_comes_first(clone: Path) -> None:
    commit(clone, "more")
    git(clone, "branch", "theirs")
    assert choose(clone, "theirs") == Choice("theirs", git(clone, "rev-parse", "HEAD"))


@pytest.mark.parametrize(
    ("name", "remote", "branch"),
    [
        ("only-origin", "origin", "only-origin"),
        ("origin/only-origin", "origin", "only-origin"),
        ("only-fork", "team/fork", "only-fork"),
        ("origin/theirs", "origin", "theirs"),
        ("team/fork/theirs", "team/fork", "theirs"),
        ("origin/user/feature", "origin", "user/feature"),
        ("team/fork/user/feature", "team/fork", "user/feature"),
    ],
)
def test_the_only_remote_tracking_branch(clone: Path, name: str, remote: str, branch: str) -> None:
    upstream = following(remote, branch)
    head = git(clone, "rev-parse", upstream.ref)
    assert choose(clone, name) == Choice(branch, head, create=True, upstream=upstream)


def test_a_slash_does_not_make_a_remote(clone: Path) -> None:
    git(clone, "remote", "remove", "team/fork")
    found = choose(clone, "user/feature")
    assert (found.branch, found.upstream) == ("user/feature", following("origin", "user/feature"))


def test_several_remotes(clone: Path) -> None:
    with pytest.raises(HqtError) as caught:
        choose(clone, "theirs")
    assert caught.value.code is Code.AMBIGUOUS_TARGET
    assert caught.value.details == {"candidates": ["origin/theirs", "team/fork/theirs"]}
    git(clone, "config", "checkout.defaultRemote", "team/fork")
    assert choose(clone, "theirs").upstream == following("team/fork", "theirs")


@pytest.mark.parametrize("name", ["nowhere", "origin/nowhere", "origin", "user/main", "upstream/x"])
def test_no_such_branch(clone: Path, name: str) -> None:
    assert code_of(lambda: choose(clone, name)) is Code.NO_SUCH_BRANCH


@pytest.mark.parametrize("name", ["", "-x", "a..b", "HEAD", "a b", "../x", "refs/heads/"])
def test_no_name_for_a_branch(clone: Path, name: str) -> None:
    assert code_of(lambda: choose(clone, name)) is Code.INVALID_NAME


def test_the_remotes_head_is_no_branch(clone: Path) -> None:
    assert git(clone, "symbolic-ref", "refs/remotes/origin/HEAD") == "refs/remotes/origin/main"
    assert code_of(lambda: choose(clone, "origin/HEAD")) is Code.NO_SUCH_BRANCH


def test_a_tag_of_that_name_is_no_branch(clone: Path) -> None:
    git(clone, "tag", "v1")
    assert code_of(lambda: choose(clone, "v1")) is Code.NO_SUCH_BRANCH


def test_the_local_branch_that_follows_it_already(clone: Path) -> None:
    git(clone, "branch", "theirs", "origin/theirs")
    assert choose(clone, "origin/theirs") == Choice("theirs", git(clone, "rev-parse", "theirs"))
    assert code_of(lambda: choose(clone, "team/fork/theirs")) is Code.BRANCH_EXISTS


def test_refspecs_of_the_users_own(clone: Path) -> None:
    git(clone, "config", "--unset-all", "remote.origin.fetch")
    git(clone, "config", "--add", "remote.origin.fetch", "+refs/heads/user/*:refs/remotes/up/u-*")
    git(clone, "config", "--add", "remote.origin.fetch", "+refs/heads/main:refs/remotes/up/main")
    git(clone, "config", "--add", "remote.origin.fetch", "^refs/heads/user/se*")
    git(clone, "remote", "remove", "team/fork")
    for name in ("u-feature", "u-secret"):
        git(clone, "update-ref", f"refs/remotes/up/{name}", "HEAD")
    upstream = Upstream("origin", "user/feature", "refs/remotes/up/u-feature")
    assert choose(clone, "user/feature").upstream == upstream
    assert choose(clone, "up/u-feature").upstream == upstream
    assert code_of(lambda: choose(clone, "user/secret")) is Code.NO_SUCH_BRANCH
    assert code_of(lambda: choose(clone, "theirs")) is Code.NO_SUCH_BRANCH


# Deletion


def delete(repo: Path, name: str, expected: str) -> bool:
    return branches.delete(discover(repo), name, expected)


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_goes_with_its_reflog_and_configuration(repo: Path, packed: bool) -> None:
    before = git(repo, "config", "--local", "--list")
    git(repo, "branch", "deep/top.ic")
    git(repo, "branch", "-q", "--set-upstream-to=main", "deep/top.ic")
    git(repo, "config", "branch.deep/top.ic.description", "words")
    if packed:
        git(repo, "pack-refs", "--all", "--prune")
    assert delete(repo, "deep/top.ic", git(repo, "rev-parse", "deep/top.ic"))
    assert branches.names(discover(repo)) == {"main"}
    assert git(repo, "config", "--local", "--list") == before
    assert not (repo / ".git" / "logs" / "refs" / "heads" / "deep").exists()


def test_a_branch_that_has_moved_stays(repo: Path) -> None:
    git(repo, "branch", "topic")
    git(repo, "branch", "-q", "--set-upstream-to=main", "topic")
    old = git(repo, "rev-parse", "topic")
    commit(repo, "more")
    git(repo, "branch", "-f", "topic", "main")
    before = everything(repo)
    assert not delete(repo, "topic", old)
    assert everything(repo) == before


def test_a_branch_that_is_gone(repo: Path) -> None:
    assert not delete(repo, "topic", git(repo, "rev-parse", "HEAD"))


def test_a_branch_somebody_is_on_stays(repo: Path) -> None:
    linked(repo, repo / ".worktrees" / "topic")
    head = git(repo, "rev-parse", "HEAD")
    assert not delete(repo, "topic", head)
    assert not delete(repo, "main", head)
    assert branches.names(discover(repo)) == {"main", "topic"}


def test_a_branch_that_only_points_to_another_goes_alone(repo: Path) -> None:
    git(repo, "branch", "topic")
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/topic")
    assert delete(repo, "alias", git(repo, "rev-parse", "topic"))
    assert branches.names(discover(repo)) == {"main", "topic"}


def test_a_tag_of_the_same_name_is_not_touched(repo: Path) -> None:
    git(repo, "branch", "topic")
    commit(repo, "more")
    git(repo, "tag", "topic")
    assert delete(repo, "topic", git(repo, "rev-parse", "refs/heads/topic"))
    assert git(repo, "tag") == "topic"


def test_a_configuration_somebody_else_is_writing_is_waited_for(repo: Path) -> None:
    git(repo, "branch", "topic")
    git(repo, "branch", "-q", "--set-upstream-to=main", "topic")
    found, head = discover(repo), git(repo, "rev-parse", "topic")
    held = repo / ".git" / "config.lock"
    held.touch()
    with ThreadPoolExecutor(1) as pool:
        deleted = pool.submit(branches.delete, found, "topic", head)
        while branches.commit_of(found, "topic"):
            pass
        assert not deleted.done()
        held.unlink()
        assert deleted.result(timeout=10)
    assert "branch." not in git(repo, "config", "--local", "--list")


# Merged


def unmerged(repo: Path) -> None:
    commit(repo, "more")


def merged_into_head(repo: Path) -> None:
    commit(repo, "more")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "topic")


def merged_into_upstream_only(repo: Path) -> None:
    commit(repo, "more")
    git(repo, "branch", "base")
    git(repo, "branch", "-q", "--set-upstream-to=base", "topic")


def merged_into_head_but_not_upstream(repo: Path) -> None:
    git(repo, "branch", "base")
    git(repo, "branch", "-q", "--set-upstream-to=base", "topic")
    merged_into_head(repo)


def upstream_is_gone(repo: Path) -> None:
    merged_into_head_but_not_upstream(repo)
    git(repo, "branch", "-D", "base")


def without_commits_of_its_own(_repo: Path) -> None:
    pass


def a_tag_bears_the_branchs_name(repo: Path) -> None:
    git(repo, "tag", "topic", "main")
    commit(repo, "more")


@pytest.mark.parametrize(
    "build",
    [
        unmerged,
        merged_into_head,
        merged_into_upstream_only,
        merged_into_head_but_not_upstream,
        upstream_is_gone,
        without_commits_of_its_own,
        a_tag_bears_the_branchs_name,
    ],
)
def test_merged_means_what_git_branch_d_means(repo: Path, build: Callable[[Path], None]) -> None:
    git(repo, "checkout", "-q", "-b", "topic")
    build(repo)
    git(repo, "checkout", "-q", "main")
    linked(repo, repo / ".worktrees" / "other", "other")
    judged = branches.merged(discover(repo / ".worktrees" / "other"), "topic")
    git(repo, "branch", "-d", "topic", check=False)
    assert judged == ("topic" not in branches.names(discover(repo)))


def test_in_a_bare_repository_its_head_counts(repo: Path, sealed: Path) -> None:
    git(repo, "branch", "topic")
    bare = bare_repository(sealed / "bare.git", repo)
    tree = linked(bare, sealed / "tree", "new", "topic")
    assert branches.merged(discover(tree), "topic")
    commit(tree, "more")
    assert not branches.merged(discover(tree), "new")


def test_a_reference_is_read_only_below_the_repository(repo: Path) -> None:
    (repo / ".git" / "refs" / "heads" / "far").write_text("ref: ../../../secret\n")
    (repo / "secret").write_text("0" * 40)
    assert refs.commit_of(repo / ".git", "refs/heads/far") is None
    assert refs.commit_of(repo / ".git", "refs/heads/\0") is None


@given(names=st.sets(st.sampled_from(["a/b", "a/c", "d", "e-f", "ü"]), max_size=5))
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_names_are_those_of_git(sealed: Path, names: set[str]) -> None:
    shutil.rmtree(sealed / "project", ignore_errors=True)
    repo = repository(sealed / "project")
    for number, name in enumerate(sorted(names)):
        git(repo, "branch", name)
        if number == 2:
            git(repo, "pack-refs", "--all")
    listing = git(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    assert branches.names(discover(repo)) == set(listing.splitlines())
