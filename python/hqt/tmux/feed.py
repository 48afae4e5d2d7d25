"""A pane that shows lines which this process writes, each in the place of the one before.

They go through a named pipe in a private folder to a few words of /bin/sh, so the pane is there at
once. It takes pipe and folder away as soon as it has opened the pipe. From then on each side sees
the other's end: the pane closes when this process has died, and `gone` is called when the pane has
been closed.
"""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from hqt.tmux.formats import width

_POLL = 0.02  # seconds between two looks whether the pane has opened the pipe
_PATIENCE = 1.0  # seconds after which is asked whether there still is a pane that will
_LONGEST = 1024  # bytes of a line: less than what a pipe takes whole or not at all
# Opened for both first, which waits for nobody, so that a writer that has just died is noticed too.
# What it is sent is the same line in several widths, widest first and each with its columns before
# it; it shows the first that fits, and cuts the last one at the right edge (?7l), which tmux resets
# for the next program, as it does with the cursor.
_SCRIPT = r"""
cd -- "$2" || cd /
exec 3<>"$1" 4<"$1" 3>&-
rm -f -- "$1"
rmdir -- "${1%/*}"
stty -echo
printf '\033[?25l\033[?7l'
tab=$(printf '\t')
while IFS= read -r rest <&4; do
  size=$(stty size)
  size=${size#* }
  while :; do
    line=${rest%%"$tab"*}
    if [ "${line%% *}" -le "${size:-80}" ] || [ "$line" = "$rest" ]; then break; fi
    rest=${rest#*"$tab"}
  done
  printf '\r\033[K%s' "${line#* }" || exit
done
""".strip()


class Feed:
    """The writing end. `words` is what the pane has to execute; `close` has to be called."""

    def __init__(self, place: Path) -> None:
        """The pane is in `place` meanwhile. Raises OSError when the pipe cannot be made."""
        self._place = place
        folder = Path(tempfile.mkdtemp(prefix="hqt-progress-"))  # nobody else can enter it
        self._path = folder / "progress"
        self.closed = False  # whether the pane was closed
        self._gone: Callable[[], None] | None = None
        try:
            os.mkfifo(self._path, 0o600)
        except OSError:
            folder.rmdir()
            raise
        # While nobody reads, a pipe cannot be opened for writing without waiting.
        self._reading = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
        self._writing = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK)
        self._stopping, self._stop = os.pipe()
        self._watcher: threading.Thread | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The command of the pane."""
        return ("/bin/sh", "-c", _SCRIPT, "hqt", os.fspath(self._path), os.fspath(self._place))

    def watch(self, alive: Callable[[], bool], gone: Callable[[], None]) -> None:
        """Begin to look out: `gone` is called, mostly in a thread, once the pane has been closed.

        `alive` says whether it is there, and is asked only while it is slow to begin: of one that
        ends without having opened the pipe (`opened`) nothing is told.
        """
        self._gone = gone
        self._watcher = threading.Thread(target=self._watch, args=(alive,), daemon=True)
        self._watcher.start()

    @property
    def opened(self) -> bool:
        """Whether the pane has opened the pipe. One that cannot see the folder never does."""
        return not self._path.exists()

    def say(self, *lines: str) -> None:
        """Show the first of these lines, which go from the widest to the narrowest and have no
        control characters, that the pane has room for. What it has no time for is left out."""
        said = [f"{width(line)} {line}".encode(errors="replace") for line in lines]
        while len(said) > 1 and sum(map(len, said)) + len(said) > _LONGEST:
            said.pop(0)
        try:
            os.write(self._writing, b"\t".join(said)[:_LONGEST] + b"\n")
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._end()

    def stop(self) -> None:
        """Look out no more; the pane goes on."""
        if self._stop >= 0:
            os.close(self._stop)
            self._stop = -1
        if self._watcher:
            self._watcher.join()

    def close(self) -> None:
        """Look out no more, and let the pane end if it has not been ended."""
        self.stop()
        for end in (self._stopping, self._reading, self._writing):
            if end >= 0:
                os.close(end)
        self._stopping = self._reading = self._writing = -1
        with contextlib.suppress(OSError):  # else the pane has done it
            self._path.unlink(missing_ok=True)
            self._path.parent.rmdir()

    def _watch(self, alive: Callable[[], bool]) -> None:
        waited = 0.0
        while not self.opened:
            if self._is_stopped(_POLL):
                return
            waited += _POLL
            if waited >= _PATIENCE:
                waited = 0.0
                if not alive():
                    return
        os.close(self._reading)
        self._reading = -1
        if not self._is_stopped(None):
            self._end()

    def _end(self) -> None:
        self.closed = True
        if self._gone:
            self._gone()

    def _is_stopped(self, seconds: float | None) -> bool:
        """Wait so long (None: until the pane is closed) and tell whether it is time to stop."""
        poll = select.poll()
        poll.register(self._stopping, select.POLLIN)
        if seconds is None:
            poll.register(self._writing, 0)  # its end is told unasked
        found = dict(poll.poll(None if seconds is None else seconds * 1000))
        return self._stopping in found
