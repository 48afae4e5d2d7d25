"""One look at the caller's tmux server, alone or while something else is looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hqt.errors import Code, HqtError
from hqt.models import Caller

if TYPE_CHECKING:
    from hqt.tmux.server import Snapshot, Tmux

    Seen = Callable[[], Snapshot | None]  # what tmux showed; it is waited for when it is asked for


def connect(caller: Caller) -> Tmux:
    """The tmux server of this call: its flags, else `$TMUX`, else the default one."""
    from hqt.tmux import server

    return server.connect(
        socket_name=caller.socket_name, socket_path=caller.socket_path, environ=os.environ
    )


def glance(caller: Caller) -> Snapshot | None:
    """One read of tmux, or None when no server answers. Raises what `server.read` raises."""
    with glancing(caller) as seen:
        return seen()


@contextmanager
def glancing(caller: Caller) -> Iterator[Seen]:
    """As `glance`, while the block goes on: call what it yields for the answer, again and again. It
    is waited for once, also where none comes."""
    from hqt.tmux import server

    answers: list[Snapshot | None] = []
    failures: list[HqtError] = []
    with ExitStack() as looking:
        try:
            snapshot = looking.enter_context(server.reading(connect(caller)))
        except HqtError as error:
            if not _says_nobody(error):
                raise
            answers.append(None)

        def seen() -> Snapshot | None:
            for failure in failures:
                raise failure
            if not answers:
                try:
                    answers.append(snapshot())
                except HqtError as error:
                    if not _says_nobody(error):
                        failures.append(error)
                        raise
                    answers.append(None)
            return answers[0]

        yield seen


def _says_nobody(error: HqtError) -> bool:
    """Whether it says that no server answers."""
    return error.code is Code.TMUX_UNAVAILABLE


def unseen(caller: Caller, snapshot: Snapshot | None) -> tuple[str, ...]:
    """Where nothing was seen of a server that is there: why it does not show who is in its panes,
    as one clause; nothing where none is. Raises `timeout`."""
    if snapshot is not None:
        return ()
    try:
        answer = connect(caller).look(["list-sessions", "-F", ""])
    except HqtError as error:
        if not _says_nobody(error):
            raise
        return ()  # no tmux on this machine
    if answer.status == 0 or answer.nobody:
        return ()
    return (f"tmux does not say who is in there ({answer.complaint})",)


def settled(caller: Caller, seen: Seen) -> Caller:
    """`caller` with the folder of the pane that pressed the key, where a key was pressed."""
    snapshot = seen() if caller.by_key else None
    if snapshot is None:
        return caller
    pane = next((pane for pane in snapshot.panes if pane.id == caller.pane), None)
    if pane is None or not pane.path:
        return caller
    return replace(caller, directory=pane_path(pane.path))


def pane_path(path: str) -> Path:
    """A pane's current path as tmux tells it, without the mark of a deleted folder; a folder may
    really be called so."""
    return Path(path if os.path.lexists(path) else path.removesuffix(" (deleted)"))
