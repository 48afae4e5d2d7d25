"""A person in a real tmux with the plugin loaded, in a repository of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import terminal, warming
from helpers.plugin import launcher_environment
from helpers.terminal import Terminal

KEYS = {"new": "N", "switch": "S", "remove": "R", "undo": "U", "git": "G", "lock": "B"}


@pytest.fixture
def person(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """In the main checkout; besides the menu each screen has a key of its own (`KEYS`)."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    keys = [f"set -g @hqt-{action}-key {key}" for action, key in KEYS.items()]
    with terminal.opened(*keys, cwd=repo) as someone:
        warming.load(someone.server)
        yield someone


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is warm: whatever a key calls begins from nothing."""
    monkeypatch.setenv("HQT_WARM", "off")
