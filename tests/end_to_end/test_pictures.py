"""The pictures in docs/screens are what a person sees; `scripts/screens` draws them anew.

Held against the real screens: what differs from run to run (hashes, dates, process and client
names, the home directory) is made the same in both.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from helpers import repos, servers, terminal, warming
from helpers.calls import done
from helpers.plugin import ROOT, launcher_environment
from helpers.servers import until
from helpers.terminal import Terminal
from hqt.tmux import agent_states

FOLDER = ROOT / "docs" / "screens"
DRAW = os.environ.get("HQT_SCREENS") == "draw"  # before the seal takes it away
SIZE = (92, 28)
CONFIG = (
    "set -g @hqt-new-key N",
    "set -g @hqt-switch-key S",
    "set -g @hqt-remove-key R",
    "set -g status-left ''",
    "set -g status-right '#{E:@hqt_status}'",
    "set -g status-right-length 60",
    "set -g window-status-format ' #I:#W #{E:@hqt_window}'",
    "set -g window-status-current-format ' #[bold]#I:#W#[nobold] #{E:@hqt_window}'",
    "set -g status-style ''",
)


@pytest.fixture
def scene(repo: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A repository and a worktree in it with something to see."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
    return repo, repo / ".worktrees" / "fix-login"


def build(person: Terminal, repo: Path, place: Path) -> None:
    """Three tasks: one with work in it and an agent that waits, one at work, one done with."""
    warming.load(person.server)
    here = ("-L", person.server.socket)
    panes = {}
    for name in ("fix-login", "feature/payments", "release-notes"):
        made = done(*here, "new", name, "-d", cwd=repo)
        panes[name] = person.server.ask("#{pane_id}", made["window"])
    repos.commit(place, "login.py", message="Ask for the password only once")
    repos.commit(place, "session.py", message="Keep people logged in")
    (place / "login.py").write_text("half a thought\n")
    (place / "notes.txt").write_text("a thought\n")
    (place / ".gitignore").write_text(".env\n")
    (place / ".env").write_text("SECRET\n")
    for name, state in (("fix-login", "waiting"), ("feature/payments", "working")):
        person.server.tmux.run(agent_states.recording(panes[name], state))
    done(*here, "status", cwd=repo)


def same(text: str, repo: Path) -> str:
    """A screen without what is different each time."""
    rules: list[tuple[str, str]] = [
        (re.escape(str(repo.parent)), "~"),
        (r"\b[0-9a-f]{7}\b", "1a2b3c4"),
        (r"/dev/pts/\d+", "/dev/pts/0"),
        (r"\d{4}-\d\d-\d\d", "2026-01-16"),
        (r"\b(now|\d+s|\d+m)\b *", "now "),
        (r"([─ ])[─ ]*", r"\1"),  # a path's length moves what is beside it
    ]
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text)
    return text


def _at_home(line: str, home: str) -> str:
    """A line with `~` for the home directory, as wide as it was up to its frame."""
    before, frame, after = line.rpartition("│")
    filler = before[-1:] if before[-1:] == "─" else " "
    short = before.replace(home, "~")
    return short + filler * (len(before) - len(short)) + frame + after.replace(home, "~")


def held(person: Terminal, name: str, repo: Path) -> None:
    """The screen is the picture; or is drawn, once it stands still."""
    file = FOLDER / f"{name}.txt"
    if DRAW:
        since, seen = time.monotonic(), person.screen()
        while time.monotonic() < since + 1.5:
            if (now := person.screen()) != seen:
                since, seen = time.monotonic(), now
        lines = [_at_home(line, str(repo.parent)).rstrip() for line in seen.splitlines()]
        file.write_text("\n".join(lines) + "\n")
        return
    wanted = same(file.read_text().rstrip(), repo)
    until(lambda: same(person.screen().rstrip(), repo) == wanted)
    assert same(person.screen().rstrip(), repo) == wanted


def test_pictures(scene: tuple[Path, Path]) -> None:
    repo, place = scene
    with (
        servers.running(*terminal.INNER, *CONFIG, cwd=repo) as server,
        terminal.attached(server, size=SIZE) as person,
    ):
        person.see("$")
        build(person, repo, place)
        person.see("◆1 ●1")
        person.press("C-b", "W")
        while "↑2" not in person.see("New…", "⎇ release-notes"):  # it does not wait for counts
            person.press("Escape")
            person.dismissed("New…")
            person.press("C-b", "W")
        held(person, "menu", repo)
        person.press("Escape")
        person.dismissed("New…")
        person.press("C-b", "N")
        person.see("Isolate in worktree")
        person.type("Faster search")
        person.see(".worktrees/faster-search", "First")
        held(person, "new", repo)
        person.press("Escape")
        person.dismissed("Isolate in worktree", "┌")
        person.press("C-b", "S")
        person.see("Worktrees", "⎇ release-notes")
        assert until(lambda: "…" not in person.screen() and "↑2" in person.screen())
        held(person, "switch", repo)
        person.type("login")
        person.see("❯ login", "1/4")
        person.press("Enter")
        assert until(lambda: person.ask("#{window_name}") == "⎇ fix-login")
        person.dismissed("❯ login", "┌")
        person.see("⎇ fix-login ±3 ↑2")
        person.press("C-b", "R")
        person.see("Also remove worktree")
        held(person, "remove", repo)
        person.press("Space", "Enter")
        person.see("This goes with the worktree")
        held(person, "remove-loss", repo)
