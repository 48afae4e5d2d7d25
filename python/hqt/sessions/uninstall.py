"""The stories of `install` and `uninstall`: what the user adds, and what hqt takes back."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hqt import paths, plugin
from hqt.errors import Code, HqtError
from hqt.itself import own_words
from hqt.models import Caller
from hqt.names import printable
from hqt.results import Installed, Uninstalled
from hqt.sessions import world as worlds

if TYPE_CHECKING:
    from hqt.tmux.server import Tmux

# All that setup and the launcher put below the data directory.
_PARTS = ("envs", "ready", "pycache", "setup.lock", "setup.log", "setup.failed", "setup.progress")


def install(caller: Caller, folder: Path | None) -> Installed:
    """What is there already and what to add to tmux.conf; with `folder` the launcher is linked in
    there as `hqt`.

    Nothing else is changed. Raises `path_exists` where another `hqt` is there.
    """
    link = None
    if folder is not None:
        link = folder / "hqt"
        if not (link.is_symlink() and _leads_here(link)):
            _link(link)
    snapshot = worlds.glance(caller)
    loaded = snapshot is not None and "@hqt_launcher" in snapshot.published
    found = shutil.which("hqt")
    called = Path(found) if found else None
    line = f"run-shell {_entry()}"
    said = ["In tmux.conf, below your options:", f"    {line}"]
    if loaded:
        said = ["The tmux server has hqt loaded."]
    if link:
        said.append(f"{link} leads to this hqt.")
    elif called:
        said.append(f"The command hqt is {called}.")
    else:
        said.append("For the command line: `hqt install --link DIR`, DIR a folder of your PATH.")
    return Installed(tuple(said), plugin.LAUNCHER, called, link, loaded, line)


def uninstall(caller: Caller, *, data: bool) -> Uninstalled:
    """Take keys, hooks, options and marks out of the tmux server, as if hqt had never been loaded,
    and end its warm server; with `data` delete the Python environments too.

    Windows, worktrees, sessions and the trash stay. Without a server only the rest is done.
    """
    from hqt.tmux import traces

    keys: tuple[str, ...] = ()
    windows: tuple[str, ...] = ()
    server = worlds.glance(caller) is not None
    if server:
        tmux = worlds.connect(caller)
        cleared = traces.clear(tmux)
        keys, windows = cleared.keys, cleared.windows
        _cool(tmux)
    deleted = _delete(paths.data_dir()) if data else ()
    said = ["No tmux server answers, so there was nothing to take out of one."]
    if server:
        named = f" (keys: {' '.join(keys)})" if keys else ""
        said = [
            f"tmux is as it was before hqt{named}.",
            *_marks(len(windows)),
            "Options of yours that begin with @hqt- stay until you take them out.",
            "Take the line that loads hqt out of tmux.conf, or it is back with the next start.",
        ]
    said += [f"Deleted {path}." for path in deleted]
    return Uninstalled((*said, *_staying()), server, keys, windows, deleted, paths.state_dir())


def _marks(windows: int) -> Iterator[str]:
    """What has become of the windows that hqt had marked, of which there are so many."""
    if not windows:
        return
    many = f"{windows} windows that hqt had marked stay"
    yield (
        f"{'1 window that hqt had marked stays' if windows == 1 else many} open, and all that runs"
        " there goes on. Gone are the marks: whose session it is, its branch, the state of its"
        " agent; and tmux names it again."
    )
    yield "If you load hqt again, `hqt open` knows such a window by its folder."


def _cool(tmux: Tmux) -> None:
    """End the tmux server's warm server: from its own environment, which says where that listens,
    and waiting for it, since Python may be deleted next."""
    from hqt.tmux import formats

    words = formats.shell([*own_words(), "--warm", "off"])
    tmux.ask(["run-shell", words.replace("#", "##")])


def _staying() -> Iterator[str]:
    """What of hqt is on this machine now, and how it goes too."""
    data, state, config = paths.data_dir(), paths.state_dir(), paths.config_file()
    if any(os.path.lexists(data / part) for part in _PARTS):
        yield f"The Python environments stay in {data}; `hqt uninstall --data` deletes them."
    if state.exists():
        yield f"The list of sessions and the log stay; delete {state} to be rid of them."
    if config.exists():
        yield f"Your settings stay; delete {config} to be rid of them."
    yield (
        "Worktrees, branches and what was removed stay in your repositories; `hqt trash empty` in "
        "one deletes its trash for good, so do that first if you want it gone."
    )
    yield f"hqt itself is the folder {plugin.ROOT}, and every link to it that you made."


def _entry() -> str:
    """The entry's path as a word for run-shell: for /bin/sh, in a format, for tmux's parser."""
    from hqt.tmux import formats

    path = str(plugin.ENTRY)
    if re.fullmatch(r"[\w/.+-]+", path, re.ASCII):
        return path
    return formats.quote(formats.shell([path]).replace("#", "##"))


def _leads_here(link: Path) -> bool:
    return os.path.realpath(link) == os.path.realpath(plugin.LAUNCHER)


def _link(link: Path) -> None:
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(plugin.LAUNCHER)
    except FileExistsError:
        raise HqtError(
            Code.PATH_EXISTS,
            f"{printable(str(link))} exists already and is not this hqt; it was left alone.",
            "Remove it, or name another folder.",
        ) from None
    except OSError as error:
        raise HqtError(
            Code.USAGE,
            f"No link could be made at {printable(str(link))}: {error.strerror}.",
            "Name a folder that can be written.",
        ) from error


def _delete(folder: Path) -> tuple[Path, ...]:
    """What setup has made in the data directory; nothing else in there is touched."""
    sys.dont_write_bytecode = True  # or what is imported for the answer brings its cache back
    found = [folder / part for part in _PARTS if os.path.lexists(folder / part)]
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return tuple(found)
