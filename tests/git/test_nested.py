"""Repositories inside a tree: found everywhere, judged strictly, and never given a say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import repos
from helpers.repos import commit, git
from hqt.git import nested
from hqt.git.mounts import counts_folders
from hqt.git.nested import Found


@pytest.fixture
def tree(repo: Path) -> Path:
    return repos.linked(repo, repo / ".worktrees" / "topic")


def own(tree: Path) -> list[str]:
    admin = tree.parent.parent / ".git" / "worktrees" / tree.name
    return list(nested.judge(tree, admin, nested.find(tree)).repositories)


@pytest.fixture
def clone(repo: Path, tree: Path) -> Path:
    """A clone inside the worktree, all of it on its remote outside."""
    git(repo, "clone", "-q", str(repo), str(tree / "lib"))
    return tree / "lib"


def test_every_repository_is_found_wherever_it_is(tree: Path) -> None:
    for name in ("a", "b/c", "node_modules/x/y", "a/deep/er", "two\nlines"):
        repos.repository(tree / name)
    git(tree, "init", "-q", "--bare", "mirror.git")
    (tree / "file.git").mkdir()
    (tree / "objects").mkdir()
    (tree / "link").symlink_to("b")
    (tree / "broken").mkdir()
    (tree / "broken" / ".git").write_text("nonsense")
    found = {one.path: one.bare for one in nested.find(tree)}
    assert found == {
        "a": False, "a/deep/er": False, "b/c": False, "broken": False, "mirror.git": True,
        "node_modules/x/y": False, "two\nlines": False,
    }  # fmt: skip


LEAVES = ("file", "gitfile", "git", "folder", "bare", "link")


@given(
    shape=st.dictionaries(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join),
        st.sampled_from(LEAVES),
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_all_that_a_listing_of_each_folder_finds_is_found_with_the_count_of_links(
    tmp_path_factory: pytest.TempPathFactory, shape: dict[str, str]
) -> None:
    root = tmp_path_factory.mktemp("shape")
    for name, kind in shape.items():
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            (folder / "link").symlink_to("..")
        elif kind == "bare":
            for one in ("objects", "refs"):
                (folder / one).mkdir(exist_ok=True)
            (folder / "HEAD").write_text("ref: refs/heads/main\n")
        elif kind == "git":
            (folder / ".git").mkdir(exist_ok=True)
        elif kind == "gitfile" and not (folder / ".git").exists():
            (folder / ".git").write_text("gitdir: elsewhere\n")
        elif kind == "file":
            (folder / "file").write_text("x")
    quick = nested.find(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nested, "counts_folders", lambda _: None)
        assert nested.find(root) == quick
    marked = (path.parent for path in root.rglob(".git"))
    assert {one.path for one in quick if not one.bare} == {str(p.relative_to(root)) for p in marked}


def test_links_tell_of_folders_on_the_disk_of_the_suite(tree: Path) -> None:
    """Where they do not, the test above compares a listing with itself."""
    if counts_folders(tree) is None:
        pytest.skip("here every folder is listed")
    (tree / "leaf").mkdir()
    (tree / "leaf" / "file").write_text("x")
    assert (tree / "leaf").stat().st_nlink == 2
    (tree / "leaf" / "folder").mkdir()
    assert (tree / "leaf").stat().st_nlink == 3


def test_what_is_mounted_is_left_alone(tree: Path) -> None:
    repos.repository(tree / "mounted" / "inner")
    assert nested.find(tree, without=[tree / "mounted"]) == ()


def test_a_clone_that_is_clean_and_pushed_holds_nothing(tree: Path, clone: Path) -> None:
    assert nested.find(tree) == (Found("lib"),)
    assert own(tree) == []
    (clone / "cache").mkdir()
    (clone / ".git" / "info" / "exclude").write_text("cache\n")
    (clone / "cache" / "x").write_text("x")
    assert own(tree) == []


def edit(clone: Path) -> None:
    (clone / "file0").write_text("changed\n")


def untracked(clone: Path) -> None:
    git(clone, "config", "status.showUntrackedFiles", "no")
    (clone / "new").write_text("new\n")


def hidden(clone: Path) -> None:
    git(clone, "update-index", "--assume-unchanged", "file0")
    edit(clone)


def commits(clone: Path) -> None:
    commit(clone, "new")


def commits_put_aside(clone: Path) -> None:
    git(clone, "checkout", "-q", "-b", "aside")
    commit(clone, "new")
    git(clone, "checkout", "-q", "main")


def detached_commits(clone: Path) -> None:
    git(clone, "checkout", "-q", "--detach")
    commit(clone, "new")


def a_stash(clone: Path) -> None:
    edit(clone)
    git(clone, "stash", "-q")


def a_tag(clone: Path) -> None:
    detached_commits(clone)
    git(clone, "tag", "kept")
    git(clone, "checkout", "-q", "main")


def a_worktree(clone: Path) -> None:
    git(clone, "worktree", "add", "-q", "-b", "more", str(Path.home() / "more"))


def no_remote(clone: Path) -> None:
    git(clone, "remote", "remove", "origin")


def a_remote_inside(clone: Path) -> None:
    git(clone, "clone", "-q", "--bare", ".", "../cache.git")
    git(clone, "remote", "set-url", "origin", "../cache.git")


def a_broken_head(clone: Path) -> None:
    (clone / ".git" / "HEAD").write_text("nonsense\n")


def a_missing_object(clone: Path) -> None:
    git(clone, "commit", "-q", "--allow-empty", "-m", "Own")
    tip = git(clone, "rev-parse", "HEAD")
    (clone / ".git" / "objects" / tip[:2] / tip[2:]).unlink()


OWN = [
    edit, untracked, hidden, commits, commits_put_aside, detached_commits, a_stash, a_tag,
    a_worktree, no_remote, a_remote_inside, a_broken_head, a_missing_object,
]  # fmt: skip


@pytest.mark.parametrize("story", OWN)
def test_anything_of_its_own_is_named(
    tree: Path, clone: Path, story: Callable[[Path], None]
) -> None:
    story(clone)
    assert any(line.startswith("lib (") for line in own(tree))


def test_no_program_of_a_repository_found_inside_is_run(tree: Path, clone: Path) -> None:
    trap = f"touch {Path.home()}/sprung; cat"
    for setting in ("core.fsmonitor", "filter.x.clean", "core.sshCommand", "core.pager"):
        git(clone, "config", setting, trap)
    (clone / ".gitattributes").write_text("* filter=x\n")
    (clone / "file0").write_text("changed\n")
    git(clone, "config", "remote.origin.promisor", "true")
    assert own(tree) == ["lib (filters of its own, which hqt does not run)"]
    git(clone, "config", "--unset", "filter.x.clean")
    assert own(tree) == ["lib (uncommitted changes)"]
    assert not (Path.home() / "sprung").exists()


def test_an_included_filter_counts_as_well(tree: Path, clone: Path) -> None:
    (clone / ".git" / "more").write_text('[filter "x"]\n\tclean = false\n')
    git(clone, "config", "include.path", "more")
    assert own(tree) == ["lib (filters of its own, which hqt does not run)"]


# What stands before `clean = …` and where a reader other than git may take that for another
# section's, or in a file that is another one where the reader is.
HIDDEN = [
    '[core] [filter "x"]',
    '[filter "x"] # \f[core]',
    '# so \\\n[filter "x"]',
    '[core]\n\tpager = less\\\\\n[filter "x"]',
    pytest.param(
        "[include]\n\tpath = /proc/self/cwd/.more\n[core]",
        marks=pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
    ),
]


@pytest.mark.parametrize("before", HIDDEN)
def test_a_filter_is_seen_however_it_is_written(tree: Path, clone: Path, before: str) -> None:
    clean = f"\n\tclean = touch {Path.home()}/sprung; cat\n"
    (clone / ".more").write_text(f'[filter "x"]{clean}')
    (clone / ".gitattributes").write_text("* filter=x\n")
    (clone / "file0").write_text("changed\n")
    with (clone / ".git" / "config").open("a") as file:
        file.write(before + clean)
    assert own(tree) == ["lib (filters of its own, which hqt does not run)"]
    assert not (Path.home() / "sprung").exists()


def test_a_remote_inside_is_seen_however_it_is_written(tree: Path, clone: Path) -> None:
    a_remote_inside(clone)
    url = git(clone, "config", "remote.origin.url")
    git(clone, "config", "--unset", "remote.origin.url")
    with (clone / ".git" / "config").open("a") as file:
        file.write(f'# so \\\n[remote "origin"]\n\turl = {url}\n')
    assert "lib (a remote in the same folder)" in own(tree)


def test_ignored_files_of_a_submodule_are_reported(repo: Path, tree: Path) -> None:
    library = repos.repository(repo.parent / "library")
    commit(library, ".gitignore", ".env\n")
    git(tree, "submodule", "--quiet", "add", str(library), "sub")
    (tree / "sub" / ".env").write_text("A=1\n")
    admin = repo / ".git" / "worktrees" / "topic"
    found = nested.judge(tree, admin, nested.find(tree))
    assert (found.repositories, found.submodules, found.ignored) == ((), (), ("sub/.env",))


def test_no_program_of_a_submodules_checkout_inside_is_run(tree: Path, clone: Path) -> None:
    """Its configuration is its own: that of the repository around it names nothing."""
    inner = repos.repository(clone / "sub")
    git(clone, "add", "sub")
    git(clone, "commit", "-q", "-m", "Sub")
    git(clone, "push", "-q", "origin", "HEAD:refs/heads/pushed")
    (inner / ".gitattributes").write_text("* filter=x\n")
    git(inner, "config", "filter.x.clean", f"touch {Path.home()}/sprung; cat")
    (inner / "file0").write_text("changed\n")
    assert [one.path for one in nested.find(tree)] == ["lib", "lib/sub"]
    assert own(tree) == ["lib/sub (commits of its own)"]
    assert not (Path.home() / "sprung").exists()


def test_a_submodule_at_another_commit_is_seen(tree: Path, clone: Path) -> None:
    inner = repos.repository(clone / "sub")
    git(clone, "add", "sub")
    git(clone, "commit", "-q", "-m", "Sub")
    git(clone, "push", "-q", "origin", "HEAD:refs/heads/pushed")
    commit(inner, "new")
    assert own(tree)[0] == "lib (uncommitted changes)"


def test_a_worktree_of_a_repository_elsewhere(repo: Path, tree: Path, sealed: Path) -> None:
    other = repos.repository(sealed / "other")
    foreign = repos.linked(other, tree / "deep" / "foreign")
    home = repo / ".git" / "worktrees" / "topic"
    judged = nested.judge(tree, home, nested.find(tree))
    assert (judged.worktrees, judged.repositories) == (("deep/foreign",), ())
    foreign.rename(tree / "moved")  # no longer where it is registered
    judged = nested.judge(tree, home, nested.find(tree))
    assert judged.worktrees == ()
    assert judged.repositories == ("moved (a worktree of another repository)",)


def test_a_repository_with_its_worktrees_in_the_same_tree(repo: Path, tree: Path) -> None:
    lib = repos.repository(tree / "lib")
    repos.linked(lib, tree / "lib-topic", "other")
    home = repo / ".git" / "worktrees" / "topic"
    judged = nested.judge(tree, home, nested.find(tree))
    assert judged.worktrees == ()
    assert len(judged.repositories) == 2
