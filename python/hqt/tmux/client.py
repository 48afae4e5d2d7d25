"""One tmux client without libtmux, for what only reads: importing libtmux takes longer than ten
such calls, and a verb that finds nothing to change in tmux is spared that.

tmux's rules of `server` hold here too: UTF-8 whatever the locale, and bounded in time.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


def call(words: Sequence[str], timeout: float) -> tuple[int, str, str]:
    """Run the command line `words`; its exit status, standard output and standard error. Bytes that
    are not UTF-8 come as `\\xff`.

    Raises `subprocess.TimeoutExpired` after `timeout` seconds, when the client has been ended, and
    OSError where it cannot be started.
    """
    client = subprocess.Popen(
        list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        out, err = client.communicate(timeout=timeout)
    finally:
        # A hung server has been sent the client's output and keeps it open: it is not read on.
        client.kill()
        client.wait()
        for pipe in (client.stdout, client.stderr):
            if pipe is not None:
                pipe.close()
    return client.returncode, _text(out), _text(err)


def _text(said: bytes) -> str:
    return said.decode(errors="backslashreplace")
