"""What several of git's tests need."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OTHERS = (Path("/dev/shm"), Path("/run"), Path.home(), Path("/var/tmp"))


@pytest.fixture
def elsewhere(sealed: Path) -> Iterator[Path]:
    """A folder on another file system than the tests' own."""
    for place in OTHERS:
        if os.access(place, os.W_OK) and place.stat().st_dev != sealed.stat().st_dev:
            break
    else:
        pytest.skip("this machine has no second file system that can be written")
    folder = Path(tempfile.mkdtemp(prefix="hqt-", dir=place)).resolve()
    yield folder
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False)
    shutil.rmtree(folder)
