"""`hqt instructions`: what an agent is told is what is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.servers import Server


def test_it_says_where_new_worktrees_go(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    found = done(*here, "instructions", cwd=repo)
    assert found["worktree_dir"] == str(repo / ".worktrees")
    assert f"{repo}/.worktrees/BRANCH" in found["text"]
    made = done(*here, "new", "fix", "-d", cwd=repo)
    assert made["worktree"]["path"] == f"{found['worktree_dir']}/fix", "and there they go"

    tmux.cmd("set", "-g", "@hqt-worktree-dir", "~/pool/{repo}")
    tmux.cmd("set", "-g", "@hqt-from", "main")
    tmux.cmd("set", "-g", "@hqt-harness", "codex")
    found = done(*here, "instructions", cwd=repo)
    assert found["worktree_dir"] == str(repo.parent / "pool" / repo.name)
    assert found["from"] == "main"
    assert found["harness"] == "codex"
    assert "HEAD of the main checkout" in found["text"]
    assert "runs codex" in found["text"]


def test_it_says_who_and_where_the_agent_is(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    place, id = Path(made["worktree"]["path"]), made["session"]["id"]
    monkeypatch.setenv("TMUX", f"{tmux.ask('#{socket_path}')},{tmux.pid},0")
    monkeypatch.setenv("TMUX_PANE", tmux.ask("#{pane_id}", made["window"]))
    found = done("-L", tmux.socket, "instructions", cwd=place)
    assert (found["session"], found["worktree"], found["main"]) == (id, str(place), str(repo))
    for words in (f"'fix' (id {id})", f"{place}, a linked worktree, on branch fix", str(repo)):
        assert words in found["text"]
    monkeypatch.delenv("TMUX_PANE")
    monkeypatch.setenv("HQT_SESSION", id)
    assert done("-L", "nobody", "instructions", cwd=place)["session"] == id


@pytest.mark.parametrize(
    "words",
    [
        "Creating a worktree does not move you",
        "Move only when",
        "hqt move",
        "explicit instruction of the user prevails",
        "absolute paths",
        "that folder's own instructions",
        "hqt list --json",
        "not a permission",
    ],
)
def test_what_it_must_say(repo: Path, words: str) -> None:
    assert words in hqt("instructions", cwd=repo).out


def test_every_command_in_it_is_one_of_hqts(repo: Path) -> None:
    import re

    from hqt.cli import VERBS

    text = done("instructions", cwd=repo)["text"]
    assert set(re.findall(r"`hqt ([a-z]+)", text)) <= {*VERBS, "move"}


def test_it_is_short(repo: Path) -> None:
    """It comes with every prompt."""
    assert len(done("instructions", cwd=repo)["text"]) < 2000


def test_outside_a_repository(sealed: Path) -> None:
    found = done("instructions", cwd=sealed)
    assert (found["worktree_dir"], found["main"], found["worktree"]) == (None, None, None)
    assert "hqt new" not in found["text"]


def test_a_bare_repository(repo: Path, sealed: Path) -> None:
    bare = repos.bare_repository(sealed / "bare.git", repo)
    found = done("instructions", cwd=bare)
    assert found["worktree_dir"] == str(bare / ".worktrees")
    assert (found["main"], found["worktree"]) == (None, None)


def test_a_broken_setting_says_nothing_wrong(repo: Path, tmux: Server) -> None:
    tmux.cmd("set", "-g", "@hqt-from", "nowhere")
    assert refused("-L", tmux.socket, "instructions", cwd=repo)["code"] == "config_invalid"
