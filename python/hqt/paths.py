"""Where hqt keeps its own files. The only module that imports platformdirs."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def config_file() -> Path:
    """The user's `config.toml`."""
    return platformdirs.user_config_path("hqt") / "config.toml"


def state_dir() -> Path:
    """Where the store and the log live."""
    return platformdirs.user_state_path("hqt")


def data_dir() -> Path:
    """Where setup keeps the Python environments (`data` of scripts/lib.sh)."""
    return platformdirs.user_data_path("hqt")


def store_file() -> Path:
    """The SQLite store."""
    return state_dir() / "sessions.db"


def log_file() -> Path:
    """The log of faults and events."""
    return state_dir() / "hqt.log"
