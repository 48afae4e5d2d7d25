"""Windows: opened, labelled, shown and closed."""

from __future__ import annotations

from pathlib import Path

from helpers import servers
from helpers.servers import Server
from hqt.tmux import server, windows
from hqt.tmux.windows import Window


def opened(tmux: Server, cwd: Path, **more: object) -> Window:
    arguments: dict[str, object] = {"session": "$0", "cwd": cwd, "label": "⎇ fix", **more}
    return windows.open_window(tmux.tmux, **arguments)  # type: ignore[arg-type] # a test's table


def test_a_window_is_opened_beside_the_one_the_user_is_in(tmux: Server, sealed: Path) -> None:
    (sealed / "wt").mkdir()

    window = opened(tmux, sealed / "wt", options={"@hqt_session": "s1", "@hqt_branch": "fix"})

    assert (window.id, window.pane, window.session) == ("@1", "%1", "$0")
    [first, second] = server.read(tmux.tmux).panes
    assert first.window_active
    assert first.window_session == ""
    assert (second.window_session, second.window_branch) == ("s1", "fix")
    assert second.window_name == "⎇ fix"
    assert servers.until(lambda: server.read(tmux.tmux).panes[1].path) == str(sealed / "wt")
    assert tmux.ask("#{automatic-rename}#{allow-rename}", "@1") == "00"
