"""A warm server, as calls from within a tmux server find it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from helpers import warming
from helpers.servers import Server
from helpers.warming import Warm

if sys.platform != "linux":
    collect_ignore_glob = ["test_*"]


@pytest.fixture
def inside(tmux: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """What is called is called from within this tmux server."""
    path = tmux.ask("#{socket_path}")
    monkeypatch.setenv("TMUX", f"{path},{tmux.pid},0")
    return tmux


@pytest.fixture
def warm(inside: Server) -> Iterator[Warm]:
    """Its warm server, at work."""
    found = warming.warm(os.environ, inside.pid).start()
    yield found
    found.end()
