"""The Git entry: `@hqt-git-command` in this popup, at the session's worktree."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

from hqt.errors import Become, Code, HqtError
from hqt.sessions.world import World

_PROGRAMS = ("lazygit", "tig")


def show(world: World, folder: str) -> NoReturn:
    """Become the git program in `folder`; the popup closes with it.

    The setting is the user's own shell command; without one the first of lazygit and tig that is
    installed, else `git status` in a pager. Raises `missing_worktree`.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 - also for names too long to be there
        raise HqtError(
            Code.MISSING_WORKTREE, f"{folder} is not there any more.", "`hqt restore` makes it."
        )
    command = world.config.git_command
    if not command:
        found = next((one for one in _PROGRAMS if shutil.which(one)), None)
        command = found or "git -c color.status=always status | ${PAGER:-less -R}"
    raise Become(folder, ("/bin/sh", "-c", command))
