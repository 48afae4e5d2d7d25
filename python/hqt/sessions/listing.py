"""The story of `list`: one repository, or every one that hqt knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Listing, Listings
from hqt.sessions import views
from hqt.sessions import world as worlds

if TYPE_CHECKING:
    from hqt.sessions.sight import Seen


def here(caller: Caller, *, archived: bool = False) -> Listing:
    """The repository that the caller is in. Raises `not_a_repository` and what reading raises."""
    return views.listing(worlds.look(caller), archived=archived)


def everything(caller: Caller, *, archived: bool = False) -> Listings:
    """The caller's repository, if there is one, and those of every session in the store; a folder
    without a repository, where a session lives, is told like one without worktrees.

    One that cannot be read is left out: a single broken project must not hide the others.
    """
    with worlds.glancing(caller) as seen:
        return _everything(worlds.settled(caller, seen), seen, archived=archived)


def _everything(caller: Caller, seen: Seen, *, archived: bool) -> Listings:
    found: dict[str, Listing] = {}
    projects = {session.project for session in worlds.rows().all()}
    for place in dict.fromkeys([caller.directory, *sorted(projects)]):
        try:
            look = worlds.of_project if place in projects else worlds.join
            world = look(caller, place, seen)
        except HqtError as error:
            if error.code in {Code.CONFIG_INVALID, Code.STORE_FAILED}:
                raise
            seen()  # what keeps every one from being read is no answer
            continue
        key = str(world.repository.common_dir)
        if key not in found:
            found[key] = views.listing(world, archived=archived)
    return Listings(tuple(found.values()))
