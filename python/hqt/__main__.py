"""The start of every call."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return the exit status."""
    from hqt.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
