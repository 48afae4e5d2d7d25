"""Everything that a call may need, loaded before the first one comes.

A test compares the list with what hqt's functions import; nothing else is worth a name here.
"""

from __future__ import annotations

import importlib
import os

import hqt

PACKAGES = (
    "asyncio.unix_events",
    "concurrent.futures.thread",
    "ctypes",
    "datetime",
    "glob",
    "importlib.metadata",
    "libtmux.common",
    "libtmux.exc",
    "libtmux.server",
    "logging.handlers",
    "prompt_toolkit.input.vt100",
    "prompt_toolkit.output.vt100",
    "prompt_toolkit.utils",
    "pygit2.callbacks",
    "pygit2.enums",
    "random",
    "rich.cells",
    "rich.console",
    "rich.progress",
    "selectors",
    "tomllib",
)


def load() -> None:
    """Load hqt and what it uses. What is not installed is left to the call that needs it."""
    for name in (*PACKAGES, *modules()):
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def modules() -> list[str]:
    """The dotted names of all modules of hqt, but not of its start."""
    found, waiting = [], [(os.path.dirname(hqt.__file__), "hqt")]  # noqa: PTH120
    while waiting:
        folder, package = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name, dot, kind = entry.name.partition(".")
                if kind == "py" and not name.startswith("__"):
                    found.append(f"{package}.{name}")
                elif not dot and name != "__pycache__" and entry.is_dir():
                    waiting.append((entry.path, f"{package}.{name}"))
    return found
