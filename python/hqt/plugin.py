"""The plugin's folder, which this package lies in."""

from __future__ import annotations

from pathlib import Path

import hqt

ROOT = Path(hqt.__file__).parents[2]
ENTRY = ROOT / "hqt.tmux"  # what tmux loads
LAUNCHER = ROOT / "scripts" / "hqt"  # what a key or a person calls
FORMATS = ROOT / "scripts" / "status.conf"  # what tmux shows of hqt
