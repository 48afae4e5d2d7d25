"""The story of `config`: every setting as it counts here."""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Setting, Settings
from hqt.sessions import world as worlds


def settings(caller: Caller) -> Settings:
    """Every option with its value and origin, for the caller's repository if there is one.

    Raises `config_invalid` for a value that hqt does not know.
    """
    from hqt import config, paths
    from hqt.git import repository

    snapshot = worlds.glance(caller)
    caller = worlds.settled(caller, snapshot)
    options = snapshot.options if snapshot else {}
    try:
        root = repository.discover(caller.directory).root
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY:
            raise
        root = None
    found = config.settings(options, root)
    rows = tuple(Setting(one.option.name, str(one.value), one.origin) for one in found)
    return Settings(rows, paths.config_file(), config.unknown(options))
