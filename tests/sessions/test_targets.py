"""What a name may reach: this repository first, and another one only when it is meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, refused
from helpers.servers import Server, running


def test_a_name_in_another_repository_is_not_removed(sealed: Path, repo: Path) -> None:
    """The same command given twice must not go on in the next repository."""
    other = repos.repository(sealed / "other")
    there = done("new", "fixit", "--no-window", cwd=other)
    done("new", "fixit", "--no-window", cwd=repo)
    done("remove", "fixit", cwd=repo)
    error = refused("remove", "fixit", cwd=repo)
    assert error["code"] == "no_such_target"
    assert there["worktree"]["path"] in error["message"]
    for verb in (["lock"], ["archive"], ["rename"]):
        more = ["new-name"] if verb == ["rename"] else []
        for name in ("fixit", "branch:fixit", "session:fixit"):
            assert refused(*verb, name, *more, cwd=repo)["code"] == "no_such_target"
    assert done("path", "fixit", cwd=repo)["path"] == there["worktree"]["path"], "a look may"
    for name in (there["session"]["id"], f"session:{there['session']['id']}"):
        assert done("rename", name, "fixit", cwd=repo)
    assert done("remove", there["worktree"]["path"], cwd=repo)["removed"]


def test_a_name_reaches_any_repository_from_outside_of_all(sealed: Path, repo: Path) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    assert done("remove", "fix", cwd=sealed)["removed"][0]["path"] == made["worktree"]["path"]


def test_here_is_never_another_repository(sealed: Path, repo: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    bare = repos.bare_repository(sealed / "bare.git", repo)
    for verb in ("path", "inspect", "lock", "remove"):
        assert refused(verb, ".", cwd=bare)["code"] == "no_such_target"
        assert refused(verb, ".", cwd=sealed)["code"] in {"not_a_repository", "no_such_target"}


def test_here_in_the_window_of_a_plain_session(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=repo)
    pane = tmux.ask("#{pane_id}", made["window"])
    monkeypatch.setenv("TMUX", f"{tmux.ask('#{socket_path}')},1,0")
    monkeypatch.setenv("TMUX_PANE", pane)
    gone = done("remove", ".", cwd=repo)["removed"][0]
    assert gone["session"] == made["session"]["id"]


def test_a_pane_of_another_server_is_not_the_callers(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`$TMUX_PANE` names a pane of `$TMUX`; with -L for another server it says nothing."""
    made = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=repo)
    with running(cwd=repo) as own:
        monkeypatch.setenv("TMUX", f"{own.ask('#{socket_path}')},1,0")
        monkeypatch.setenv("TMUX_PANE", tmux.ask("#{pane_id}", made["window"]))
        error = refused("-L", tmux.socket, "remove", ".", cwd=repo)
        assert error["code"] == "main_checkout"
        by_path = refused("--socket", tmux.ask("#{socket_path}"), "remove", ".", cwd=repo)
        assert by_path["code"] == "main_checkout"
    assert os.environ["TMUX_PANE"]
