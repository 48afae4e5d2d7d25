"""A person in a real tmux with the plugin loaded, in a repository of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import terminal
from helpers.plugin import ROOT, launcher_environment
from helpers.terminal import Terminal

KEYS = {"new": "N", "switch": "S", "remove": "R", "undo": "U", "git": "G", "lock": "B"}


@pytest.fixture
def person(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """In the main checkout; besides the menu each screen has a key of its own (`KEYS`)."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    keys = [f"set -g @hqt-{action}-key {key}" for action, key in KEYS.items()]
    with terminal.opened(*keys, cwd=repo) as someone:
        someone.server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
        yield someone
