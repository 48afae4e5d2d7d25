"""What every call begins with, done once before it comes: what is built then is there, and in a
child that waits (`spare`) the memory it writes to is its own already.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path


def rehearse() -> None:
    """Read a command line of each verb as a call does, and run none; open a store that is nowhere,
    read hqt's own profiles, make names of a name, measure a sign. Raises whatever goes wrong, which
    is for a call to tell."""
    from rich.cells import cell_len

    from hqt import names
    from hqt.cli import VERBS, cli
    from hqt.sessions import profiles

    sqlite3.connect(":memory:").close()
    profiles.profiles(Path(__file__).with_suffix(".toml"))  # which is not there
    names.slug("a b")
    names.is_taken_by_targets("a b")
    names.tmux_session_name(Path("a b"))
    cell_len(names.branch_sign("unicode"))
    # A short option: click looks for a long one first, and for what resembles it.
    words = ["-L", "name", "--json", "list"]
    with cli.make_context("hqt", words, resilient_parsing=True) as context:
        for verb in VERBS:
            if command := cli.get_command(context, verb):
                command.make_context(verb, ["--json"], context, resilient_parsing=True)
