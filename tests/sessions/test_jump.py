"""`hqt jump`: to the agent that needs somebody, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import terminal, warming
from helpers.calls import done, hqt, refused
from helpers.plugin import launcher_environment
from helpers.servers import Server, until
from helpers.terminal import Terminal
from hqt.sessions import agent as agents


def hook(tmux: Server, pane: str, event: str) -> None:
    """An agent's hook in a pane."""
    inside = f"{tmux.ask('#{socket_path}')},{tmux.pid},0"
    agents.hear(event, b"{}", {"TMUX": inside, "TMUX_PANE": pane, "HQT_SESSION": "s1"})


def within(monkeypatch: pytest.MonkeyPatch, tmux: Server, pane: str) -> None:
    """From here on hqt is called in that pane."""
    monkeypatch.setenv("TMUX", f"{tmux.ask('#{socket_path}')},{tmux.pid},0")
    monkeypatch.setenv("TMUX_PANE", pane)


def made(tmux: Server, repo: Path, name: str) -> tuple[str, str]:
    """A window of hqt, and its pane."""
    window = done("-L", tmux.socket, "new", name, "-d", cwd=repo)["window"]
    return window, tmux.ask("#{pane_id}", window)


def test_the_next_that_waits_then_one_that_is_done(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("-L", tmux.socket)
    (one, p1), (two, p2), (three, p3) = (made(tmux, repo, name) for name in ("a", "b", "c"))
    within(monkeypatch, tmux, "%0")
    assert refused(*here, "jump", cwd=repo)["code"] == "no_such_target"
    hook(tmux, p1, "PermissionRequest")
    hook(tmux, p2, "Stop")
    hook(tmux, p3, "PermissionRequest")

    found = done(*here, "jump", cwd=repo)
    assert (found["window"], found["label"], found["state"]) == (one, "a", "waiting")
    assert tmux.ask("#{window_id}") == one
    within(monkeypatch, tmux, p1)
    assert done(*here, "jump", cwd=repo)["window"] == three, "the next, not the same again"
    within(monkeypatch, tmux, p3)
    assert done(*here, "jump", cwd=repo)["window"] == one, "and round again"
    hook(tmux, p1, "UserPromptSubmit")
    hook(tmux, p3, "UserPromptSubmit")
    assert done(*here, "jump", cwd=repo)["window"] == two
    assert until(lambda: tmux.ask("#{@hqt_state}", two) == "idle"), "it has been seen now"
    assert refused(*here, "jump", cwd=repo)["code"] == "no_such_target"


def test_the_pane_itself_is_shown(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _ = made(tmux, repo, "fix")
    second = tmux.cmd("split-window", "-dP", "-F", "#{pane_id}", "-t", window, "sleep 1000")
    hook(tmux, second, "PermissionRequest")
    for pane in ("%0", second):  # also from that very window
        within(monkeypatch, tmux, pane)
        assert done("-L", tmux.socket, "jump", cwd=repo)["window"] == window
        assert tmux.ask("#{pane_id}", window) == second
        tmux.cmd("select-pane", "-t", f"{window}.0")


def test_from_anywhere(sealed: Path, repo: Path, tmux: Server) -> None:
    window, pane = made(tmux, repo, "fix")
    hook(tmux, pane, "PermissionRequest")
    assert done("-L", tmux.socket, "jump", cwd=sealed)["window"] == window
    assert refused("-L", "nobody", "jump", cwd=sealed)["code"] == "tmux_unavailable"
    assert refused("-L", "nobody", "jump", "--last", cwd=sealed)["code"] == "tmux_unavailable"


def test_an_agent_in_another_tmux_session(repo: Path) -> None:
    with terminal.opened(cwd=repo) as person:
        server = person.server
        server.cmd("new-session", "-d", "-s", "other", "-c", str(repo))
        made_there = done("-L", server.socket, "new", "fix", "-d", "-s", "other", cwd=repo)
        hook(server, server.ask("#{pane_id}", made_there["window"]), "PermissionRequest")
        done("-L", server.socket, "--client", person.client, "--pane", "%0", "jump")
        assert until(lambda: person.ask("#{window_id}") == made_there["window"])


def test_back_to_the_worktree_before(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("-L", tmux.socket)
    (one, p1), (two, p2) = (made(tmux, repo, name) for name in ("a", "b"))
    within(monkeypatch, tmux, "%0")
    assert refused(*here, "jump", "--last", cwd=repo)["code"] == "no_such_target"
    tmux.cmd("select-window", "-t", one)
    tmux.cmd("select-window", "-t", two)
    within(monkeypatch, tmux, p2)
    assert done(*here, "jump", "--last", cwd=repo)["window"] == one
    within(monkeypatch, tmux, p1)
    assert done(*here, "jump", "--last", cwd=repo)["window"] == two, "to and fro"
    tmux.cmd("select-window", "-t", "@0")
    within(monkeypatch, tmux, "%0")
    said = hqt(*here, "jump", "--last", cwd=repo)
    assert said.out == f"In window {two} b.\n", "a window that is no worktree's does not count"


def test_by_keys(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    keys = ("set -g @hqt-jump-key J", "set -g @hqt-last-key L")
    with terminal.opened(*keys, cwd=repo) as person:
        warming.load(person.server)
        one, _ = made(person.server, repo, "a")
        two, pane = made(person.server, repo, "b")
        person.press("C-b", "J")
        person.see("No agent waits for you")
        hook(person.server, pane, "PermissionRequest")
        jump(person, "J", two)
        person.press("C-b", "1")
        assert until(lambda: person.ask("#{window_id}") == one)
        jump(person, "L", two)
        jump(person, "L", one)


def jump(person: Terminal, key: str, window: str) -> None:
    person.press("C-b", key)
    assert until(lambda: person.ask("#{window_id}") == window)
