"""The story of `config`: every setting as it counts here."""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Mistake, Setting, Settings
from hqt.sessions import world as worlds
from hqt.toml_file import UNDONE


def settings(caller: Caller) -> Settings:
    """Every option with its value and origin, for the caller's repository if there is one; and what
    in the file means nothing, which stops every verb but this one and `doctor`.

    Raises `config_invalid` for a value that hqt does not know: then none can be told.
    """
    from hqt import config, paths
    from hqt.git import repository
    from hqt.sessions import harness

    snapshot = worlds.glance(caller)
    caller = worlds.settled(caller, lambda: snapshot)
    options = snapshot.options if snapshot else {}
    try:
        root = repository.discover(caller.directory).root
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY:
            raise
        root = None
    wrong: list[HqtError] = []
    found = config.settings(options, root, wrong.append)
    try:
        harness.profiles(paths.config_file())
    except HqtError as error:
        wrong.append(error)
    rows = tuple(Setting(one.option.name, str(one.value), one.origin) for one in found)
    mistakes = tuple(Mistake(one.message.removesuffix(UNDONE), one.remedy) for one in wrong)
    return Settings(rows, paths.config_file(), config.unknown(options), mistakes)
