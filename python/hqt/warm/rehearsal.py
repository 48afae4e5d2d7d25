"""What every call begins with, done once before it comes: what is built then is there, and in a
child that waits (`spare`) the memory it writes to is its own already.
"""

from __future__ import annotations

import sqlite3


def rehearse() -> None:
    """Read a command line of each verb as a call does, and run none; open a store that is nowhere.
    Raises whatever goes wrong, which is for a call to tell."""
    from hqt.cli import VERBS, cli

    sqlite3.connect(":memory:").close()
    # A short option: click looks for a long one first, and for what resembles it.
    words = ["-L", "name", "--json", "list"]
    with cli.make_context("hqt", words, resilient_parsing=True) as context:
        for verb in VERBS:
            if command := cli.get_command(context, verb):
                command.make_context(verb, ["--json"], context, resilient_parsing=True)
