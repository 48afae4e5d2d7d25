"""Whatever state a worktree is in: into the trash, garbage collected, undone, and all is as it was.

The promise of design §5, byte for byte: files, index, HEAD, references, status.
"""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import states, trashing
from helpers.portraits import differences, portrait
from helpers.repos import commit, git, linked, repository
from helpers.states import State
from hqt.errors import HqtError

MOVABLE = [state for state in states.states() if not state.always]
# Other repositories' worktrees take a look through the whole tree: the inventory's alone
# (`test_losses`), which a removal takes twice.
LOOKED_FOR = "a worktree of another repository inside"
REFUSED = [one for one in states.states() if one.always and one.name != LOOKED_FOR]


def named(state: State) -> str:
    return state.name


def require_exact_return(repo: Path, tree: Path) -> None:
    """Remove the worktree at `tree`, collect all garbage, undo, and compare."""
    before = portrait(tree, reflogs=False)
    entry = trashing.remove(repo, tree)
    assert not os.path.lexists(tree)
    assert f"worktree {tree}\n" not in git(repo, "worktree", "list", "--porcelain")
    trashing.collect_garbage(repo)
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree, reflogs=False)) == []
    trashing.require_sound(tree)  # from in there, so that its index is looked at
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


NAMES = st.sampled_from(
    ["file0", "folder/inner", "new", "deep/er/new", "x.log", "link", "w#{x} \n"]
)
ACTS: dict[str, Callable[[Path, str], object]] = {
    "write": lambda tree, name: _write(tree / name, f"{name} written\n"),
    "write more": lambda tree, name: _write(tree / name, "more\n" * 50),
    "delete": lambda tree, name: (tree / name).unlink(missing_ok=True),
    "execute": lambda tree, name: (tree / name).chmod(0o755),
    "link": lambda tree, name: (tree / f"{name}.link").symlink_to(f"./{name}"),
    "stage": lambda tree, name: git(tree, "add", "-f", "--", name),
    "intend": lambda tree, name: git(tree, "add", "-f", "-N", "--", name),
    "unstage": lambda tree, name: git(tree, "rm", "-q", "--cached", "--", name),
    "hide": lambda tree, name: git(tree, "update-index", "--skip-worktree", "--", name),
    "assume": lambda tree, name: git(tree, "update-index", "--assume-unchanged", "--", name),
    "commit": lambda tree, _: git(tree, "commit", "-q", "-m", "Work"),
    "amend": lambda tree, _: git(tree, "commit", "-q", "--amend", "-m", "Again"),
    "back": lambda tree, _: git(tree, "reset", "-q", "--soft", "HEAD~1"),
    "detach": lambda tree, _: git(tree, "checkout", "-q", "--detach"),
    "branch": lambda tree, _: git(tree, "switch", "-q", "-c", "another"),
    "private ref": lambda tree, _: git(tree, "update-ref", "refs/worktree/kept", "HEAD"),
    "stash": lambda tree, _: git(tree, "stash", "-q"),
    "pop": lambda tree, _: git(tree, "stash", "pop", "-q"),
    "nest": lambda tree, _: git(tree, "init", "-q", "nested"),
    "pick": lambda tree, _: git(tree, "cherry-pick", "side"),
    "merge": lambda tree, _: git(tree, "merge", "-q", "side"),
    "rebase": lambda tree, _: git(tree, "rebase", "-q", "--autostash", "side"),
    "split": lambda tree, _: git(tree, "update-index", "--split-index"),
}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from(sorted(ACTS)), NAMES), min_size=3, max_size=14))
def test_any_state(sealed: Path, acts: list[tuple[str, str]]) -> None:
    """Acts at random; what git or the disk refuses is skipped, conflicts stay as they are."""
    repo, tree = states.fresh(Path(tempfile.mkdtemp(dir=sealed)))
    git(repo, "switch", "-q", "-c", "side")
    commit(repo, "file0", "side\n")
    commit(repo, "new", "side\n")
    for act, name in acts:
        with contextlib.suppress(AssertionError, OSError):
            ACTS[act](tree, name)
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


def test_stages_of_a_conflict_that_the_index_alone_holds(sealed: Path) -> None:
    """No branch has them, as after a merge of something that is gone; the resolved ones too."""
    repo, tree = states.fresh(sealed)
    for path in ("open", "resolved"):
        stages = [
            f"100644 {git(tree, 'hash-object', '-w', '--stdin', input=f'{path} {n}')} {n}\t{path}\n"
            for n in (1, 2, 3)
        ]
        git(tree, "update-index", "--index-info", input="".join(stages))
    (tree / "resolved").write_text("resolved\n")
    git(tree, "add", "resolved")
    assert len(git(tree, "ls-files", "--resolve-undo").splitlines()) == 3
    require_exact_return(repo, tree)
    git(tree, "checkout", "-m", "--", "open", "resolved")
    assert "<<<<<<<" in (tree / "open").read_text()
    assert "<<<<<<<" in (tree / "resolved").read_text()


def test_commits_that_a_pick_has_only_abbreviated_are_kept(sealed: Path) -> None:
    """The todo list of a sequence holds short names, of commits that may have no other holder."""
    repo, tree = states.fresh(sealed)
    git(repo, "switch", "-q", "-c", "picked")
    commit(repo, "file0", "conflict\n")
    commit(repo, "later", "later\n")
    git(repo, "switch", "-q", "main")
    commit(tree, "file0", "mine\n")
    git(tree, "cherry-pick", "main..picked", check=False)
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-q", "-D", "picked")
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


@pytest.mark.parametrize("how", ["--filter=blob:none", "--depth=1"])
def test_a_clone_that_lacks_objects_fetches_none(how: str, sealed: Path) -> None:
    """Its remote is gone, so that every attempt to fetch would fail."""
    origin = repository(sealed / "origin", files=3)
    commit(origin, "file0", "later\n")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(sealed, "clone", "-q", how, f"file://{origin}", "clone")
    repo = sealed / "clone"
    tree = linked(repo, sealed / "tree")
    origin.rename(sealed / "away")
    commit(tree, "own")
    git(tree, "commit", "-q", "--amend", "-m", "Own, amended")
    (tree / "staged").write_text("staged\n")
    git(tree, "add", "staged")
    require_exact_return(repo, tree)


def test_all_branches_of_a_rebase_come_back(sealed: Path) -> None:
    """`rebase --update-refs` moves others besides the one it began on."""
    repo, tree = states.fresh(sealed)
    try:
        git(tree, "rebase", "-q", "--update-refs", "HEAD")
    except AssertionError:
        pytest.skip("this git knows no --update-refs")
    commit(tree, "one")
    git(repo, "branch", "-q", "middle", "topic")
    commit(tree, "two")
    edit = "sed -i -e 1s/^pick/edit/"
    git(tree, "rebase", "-q", "-i", "--update-refs", "HEAD~2", GIT_SEQUENCE_EDITOR=edit)
    tips = git(repo, "for-each-ref", "refs/heads")
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-q", "-D", "middle", "topic")
    trashing.collect_garbage(repo)
    trashing.undo(repo, entry.id)
    assert git(repo, "for-each-ref", "refs/heads") == tips
    git(tree, "rebase", "--continue")
    assert git(tree, "status", "--porcelain") == ""


def test_another_worktree_is_made_meanwhile(sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    states.by_name()["staged and modified"].build(repo, tree)
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    other = linked(repo, sealed / "other", "other")
    git(repo, "worktree", "prune", "--expire", "now")
    trashing.undo(repo, entry.id)
    after = portrait(tree)
    assert (before.files, before.admin) == (after.files, after.admin)
    assert before.said["status"] == after.said["status"]
    assert git(other, "status", "--porcelain") == ""
