"""`hqt new --fork`: a new line of work that begins with what was said in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.repos import git
from helpers.servers import Server, until
from helpers.stand_in import StandIn


def new(tmux: Server, cwd: Path, *arguments: str) -> Any:
    return done("-L", tmux.socket, "new", *arguments, "-d", cwd=cwd)


def launched(agent: StandIn, count: int) -> dict[str, Any]:
    """The launch of that number, the first being 1."""
    assert until(lambda: len(agent.launches()) >= count), agent.launches()
    return agent.launches()[count - 1]


@pytest.fixture
def parent(repo: Path, tmux: Server, agent: StandIn) -> Any:
    """A session with a commit of its own and something said."""
    made = new(tmux, repo, "first", "-H", "stand-in", "-p", "Hello")
    place = Path(made["worktree"]["path"])
    repos.commit(place, "work")
    assert until(lambda: agent.transcript(place, made["session"]["conversation"]).exists())
    return made


def test_a_worktree_of_its_own_from_where_the_parent_is(
    repo: Path, tmux: Server, agent: StandIn, parent: Any
) -> None:
    first = Path(parent["worktree"]["path"])
    made = new(tmux, repo, "second", "--fork", "first", "-p", "Go on")
    place = Path(made["worktree"]["path"])
    assert place == repo / ".worktrees" / "second"
    assert made["worktree"]["head"] == git(first, "rev-parse", "HEAD")
    assert made["source"] == str(first)
    assert made["session"]["harness"] == "stand-in"
    last = launched(agent, 2)
    assert last["cwd"] == str(place)
    assert last["conversation"] == made["session"]["conversation"]
    assert last["conversation"] != parent["session"]["conversation"]
    assert until(lambda: agent.said(place, last["conversation"]) == ["Hello", "Go on"])
    assert agent.said(first, parent["session"]["conversation"]) == ["Hello"]
    gone = done("-L", tmux.socket, "remove", "second", "--close", cwd=repo)["removed"][0]
    assert gone["path"] == str(place)
    assert first.is_dir()


def test_in_the_parents_own_worktree_it_owns_nothing(
    repo: Path, tmux: Server, agent: StandIn, parent: Any
) -> None:
    first = parent["worktree"]["path"]
    made = new(tmux, repo, "second", "--fork", "first", "--no-worktree")
    assert made["worktree"]["path"] == first
    assert launched(agent, 2)["cwd"] == first
    gone = done("-L", tmux.socket, "remove", "second", "--close", cwd=repo)["removed"][0]
    assert gone["path"] is None
    assert Path(first).is_dir()


def test_as_any_other_new(repo: Path, tmux: Server, agent: StandIn, parent: Any) -> None:
    assert parent
    made = new(tmux, repo, "--fork", "first", "-b", "feature/x", "--from", "main")
    assert made["worktree"]["branch"] == "feature/x"
    assert made["worktree"]["head"] == git(repo, "rev-parse", "main")
    assert launched(agent, 2)["resumed"]
    detached = new(tmux, repo, "look", "--fork", "first", "--detach")
    assert detached["worktree"]["branch"] is None


def test_a_fork_of_a_session_in_the_main_checkout(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "notes", "--no-worktree", "-H", "stand-in", "-p", "Hello")
    assert until(lambda: agent.transcript(repo, made["session"]["conversation"]).exists())
    fork = new(tmux, repo, "second", "--fork", "notes")
    assert fork["worktree"]["head"] == git(repo, "rev-parse", "HEAD")
    beside = new(tmux, repo, "third", "--fork", "notes", "--no-worktree")
    assert beside["worktree"]["main"] is True
    assert launched(agent, 3)["cwd"] == str(repo)


def test_what_cannot_be_forked(repo: Path, tmux: Server, agent: StandIn, sealed: Path) -> None:
    assert agent
    new(tmux, repo, "shell")
    new(tmux, repo, "rooted", "-H", "stand-in-rooted", "-p", "Hello")
    new(tmux, repo, "silent", "-H", "stand-in")
    repos.linked(repo, repo.parent / "hand", "hand")
    other = repos.repository(sealed / "other")
    launched(agent, 2)
    before = done("-L", tmux.socket, "list", cwd=repo), git(repo, "for-each-ref"), tmux.windows()

    def code(*arguments: str, cwd: Path = repo) -> Any:
        return refused("-L", tmux.socket, "new", "x", "-d", *arguments, cwd=cwd)["code"]

    assert code("--fork", "shell") == "cannot_resume"
    assert code("--fork", "rooted") == "cannot_resume"
    assert code("--fork", "silent") == "cannot_resume"
    assert code("--fork", "silent", "-H", "shell") == "usage"
    assert code("--fork", "nonesuch") == "no_such_target"
    assert code("--fork", "branch:hand") == "no_such_target"
    assert code("--fork", "silent", cwd=other) == "no_such_target"
    after = done("-L", tmux.socket, "list", cwd=repo), git(repo, "for-each-ref"), tmux.windows()
    assert after == before
    assert not (repo / ".worktrees" / "x").exists()


def test_a_parent_whose_worktree_is_gone(repo: Path, tmux: Server, parent: Any) -> None:
    Path(parent["worktree"]["path"]).rename(repo.parent / "away")
    error = refused("-L", tmux.socket, "new", "x", "--fork", "first", "-d", cwd=repo)
    assert error["code"] == "missing_worktree"


def test_a_captured_parent_is_known_by_its_latest_conversation(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """The stand-in that captures cannot fork; what counts is why it is refused."""
    made = new(tmux, repo, "first", "-H", "stand-in-captured", "-p", "Hello")
    first = launched(agent, 1)["conversation"]
    place = Path(made["worktree"]["path"])
    assert until(lambda: agent.transcript(place, first).exists())
    call = hqt("-L", tmux.socket, "new", "x", "--fork", "first", "-d", "--json", cwd=repo)
    assert "cannot fork" in call.error["message"]
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert row["conversation"] == first
