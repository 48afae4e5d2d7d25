"""One tmux client without libtmux, for what only reads: importing libtmux takes longer than ten
such calls, and a verb that finds nothing to change in tmux is spared that.

tmux's rules of `server` hold here too: UTF-8 whatever the locale, and bounded in time.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence

_LEAST = 1.0  # seconds, however late it is asked for: the answer may be there already
Said = tuple[int, str, str]  # exit status, standard output, standard error


@contextlib.contextmanager
def begun(words: Sequence[str], timeout: float) -> Iterator[Callable[[], Said]]:
    """Run the command line `words` while the block goes on: call what it yields for exit status,
    standard output and standard error. Bytes that are not UTF-8 come as `\\xff`.

    The call raises `subprocess.TimeoutExpired` when `timeout` seconds have passed since the start,
    and a second since the call. When the block ends, so does the client, answered or not. Raises
    OSError where it cannot be started.
    """
    deadline = time.monotonic() + timeout
    client = subprocess.Popen(
        list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )

    def answer() -> Said:
        left = deadline - time.monotonic()
        out, err = client.communicate(timeout=max(_LEAST, left))
        return client.returncode, _text(out), _text(err)

    try:
        yield answer
    finally:
        # A hung server has been sent the client's output and keeps it open: it is not read on.
        client.kill()
        client.wait()
        for pipe in (client.stdout, client.stderr):
            if pipe is not None:
                pipe.close()


def _text(said: bytes) -> str:
    return said.decode(errors="backslashreplace")
