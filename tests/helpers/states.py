"""States a worktree can be in: each a function that puts a fresh one there, with the verdict.

`fresh()` makes a repository and a linked worktree on branch `topic`; a state's `build(repo, tree)`
changes them with the real git. `codes` are what a removal is refused for without `--force`, in the
public order; `always` says that force does not lift it. Nothing here needs hqt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.replicas import replica
from helpers.repos import commit, git, linked, repository

Build = Callable[[Path, Path], None]


@dataclass(frozen=True)
class State:
    """One state and what must come of it."""

    name: str
    build: Build
    codes: tuple[str, ...]
    always: bool = False  # refused with --force too
    tags: frozenset[str] = frozenset()


def fresh(home: Path) -> tuple[Path, Path]:
    """A repository with a handful of files, and a worktree of it on the new branch `topic`."""
    repo = (home / "project").resolve()
    replica(repo, "fresh", lambda: _build(repo))
    return repo, repo / ".worktrees" / "topic"


def _build(repo: Path) -> None:
    repository(repo, files=2)
    (repo / ".gitignore").write_text("*.log\n.env*\ncache/\nnode_modules/\n*.sqlite\n.worktrees/\n")
    (repo / "folder").mkdir()
    (repo / "folder" / "inner").write_text("inner\n")
    (repo / "run.sh").write_text("#!/bin/sh\n")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("file0")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "Second")
    linked(repo, repo / ".worktrees" / "topic")


def states() -> Iterator[State]:
    """All of them, in the order they are written."""
    for name, value in globals().items():
        if isinstance(value, State):
            assert value.name == name.replace("_", " ")
            yield value


def by_name() -> dict[str, State]:
    return {state.name: state for state in states()}


def state(*codes: str, always: bool = False, tags: str = "") -> Callable[[Build], State]:
    def made(build: Build) -> State:
        name = build.__name__.replace("_", " ")
        return State(name, build, codes, always, frozenset(tags.split()))

    return made


def clone_of(repo: Path, path: Path) -> Path:
    """A clone of `repo`, all of whose commits are on its remote."""
    git(repo, "clone", "-q", str(repo), str(path))
    return path


# Nothing would be lost


@state()
def clean(repo: Path, tree: Path) -> None:
    pass


@state()
def clean_and_merged(repo: Path, tree: Path) -> None:
    commit(tree, "new")
    git(repo, "merge", "-q", "--ff-only", "topic")


@state()
def clean_and_pushed(repo: Path, tree: Path) -> None:
    git(repo, "clone", "-q", "--bare", str(repo), str(repo.parent / "origin.git"))
    git(repo, "remote", "add", "origin", str(repo.parent / "origin.git"))
    commit(tree, "new")
    git(tree, "push", "-q", "origin", "topic")


@state()
def held_by_an_annotated_tag(_repo: Path, tree: Path) -> None:
    commit(tree, "new")
    git(tree, "tag", "-a", "-m", "Tag", "topic")


@state()
def detached_at_a_branch(_repo: Path, tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")


@state()
def touched_but_not_changed(_repo: Path, tree: Path) -> None:
    (tree / "file0").write_text((tree / "file0").read_text())


@state()
def an_empty_folder(_repo: Path, tree: Path) -> None:
    (tree / "empty" / "deep").mkdir(parents=True)


@state(tags="ignored")
def caches(_repo: Path, tree: Path) -> None:
    (tree / "node_modules" / "a").mkdir(parents=True)
    (tree / "node_modules" / "a" / "index.js").write_text("1")
    (tree / "x.log").write_text("log")


@state(tags="ignored")
def precious_ignored_files(_repo: Path, tree: Path) -> None:
    (tree / ".env.local").write_text("SECRET=1\n")
    (tree / "cache").mkdir()
    (tree / "cache" / "app.sqlite").write_bytes(b"SQLite\0")


@state()
def sparse_and_clean(_repo: Path, tree: Path) -> None:
    git(tree, "sparse-checkout", "set", "--no-cone", "/file0")


@state(tags="stash")
def a_stash_made_on_the_branch(_repo: Path, tree: Path) -> None:
    (tree / "file0").write_text("stashed\n")
    git(tree, "stash", "-q")


@state()
def filtered_and_clean(repo: Path, tree: Path) -> None:
    git(repo, "config", "filter.shout.clean", "tr a-z A-Z")
    git(repo, "config", "filter.shout.smudge", "tr A-Z a-z")
    (tree / ".gitattributes").write_text("*.shout filter=shout\n")
    commit(tree, "a.shout", "text\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "Attributes")
    git(repo, "merge", "-q", "--ff-only", "topic")


@state()
def utf16_and_clean(repo: Path, tree: Path) -> None:
    (tree / ".gitattributes").write_text("*.u16 working-tree-encoding=UTF-16\n")
    (tree / "a.u16").write_bytes("text\n".encode("utf-16"))
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "UTF-16")
    git(repo, "merge", "-q", "--ff-only", "topic")


@state()
def a_vendored_clone_that_is_pushed(repo: Path, tree: Path) -> None:
    clone_of(repo, tree / "node_modules" / "vendored")


@state()
def an_uninitialised_submodule(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree, initialised=False)


@state()
def an_initialised_submodule(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree)


# Uncommitted


@state("dirty")
def modified(_repo: Path, tree: Path) -> None:
    (tree / "file0").write_text("changed\n")


@state("dirty")
def modified_at_once_and_of_the_same_size(repo: Path, tree: Path) -> None:
    commit(tree, "racy", "aaaa\n")
    git(repo, "merge", "-q", "--ff-only", "topic")
    (tree / "racy").write_text("bbbb\n")


@state("dirty")
def modified_with_its_old_time(repo: Path, tree: Path) -> None:
    before = (tree / "file0").stat()
    git(repo, "config", "core.trustctime", "false")
    git(repo, "config", "core.checkStat", "minimal")
    (tree / "file0").write_text("x\n")
    os.utime(tree / "file0", ns=(before.st_atime_ns, before.st_mtime_ns))


@state("dirty")
def staged(_repo: Path, tree: Path) -> None:
    (tree / "file0").write_text("changed\n")
    git(tree, "add", "file0")


@state("dirty")
def staged_and_then_restored_in_the_tree(repo: Path, tree: Path) -> None:
    before = (tree / "file0").read_text()
    staged.build(repo, tree)
    (tree / "file0").write_text(before)


@state("dirty")
def staged_and_modified(repo: Path, tree: Path) -> None:
    staged.build(repo, tree)
    (tree / "file0").write_text("changed again\n")


@state("dirty")
def deleted(_repo: Path, tree: Path) -> None:
    (tree / "folder" / "inner").unlink()


@state("dirty")
def renamed(_repo: Path, tree: Path) -> None:
    git(tree, "mv", "file0", "elsewhere")


@state("dirty")
def mode_changed(_repo: Path, tree: Path) -> None:
    (tree / "file0").chmod(0o755)


@state("dirty")
def a_link_became_a_file(_repo: Path, tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").write_text("file0")


@state("dirty")
def untracked(_repo: Path, tree: Path) -> None:
    (tree / "notes").write_text("notes\n")


@state("dirty")
def untracked_in_a_folder(_repo: Path, tree: Path) -> None:
    (tree / "new" / "deep").mkdir(parents=True)
    (tree / "new" / "deep" / "notes").write_text("notes\n")


@state("dirty")
def untracked_with_a_newline_in_its_name(_repo: Path, tree: Path) -> None:
    (tree / "two\nlines #{x}").write_text("notes\n")


@state("dirty")
def untracked_with_a_name_that_is_not_utf8(_repo: Path, tree: Path) -> None:
    (tree / os.fsdecode(b"caf\xe9")).write_text("notes\n")


@state("dirty")
def untracked_although_hidden_by_configuration(repo: Path, tree: Path) -> None:
    git(repo, "config", "status.showUntrackedFiles", "no")
    (tree / "notes").write_text("notes\n")


@state("dirty")
def untracked_by_a_negated_rule(repo: Path, tree: Path) -> None:
    commit(repo, "folder/.gitignore", "!kept.log\n")
    git(tree, "merge", "-q", "--ff-only", "main")
    (tree / "folder" / "kept.log").write_text("kept\n")


@state("dirty")
def untracked_link_where_a_folder_is_ignored(repo: Path, tree: Path) -> None:
    (tree / "node_modules").symlink_to(repo / "folder")


@state("dirty")
def modified_although_the_monitor_says_no(repo: Path, tree: Path) -> None:
    monitor = repo.parent / "monitor"
    monitor.write_text("#!/bin/sh\nprintf 'token\\0'\n")
    monitor.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(monitor))
    git(tree, "update-index", "--fsmonitor")
    git(tree, "status")
    (tree / "file0").write_text("changed\n")


@state("dirty")
def intent_to_add(_repo: Path, tree: Path) -> None:
    (tree / "new").write_text("new\n")
    git(tree, "add", "-N", "new")


@state("dirty")
def modified_with_a_split_index(_repo: Path, tree: Path) -> None:
    git(tree, "update-index", "--split-index")
    (tree / "file0").write_text("changed\n")


@state("dirty")
def on_an_unborn_branch(_repo: Path, tree: Path) -> None:
    git(tree, "switch", "-q", "--orphan", "fresh")
    (tree / "notes").write_text("notes\n")
    git(tree, "add", "notes")


# Hidden


@state("dirty", tags="hidden")
def edited_behind_skip_worktree(_repo: Path, tree: Path) -> None:
    git(tree, "update-index", "--skip-worktree", "file0")
    (tree / "file0").write_text("hidden\n")


@state("dirty", tags="hidden")
def edited_behind_assume_unchanged(_repo: Path, tree: Path) -> None:
    git(tree, "update-index", "--assume-unchanged", "folder/inner")
    (tree / "folder" / "inner").write_text("hidden\n")


@state("dirty", tags="hidden")
def edited_behind_both(_repo: Path, tree: Path) -> None:
    git(tree, "update-index", "--skip-worktree", "file0")
    git(tree, "update-index", "--assume-unchanged", "file0")
    (tree / "file0").write_text("hidden\n")


@state()
def flagged_but_not_edited(_repo: Path, tree: Path) -> None:
    git(tree, "update-index", "--skip-worktree", "file0")
    git(tree, "update-index", "--assume-unchanged", "file1", "link", "run.sh")


@state("dirty")
def edited_in_a_sparse_checkout(_repo: Path, tree: Path) -> None:
    git(tree, "sparse-checkout", "set", "--no-cone", "/file0")
    (tree / "file1").write_text("came back, changed\n")


# Commits


@state("unique_commits")
def unique_commits(_repo: Path, tree: Path) -> None:
    commit(tree, "one")
    commit(tree, "two")


@state("unique_commits")
def unique_commits_of_a_detached_head(_repo: Path, tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    commit(tree, "one")


@state("unique_commits")
def unique_commits_that_another_detached_head_has(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    git(repo, "worktree", "add", "-q", "--detach", str(repo.parent / "other"), "topic")


@state("unique_commits", tags="stash")
def unique_commits_below_a_stash(_repo: Path, tree: Path) -> None:
    commit(tree, "one")
    (tree / "file0").write_text("stashed\n")
    git(tree, "stash", "-q")


@state("unique_commits")
def unique_commits_of_the_recorded_branch(_repo: Path, tree: Path) -> None:
    commit(tree, "one")
    git(tree, "switch", "-q", "-c", "another", "main")


@state("unique_commits")
def unique_commits_although_squashed(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    commit(tree, "two")
    git(repo, "merge", "-q", "--squash", "topic")
    git(repo, "commit", "-q", "-m", "Squash")


@state("unique_commits")
def unique_commits_that_a_symbolic_ref_has(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/topic")


@state("unique_commits")
def unique_commits_that_a_replace_ref_joins(repo: Path, tree: Path) -> None:
    tip = commit(tree, "one")
    git(repo, "replace", "--graft", "main", "main~1", tip)


@state("unique_commits")
def commits_of_a_private_ref(_repo: Path, tree: Path) -> None:
    tip = commit(tree, "one")
    git(tree, "update-ref", "refs/worktree/kept", tip)
    git(tree, "reset", "-q", "--hard", "HEAD~1")


@state("unique_commits")
def unique_commits_beside_a_tag_of_the_same_name(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    git(repo, "tag", "topic", "main")


# In the middle of something


@state("operation_in_progress", "dirty")
def a_conflicted_merge(repo: Path, tree: Path) -> None:
    conflicting(repo, tree)
    git(tree, "merge", "main", check=False)


@state("operation_in_progress", "dirty")
def a_resolved_merge(repo: Path, tree: Path) -> None:
    a_conflicted_merge.build(repo, tree)
    (tree / "file0").write_text("resolved\n")
    git(tree, "add", "file0")


@state("operation_in_progress", "dirty", tags="autostash")
def a_conflicted_rebase_with_an_autostash(repo: Path, tree: Path) -> None:
    conflicting(repo, tree)
    (tree / "file1").write_text("stashed by the rebase\n")
    git(tree, "rebase", "--autostash", "main", check=False)


@state("operation_in_progress")
def a_rebase_stopped_cleanly(repo: Path, tree: Path) -> None:
    commit(tree, "one")
    git(repo, "merge", "-q", "--ff-only", "topic")
    git(tree, "rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i -e s/^pick/edit/")


@state("operation_in_progress", "dirty")
def a_conflicted_cherry_pick(repo: Path, tree: Path) -> None:
    conflicting(repo, tree)
    git(tree, "cherry-pick", "main", check=False)


@state("operation_in_progress", "dirty")
def a_conflicted_revert(repo: Path, tree: Path) -> None:
    commit(tree, "file0", "one\n")
    commit(tree, "file0", "two\n")
    git(repo, "merge", "-q", "--ff-only", "topic")
    git(tree, "revert", "--no-edit", "HEAD~1", check=False)


@state("operation_in_progress")
def a_bisect(_repo: Path, tree: Path) -> None:
    git(tree, "bisect", "start", "-q")
    git(tree, "bisect", "bad", "HEAD")
    git(tree, "bisect", "good", "HEAD~1")


@state("operation_in_progress")
def a_stopped_am(repo: Path, tree: Path) -> None:
    conflicting(repo, tree)
    git(repo, "branch", "-q", "kept", "topic")
    patch = git(repo, "format-patch", "-1", "--stdout", "main")
    git(tree, "am", input=patch + "\n", check=False)


# Repositories inside


@state("dirty", "nested")
def a_nested_repository(_repo: Path, tree: Path) -> None:
    repository(tree / "inner")


@state("dirty")
def a_nested_repository_with_nothing_in_it(_repo: Path, tree: Path) -> None:
    git(tree, "init", "-q", "hollow")


@state("nested")
def an_ignored_repository(_repo: Path, tree: Path) -> None:
    repository(tree / "cache" / "deep" / "inner")


@state("nested")
def an_ignored_bare_repository(repo: Path, tree: Path) -> None:
    git(repo, "clone", "-q", "--bare", str(repo), str(tree / "cache" / "mirror.git"))


@state("nested")
def a_vendored_clone_with_a_commit_of_its_own(repo: Path, tree: Path) -> None:
    commit(clone_of(repo, tree / "node_modules" / "vendored"), "own")


@state("nested")
def a_vendored_clone_with_an_edit(repo: Path, tree: Path) -> None:
    (clone_of(repo, tree / "node_modules" / "vendored") / "file0").write_text("own\n")


@state("nested")
def a_vendored_clone_with_a_stash(repo: Path, tree: Path) -> None:
    clone = clone_of(repo, tree / "node_modules" / "vendored")
    (clone / "file0").write_text("own\n")
    git(clone, "stash", "-q")


@state("dirty", "nested")
def a_repository_inside_a_tracked_folder(_repo: Path, tree: Path) -> None:
    (tree / "folder" / "mine").write_text("mine\n")
    git(tree / "folder", "init", "-q")
    git(tree / "folder", "add", "-A")
    git(tree / "folder", "commit", "-q", "-m", "Mine")


@state("nested", always=True)
def another_worktree_inside(repo: Path, tree: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "inner", str(tree / "cache" / "inner"))


@state("nested", always=True)
def a_worktree_of_another_repository_inside(repo: Path, tree: Path) -> None:
    other = repository(repo.parent / "other")
    git(other, "worktree", "add", "-q", "-b", "inner", str(tree / "cache" / "inner"))


@state("dirty", "nested")
def a_dirty_submodule(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree)
    (tree / "sub" / "file0").write_text("changed\n")


@state("dirty", "nested")
def a_dirty_submodule_that_is_to_be_ignored(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree)
    git(repo, "config", "submodule.sub.ignore", "all")
    git(repo, "config", "diff.ignoreSubmodules", "all")
    (tree / "sub" / "notes").write_text("untracked\n")


@state("dirty", "nested")
def a_submodule_with_a_commit_of_its_own(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree)
    commit(tree / "sub", "own")


@state("nested")
def a_submodule_with_a_branch_of_its_own(repo: Path, tree: Path) -> None:
    with_submodule(repo, tree)
    git(tree / "sub", "switch", "-q", "-c", "own")
    commit(tree / "sub", "own")
    git(tree / "sub", "checkout", "-q", "--detach", "HEAD~1")


@state("nested")
def a_submodule_put_away_with_a_commit_of_its_own(repo: Path, tree: Path) -> None:
    a_submodule_with_a_branch_of_its_own.build(repo, tree)
    git(tree, "submodule", "deinit", "-q", "-f", "sub")


# Registration


@state("locked", always=True)
def locked(repo: Path, tree: Path) -> None:
    git(repo, "worktree", "lock", "--reason", "on a stick", str(tree))


def conflicting(repo: Path, tree: Path) -> None:
    """`topic` and `main` change the same line; the commits of both are held by other branches."""
    commit(tree, "file0", "theirs\n")
    git(repo, "branch", "-q", "kept-topic", "topic")
    commit(repo, "file0", "ours\n")


def with_submodule(repo: Path, tree: Path, *, initialised: bool = True) -> None:
    """A submodule `sub` in the branch, which main has too."""
    other = repository(repo.parent / "library")
    git(tree, "submodule", "--quiet", "add", str(other), "sub")
    git(tree, "commit", "-q", "-m", "Submodule")
    git(repo, "merge", "-q", "--ff-only", "topic")
    if not initialised:
        git(tree, "submodule", "deinit", "-q", "-f", "sub")
