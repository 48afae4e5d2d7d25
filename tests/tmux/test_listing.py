"""What one listing tells of a tmux server."""

from __future__ import annotations

from pathlib import Path

from helpers import servers
from hqt.tmux import server


def test_what_new_windows_inherit_is_known(sealed: Path) -> None:
    with servers.running("set -g default-command 'exec sh -i'", cwd=sealed) as tmux:
        tmux.cmd("set-environment", "-g", "AGENT_INSIDE", "a\nFORGED=1")
        tmux.cmd("set-environment", "-gr", "GONE")
        snapshot = server.read(tmux.tmux)
    assert snapshot.default_command == "exec sh -i"
    assert {"AGENT_INSIDE", "HOME"} <= snapshot.environment
    assert "GONE" not in snapshot.environment
