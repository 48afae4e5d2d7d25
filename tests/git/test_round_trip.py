"""Whatever state a worktree is in: into the trash, garbage collected, undone, and all is as it was.

The promise of design §5, byte for byte: files, index, HEAD, references, status.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import states, trashing
from helpers.portraits import differences, portrait
from helpers.repos import commit, git, linked, repository
from helpers.states import State
from hqt.errors import HqtError
from hqt.git import branches

MOVABLE = [state for state in states.states() if not state.always]
REFUSED = [state for state in states.states() if state.always]


def named(state: State) -> str:
    return state.name


def require_exact_return(
    repo: Path, tree: Path, meanwhile: Callable[[], object] = lambda: None
) -> None:
    """Remove the worktree at `tree`, collect all garbage, undo, and compare."""
    before = portrait(tree, reflogs=False)
    entry = trashing.remove(repo, tree)
    assert not os.path.lexists(tree)
    assert f"worktree {tree}\n" not in git(repo, "worktree", "list", "--porcelain")
    meanwhile()
    trashing.collect_garbage(repo)
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree, reflogs=False)) == []
    trashing.require_sound(repo)
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


@pytest.mark.parametrize("state", MOVABLE, ids=named)
def test_a_worktree_comes_back_as_it_was(state: State, sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    state.build(repo, tree)
    require_exact_return(repo, tree)


@pytest.mark.parametrize("state", REFUSED, ids=named)
def test_what_force_does_not_lift_never_enters_the_trash(state: State, sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    state.build(repo, tree)
    before = portrait(tree)
    with pytest.raises(HqtError) as refused:
        trashing.prepare(repo, tree)
    assert refused.value.code in state.codes
    assert differences(before, portrait(tree)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


@pytest.mark.parametrize(
    "names",
    [random.Random(seed).sample(range(len(MOVABLE)), 3) for seed in range(12)],
    ids=lambda names: " + ".join(MOVABLE[one].name for one in names),
)
def test_several_states_at_once(names: list[int], sealed: Path) -> None:
    """Those that cannot follow one another stop somewhere in between, which is a state as well."""
    repo, tree = states.fresh(sealed)
    for number in names:
        try:
            MOVABLE[number].build(repo, tree)
        except (AssertionError, OSError):
            continue
    require_exact_return(repo, tree)


@pytest.mark.parametrize(
    "name",
    [
        "clean",
        "unique commits",
        "staged and modified",
        "a conflicted rebase with an autostash",
        "a bisect",
        "unique commits of the recorded branch",
        "modified with a split index",
    ],
)
def test_a_branch_deleted_meanwhile_is_made_again(name: str, sealed: Path) -> None:
    """With its configuration and reflog, and nothing of it left to git but the pins."""
    repo, tree = states.fresh(sealed)
    git(repo, "config", "branch.topic.remote", "origin")
    git(repo, "config", "branch.topic.merge", "refs/heads/topic")
    git(repo, "config", "--add", "branch.topic.merge", "refs/heads/other")
    git(repo, "config", "branch.topic.description", "two\nlines")
    git(repo, "config", "branch.topic.1.remote", "not topic's")
    states.by_name()[name].build(repo, tree)
    before = portrait(tree)
    live = git(tree, "symbolic-ref", "-q", "--short", "HEAD", check=False)
    deleted = live or "topic"
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-D", deleted)
    git(repo, "gc", "-q", "--prune=now")
    undone = trashing.undo(repo, entry.id)
    assert undone.branch_recreated
    assert (undone.branch, undone.detached_because) == (live or None, None)
    assert differences(before, portrait(tree)) == []
    trashing.require_sound(repo)


@pytest.mark.parametrize(
    ("name", "command", "after"),
    [
        ("a conflicted merge", "merge --abort", ""),
        ("a conflicted rebase with an autostash", "rebase --abort", " M file1"),
        ("a rebase stopped cleanly", "rebase --continue", ""),
        ("a conflicted cherry pick", "cherry-pick --abort", ""),
        ("a conflicted revert", "revert --abort", ""),
        ("a bisect", "bisect reset", ""),
        ("a stopped am", "am --abort", ""),
    ],
)
def test_an_operation_goes_on_after_undo(name: str, command: str, after: str, sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    states.by_name()[name].build(repo, tree)
    require_exact_return(repo, tree)
    git(tree, *command.split())
    assert git(tree, "symbolic-ref", "--short", "HEAD") == "topic"
    assert git(tree, "status", "--porcelain") == after


def test_a_resolved_conflict_can_be_brought_back_after_undo(sealed: Path) -> None:
    """The stages of a conflict that is resolved already live in the index alone."""
    repo, tree = states.fresh(sealed)
    states.by_name()["a resolved merge"].build(repo, tree)
    assert git(tree, "ls-files", "--resolve-undo")
    require_exact_return(repo, tree)
    git(tree, "checkout", "-m", "--", "file0")
    assert "<<<<<<<" in (tree / "file0").read_text()


def test_commits_that_a_pick_has_only_abbreviated_are_kept(sealed: Path) -> None:
    """The todo list of a sequence holds short names, of commits that may have no other holder."""
    repo, tree = states.fresh(sealed)
    git(repo, "switch", "-q", "-c", "picked")
    commit(repo, "file0", "conflict\n")
    commit(repo, "later", "later\n")
    git(repo, "switch", "-q", "main")
    commit(tree, "file0", "mine\n")
    git(tree, "cherry-pick", "main..picked", check=False)

    def drop_the_branch() -> None:
        git(repo, "branch", "-D", "picked")

    entry = trashing.remove(repo, tree)
    drop_the_branch()
    trashing.collect_garbage(repo)
    trashing.undo(repo, entry.id)
    (tree / "file0").write_text("resolved\n")
    git(tree, "add", "file0")
    git(tree, "-c", "core.editor=true", "cherry-pick", "--continue")
    assert (tree / "later").read_text() == "later\n"


@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_either_hash(format: str, sealed: Path) -> None:
    repo = repository(sealed / "hashed", options=("--object-format", format))
    tree = linked(repo, sealed / "tree")
    commit(tree, "one")
    git(tree, "reset", "-q", "--soft", "HEAD~1")  # the commit lives in ORIG_HEAD and reflog only
    (tree / "two").write_text("two\n")
    git(tree, "add", "two")
    (tree / "three").write_text("three\n")
    git(tree, "add", "-N", "three")
    require_exact_return(repo, tree)
    assert git(tree, "cat-file", "-t", "HEAD@{1}") == "commit"


def test_a_gitdir_that_leads_through_a_symbolic_link(sealed: Path) -> None:
    repo = repository(sealed / "project")
    (sealed / "real").mkdir()
    (sealed / "link").symlink_to("real")
    git(repo, "worktree", "add", "-q", str(sealed / "link" / "tree"))
    (repo / ".git" / "worktrees" / "tree" / "gitdir").write_text(f"{sealed}/link/tree/.git\n")
    (sealed / "real" / "tree" / "new").write_text("new\n")
    require_exact_return(repo, sealed / "real" / "tree")


def test_paths_with_any_byte(sealed: Path) -> None:
    repo = repository(sealed / os.fsdecode(b"pro#{x}\xff ject"))
    tree = linked(repo, sealed / os.fsdecode(b"tr\nee \xe9#[fg=red]"), "bränch/#{x}")
    (tree / os.fsdecode(b"\xff\n")).write_text("new\n")
    git(tree, "add", "-A")
    require_exact_return(repo, tree)


def test_a_repository_with_its_git_directory_elsewhere(sealed: Path) -> None:
    repo = repository(sealed / "project", options=("--separate-git-dir", str(sealed / "store")))
    tree = linked(repo, sealed / "tree")
    (tree / "new").write_text("new\n")
    require_exact_return(repo, tree)


def test_a_bare_repository(sealed: Path) -> None:
    source = repository(sealed / "source")
    git(source, "clone", "-q", "--bare", ".", str(sealed / "bare.git"))
    tree = linked(sealed / "bare.git", sealed / "bare.git" / ".worktrees" / "topic")
    commit(tree, "own")
    (tree / "new").write_text("new\n")
    require_exact_return(sealed / "bare.git", tree)


def test_another_worktree_has_work_of_its_own_meanwhile(sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    states.by_name()["staged and modified"].build(repo, tree)

    def work() -> None:
        git(repo, "worktree", "add", "-q", str(sealed / "other"), "-b", "other")
        git(repo, "worktree", "prune", "--expire", "now")
        (sealed / "other" / "x").write_text("x")

    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    work()
    trashing.undo(repo, entry.id)
    after = portrait(tree)
    assert (before.files, before.admin) == (after.files, after.admin)
    assert before.said["status"] == after.said["status"]
    assert branches.commit_of(trashing.discover(repo), "other")
