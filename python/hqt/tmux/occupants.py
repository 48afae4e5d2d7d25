"""Who is in a worktree, and who of them works: pure over a snapshot of tmux and the processes.

Binding is by path: a pane lives in the worktree that is the deepest match of its current folder, or
of its own program's. An unknown folder counts as inside, so that a removal refuses; it never makes
hqt close a pane (design §2, "binding" and "idle").
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hqt.models import Occupants, Pane, Process
from hqt.tmux.listing import Snapshot

_SHELLS = frozenset(
    "sh ash bash dash elvish fish ksh ksh93 mksh oksh loksh nu osh oil pwsh rc tcsh csh xonsh yash "
    "zsh".split()
)
# What a prompt keeps running below an idle shell, by the start of its name.
_PROMPT_HELPERS = ("gitstatusd",)
_RESTING = frozenset({"idle", "done"})
_DELETED = " (deleted)"


def occupants(
    snapshot: Snapshot | None,
    processes: Mapping[int, Process],
    worktree: Path,
    worktrees: Iterable[Path],
    *,
    own: Collection[int] = (),
    without: Collection[str] = (),
) -> Occupants:
    """Who is in `worktree` (a physical path), and what makes it busy.

    `snapshot` is None when no tmux server answers. `worktrees` are all of the repository, the main
    checkout included; `own` the ids of the caller's process chain, which makes nothing busy;
    `without` the hqt sessions that ask, left out of `sessions`. Panes whose folder is unknown are
    named in `busy` and are not among `panes`.
    """
    snapshot = snapshot or Snapshot()
    deeper = tuple(other for other in worktrees if _within(os.fspath(other), worktree, proper=True))
    ours = {snapshot.pid, *(client.pid for client in snapshot.clients), *own}
    view = _View(processes, _families(processes, ours), worktree, deeper, frozenset(ours))

    panes = tuple(pane for pane in snapshot.panes if view.holds(pane))
    strangers = view.strangers(panes)
    busy = [sentence for pane in panes for sentence in view.work(pane)]
    busy += [
        f"{_named(pane.command)} in {_place(pane)} is in a folder that cannot be read"
        for pane in snapshot.panes
        if not pane.dead and pane.pid not in ours and not view.folders(pane)
    ]
    busy += [f"{_named(one.name)} runs in the worktree (process {one.pid})" for one in strangers]
    windows = {pane.window for pane in panes}
    sessions = dict.fromkeys(pane.window_session for pane in panes if pane.window_session)
    return Occupants(
        panes=panes,
        clients=tuple(client for client in snapshot.clients if client.window in windows),
        busy=tuple(busy),
        processes=strangers,
        sessions=tuple(session for session in sessions if session not in without),
    )


def busy(
    panes: Iterable[Pane], processes: Mapping[int, Process], *, own: Collection[int] = ()
) -> tuple[str, ...]:
    """A sentence for each program that works in one of these panes, wherever the pane is."""
    view = _View(processes, _families(processes, own), Path("/"), (), frozenset(own))
    return tuple(sentence for pane in panes for sentence in view.work(pane))


def is_shell(name: str) -> bool:
    """Whether a program of this name is a shell; `-bash` is one at login."""
    return name.removeprefix("-") in _SHELLS


@dataclass(frozen=True, slots=True)
class _View:
    """One worktree among the processes. `ours`: the caller's chain, tmux's server and clients."""

    processes: Mapping[int, Process]
    families: Mapping[int, list[Process]]  # children, ours left out
    worktree: Path
    deeper: tuple[Path, ...]  # worktrees below this one
    ours: frozenset[int]

    def holds(self, pane: Pane) -> bool:
        """Whether the pane lives in the worktree."""
        return any(self.inside(folder) for folder in self.folders(pane))

    def folders(self, pane: Pane) -> set[str]:
        """Where a pane is: its foreground's folder and its own program's, as far as known."""
        if pane.dead:  # its process id may be another's by now
            return set()
        program = self.processes.get(pane.pid)
        return {folder for folder in (pane.path, program.cwd if program else None) if folder}

    def inside(self, folder: str) -> bool:
        """Whether this is the deepest worktree that holds the folder, deleted or not."""
        exists = os.path.lexists(folder)  # a folder may be called so
        return any(
            _within(spelt, self.worktree) and not any(_within(spelt, tree) for tree in self.deeper)
            for spelt in ({folder} if exists else {folder, folder.removesuffix(_DELETED)})
        )

    def work(self, pane: Pane) -> list[str]:
        """A sentence for each program that works in the pane; none when it is idle."""
        program = self.processes.get(pane.pid)
        name = program.name if program else pane.command
        if is_shell(name):
            return [_works(child.name, pane, child.stopped) for child in self.jobs(pane.pid)]
        resting = bool(pane.window_session) and pane.agent_state in _RESTING
        return (
            [] if resting or pane.pid in self.ours else [f"{_named(name)} runs in {_place(pane)}"]
        )

    def jobs(self, pid: int) -> list[Process]:
        """The children of a shell that are neither ours nor its prompt's."""
        return [child for child in self.families.get(pid, ()) if not self.serves_prompt(child)]

    def serves_prompt(self, process: Process) -> bool:
        """Whether a process is a helper of a prompt, or a shell that only holds such helpers."""
        if process.name.startswith(_PROMPT_HELPERS):
            return True
        below = self.families.get(process.pid, [])
        return is_shell(process.name) and bool(below) and all(map(self.serves_prompt, below))

    def strangers(self, panes: tuple[Pane, ...]) -> tuple[Process, ...]:
        """Processes in the worktree that no pane of it accounts for; idle shells left out."""
        accounted = self.below(pane.pid for pane in panes)
        return tuple(
            process
            for process in self.processes.values()
            if process.cwd is not None
            and process.pid not in accounted
            and process.pid not in self.ours
            and self.inside(process.cwd)
            and not (is_shell(process.name) and not self.jobs(process.pid))
        )

    def below(self, roots: Iterable[int]) -> set[int]:
        """`roots` and everything that they started."""
        found: set[int] = set()
        waiting = list(roots)
        while waiting:
            if (pid := waiting.pop()) not in found:
                found.add(pid)
                waiting.extend(child.pid for child in self.families.get(pid, ()))
        return found


def _families(processes: Mapping[int, Process], ours: Collection[int]) -> dict[int, list[Process]]:
    """The children of each process, ours left out."""
    families: dict[int, list[Process]] = {}
    for process in processes.values():
        if process.pid not in ours:
            families.setdefault(process.parent, []).append(process)
    return families


def _within(folder: str, top: Path, *, proper: bool = False) -> bool:
    path = os.fspath(top)
    return folder.startswith(path.rstrip("/") + "/") or (folder == path and not proper)


def _place(pane: Pane) -> str:
    return f"{pane.id} (window {pane.window} {pane.window_name}".rstrip() + ")"


def _works(program: str, pane: Pane, stopped: bool = False) -> str:
    return f"{_named(program)} {'is stopped' if stopped else 'runs'} in {_place(pane)}"


def _named(program: str) -> str:
    return program or "A program"
