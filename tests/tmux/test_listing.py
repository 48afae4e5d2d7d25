"""What one listing tells of a tmux server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from helpers import servers
from helpers.hostile import NAMES
from helpers.servers import Server
from hqt.models import Pane
from hqt.tmux import client, server


def test_what_new_windows_inherit_is_known(sealed: Path) -> None:
    with servers.running("set -g default-command 'exec sh -i'", cwd=sealed) as tmux:
        tmux.cmd("set-environment", "-g", "AGENT_INSIDE", "a\nFORGED=1")
        tmux.cmd("set-environment", "-gr", "GONE")
        snapshot = server.read(tmux.tmux)
    assert snapshot.default_command == "exec sh -i"
    assert {"AGENT_INSIDE", "HOME"} <= snapshot.environment
    assert "GONE" not in snapshot.environment


# Where an option can be set that a format for the first pane would find, but for its window.
SCOPES = {
    "server": ("-s",),
    "global": ("-g",),
    "global window": ("-gw",),
    "session": ("-t", f"{servers.SESSION}:"),
    "pane": ("-p", "-t", "%0"),
}
MARKS = {
    "@hqt_session": "window_session",
    "@hqt_worktree": "window_worktree",
    "@hqt_branch": "window_branch",
    "@hqt_state": "window_state",
    "@hqt_dirty": "window_dirty",
    "@hqt_unique": "window_unique",
}


def marks(pane: Pane) -> list[str]:
    return [getattr(pane, field) for field in MARKS.values()]


@pytest.mark.parametrize("scope", SCOPES)
def test_a_mark_is_an_option_of_the_window_alone(tmux: Server, scope: str) -> None:
    tmux.cmd("split-window", "-d", "-t", "%0")
    tmux.cmd("new-window", "-d")
    for name in MARKS:
        tmux.cmd("set-option", *SCOPES[scope], name, "elsewhere")
    assert [marks(pane) for pane in server.read(tmux.tmux).panes] == 3 * [[""] * 6]

    for name in MARKS:
        tmux.cmd("set-option", "-w", "-t", "@0", name, "own")
    tmux.cmd("set-option", "-w", "-t", "@1", "@hqt_session", "elsewhere")
    own, alone = ["own"] * 6, ["elsewhere", *[""] * 5]
    assert [marks(pane) for pane in server.read(tmux.tmux).panes] == [own, own, alone]


@pytest.mark.parametrize("scope", [*SCOPES, "window"])
def test_the_state_of_an_agent_is_an_option_of_its_pane_alone(tmux: Server, scope: str) -> None:
    tmux.cmd("split-window", "-d", "-t", "%0")
    where = {**SCOPES, "window": ("-w", "-t", "@0")}[scope]
    tmux.cmd("set-option", "-p", "-t", "%1", "@hqt_agent", "waiting")
    tmux.cmd("set-option", *where, "@hqt_agent", "idle")
    expected = ["idle" if scope == "pane" else "", "waiting"]
    assert [pane.agent_state for pane in server.read(tmux.tmux).panes] == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_mark_is_read_byte_for_byte(tmux: Server, sealed: Path, name: str) -> None:
    tmux.tmux.run(["set-option", "-w", "-t", "@0", "@hqt_branch", name])
    [pane] = server.read(tmux.tmux).panes
    assert pane.window_branch == name
    assert not (sealed / "X").exists()


def test_many_marked_windows_in_several_sessions_are_one_call(
    tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmux.cmd("new-session", "-d", "-s", "second")
    for index in range(60):
        tmux.cmd("new-window", "-d", "-t", "main:", "sleep 1000")
        tmux.cmd("set-option", "-w", "-t", f"@{index + 2}", "@hqt_worktree", f"{index:012}")
    tmux.cmd("link-window", "-d", "-s", "@2", "-t", "second:9")
    calls = []
    begun = client.begun

    def counted(
        words: list[str], timeout: float
    ) -> AbstractContextManager[Callable[[], client.Said]]:
        calls.append(words)
        return begun(words, timeout)

    monkeypatch.setattr(client, "begun", counted)
    panes = server.read(tmux.tmux).panes
    found = {pane.window: pane.window_worktree for pane in panes}
    assert found == {"@0": "", "@1": "", **{f"@{n + 2}": f"{n:012}" for n in range(60)}}
    assert len(panes) == 62
    assert len(calls) == 1
