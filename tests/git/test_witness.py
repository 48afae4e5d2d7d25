"""The second witness: it agrees with git where it is asked, and can only add."""

from __future__ import annotations

import random
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import edits, histories, repos
from helpers.repos import commit, git
from hqt.git import process, witness
from hqt.git.losses import losses
from hqt.git.worktrees import list_worktrees
from hqt.models import Dispute, Losses, Repository, Worktree


@pytest.fixture
def topic(repo: Path) -> Worktree:
    repos.linked(repo, repo / ".worktrees" / "topic")
    return list_worktrees(repository(repo))[-1]


def repository(repo: Path) -> Repository:
    return Repository(repo / ".git", repo, bare=False, checkout=repo)


def opinion(
    repo: Repository, tree: Worktree, judged: Losses, *, removing: frozenset[str] = frozenset()
) -> tuple[Dispute, ...]:
    return witness.second_opinion(repo, tree)(judged, removing)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9))
def test_any_edits_are_seen_alike(sealed: Path, seed: int) -> None:
    repo = repos.repository(sealed / f"edited-{seed}", files=4)
    tree = repos.linked(repo, sealed / f"tree-{seed}")
    edits.edit(tree, random.Random(seed))
    found = list_worktrees(repository(repo))[-1]
    judged = losses(repository(repo), found)
    assert not judged.unsure
    assert opinion(repository(repo), found, judged) == ()


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**9), skew=st.booleans())
def test_any_history_is_counted_alike(sealed: Path, seed: int, skew: bool) -> None:
    made = histories.build(sealed / f"history-{seed}-{skew}", random.Random(seed), skew=skew)
    opened = pygit2.Repository(str(made.path))
    for name in made.branches:
        tip = made.tip(name)
        counted = witness.unique(opened, opened[tip].id, frozenset({name}))
        assert counted == len(made.unique(tip, name))


def test_a_change_that_git_denies_is_a_reason(repo: Path, topic: Worktree) -> None:
    for name in ("file0", "a", "b", "c"):
        (topic.path / name).write_text("changed\n")
    (seen,) = opinion(repository(repo), topic, Losses())
    assert seen == (
        "dirty",
        "libgit2 sees 4 changes that git status does not show: a, b, c and 1 more.",
    )
    (one,) = opinion(repository(repo), topic, Losses(modified=("file0",), untracked=("a", "b")))
    assert one.sentence == "libgit2 sees a change that git status does not show: c."


def test_commits_that_git_denies_are_a_reason(repo: Path, topic: Worktree) -> None:
    commit(topic.path, "new")
    (seen,) = opinion(repository(repo), topic, Losses())
    assert seen == (
        "unique_commits",
        "libgit2 sees a commit that nothing else holds where git sees none.",
    )
    assert opinion(repository(repo), topic, Losses(unique_count=1)) == ()
    git(repo, "branch", "held", "topic")
    assert opinion(repository(repo), topic, Losses()) == ()
    gone = frozenset({"held"})
    assert opinion(repository(repo), topic, Losses(), removing=gone)


def test_less_than_git_sees_is_no_reason(repo: Path, topic: Worktree) -> None:
    judged = Losses(modified=("x",), unique_count=7)
    assert opinion(repository(repo), topic, judged) == ()


def test_a_witness_that_fails_is_a_reason(repo: Path, topic: Worktree) -> None:
    (topic.git_dir / "HEAD").write_text("nonsense\n")
    (seen,) = opinion(repository(repo), topic, Losses())
    assert seen.code == "dirty"
    assert seen.sentence.startswith("The second look failed: ")
    assert seen.sentence.endswith(".")


def test_it_is_not_asked_where_it_is_known_to_be_wrong(repo: Path, topic: Worktree) -> None:
    (topic.path / "file0").write_text("changed\n")
    git(topic.path, "update-index", "--index-version", "4")
    assert opinion(repository(repo), topic, Losses()) == ()


def test_it_is_not_asked_about_a_huge_checkout(
    repo: Path, topic: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    (topic.path / "file0").write_text("changed\n")
    monkeypatch.setattr(witness, "LARGEST", 0)
    assert opinion(repository(repo), topic, Losses()) == ()


def test_it_starts_no_process(repo: Path, topic: Worktree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "ask", lambda *_, **__: pytest.fail("git was started"))
    assert opinion(repository(repo), topic, Losses()) == ()


def test_names_of_any_bytes(repo: Path, topic: Worktree) -> None:
    (topic.path / "caf\udce9").write_text("x")
    judged = losses(repository(repo), topic)
    assert judged.untracked == ("caf\udce9",)
    assert opinion(repository(repo), topic, judged) == ()
    assert opinion(repository(repo), topic, Losses())
