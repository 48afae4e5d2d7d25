"""The inventory: every state, every kind of doubt, and what only informs."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import repos, states
from helpers.repos import commit, git
from hqt import verdict
from hqt.git import losses as inventory
from hqt.git import nested, question, witness
from hqt.git.losses import losses
from hqt.git.mounts import counts_folders
from hqt.git.worktrees import list_worktrees
from hqt.models import Losses, Occupants, Repository, Worktree


def repository(repo: Path) -> Repository:
    return Repository(repo / ".git", repo, bare=False, checkout=repo)


def worktree(repo: Path, tree: Path) -> Worktree:
    (found,) = (one for one in list_worktrees(repository(repo)) if one.path == tree)
    return found


def take(
    repo: Path, tree: Path, *, recorded: str | None = "topic", base: str | None = None
) -> Losses:
    others = [one.path for one in list_worktrees(repository(repo)) if one.path != tree]
    return losses(
        repository(repo),
        worktree(repo, tree),
        recorded_branch=recorded,
        base_commit=base,
        others=others,
    )


@pytest.fixture
def pair(sealed: Path) -> tuple[Path, Path]:
    """A repository and a worktree on `topic`."""
    return states.fresh(sealed)


@pytest.mark.parametrize("state", list(states.states()), ids=lambda state: state.name)
def test_every_state_has_its_verdict(sealed: Path, state: states.State) -> None:
    repo, tree = states.fresh(sealed)
    state.build(repo, tree)
    found = take(repo, tree)
    seen = worktree(repo, tree)
    refused = verdict.refusals(found, Occupants(), locked=seen.locked)
    assert tuple(refusal.code for refusal in refused) == state.codes
    forced = verdict.refusals(found, Occupants(), locked=seen.locked, force=True)
    assert bool(forced) == state.always
    assert not found.unsure
    assert (verdict.sentence(found) == "nothing would be lost") == (
        not (verdict.holds(found) or found.ignored.at_stake)
    )
    assert witness.second_opinion(repository(repo), seen)(found, frozenset()) == ()


def test_nothing_is_changed_by_looking(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    states.edited_behind_both.build(repo, tree)
    commit(tree, "new")
    git(repo, "merge", "-q", "--squash", "topic")
    git(repo, "commit", "-q", "-m", "Squash")
    (tree / "file1").write_text("1\n")  # touched: a look must not refresh the index either

    def everything() -> dict[str, bytes]:
        files = [path for path in repo.rglob("*") if path.is_file() and not path.is_symlink()]
        return {str(path): path.read_bytes() for path in files}

    merges = git(repo, "merge-tree", "--write-tree", "topic", "topic", check=False)  # git 2.38
    before = everything()
    found = take(repo, tree)
    assert found.hidden == ("file0",)
    assert bool(found.elsewhere) == bool(merges)
    assert everything() == before


# What is named


def test_each_kind_is_named_with_its_path(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    git(tree, "mv", "file0", "moved")
    (tree / "file1").write_text("changed\n")
    (tree / "new").mkdir()
    (tree / "new" / "a").write_text("a")
    (tree / "b\n").write_text("b")
    (tree / ".env").write_text("A=1\n")
    (tree / "x.log").write_text("12345")
    found = take(repo, tree)
    assert sorted(found.staged) == ["file0", "moved"]
    assert found.modified == ("file1",)
    assert found.untracked == ("b\n", "new/")
    assert (found.ignored.precious, found.ignored.files, found.ignored.size) == ((".env",), 1, 5)


def test_the_live_branch_and_the_recorded_one_are_both_judged(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    commit(tree, "one", message="On topic")
    git(tree, "switch", "-q", "-c", "another", "main")
    commit(tree, "two", message="On another")
    found = take(repo, tree)
    assert {one.subject for one in found.unique} == {"On topic", "On another"}
    assert found.unique_count == 2
    git(tree, "branch", "-m", "renamed")
    assert take(repo, tree).unique_count == 2
    assert take(repo, tree, recorded=None).unique_count == 1
    git(tree, "branch", "-D", "-q", "topic")
    assert take(repo, tree).unique_count == 1


def test_a_commit_on_both_goes_only_if_both_go(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    commit(tree, "one")
    git(tree, "switch", "-q", "-c", "another")
    assert take(repo, tree).unique_count == 0
    both = losses(
        repository(repo), worktree(repo, tree), recorded_branch="topic",
        removing=frozenset({"topic", "another"}),
    )  # fmt: skip
    assert both.unique_count == 1


def test_many_commits_are_counted_and_the_newest_named(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    for number in range(25):
        git(tree, "commit", "-q", "--allow-empty", "-m", f"Number {number}")
    found = take(repo, tree)
    assert found.unique_count == 25
    assert len(found.unique) == 20
    assert found.unique[0].subject == "Number 24"


def test_stashes_of_the_branch_are_named(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    git(repo, "config", "log.date", "iso")
    git(repo, "config", "log.showSignature", "true")
    for place, name in ((tree, "file0"), (repo, "file1"), (tree, "file1")):
        (place / name).write_text("stashed\n")
        git(place, "stash", "push", "-q", *(("-m", "mine") if name == "file1" else ()))
    found = take(repo, tree)
    assert [line.partition(":")[0] for line in found.stashes] == ["stash@{0}", "stash@{2}"]
    assert found.stashes[0].endswith("On topic: mine")


def test_a_private_ref_is_named_only_if_it_alone_holds_something(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    git(tree, "update-ref", "refs/worktree/main", "main")
    git(tree, "update-ref", "refs/worktree/blob", git(repo, "rev-parse", "main:file0"))
    tip = commit(tree, "one")
    git(tree, "update-ref", "refs/worktree/tip", tip)
    assert take(repo, tree).private_refs == ("refs/worktree/blob",)
    git(tree, "reset", "-q", "--hard", "main")
    assert take(repo, tree).private_refs == ("refs/worktree/blob", "refs/worktree/tip")


def test_another_worktrees_private_refs_are_its_own(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    other = repos.linked(repo, repo.parent / "other", "other")
    tip = commit(other, "one")
    git(other, "update-ref", "refs/worktree/kept", tip)
    git(other, "reset", "-q", "--hard", "main")
    assert take(repo, tree).private_refs == ()
    assert take(repo, other).private_refs == ("refs/worktree/kept",)


def test_unstarted_is_a_state_of_its_own(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    base = git(tree, "rev-parse", "HEAD")
    assert take(repo, tree, base=base).unstarted
    (tree / "file0").write_text("changed\n")
    assert take(repo, tree, base=base).unstarted
    assert not take(repo, tree).unstarted
    commit(tree, "one")
    assert not take(repo, tree, base=base).unstarted
    git(repo, "merge", "-q", "--ff-only", "topic")
    merged = take(repo, tree, base=base)
    assert (merged.unstarted, merged.unique_count) == (False, 0)
    assert not take(repo, tree, base="f" * 40).unstarted


def test_the_main_checkout_does_not_count_what_is_in_its_worktrees(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    (tree / ".env").write_text("A=1\n")
    (tree / "notes").write_text("notes\n")
    repos.repository(tree / "inner")
    found = take(repo, repo, recorded=None)
    assert found.nested_worktrees == (str(tree),)
    assert (found.untracked, found.nested_repositories, found.ignored.precious) == ((), (), ())


def test_a_hidden_submodule_is_compared_too(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    states.an_initialised_submodule.build(repo, tree)
    git(tree, "update-index", "--assume-unchanged", "sub")
    assert take(repo, tree).hidden == ()
    commit(tree / "sub", "new")
    assert take(repo, tree).hidden == ("sub",)


# A missing worktree


def test_a_missing_worktree_still_has_commits_and_an_index(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    git(tree, "checkout", "-q", "--detach")
    commit(tree, "one")
    tip = commit(tree, "two")
    git(tree, "update-ref", "refs/worktree/kept", tip)
    git(tree, "reset", "-q", "--hard", "HEAD~1")
    (tree / "file0").write_text("staged\n")
    git(tree, "add", "file0")
    tree.rename(repo.parent / "gone")
    found = take(repo, tree)
    assert found.staged == ("file0",)
    assert found.unique_count == 1
    assert found.private_refs == ("refs/worktree/kept",)
    assert not found.unsure


def test_a_missing_worktree_with_nothing_is_free_to_go(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    tree.rename(repo.parent / "gone")
    assert verdict.holds(take(repo, tree)) == ()
    (repo / ".git" / "worktrees" / "topic" / "index").unlink()
    assert verdict.holds(take(repo, tree)) == ()


def test_a_missing_worktree_on_an_unborn_branch(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    states.on_an_unborn_branch.build(repo, tree)
    tree.rename(repo.parent / "gone")
    assert verdict.holds(take(repo, tree, recorded=None)) == ("dirty",)


def test_a_missing_worktree_in_a_rebase(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    states.a_rebase_stopped_cleanly.build(repo, tree)
    tree.rename(repo.parent / "gone")
    assert take(repo, tree).operation == "rebase"


# Where the configuration or the surroundings lie


def test_the_callers_environment_does_not_redirect_the_look(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    states.modified.build(repo, tree)
    commit(tree, "one")
    monkeypatch.setenv("GIT_DIR", str(repo / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo / ".git" / "index"))
    found = take(repo, tree)
    assert (found.modified, found.unique_count) == (("file0",), 1)


def test_core_worktree_does_not_redirect_the_look(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    states.modified.build(repo, tree)
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(tree, "config", "--worktree", "core.worktree", str(repo))
    assert take(repo, tree).modified == ("file0",)


def test_a_directory_without_its_git_file_is_not_judged_by_the_repository_above(
    pair: tuple[Path, Path],
) -> None:
    repo, tree = pair
    states.modified.build(repo, tree)
    seen = worktree(repo, tree)
    (tree / ".git").unlink()
    assert losses(repository(repo), seen).modified == ("file0",)


# Doubts


def fake_git(home: Path, monkeypatch: pytest.MonkeyPatch, word: str, does: str) -> None:
    """A git that behaves, except where one of its arguments is `word`."""
    real = os.environ["PATH"]
    folder = home / "fake"
    folder.mkdir()
    (folder / "git").write_text(
        f'#!/bin/sh\nPATH={real!r}\nfor word; do [ "$word" = {word} ] && {does}; done\n'
        'exec git "$@"\n'
    )
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{real}")


@pytest.mark.parametrize("word", ["status", "ls-files", "for-each-ref", "rev-list"])
@pytest.mark.parametrize(
    ("does", "code"),
    [
        ("exit 1", "git_failed"),
        ("echo warning: could not open directory >&2", "git_failed"),
        ("{ echo; exit 128; }", "git_failed"),
        ("exec sleep 60", "timeout"),
    ],
)
def test_a_check_that_fails_refuses_force_or_not(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, word: str, does: str, code: str
) -> None:
    repo, tree = pair
    commit(tree, "one")
    seen, where = worktree(repo, tree), repository(repo)
    fake_git(repo.parent, monkeypatch, word, does)
    monkeypatch.setattr(question, "PATIENCE", 1.0)
    found = losses(where, seen, recorded_branch="topic")
    assert found.unsure
    codes = [one.code for one in verdict.refusals(found, Occupants(), force=True)]
    assert codes == [code]


def test_nonsense_from_git_is_a_doubt(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    seen, where = worktree(repo, tree), repository(repo)
    fake_git(repo.parent, monkeypatch, "status", "{ echo nonsense; exit 0; }")
    assert losses(where, seen).unsure


def test_no_git_at_all_is_a_doubt(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    repo, tree = pair
    seen, where = worktree(repo, tree), repository(repo)
    monkeypatch.setenv("PATH", str(repo))
    (sentence,) = losses(where, seen).unsure
    assert sentence.startswith("References, Commits, Hidden edits and Files could not be checked: ")


def corrupt_index(repo: Path, _tree: Path) -> None:
    (repo / ".git" / "worktrees" / "topic" / "index").write_bytes(b"DIRC nonsense")


def missing_object(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    parent = git(repo, "rev-parse", "topic~1")
    commit(repo, "other")
    git(repo, "update-ref", "refs/heads/main", git(repo, "rev-parse", "main"))
    (repo / ".git" / "objects" / parent[:2] / parent[2:]).unlink()


def broken_ref(repo: Path, _tree: Path) -> None:
    (repo / ".git" / "refs" / "heads" / "broken").write_text("nonsense\n")


@pytest.mark.parametrize("damage", [corrupt_index, missing_object, broken_ref])
def test_damage_is_a_doubt(pair: tuple[Path, Path], damage: Callable[[Path, Path], None]) -> None:
    repo, tree = pair
    seen = worktree(repo, tree)
    damage(repo, tree)
    found = losses(repository(repo), seen, recorded_branch="topic")
    assert found.unsure
    assert all(doubt.endswith(".") for doubt in found.unsure)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_a_doubt(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    (tree / "secret").mkdir(mode=0)
    found = take(repo, tree)
    (tree / "secret").chmod(0o755)
    assert found.unsure


@pytest.mark.parametrize(
    ("leaf", "call", "where"),
    [(False, "scandir", "/folder"), (True, "lstat", "/folder"), (True, "lstat", "/folder/.git")],
)
def test_a_folder_that_fails_to_be_read_is_a_doubt(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, leaf: bool, call: str, where: str
) -> None:
    repo, tree = pair
    if not leaf:
        (tree / "folder" / "below").mkdir()
    elif counts_folders(tree) is None:
        pytest.skip("here every folder is listed")
    real = getattr(os, call)

    def failing(path: str, **how: object) -> object:
        if os.fspath(path).endswith(where):
            raise PermissionError(13, "Permission denied")
        return real(path, **how)

    seen, found = worktree(repo, tree), repository(repo)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        (doubt,) = losses(found, seen).unsure
    assert "folder cannot be read: Permission denied." in doubt


def test_a_tree_that_takes_too_long_is_a_doubt(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    monkeypatch.setattr(nested, "PATIENCE", -1.0)
    found = take(repo, tree)
    assert found.timed_out
    assert len(found.unsure) == 1


def test_a_mount_is_named_and_nothing_lifts_it(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    repos.repository(tree / "cache" / "mounted" / "inner")
    monkeypatch.setattr(inventory, "mounts_below", lambda root: (root / "cache" / "mounted",))
    found = take(repo, tree)
    assert (found.mounts, found.nested_repositories) == (("cache/mounted",), ())
    assert [one.code for one in verdict.refusals(found, Occupants(), force=True)] == ["nested"]


def test_mounts_that_cannot_be_known_are_a_doubt(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> tuple[Path, ...]:
        raise PermissionError(13, "Permission denied")

    repo, tree = pair
    monkeypatch.setattr(inventory, "mounts_below", fail)
    assert take(repo, tree).unsure == (
        "Mounts could not be checked: [Errno 13] Permission denied.",
    )


def test_every_doubt_is_told_at_once(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, tree = pair
    seen, where = worktree(repo, tree), repository(repo)
    corrupt_index(repo, tree)
    broken_ref(repo, tree)
    monkeypatch.setattr(nested, "PATIENCE", -1.0)
    found = losses(where, seen)
    assert len(found.unsure) == 3
    assert dataclasses.replace(found, unsure=(), timed_out=False).staged == ()


def test_no_hook_is_run(pair: tuple[Path, Path]) -> None:
    """git would call one for the copy of the index in which hidden edits are looked for."""
    repo, tree = pair
    hook = repo / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {Path.home()}/sprung\n")
    hook.chmod(0o755)
    git(tree, "update-index", "--skip-worktree", "file0")
    (Path.home() / "sprung").unlink(missing_ok=True)
    (tree / "file0").write_text("changed\n")
    assert take(repo, tree).hidden == ("file0",)
    assert not (Path.home() / "sprung").exists()


def test_one_reason_is_one_sentence(pair: tuple[Path, Path]) -> None:
    repo, tree = pair
    (repo / ".git" / "worktrees" / "topic" / "HEAD").write_text("nonsense\n")
    found = take(repo, tree)
    whys = [sentence.partition(": ")[2] for sentence in found.unsure]
    assert len(whys) == len(set(whys)) > 0
    assert worktree(repo, tree).label == "topic"
