"""The story of `trust`: whether a repository's own setup command may run.

Trust is for the exact content of the whole `.hqt.toml`, in one project: whatever changes in the
file is asked about anew.
"""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Trust
from hqt.sessions import setup
from hqt.sessions import world as worlds


def look(caller: Caller) -> Trust:
    """What the caller's checkout (else the main one) asks for, and what the user said of it.

    Raises `no_such_target` where no setup command is asked for, `config_invalid` for a broken file.
    """
    from hqt.git import repository

    here = repository.discover(caller.directory)
    found = setup.asked_for(here.checkout, here.main)
    if found is None or found.command is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            f"No setup command is asked for in {here.root}.",
            f"A {setup.FILE} with a command in its table [setup] asks for one.",
        )
    said = setup.is_trusted(here.root, found)
    return Trust(found.path, found.digest, found.command, said, here.root)


def pending(caller: Caller) -> Trust | None:
    """What the user has not been asked about yet; None if there is nothing to ask."""
    try:
        found = look(caller)
    except HqtError:
        return None  # whatever it is, `new` itself will say it
    return found if found.trusted is None else None


def decide(asked: Trust, trusted: bool) -> Trust:
    """Keep what the user says of exactly the content that was shown."""
    with worlds.rows().transaction() as rows:
        rows.set_setup_trusted(asked.project, asked.digest, trusted)
    return Trust(asked.path, asked.digest, asked.command, trusted, asked.project)
