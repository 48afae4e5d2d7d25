"""A test's own mounts, in a mount namespace that nobody else sees."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.calls import PYTHON


def with_mounts(script: str, *arguments: Path) -> str:
    """Run a Python script where it may mount; its standard output. Skips where that is forbidden.

    `mount(SOURCE, TARGET)` makes a bind mount there; the arguments are paths, `sys.argv[1:]`.
    """
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rm", "true"], check=False).returncode:
        pytest.skip("no mount namespace can be made here")
    head = """
import subprocess, sys
from pathlib import Path
def mount(source, target):
    subprocess.run(["mount", "--bind", str(source), str(target)], check=True)
"""
    done = subprocess.run(
        [unshare, "-rm", sys.executable, "-c", head + script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
