"""A warm server whose home is deleted before it listens ends quietly, and makes none anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.calls import PYTHON
from helpers.servers import until

# Becomes a warm server; its home is deleted when it is STAGE. Says at the end how it ended.
SCRIPT = """
import os, shutil, sys
from pathlib import Path
from hqt.warm import imports, starting

def delete():
    shutil.rmtree(os.environ["HOME"])

def load():
    real()
    delete()

real, stage, said = imports.load, sys.argv[1], Path(sys.argv[2])
if stage == "starting":
    delete()
else:
    imports.load = load
status = starting.settle("on")
said.with_suffix(".new").write_text(str(status))
said.with_suffix(".new").rename(said)
"""


@pytest.mark.parametrize("stage", ["starting", "loading"])
@pytest.mark.usefixtures("inside")
def test_it_is_left_alone(stage: str, sealed: Path) -> None:
    home, said = sealed / "home", sealed / "said"
    home.mkdir()
    env = {**os.environ, "HOME": str(home), "PYTHONPATH": str(PYTHON)}
    words = [sys.executable, "-c", SCRIPT, stage, str(said)]
    subprocess.run(words, env=env, check=True, timeout=60)
    assert until(said.exists)
    assert said.read_text() == "0"
    assert not home.exists()
