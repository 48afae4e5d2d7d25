"""What tmux shows of hqt."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from helpers import terminal
from helpers.hostile import NAMES
from helpers.servers import Server
from hqt.errors import HqtError
from hqt.tmux import indicators, server
from hqt.tmux.indicators import Indicator
from hqt.tmux.server import Tmux


def shown(tmux: Server) -> tuple[str, str, str]:
    pane = server.read(tmux.tmux).panes[0]
    return pane.window_branch, pane.window_dirty, pane.window_state


def test_only_what_differs_is_set_and_tmux_is_left_in_peace_otherwise(tmux: Server) -> None:
    wanted = {"@0": Indicator("fix", "3", "working"), "@99": Indicator("gone")}

    assert indicators.publish(tmux.tmux, server.read(tmux.tmux), wanted) == 3
    assert shown(tmux) == ("fix", "3", "working")

    seen = server.read(tmux.tmux)
    asleep = Tmux(socket_name=tmux.socket, timeout=0.2)
    os.kill(tmux.pid, signal.SIGSTOP)  # whoever calls tmux now, waits in vain
    assert indicators.publish(asleep, seen, wanted) == 0
    with pytest.raises(HqtError):
        indicators.publish(asleep, seen, {"@0": Indicator(dirty="")})
    os.kill(tmux.pid, signal.SIGCONT)


def test_nothing_is_said_about_what_is_left_as_it_is(tmux: Server) -> None:
    indicators.publish(tmux.tmux, server.read(tmux.tmux), {"@0": Indicator("fix", "3", "done")})
    indicators.publish(tmux.tmux, server.read(tmux.tmux), {"@0": Indicator(dirty="")})

    assert shown(tmux) == ("fix", "", "done")


def test_names_are_data_in_a_status_line(sealed: Path) -> None:
    config = "set -g status-left '[#{@hqt_branch}|#{E:@hqt_status}]' ; set -g status-left-length 60"
    status = "set -g @hqt_status '#{@hqt_branch}'"
    with terminal.opened(config, status, cwd=sealed) as person:
        for name in NAMES:
            seen = server.read(person.server.tmux)
            indicators.publish(person.server.tmux, seen, {"@0": Indicator(branch=name)})
            assert person.server.option("@hqt_branch", "-w", "-t", "@0") == name
            if name.isprintable() and "#" not in name:
                person.see(f"[{name}|{name}]")
        assert not list(sealed.rglob("X"))
