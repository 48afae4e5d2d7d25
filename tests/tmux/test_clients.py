"""The windows people look at: shown in the client that asked, closed under nobody's feet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import terminal
from helpers.servers import until
from helpers.terminal import Terminal
from hqt.tmux import server, windows


@pytest.fixture
def pair(sealed: Path) -> Iterator[tuple[Terminal, Terminal]]:
    """Two people at one server: the first in tmux session `main`, the second in `other`."""
    with terminal.opened(cwd=sealed, size=(80, 20)) as first:
        first.server.cmd("new-session", "-d", "-s", "other")
        with terminal.attached(first.server, session="other", size=(60, 15)) as second:
            yield first, second


def test_a_window_is_shown_to_the_one_who_asked_even_in_another_session(
    pair: tuple[Terminal, Terminal], sealed: Path
) -> None:
    first, second = pair
    tmux = first.server.tmux

    window = windows.open_window(
        tmux, session="$0", cwd=sealed, label="⎇ fix", select=True, client=second.client
    )

    second.see("⎇ fix*")
    assert second.ask("#{session_id} #{window_id}") == f"$0 {window.id}"


def test_going_to_a_window_moves_only_that_client(
    pair: tuple[Terminal, Terminal], sealed: Path
) -> None:
    first, second = pair
    tmux = first.server.tmux
    window = windows.open_window(tmux, session="$1", cwd=sealed, label="⎇ fix")

    windows.goto(tmux, session="$1", window=window.id, client=first.client)

    first.see("[other]", "⎇ fix*")
    windows.goto(tmux, session="$0", window="@0", client=first.client)
    first.see("[main]", "0:bash*")
    assert second.ask("#{session_id} #{window_id}") == f"$1 {window.id}"
    windows.goto(tmux, session="$1", window="@1", client=None)
    assert until(lambda: second.ask("#{window_id}") == "@1")


def test_a_new_session_is_shown_to_the_one_who_asked(
    pair: tuple[Terminal, Terminal], sealed: Path
) -> None:
    first, second = pair
    windows.open_window(
        first.server.tmux,
        session=None,
        new_session="fix",
        cwd=sealed,
        label="⎇ fix",
        select=True,
        client=first.client,
    )

    first.see("[fix]", "⎇ fix*")
    assert second.ask("#{session_id}") == "$1"


def test_nobody_is_thrown_out_when_their_last_window_closes(
    pair: tuple[Terminal, Terminal], sealed: Path
) -> None:
    first, second = pair
    tmux = first.server.tmux
    (sealed / "checkout").mkdir()

    doomed = ["@0", "@1"]
    windows.make_way(tmux, server.read(tmux), doomed, refuge=sealed / "checkout")
    for window in doomed:
        windows.close_window(tmux, window)

    assert "bash" not in first.see("[main]", "checkout*").splitlines()[-1]
    second.see("[other]", "checkout*")
    assert first.attached
    assert second.attached


def test_who_sits_in_a_session_made_for_the_worktree_goes_to_one_that_stays(
    pair: tuple[Terminal, Terminal], sealed: Path
) -> None:
    first, second = pair
    tmux = first.server.tmux
    windows.make_way(tmux, server.read(tmux), ["@1"], refuge=sealed, expendable=["other"])
    windows.close_window(tmux, "@1")

    second.see("[main]")
    assert first.ask("#{session_name}") == second.ask("#{session_name}") == "main"


def test_a_snapshot_knows_who_looks_at_what(pair: tuple[Terminal, Terminal]) -> None:
    first, second = pair

    seen = {client.name: client for client in server.read(first.server.tmux).clients}

    assert set(seen) == {first.client, second.client}
    mine = seen[second.client]
    assert (mine.session, mine.window, mine.width, mine.height) == ("$1", "@1", 60, 15)
    assert mine.pid == int(second.ask("#{client_pid}"))
    assert not mine.control
    assert mine.activity > 1_600_000_000
