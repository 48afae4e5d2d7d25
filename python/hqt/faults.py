"""Faults in hqt itself: into the log, with what is needed to mend them."""

from __future__ import annotations

import contextlib
import platform
import sys

from hqt import __version__, paths
from hqt.errors import Code, HqtError

_KEEP = 512 * 1024  # bytes of log before it is set aside once


def logged(error: BaseException) -> HqtError:
    """Write the traceback with versions and arguments to the log; return the error to show.

    A log that cannot be written is not worth a second failure: the message then says so.
    """
    import logging
    import logging.handlers

    file = paths.log_file()
    where = f"The details are in {file}"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            file, maxBytes=_KEEP, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        record = logging.LogRecord(
            "hqt",
            logging.ERROR,
            __file__,
            0,
            "hqt %s, Python %s, %s, arguments %r",
            (__version__, platform.python_version(), platform.platform(), sys.argv[1:]),
            (type(error), error, error.__traceback__),
        )
        handler.handle(record)
        handler.close()
    except OSError:
        where = "The log could not be written"
    summary = f"{type(error).__name__}: {error}".strip()
    with contextlib.suppress(UnicodeError):
        summary = summary.encode("utf-8", "backslashreplace").decode()
    return HqtError(
        Code.INTERNAL,
        f"A fault in hqt: {summary.rstrip('.')}.",
        f"{where}; nothing more was changed.",
    )
