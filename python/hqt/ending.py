"""The end of a process, without the time that Python takes to pull itself apart.

With libtmux and pygit2 loaded that is a tenth of a short call, and nobody has anything of it.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn

_UNWRITTEN = 120  # as Python's own end


def end(status: int) -> NoReturn:
    """End this process with `status`, after all that a process owes to others."""
    os._exit(settled(status))


def settled(status: int) -> int:
    """Wait for threads, run exit handlers, write out the streams; the exit status after that."""
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing ends its children
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            status = _UNWRITTEN
    return status & 0xFF
