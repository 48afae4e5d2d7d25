"""The start of every call."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return the exit status."""
    match sys.argv[1:]:
        case ["agent", event, *told] if not event.startswith("-"):
            # An agent waits for its hook at each of its steps: not even click is loaded.
            from hqt.sessions.agent import answer

            return answer(event, told)
    from hqt.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
