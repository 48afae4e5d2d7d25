"""Into the trash: what is refused, what moves, what a process that survives can still do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import trashing
from helpers.portraits import differences, portrait
from helpers.repos import commit, git, linked
from hqt.errors import Code, HqtError
from hqt.git import branches, entry, passage, pins, trash, worktrees

SESSION = {"id": "s1", "nickname": "ünïcode", "conversation": None, "prompt": "two\nlines"}


@pytest.fixture
def tree(repo: Path) -> Path:
    """A linked worktree in the pool, in a folder of its own."""
    return linked(repo, repo / ".worktrees" / "feature" / "topic", "feature/topic")


def names(folder: Path) -> list[str]:
    return [child.name for child in folder.iterdir()]


def refusal(repo: Path, tree: Path, *holds: str) -> HqtError:
    """The error of a removal that must not happen; nothing has changed afterwards."""
    before = portrait(tree) if (tree / ".git").is_file() else None
    with pytest.raises(HqtError) as refused:
        trashing.prepare(repo, tree, *holds)
    if before:
        assert differences(before, portrait(tree)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []
    return refused.value


# What happens


def test_the_worktree_goes_whole_and_its_empty_parents_with_it(repo: Path, tree: Path) -> None:
    (tree / "new").write_text("new\n")
    (repo / ".worktrees" / ".gitignore").write_text("*\n")
    removed = trashing.remove(repo, tree, "dirty")
    kept = repo / ".git" / "hqt" / "trash" / removed.id
    assert (kept / "tree" / "new").read_text() == "new\n"
    assert names(repo / ".worktrees") == [".gitignore"]
    assert not (repo / ".git" / "worktrees" / "topic").exists()
    assert git(repo, "branch", "--list", "feature/topic").strip() == "feature/topic"
    assert (kept.stat().st_mode & 0o777) == 0o700


def test_parents_that_are_not_empty_stay_and_so_does_the_pool(repo: Path, tree: Path) -> None:
    (tree.parent / "other").mkdir()
    trashing.remove(repo, tree)
    assert (tree.parent / "other").is_dir()
    only = linked(repo, repo / ".worktrees" / "feature" / "only")
    (tree.parent / "other").rmdir()
    trashing.remove(repo, only)
    assert names(repo / ".worktrees") == []


def test_a_worktree_outside_the_pool_leaves_its_parents_alone(repo: Path, sealed: Path) -> None:
    tree = linked(repo, sealed / "elsewhere" / "topic")
    trashing.remove(repo, tree)
    assert names(sealed / "elsewhere") == []


def test_the_list_says_what_went(repo: Path, tree: Path) -> None:
    assert trash.entries(trashing.discover(repo)) == ()
    started = int(time.time())
    other = linked(repo, repo / ".worktrees" / "other", "other")
    git(other, "checkout", "-q", "--detach")
    first = trash.take(
        trash.prepare(
            trashing.discover(repo),
            trashing.registered(repo, tree),
            holds=("dirty", "unique_commits"),
            session=SESSION,
        )
    ).entry
    second = trashing.remove(repo, other)
    found = trash.entries(trashing.discover(repo))
    assert [one.id for one in found] == [second.id, first.id], "newest first"
    assert found[1] == first == trash.find(trashing.discover(repo), first.id)
    assert (first.path, first.branch) == (tree, "feature/topic")
    assert first.head == git(repo, "rev-parse", "main")
    assert (first.holds, first.session) == (("dirty", "unique_commits"), SESSION)
    assert started <= first.removed_at <= time.time()
    assert (second.branch, second.head) == (None, first.head)
    assert (trash.size(trashing.discover(repo), first.id) or 0) > 4096
    assert first.id < second.id, "ids sort by time"


def test_the_second_judgement_counts(repo: Path, tree: Path) -> None:
    one = trashing.prepare(repo, tree)
    (tree / "late").write_text("late\n")
    assert trash.take(one, holds=("dirty",)).entry.holds == ("dirty",)
    assert trash.entries(trashing.discover(repo))[0].holds == ("dirty",)


def test_an_unknown_id_is_no_target(repo: Path) -> None:
    with pytest.raises(HqtError) as refused:
        trash.find(trashing.discover(repo), "never")
    assert refused.value.code is Code.NO_SUCH_TARGET


def test_few_pins_however_long_the_reflog_and_however_much_is_staged(
    repo: Path, tree: Path
) -> None:
    for number in range(30):
        (tree / "file0").write_text(f"{number}\n")
        git(tree, "commit", "-q", "--amend", "-a", "-m", f"Try {number}")
        (tree / f"staged{number}").write_text(f"staged {number}\n")
    git(tree, "add", "-A")
    trashing.prepare(repo, tree)
    assert len(trashing.pins(repo)) == 2
    names = git(repo, "for-each-ref", "--format=%(refname) %(objectname)", "refs/hqt").split()
    assert names[1] == git(tree, "rev-parse", "HEAD")


def test_a_prepared_removal_can_be_called_off(repo: Path, tree: Path) -> None:
    before = portrait(tree)
    one = trashing.prepare(repo, tree)
    assert trashing.pins(repo)
    trash.abandon(one)
    assert differences(before, portrait(tree)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_hook_of_the_user_has_no_say_in_pins(repo: Path, tree: Path) -> None:
    hook = repo / ".git" / "hooks" / "reference-transaction"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    removed = trashing.remove(repo, tree)
    trashing.undo(repo, removed.id)
    assert trashing.pins(repo) == []


def test_a_half_pruned_object_does_not_break_the_users_gc(repo: Path, tree: Path) -> None:
    """ORIG_HEAD is no root for git: it may name a commit whose tree is gone already."""
    hollow = f"tree {'1' * 40}\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nHollow\n"
    object = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", input=hollow)
    (repo / ".git" / "worktrees" / "topic" / "ORIG_HEAD").write_text(f"{object}\n")
    kept = commit(tree, "kept")
    git(tree, "reset", "-q", "--hard", "HEAD~1")
    (repo / ".git" / "worktrees" / "topic" / "ORIG_HEAD").write_text(f"{object}\n")
    removed = trashing.remove(repo, tree)
    trashing.collect_garbage(repo)
    assert git(repo, "cat-file", "-t", kept) == "commit", "the sound ones are pinned all the same"
    trashing.undo(repo, removed.id)


def test_a_thousand_tags_in_fetch_head_are_no_thousand_pins(repo: Path, tree: Path) -> None:
    for number in range(20):
        git(repo, "tag", "-a", "-m", "Tag", f"v{number}")
    lone = git(repo, "mktag", input=git(repo, "cat-file", "tag", "v0").replace("v0", "v99"))
    tags = git(repo, "for-each-ref", "--format=%(objectname)", "refs/tags").split()
    lines = "".join(f"{one}\tnot-for-merge\ttag 'v' of .\n" for one in [*tags, lone])
    (repo / ".git" / "worktrees" / "topic" / "FETCH_HEAD").write_text(lines)
    removed = trashing.remove(repo, tree)
    assert len(trashing.pins(repo)) == 3
    trashing.collect_garbage(repo)
    assert git(repo, "cat-file", "-t", lone) == "tag"
    trashing.undo(repo, removed.id)


# What is refused


def test_the_main_checkout(repo: Path, tree: Path) -> None:
    assert refusal(tree, repo).code is Code.MAIN_CHECKOUT


def test_a_locked_worktree_even_if_its_directory_is_missing(repo: Path, tree: Path) -> None:
    git(repo, "worktree", "lock", str(tree))
    assert refusal(repo, tree).code is Code.LOCKED
    tree.rename(repo / "away")
    assert refusal(repo, tree).code is Code.LOCKED
    assert (repo / ".git" / "worktrees" / "topic" / "locked").exists()


def test_another_worktree_inside_it(repo: Path, tree: Path) -> None:
    linked(repo, tree / "inner", "inner")
    assert refusal(repo, tree).code is Code.NESTED


def test_the_repository_itself_inside_it(repo: Path, sealed: Path) -> None:
    tree = linked(repo, sealed / "tree")
    repo.rename(tree / "project")
    git(tree / "project", "worktree", "repair", str(tree))
    assert refusal(tree / "project", tree).code is Code.NESTED


def test_another_clone_at_its_path(repo: Path, tree: Path) -> None:
    row = trashing.registered(repo, tree)
    tree.rename(repo / "away")
    git(repo, "clone", "-q", ".", str(tree))
    with pytest.raises(HqtError) as refused:
        trash.prepare(trashing.discover(repo), row)
    assert refused.value.code is Code.IDENTITY_MISMATCH
    assert (tree / "file0").exists()


def test_a_directory_without_git_file_at_its_path(repo: Path, tree: Path) -> None:
    (tree / ".git").unlink()
    assert refusal(repo, tree).code is Code.IDENTITY_MISMATCH
    assert (tree / "file0").exists()


def test_a_copy_of_a_worktree_is_not_the_worktree(repo: Path, tree: Path) -> None:
    """`cp -r` of a worktree: its `.git` names the entry, but the entry names the original."""
    row = trashing.registered(repo, tree)
    subprocess.run(["cp", "-r", str(tree), str(repo / "copy")], check=True)
    with pytest.raises(HqtError) as refused:
        trash.prepare(trashing.discover(repo), replace(row, path=repo / "copy"))
    assert refused.value.code is Code.IDENTITY_MISMATCH


@pytest.mark.parametrize(
    "lock",
    ["worktrees/topic/index.lock", "worktrees/topic/HEAD.lock", "refs/heads/feature/topic.lock"],
)
@pytest.mark.parametrize("late", [False, True], ids=["at first", "at the last moment"])
def test_a_git_at_work(repo: Path, tree: Path, lock: str, late: bool) -> None:
    before = portrait(tree)
    one = trashing.prepare(repo, tree) if late else None
    (repo / ".git" / lock).touch()
    with pytest.raises(HqtError) as refused:
        trash.take(one) if one else trashing.prepare(repo, tree)
    assert refused.value.code is Code.BUSY
    assert str(repo / ".git" / lock) in refused.value.message
    (repo / ".git" / lock).unlink()
    assert differences(before, portrait(tree)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_lock_that_comes_after_the_preparation(repo: Path, tree: Path) -> None:
    one = trashing.prepare(repo, tree)
    git(repo, "worktree", "lock", str(tree))
    before = portrait(tree)
    with pytest.raises(HqtError) as refused:
        trash.take(one)
    assert refused.value.code is Code.LOCKED
    assert differences(before, portrait(tree)) == []
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_directory_that_moves_away_after_the_preparation_stays_where_it_is(
    repo: Path, tree: Path
) -> None:
    one = trashing.prepare(repo, tree)
    tree.rename(repo / "away")
    assert trash.take(one).left == ()
    assert (repo / "away" / "file0").exists()


def test_a_repository_whose_references_are_mirrored(repo: Path, tree: Path) -> None:
    git(repo, "remote", "add", "--mirror=push", "backup", str(repo))
    refused = refusal(repo, tree, "dirty")
    assert refused.code is Code.UNSUPPORTED_REPOSITORY
    assert "backup" in refused.message
    trashing.remove(repo, tree)  # where nothing would be lost, nothing can be


def test_a_folder_that_cannot_be_written(repo: Path, tree: Path) -> None:
    (repo / ".git" / "hqt").write_text("a file where the folder should be")
    before = portrait(tree)
    with pytest.raises(HqtError) as refused:
        trashing.prepare(repo, tree)
    assert refused.value.code is Code.GIT_FAILED
    assert "it is where it was" in refused.value.message
    assert differences(before, portrait(tree)) == []


# Who is still in there


def test_git_in_the_old_tree_fails_hard_and_nobody_commits_elsewhere(
    repo: Path, tree: Path
) -> None:
    """The survivor stands in the tree, which has moved below the main checkout's `.git`."""
    survivor = subprocess.Popen(
        ["sh", "-c", "read go; echo x >x; git add -A; git commit -q -m Stray; git rev-parse HEAD"],
        cwd=tree,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    removed = trashing.remove(repo, tree)
    linked(repo, tree, "newcomer")
    refs = git(repo, "for-each-ref", "refs/heads")
    out, err = survivor.communicate("go\n", timeout=30)
    assert out.strip() in {"", "HEAD"}
    # git's words differ; 2.55 forgets what it did not find.
    assert len(re.findall(r"^fatal: .* repository: ", err, re.MULTILINE)) == 3
    assert git(repo, "for-each-ref", "refs/heads") == refs
    assert (repo / ".git" / "hqt" / "trash" / removed.id / "tree" / "x").exists()


def test_libgit2_finds_no_repository_in_the_old_tree_either(repo: Path, tree: Path) -> None:
    import pygit2

    (tree / "folder").mkdir()
    removed = trashing.remove(repo, tree)
    kept = repo / ".git" / "hqt" / "trash" / removed.id / "tree"
    assert pygit2.discover_repository(str(kept / "folder")) is None


def test_a_commit_whose_editor_is_open_fails_or_keeps_its_work(repo: Path, tree: Path) -> None:
    """It has read HEAD and index already, and writes its commit when the worktree is gone."""
    (tree / "work").write_text("work\n")
    git(tree, "add", "work")
    pipe = repo / "pipe"
    os.mkfifo(pipe)
    before = git(repo, "for-each-ref", "refs/heads")
    child = subprocess.Popen(
        ["git", "commit", "-q"],
        cwd=tree,
        env={**os.environ, "GIT_EDITOR": f"sh -c 'cat {pipe} >&2; echo Message >\"$1\"' --"},
        stderr=subprocess.DEVNULL,
    )
    with pipe.open("w"):  # opens when the editor does
        removed = trashing.remove(repo, tree, "dirty")
    status = child.wait(30)
    assert status != 0
    assert git(repo, "for-each-ref", "refs/heads") == before
    trashing.collect_garbage(repo)
    trashing.undo(repo, removed.id)
    assert git(tree, "status", "--porcelain") == "A  work"
    assert git(tree, "show", ":work") == "work"


def test_a_commit_between_preparation_and_removal_is_kept(repo: Path, tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    one = trashing.prepare(repo, tree)
    late = commit(tree, "late")
    (tree / "staged").write_text("staged late\n")
    git(tree, "add", "staged")
    before = portrait(tree, reflogs=False)
    trash.take(one)
    trashing.collect_garbage(repo)
    trashing.undo(repo, one.id)
    assert differences(before, portrait(tree, reflogs=False)) == []
    assert git(tree, "rev-parse", "HEAD") == late


def test_a_commit_in_the_last_moment_is_kept(
    repo: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a git that was running already and needs no `.git` any more to find its way."""
    git(tree, "checkout", "-q", "--detach")
    real = passage.set_aside
    late = []

    def commits_afterwards(one: entry.Entry) -> None:
        real(one)
        running = ("--git-dir", str(one.home), "--work-tree", str(tree))
        (tree / "late").write_text("late\n")
        git(tree, *running, "add", "late")
        git(tree, *running, "commit", "-q", "-m", "Late")
        late.append(git(tree, *running, "rev-parse", "HEAD"))

    monkeypatch.setattr(passage, "set_aside", commits_afterwards)
    removed = trashing.remove(repo, tree)
    trashing.collect_garbage(repo)
    trashing.undo(repo, removed.id)
    assert git(tree, "log", "--format=%H %s", "-1") == f"{late[0]} Late"
    assert git(tree, "status", "--porcelain") == ""


def test_a_gc_in_the_last_moment_prunes_nothing(
    repo: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the admin entry gone, and what was committed since the preparation unpinned."""
    git(tree, "checkout", "-q", "--detach")
    one = trashing.prepare(repo, tree)
    late = commit(tree, "late")
    real = pins.fingerprint

    def after_a_gc(admin: Path) -> str:
        if admin == one.admin:
            trashing.collect_garbage(repo)
        return real(admin)

    monkeypatch.setattr(pins, "fingerprint", after_a_gc)
    trash.take(one)
    assert git(repo, "cat-file", "-t", late) == "commit"


def test_locks_of_a_git_that_was_killed_while_pinning_stop_nobody(repo: Path, tree: Path) -> None:
    one = trashing.prepare(repo, tree)
    namespace = repo / ".git" / "refs" / "hqt" / "trash" / one.id
    (namespace / "keep.lock").touch()
    commit(tree, "late")
    trash.take(one)
    (namespace / "head.lock").touch()
    trashing.undo(repo, one.id)
    assert trashing.pins(repo) == trashing.leftovers(repo) == []


def test_a_branch_switched_between_preparation_and_removal_is_the_one_that_returns(
    repo: Path, tree: Path
) -> None:
    one = trashing.prepare(repo, tree)
    git(tree, "switch", "-q", "-c", "another")
    commit(tree, "late")
    before = portrait(tree)
    assert trash.take(one).entry.branch == "another"
    git(repo, "branch", "-q", "-D", "another")
    trashing.undo(repo, one.id)
    assert differences(before, portrait(tree)) == []


WRITER = """
import itertools, sys
from pathlib import Path
for number in itertools.count():
    for place in sys.argv[1], ".":
        try:
            (Path(place) / f"file-{number}").write_text(str(number))
        except FileNotFoundError:
            continue
        print(number, flush=True)
        break
"""


def test_what_an_agent_writes_meanwhile_is_in_the_trash(repo: Path, tree: Path) -> None:
    """Every file whose writing succeeded is there after undo, whenever it was written."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tree)], cwd=tree, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with writer:
        for _ in range(20):
            writer.stdout.readline()
        removed = trashing.remove(repo, tree, "dirty")
        for _ in range(20):
            writer.stdout.readline()
        writer.kill()
        written = int(writer.stdout.read().split()[-2])
    assert not tree.exists()
    trashing.undo(repo, removed.id)
    names = {path.name for path in tree.glob("file-*")}
    assert {f"file-{number}" for number in range(written)} <= names


# A directory that is gone already


def test_a_missing_worktree_goes_and_comes_back_as_missing(repo: Path, tree: Path) -> None:
    lost = commit(tree, "lost")
    git(tree, "reset", "-q", "--hard", "HEAD~1")
    subprocess.run(["rm", "-r", str(tree)], check=True)
    removed = trashing.remove(repo, tree)
    assert worktrees.list_worktrees(trashing.discover(repo))[1:] == ()
    trashing.collect_garbage(repo)
    undone = trashing.undo(repo, removed.id)
    assert undone.branch == "feature/topic"
    row = trashing.registered(repo, tree)
    assert (row.missing, row.branch) == (True, "feature/topic")
    assert git(repo, "cat-file", "-t", lost) == "commit"


def test_a_disk_that_was_not_mounted_finds_its_worktree_again(repo: Path, sealed: Path) -> None:
    tree = linked(repo, sealed / "disk" / "tree")
    (tree / "work").write_text("work\n")
    before = portrait(tree)
    (sealed / "disk").rename(sealed / "unplugged")
    removed = trashing.remove(repo, tree)
    (sealed / "unplugged").rename(sealed / "disk")
    trashing.undo(repo, removed.id)
    assert differences(before, portrait(tree)) == []


# The end of an entry


def test_emptying_deletes_for_good(repo: Path, tree: Path) -> None:
    (tree / "deep" / "er").mkdir(parents=True)
    (tree / "deep" / "er" / "work").write_text("work\n")
    (tree / "deep").chmod(0o555)
    removed = trashing.remove(repo, tree, "dirty")
    found = trashing.discover(repo)
    assert trash.empty(found, entries=[removed]) == (removed,)
    assert trash.entries(found) == ()
    assert trashing.pins(repo) == trashing.leftovers(repo) == []
    assert branches.commit_of(found, "feature/topic"), "the branch is no part of it"


def test_only_what_held_nothing_expires(repo: Path, tree: Path) -> None:
    found = trashing.discover(repo)
    kept = trashing.remove(repo, tree, "dirty")
    gone = trashing.remove(repo, linked(repo, repo / ".worktrees" / "other", "other"))
    assert trash.expired(found, 0) == (gone,)
    assert trash.expired(found, 1) == ()
    trash.empty(found, entries=trash.expired(found, 0))
    assert trash.entries(found) == (kept,)


def test_an_entry_is_read_as_it_was_written(repo: Path, tree: Path) -> None:
    (repo / ".git" / "logs" / "refs" / "heads" / "feature" / "topic").write_bytes(b"\xff\n")
    one = trashing.prepare(repo, tree)
    assert entry.find(trashing.discover(repo), one.id) == one
