"""The start of every call."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line and return the exit status."""
    arguments = sys.argv[1:]
    match arguments:
        case ["agent", event, *told] if not event.startswith("-"):
            # An agent waits for its hook at each of its steps: not even click is loaded.
            from hqt.sessions.agent import answer

            return answer(event, told)
        case ["--warm", *wish]:
            from hqt.warm import starting

            return starting.settle("".join(wish[:1]))
    from hqt.warm import client

    if (status := client.call(arguments)) is not None:
        os._exit(status)  # this process has done nothing that an orderly end would have to end
    from hqt.itself import load_packages

    load_packages()
    from hqt import ending
    from hqt.cli import run

    return ending.end(run(arguments))


if __name__ == "__main__":
    sys.exit(main())
