"""The states of agents: a pane has its own, a window the most urgent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hqt
from helpers.servers import Server
from hqt.errors import HqtError
from hqt.tmux import server
from hqt.tmux.agent_states import STATES, most_urgent, recording


def test_the_most_urgent_state_of_its_panes_is_the_windows(tmux: Server) -> None:
    """The format that tmux expands says what `most_urgent` says."""
    for _ in range(2):
        tmux.cmd("split-window", "-d", "-t", "%0", ";", "select-layout", "tiled")
    states = dict.fromkeys(["%0", "%1", "%2"], "")
    events = [("%0", "working"), ("%1", "idle"), ("%2", "waiting"), ("%0", "done"), ("%2", "idle")]
    events += [("%0", "error"), ("%0", ""), ("%1", "unknown"), ("%2", ""), ("%1", "")]

    for pane, state in events:
        tmux.tmux.run(recording(pane, state))
        states[pane] = state

        seen = server.read(tmux.tmux).panes
        assert {one.id: one.agent_state for one in seen} == states
        assert {one.window_state for one in seen} == {most_urgent(list(states.values()))}


def test_an_event_that_says_nothing_new_sets_nothing(tmux: Server) -> None:
    tmux.tmux.run(recording("%0", "working"))
    tmux.cmd("set", "-w", "-t", "@0", "@hqt_state", "as it was")

    tmux.tmux.run(recording("%0", "working"))

    assert server.read(tmux.tmux).panes[0].window_state == "as it was"


def test_an_event_of_a_pane_that_has_gone_hits_no_other(tmux: Server) -> None:
    with pytest.raises(HqtError):
        tmux.tmux.run(recording("%99", "working"))
    assert server.read(tmux.tmux).panes[0].window_state == ""


def test_urgency() -> None:
    assert most_urgent([]) == ""
    assert most_urgent(["working", "waiting", "idle"]) == "waiting"
    assert [most_urgent([one]) for one in STATES] == list(STATES)


@pytest.mark.parametrize(
    ("pane", "state"),
    [("", "idle"), ("%", "idle"), ("@1", "idle"), ("%1 ;", "idle"), ("%1", "#(touch X)")],
)
def test_nothing_but_a_pane_and_a_state(pane: str, state: str) -> None:
    with pytest.raises(ValueError, match="no pane and state"):
        recording(pane, state)


def test_a_hook_pays_for_nothing_else() -> None:
    """Every module that is loaded is felt at each of an agent's steps."""
    root = str(Path(hqt.__file__).parents[1])
    look = f"import sys; sys.path.insert(0, {root!r}); before = set(sys.modules)\n"
    look += "import hqt.tmux.agent_states\nprint(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", look], capture_output=True, text=True, check=True
    )
    assert set(loaded.stdout.split()) <= {"hqt", "hqt.tmux", "hqt.tmux.agent_states", "__future__"}
