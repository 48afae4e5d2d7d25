"""Standard streams that are closed: something must stand in their places.

Otherwise the next file that is opened takes the place, and what is meant for a reader lands in it.
"""

from __future__ import annotations

import os
import sys


def require() -> None:
    """Put the null device where standard input, output or error is closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - it stays open
