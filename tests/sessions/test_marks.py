"""The marks of hqt on a window count only where hqt sets them: on that window."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import servers
from helpers.calls import done
from helpers.servers import SESSION, Server

SCOPES = {
    "server": ("-s",),
    "global": ("-g",),
    "global window": ("-gw",),
    "session": ("-t", f"{SESSION}:"),
    "pane": ("-p", "-t", "%0"),
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_mark_in_another_scope_makes_no_window_the_worktrees(
    repo: Path, tmux: Server, scope: str
) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    assert servers.until(lambda: tmux.ask("#{window_name}", "@0") == "sh"), "its shell is there"
    before = tmux.ask("#{window_name} #{automatic-rename}", "@0")
    values = {"@hqt_session": made["session"]["id"], "@hqt_worktree": worktree_id(made)}
    for name, value in values.items():
        tmux.cmd("set-option", *SCOPES[scope], name, value)

    [_, row] = done("-L", tmux.socket, "list", cwd=repo)["worktrees"]
    assert row["windows"] == [made["window"]]
    assert done("-L", tmux.socket, "open", "fix", cwd=repo)["window"] == made["window"]

    tmux.cmd("kill-window", "-t", made["window"])
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["state"] == "closed"
    again = done("-L", tmux.socket, "open", "fix", cwd=repo)["window"]
    assert again not in {"@0", made["window"]}
    assert tmux.option("@hqt_session", "-w", "-t", again) == made["session"]["id"]

    done("-L", tmux.socket, "remove", "fix", "--force", "--close", cwd=repo)
    assert tmux.windows() == ["@0"]
    assert tmux.ask("#{window_name} #{automatic-rename}", "@0") == before


def worktree_id(made: dict[str, dict[str, str]]) -> str:
    return made["worktree"]["id"]
