"""The log: faults in hqt itself, with what is needed to mend them, and events worth a line."""

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
    versions = f"Python {platform.python_version()}, {platform.platform()}"
    where = f"The details are in {paths.log_file()}"
    if not _write(f"hqt {__version__}, {versions}, arguments {sys.argv[1:]!r}", error):
        where = "The log could not be written"
    summary = f"{type(error).__name__}: {error}".strip()
    with contextlib.suppress(UnicodeError):
        summary = summary.encode("utf-8", "backslashreplace").decode()
    return HqtError(
        Code.INTERNAL,
        f"A fault in hqt: {summary.rstrip('.')}.",
        f"{where}; nothing more was changed.",
    )


def note(text: str) -> None:
    """Write one line to the log; one that cannot be written is no failure."""
    _write(text)


def _write(text: str, error: BaseException | None = None) -> bool:
    """Whether `text`, and the traceback of `error`, could be written."""
    import logging
    import logging.handlers

    file = paths.log_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            file, maxBytes=_KEEP, backupCount=1, encoding="utf-8", errors="backslashreplace"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        trace = (type(error), error, error.__traceback__) if error else None
        line = text.replace("\n", "\\n")
        handler.handle(logging.LogRecord("hqt", logging.INFO, __file__, 0, "%s", (line,), trace))
        handler.close()
    except OSError:
        return False
    return True
