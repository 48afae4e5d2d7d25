"""From wherever hqt is started, it finds the repository that git would work on, or says why not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest

from helpers.repos import bare_repository, commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import process
from hqt.git.repository import discover, open_checkout, open_common, resolve
from hqt.models import Repository

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")


def refused(start: Path) -> HqtError:
    with pytest.raises(HqtError) as caught:
        discover(start)
    return caught.value


def not_asked(*_: object, **__: object) -> process.Answer:
    raise AssertionError("git was asked")


# Where it starts


def test_a_nested_folder(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(process, "ask", not_asked)
    assert discover(repo / "a" / "b") == Repository(repo / ".git", repo, False, repo, "a/b")


def test_a_linked_worktree(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = linked(repo, repo.parent / "elsewhere" / "topic")
    (tree / "a").mkdir()
    monkeypatch.setattr(process, "ask", not_asked)
    assert discover(tree / "a") == Repository(repo / ".git", repo, False, tree, "a")


def test_a_linked_worktree_below_the_main_checkout(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "feature" / "x")
    assert discover(tree) == Repository(repo / ".git", repo, False, tree)
    assert discover(tree.parent) == Repository(
        repo / ".git", repo, False, repo, ".worktrees/feature"
    )


@pytest.mark.parametrize("place", [".git", ".git/hooks", ".git/worktrees/topic"])
def test_inside_the_git_directory(repo: Path, place: str) -> None:
    linked(repo, repo.parent / "topic")
    (repo / ".git" / "hooks").mkdir(exist_ok=True)
    assert discover(repo / place) == Repository(repo / ".git", repo, False, None)


def test_a_symbolic_link_into_the_repository(repo: Path) -> None:
    (repo / "a").mkdir()
    link = repo.parent / "link"
    link.symlink_to(repo / "a")
    assert discover(link) == Repository(repo / ".git", repo, False, repo, "a")


def test_a_symbolic_link_above_the_repository(repo: Path) -> None:
    tree = linked(repo, repo.parent / "topic")
    link = repo.parent.parent / f"{repo.parent.name}-link"
    link.symlink_to(repo.parent)
    try:
        assert discover(link / "topic") == discover(tree)
    finally:
        link.unlink()


def test_a_git_directory_behind_a_symbolic_link(repo: Path) -> None:
    (repo / ".git").rename(repo.parent / "store")
    (repo / ".git").symlink_to(repo.parent / "store")
    tree = linked(repo, repo.parent / "topic")
    assert discover(repo) == Repository(repo.parent / "store", repo, False, repo)
    assert discover(tree) == Repository(repo.parent / "store", None, False, tree)


def test_a_separate_git_directory_hides_its_checkout_from_worktrees(sealed: Path) -> None:
    store = sealed / "store"
    repo = repository(sealed / "project", options=(f"--separate-git-dir={store}",))
    tree = linked(repo, sealed / "topic")
    assert discover(repo) == Repository(store, repo, False, repo)
    assert discover(tree) == Repository(store, None, False, tree)
    assert discover(store) == Repository(store, None, False, None)


def test_a_bare_repository(repo: Path, sealed: Path) -> None:
    bare = bare_repository(sealed / "bare.git", repo)
    tree = linked(bare, sealed / "topic")
    assert discover(bare) == discover(bare / "refs") == Repository(bare, None, True, None)
    assert discover(tree) == Repository(bare, None, True, tree)


@pytest.mark.parametrize("with_file", [True, False])
def test_a_hidden_bare_repository(repo: Path, sealed: Path, with_file: bool) -> None:
    home = sealed / "hidden"
    bare = bare_repository(home / ".bare", repo)
    if with_file:
        (home / ".git").write_text("gitdir: ./.bare\n")
    tree = linked(bare, home / "topic")
    (home / "notes").mkdir()
    assert discover(tree) == Repository(bare, None, True, tree)
    for start in (home, home / "notes", bare):
        assert discover(start) == Repository(bare, None, True, None)


def test_a_submodule_is_a_project_of_its_own(repo: Path, sealed: Path) -> None:
    other = repository(sealed / "other")
    git(repo, "submodule", "--quiet", "add", str(other), "lib/sub")
    sub, store = repo / "lib" / "sub", repo / ".git" / "modules" / "lib" / "sub"
    tree = linked(sub, sealed / "topic")
    (sub / "a").mkdir()
    assert discover(sub / "a") == Repository(store, sub, False, sub, "a")
    assert discover(tree) == Repository(store, sub, False, tree)
    assert discover(store) == Repository(store, sub, False, None)
    assert discover(repo / "lib") == Repository(repo / ".git", repo, False, repo, "lib")


def test_a_repository_in_a_repository(repo: Path) -> None:
    inner = repository(repo / "vendor" / "inner")
    (inner / "a").mkdir()
    assert discover(inner / "a") == Repository(inner / ".git", inner, False, inner, "a")


def test_a_work_tree_set_elsewhere(repo: Path, sealed: Path) -> None:
    work = sealed / "work"
    work.mkdir()
    git(repo, "config", "core.worktree", "../../work")
    assert discover(repo) == Repository(repo / ".git", work, False, None)


def test_a_bare_repository_whose_settings_are_per_worktree(repo: Path, sealed: Path) -> None:
    bare = bare_repository(sealed / "bare.git", repo)
    git(bare, "config", "extensions.worktreeConfig", "true")
    git(bare, "config", "--worktree", "core.bare", "true")
    git(bare, "config", "--unset", "core.bare")
    tree = linked(bare, sealed / "topic")
    assert discover(tree) == Repository(bare, None, True, tree)


def test_names_of_any_bytes(sealed: Path) -> None:
    name = os.fsdecode(b"a #{x}\n\xff")
    repo = repository(sealed / name)
    tree = linked(repo, sealed / f"{name}tree")
    (tree / name).mkdir()
    assert discover(tree / name) == Repository(repo / ".git", repo, False, tree, name)


def test_settings_that_only_a_parser_understands(repo: Path, sealed: Path) -> None:
    (sealed / 'wo"rk').mkdir()
    with (repo / ".git" / "config").open("a") as file:
        file.write('[core] worktree = "../../wo\\"rk" ; a comment\n[alias]\n\tx = a \\\n[core]\n')
    assert discover(repo).main == sealed / 'wo"rk'


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_COMMON_DIR", "GIT_CEILING_DIRECTORIES"])
def test_what_a_hook_leaves_in_the_environment_is_not_obeyed(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    other = repository(sealed / "other")
    commit(other, "more")
    (repo / "a").mkdir()
    head = git_head(repo)
    monkeypatch.setenv(variable, str(repo if "CEILING" in variable else other / ".git"))
    assert discover(repo / "a").main == repo
    assert resolve(discover(repo), "main", checkout=repo) == head


# git agrees


def starts(home: Path) -> Iterator[Path]:
    repo = repository(home / "project")
    (repo / "a" / "b").mkdir(parents=True)
    bare = bare_repository(home / "bare.git", repo)
    separate = repository(home / "apart", options=(f"--separate-git-dir={home / 'store'}",))
    yield from (repo, repo / "a" / "b", bare, bare / "refs", separate, home / "store")
    yield from (linked(repo, repo / ".worktrees" / "x"), linked(bare, home / "y"))
    yield linked(separate, home / "z")
    git(repo, "submodule", "--quiet", "add", str(separate), "sub")
    yield from (repo / "sub", repo / ".git" / "modules" / "sub", repo / ".git" / "worktrees" / "x")


def test_git_says_the_same(sealed: Path) -> None:
    for start in starts(sealed):
        found = discover(start)
        common = Path(git(start, "rev-parse", "--git-common-dir"))
        assert found.common_dir == Path(os.path.realpath(start / common)), start
        inside = git(start, "rev-parse", "--is-inside-work-tree") == "true"
        assert (found.checkout is not None) == inside, start
        if found.checkout:
            assert str(found.checkout) == git(start, "rev-parse", "--show-toplevel"), start
            assert found.subfolder == git(start, "rev-parse", "--show-prefix").rstrip("/"), start


# What is none, or may not be used


def test_a_folder_that_is_no_repository(sealed: Path) -> None:
    error = refused(sealed)
    assert (error.code, error.message) == (
        Code.NOT_A_REPOSITORY,
        f"{sealed} is in no git repository.",
    )


def test_a_folder_that_does_not_exist_is_not_looked_for_above(repo: Path) -> None:
    (repo / "file").write_text("")
    for start in (repo / "gone", repo / "file", repo / "file" / "x", repo / "\0"):
        error = refused(start)
        assert error.code is Code.NOT_A_REPOSITORY
        assert "There is no folder" in error.message


def test_a_folder_that_cannot_be_looked_into(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", denied)
    (repo / "a").mkdir()
    assert "Permission denied" in refused(repo / "a").message


BROKEN = {
    "empty": "",
    "no prefix": "/somewhere\n",
    "no target": "gitdir: \n",
    "target gone": "gitdir: /nowhere/at/all\n",
    "target no git directory": "gitdir: ..\n",
    "NUL": "gitdir: a\0b\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_git_file_never_gives_way_to_the_repository_around_it(
    repo: Path, name: str
) -> None:
    (repo / "inner" / "deep").mkdir(parents=True)
    (repo / "inner" / ".git").write_text(BROKEN[name])
    assert git(repo / "inner", "rev-parse", "--git-dir", check=False) == ""
    error = refused(repo / "inner" / "deep")
    assert error.code is Code.NOT_A_REPOSITORY
    assert str(repo / "inner" / ".git") in error.message


def test_a_worktree_whose_registration_was_pruned(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    shutil.rmtree(repo / ".git" / "worktrees" / "topic")
    error = refused(tree)
    assert error.code is Code.NOT_A_REPOSITORY
    assert "git worktree repair" in error.remedy


@pytest.mark.parametrize("head", [None, "nonsense\n"])
def test_a_git_folder_that_is_none_is_passed_over_as_git_does(repo: Path, head: str | None) -> None:
    (repo / "a" / ".git").mkdir(parents=True)
    if head:
        (repo / "a" / ".git" / "HEAD").write_text(head)
    assert git(repo / "a", "rev-parse", "--show-toplevel") == str(repo)
    assert discover(repo / "a").checkout == repo


def test_a_format_nobody_knows(repo: Path) -> None:
    git(repo, "config", "core.repositoryFormatVersion", "1")
    git(repo, "config", "extensions.fromTheFuture", "true")
    error = refused(repo)
    assert error.code is Code.UNSUPPORTED_REPOSITORY
    assert "fromthefuture" in str(error.details["stderr"]).lower()


@root_only
def test_somebody_elses_repository_is_refused_until_git_trusts_it(repo: Path) -> None:
    for path in (repo, repo / ".git"):
        os.chown(path, 4321, -1)
    if git(repo, "status", check=False):
        pytest.skip("this git trusts everybody")
    error = refused(repo)
    assert error.code is Code.UNSUPPORTED_REPOSITORY
    assert "git config" in error.remedy
    git(repo.parent, "config", "--global", "--add", "safe.directory", str(repo))
    assert discover(repo).main == repo


def test_bare_repositories_are_refused_where_git_is_told_to(repo: Path, sealed: Path) -> None:
    bare = bare_repository(sealed / "bare.git", repo)
    git(sealed, "config", "--global", "safe.bareRepository", "explicit")
    if git(bare, "rev-parse", "--git-dir", check=False):
        pytest.skip("this git knows no safe.bareRepository")
    assert refused(bare).code is Code.UNSUPPORTED_REPOSITORY


@root_only
def test_the_search_stays_on_its_file_system(repo: Path) -> None:
    mounted = repo / "mounted"
    mounted.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(mounted)], check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        assert git(mounted, "rev-parse", "--git-dir", check=False) == ""
        assert refused(mounted).code is Code.NOT_A_REPOSITORY
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


# Revisions


@pytest.fixture
def history(repo: Path) -> Repository:
    commit(repo, "folder/file", message="Second thoughts")
    git(repo, "tag", "-a", "-m", "Release", "v1")
    git(repo, "branch", "old", "HEAD~1")
    git(repo, "branch", "-q", "--set-upstream-to=old", "main")
    git(repo, "update-ref", "refs/remotes/origin/theirs", "HEAD~1")
    return discover(repo)


def git_head(repo: Path, revision: str = "HEAD") -> str:
    return git(repo, "rev-parse", f"{revision}^{{commit}}")


@pytest.mark.parametrize(
    ("revision", "same"),
    [
        ("HEAD", "HEAD"),
        ("@", "HEAD"),
        ("HEAD~1", "HEAD~1"),
        ("v1", "HEAD"),
        ("v1^{}", "HEAD"),
        ("main", "HEAD"),
        ("refs/heads/main", "HEAD"),
        ("old", "HEAD~1"),
        ("origin/theirs", "HEAD~1"),
        ("@{u}", "HEAD~1"),
        (":/First", "HEAD~1"),
        ("HEAD^{/First}", "HEAD~1"),
        ("main@{0}", "HEAD"),
    ],
)
def test_whatever_git_understands(history: Repository, revision: str, same: str) -> None:
    assert history.main
    assert resolve(history, revision, checkout=history.main) == git_head(history.main, same)


@pytest.mark.parametrize("length", [7, 40])
def test_a_commit_id(history: Repository, length: int) -> None:
    assert history.main
    head = git_head(history.main)
    assert resolve(history, head[:length], checkout=None) == head


@pytest.mark.parametrize(
    ("revision", "word"),
    [
        ("", "empty"),
        ("   ", "no commit"),
        ("nowhere", "no commit"),
        ("main..old", "no commit"),
        ("^main", "no commit"),
        ("main old", "no commit"),
        ("--all", "no commit"),
        ("-h", "no commit"),
        ("--git-dir=/", "no commit"),
        ("0" * 40, "no commit"),
        ("a\0b", "no commit"),
        ("a\nb", "no commit"),
        ("\udcff", "no commit"),
        (":/nobody wrote this", "no commit"),
        ("HEAD:folder/file", "blob"),
        (":folder/file", "blob"),
        ("HEAD^{tree}", "tree"),
        ("HEAD:folder", "tree"),
    ],
)
def test_what_is_no_commit(history: Repository, revision: str, word: str) -> None:
    with pytest.raises(HqtError) as caught:
        resolve(history, revision, checkout=history.main)
    assert caught.value.code is Code.NO_SUCH_REVISION
    assert word in caught.value.message


def test_a_branch_whose_name_looks_like_an_option(history: Repository) -> None:
    assert history.main
    git(history.main, "update-ref", "refs/heads/--all", "HEAD~1")
    assert resolve(history, "--all", checkout=None) == git_head(history.main, "HEAD~1")


def test_head_is_that_of_the_checkout(history: Repository) -> None:
    assert history.main
    tree = linked(history.main, history.main.parent / "topic", "topic", "old")
    for revision in ("HEAD", "@", "HEAD^0"):
        assert resolve(history, revision, checkout=tree) == git_head(tree)
        assert resolve(history, revision, checkout=None) == git_head(history.main)


@pytest.mark.parametrize("revision", ["HEAD", "@", "HEAD~2"])
def test_a_repository_without_commits(sealed: Path, revision: str) -> None:
    git(sealed, "init", "-q", "empty")
    empty = sealed / "empty"
    with pytest.raises(HqtError) as caught:
        resolve(discover(empty), revision, checkout=empty)
    assert caught.value.code is Code.NO_COMMITS


def test_a_packed_head(history: Repository) -> None:
    assert history.main
    git(history.main, "pack-refs", "--all")
    assert resolve(history, "HEAD", checkout=history.main) == git_head(history.main)


def test_a_checkout_that_is_gone_is_not_looked_for_above(history: Repository) -> None:
    assert history.main
    tree = linked(history.main, history.main / ".worktrees" / "topic")
    (tree / ".git").unlink()
    for revision in ("HEAD", "main"):
        with pytest.raises(HqtError) as caught:
            resolve(history, revision, checkout=tree)
        assert caught.value.code is Code.MISSING_WORKTREE


# Opening


def test_an_opened_checkout_is_the_one_meant(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    assert open_checkout(tree).head.name == "refs/heads/topic"
    assert open_common(discover(tree)).head.name == "refs/heads/main"
    (tree / ".git").unlink()
    with pytest.raises(HqtError) as caught:
        open_checkout(tree)
    assert caught.value.code is Code.UNSUPPORTED_REPOSITORY


def test_what_libgit2_does_not_open_is_said(sealed: Path) -> None:
    repo = repository(sealed / "project", options=("--object-format=sha256",))
    found = discover(repo)
    assert len(resolve(found, "main", checkout=None)) == 64
    with pytest.raises(HqtError) as caught:
        open_common(found)
    assert caught.value.code is Code.UNSUPPORTED_REPOSITORY


def test_libgit2_reads_the_configuration_of_this_calls_home(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for home in ("one", "two"):
        (sealed / home / ".config" / "git").mkdir(parents=True)
        (sealed / home / ".gitconfig").write_text(f"[user]\n\temail = {home}\n")
        (sealed / home / ".config" / "git" / "config").write_text(f"[x]\n\thome = {home}\n")
        monkeypatch.setenv("HOME", str(sealed / home))
        config = open_checkout(repo).config
        assert (config["user.email"], config["x.home"]) == (home, home)
    assert isinstance(pygit2.settings.search_path[pygit2.enums.ConfigLevel.GLOBAL], str)
