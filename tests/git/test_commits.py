"""Unique commits, counted one by one and many at once, against git and against the whole graph."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import histories, repos
from helpers.repos import commit, git
from hqt.errors import Code, HqtError
from hqt.git import commits
from hqt.git.commits import Head
from hqt.models import Repository


def repository(path: Path) -> Repository:
    return Repository(path / ".git", path, bare=False, checkout=path)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9))
def test_any_history_is_judged_as_git_does(sealed: Path, seed: int) -> None:
    made = histories.build(sealed / f"history-{seed}", random.Random(seed))
    repo = repository(made.path)
    heads = [Head(made.tip(name), name) for name in made.branches]
    heads += [Head(one, None) for one in made.detached]
    judged = [commits.judge(repo, one.commit, branch=one.branch).count for one in heads]
    by_git = [made.by_git(one.commit, one.branch) for one in heads]
    truth = [len(made.unique(one.commit, one.branch)) for one in heads]
    assert judged == by_git
    assert list(commits.count_all(repo, heads)) == truth == judged


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9))
def test_wrong_clocks_hide_no_commit(sealed: Path, seed: int) -> None:
    made = histories.build(sealed / f"skewed-{seed}", random.Random(seed), skew=True)
    repo = repository(made.path)
    heads = [Head(made.tip(name), name) for name in made.branches]
    counted = commits.count_all(repo, heads)
    for head, number in zip(heads, counted, strict=True):
        truth = len(made.unique(head.commit, head.branch))
        judged = commits.judge(repo, head.commit, branch=head.branch).count
        assert judged == made.by_git(head.commit, head.branch) >= truth
        assert number is not None
        assert number >= truth


def test_the_newest_are_named(repo: Path) -> None:
    tree = repos.linked(repo, repo / ".worktrees" / "topic")
    commit(tree, "one", message="First of two\n\nBody")
    tip = commit(tree, "two", message="Zweiter, größer")
    found = commits.judge(repository(repo), tip, branch="topic")
    assert (found.count, [one.subject for one in found.newest]) == (
        2, ["Zweiter, größer", "First of two"],
    )  # fmt: skip
    assert found.newest[0].id == tip


def test_branches_that_go_together_do_not_hold_each_other(repo: Path) -> None:
    git(repo, "branch", "a")
    git(repo, "switch", "-q", "-c", "b")
    tip = commit(repo, "new")
    git(repo, "branch", "-f", "a", "b")
    assert commits.judge(repository(repo), tip, branch="b").count == 0
    assert commits.judge(repository(repo), tip, branch="b", without=frozenset({"a"})).count == 1


@pytest.mark.parametrize("name", ["a", "feature/a", "a-b", "origin/main", "heads/x", "tags/a"])
def test_only_the_branch_itself_is_left_out(repo: Path, name: str) -> None:
    git(repo, "switch", "-q", "-c", name)
    tip = commit(repo, "new")
    assert commits.judge(repository(repo), tip, branch=name).count == 1
    git(repo, "branch", f"{name}-2")
    assert commits.judge(repository(repo), tip, branch=name).count == 0
    git(repo, "branch", "-D", f"{name}-2")
    git(repo, "tag", name)
    assert commits.judge(repository(repo), tip, branch=name).count == 0
    assert commits.count(repository(repo), tip, branch=name) == 0


@pytest.mark.parametrize("damage", ["broken", "missing"])
def test_a_damaged_reference_is_no_answer(repo: Path, damage: str) -> None:
    git(repo, "switch", "-q", "-c", "topic")
    tip = commit(repo, "new")
    broken = "no id\n" if damage == "broken" else "f" * 40 + "\n"
    (repo / ".git" / "refs" / "heads" / "damaged").write_text(broken)
    with pytest.raises(HqtError) as failure:
        commits.judge(repository(repo), tip, branch="topic")
    assert failure.value.code is Code.GIT_FAILED
    assert commits.count(repository(repo), tip, branch="topic") is None


def test_a_dangling_remote_head_does_no_harm(repo: Path) -> None:
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    git(repo, "switch", "-q", "-c", "topic")
    tip = commit(repo, "new")
    assert commits.judge(repository(repo), tip, branch="topic").count == 1


def test_odd_tags_do_no_harm(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "topic")
    tip = commit(repo, "new")
    git(repo, "tag", "blob", git(repo, "rev-parse", "HEAD:new"))
    git(repo, "tag", "-a", "-m", "x", "tree", "HEAD^{tree}")
    assert commits.judge(repository(repo), tip, branch="topic").count == 1
    assert commits.count(repository(repo), tip, branch="topic") == 1
    git(repo, "tag", "-a", "-m", "x", "inner", "main")
    git(repo, "tag", "-a", "-m", "x", "outer", "inner")
    git(repo, "tag", "-a", "-m", "x", "held", tip)
    assert commits.count(repository(repo), tip, branch="topic") == 0


@pytest.mark.parametrize("options", [("--object-format=sha256",)])
def test_what_libgit2_cannot_open_is_counted_all_the_same(
    sealed: Path, options: tuple[str, ...]
) -> None:
    repo = repos.repository(sealed / "other", options=options)
    git(repo, "switch", "-q", "-c", "topic")
    tip = commit(repo, "new")
    assert commits.count(repository(repo), tip, branch="topic") == 1
