"""What tests of sessions have installed: every harness in name, and one that really runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers import stand_in
from helpers.harnesses import OWN
from helpers.stand_in import StandIn
from hqt import paths


@pytest.fixture
def programs(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every program of hqt's own profiles, as a file that is never run."""
    folder = sealed / "programs"
    folder.mkdir()
    for name in OWN[1:]:
        (folder / name).write_text("#!/bin/sh\nexit 99\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder


@pytest.fixture
def agent(sealed: Path) -> StandIn:
    """The stand-in harness, its profiles in the user's config.toml."""
    return stand_in.install(sealed, paths.config_file())
