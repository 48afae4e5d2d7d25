"""Who runs where on this machine: from /proc where there is one, else from `ps` and `lsof`.

Nothing here knows git or tmux. What cannot be read (other users' processes, mostly) is left out or
has no folder; nor has, without /proc, one whose folder has a name that `lsof` does not print as it
is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Process

_PROC = Path("/proc")
_POLL = 0.005  # seconds between two looks at processes that should end
_MOMENT = 0.5  # seconds that a new process gets to become what it is to be


def running(starter: int = 0) -> dict[int, Process]:
    """Every process by its id, zombies left out.

    A child of the process `starter` that still bears its name has been forked just now and is about
    to become another program: that is waited for, for a moment. Raises `busy` when they cannot be
    listed: then nobody knows who would be hurt.
    """
    deadline = time.monotonic() + _MOMENT
    while True:
        found = _all()
        name = found[starter].name if starter in found else None
        forks = any(one.parent == starter and one.name == name for one in found.values())
        if not forks or time.monotonic() > deadline:
            return found
        time.sleep(_POLL)


def _all() -> dict[int, Process]:
    if (_PROC / "self" / "cwd").exists():
        return _from_proc()
    found = _from_ps("-A")
    folders = _folders(_output("lsof", "-w", "-d", "cwd", "-F", "pn0"))
    if os.getpid() not in found or os.getpid() not in folders:
        raise HqtError(
            Code.BUSY,
            "The running programs cannot be listed, so whether one works there is not known; "
            "nothing was changed.",
            "Install ps and lsof, then try again.",
        )
    return {pid: replace(process, cwd=folders.get(pid)) for pid, process in found.items()}


def inside(processes: Mapping[int, Process], directory: Path) -> tuple[Process, ...]:
    """The processes whose folder is `directory` (absolute, physical) or below it."""
    top = os.fspath(directory)
    below = top.rstrip("/") + "/"
    gone = top + " (deleted)"  # how Linux marks the folder of a process that outlived it
    return tuple(
        process
        for process in processes.values()
        if process.cwd is not None and (process.cwd in {top, gone} or process.cwd.startswith(below))
    )


def chain(processes: Mapping[int, Process], pid: int) -> frozenset[int]:
    """What runs because of `pid` or for it: itself, its ancestors and descendants, and the other
    commands of its pipeline. Not its whole process group: a script's background jobs share that,
    and they are somebody at work."""
    found = {pid, *descendants(processes, pid)}
    link = processes.get(pid)
    if link and link.group:
        found.update(_pipeline(processes, link))
    ancestors: set[int] = set()
    while link and link.parent and link.parent not in ancestors:
        ancestors.add(link.parent)
        link = processes.get(link.parent)
    return frozenset(found | ancestors)


def _pipeline(processes: Mapping[int, Process], member: Process) -> set[int]:
    """The processes of the same group of which one reads what another writes, `member` included."""
    rest = {
        one.pid: (_pipes(one.pid, 0), _pipes(one.pid, 1, 2))
        for one in processes.values()
        if one.group == member.group and one.pid != member.pid
    }
    found, read, written = {member.pid}, _pipes(member.pid, 0), _pipes(member.pid, 1, 2)
    while joined := {pid for pid, (ins, outs) in rest.items() if ins & written or outs & read}:
        found |= joined
        for ins, outs in [rest.pop(pid) for pid in joined]:
            read, written = read | ins, written | outs
    return found


def _pipes(pid: int, *streams: int) -> set[str]:
    """The pipes among a process's standard streams, by the names that Linux gives them; none
    elsewhere, where a pipeline's other commands then count as somebody at work."""
    ends = set()
    for stream in streams:
        with contextlib.suppress(OSError):
            ends.add(os.readlink(f"/proc/{pid}/fd/{stream}"))  # noqa: PTH115
    return {end for end in ends if end.startswith("pipe:")}


def own(processes: Mapping[int, Process], caller: int | None) -> frozenset[int]:
    """What runs because of this call or for it: the chain of process `caller`, where this one only
    works for it (the warm start; its own ancestors are nobody's), else this one's chain."""
    me = os.getpid()
    if caller is None:
        return chain(processes, me)
    return chain(processes, caller) | descendants(processes, me) | {me}


def children(processes: Mapping[int, Process]) -> dict[int, list[Process]]:
    """The children of each process that has some."""
    families: dict[int, list[Process]] = {}
    for process in processes.values():
        families.setdefault(process.parent, []).append(process)
    return families


def descendants(processes: Mapping[int, Process], pid: int) -> frozenset[int]:
    """The ids of the children of `pid`, of their children, and so on."""
    families = children(processes)
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for child in families.get(waiting.pop(), ()):
            if child.pid not in found:
                found.add(child.pid)
                waiting.append(child.pid)
    return frozenset(found - {pid})


def words(pid: int) -> tuple[str, ...]:
    """What a process was started with, its name included; empty when that cannot be read."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123 - as the others here
            return tuple(map(os.fsdecode, file.read().split(b"\0")[:-1]))
    except OSError:
        return tuple(_output("ps", "-ww", "-o", "args=", "-p", str(pid)).split())


def wait_gone(processes: Iterable[Process], timeout: float) -> tuple[Process, ...]:
    """Wait until the given processes have ended, at most `timeout` seconds; those that have not."""
    deadline = time.monotonic() + timeout
    left = tuple(process for process in processes if _lives(process))
    while left and time.monotonic() < deadline:
        time.sleep(_POLL)
        left = tuple(process for process in left if _lives(process))
    return left


def hang_up(processes: Collection[Process]) -> None:
    """Ask exactly these processes to end, as a closing terminal does: HUP, and CONT for stopped
    ones, so that they can hear it. One whose id now belongs to another process is left alone."""
    for process in processes:
        if _lives(process):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGHUP)
                os.kill(process.pid, signal.SIGCONT)


def terminate(processes: Collection[Process]) -> None:
    """As `hang_up`, with TERM, for those that took no notice."""
    for process in processes:
        if _lives(process):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGTERM)
                os.kill(process.pid, signal.SIGCONT)


def _lives(process: Process) -> bool:
    """Whether this very process still runs; a zombie does not."""
    if (_PROC / "self" / "stat").exists():
        now = _read(process.pid)
    else:
        now = _from_ps("-p", str(process.pid)).get(process.pid)
    return now is not None and now.started == process.started


def _from_proc() -> dict[int, Process]:
    found = {}
    for name in os.listdir(_PROC):  # noqa: PTH208 (three times faster than iterdir)
        if name.isdigit() and (process := _read(int(name))):
            found[process.pid] = process
    return found


def _read(pid: int) -> Process | None:
    """One process from /proc; None when it has ended."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        status = os.read(descriptor, 4096)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    # pid (name) state parent …; the name may hold blanks and parentheses itself.
    opened, closed = status.index(b"("), status.rindex(b")")
    fields = status[closed + 2 :].split()
    state = fields[0]
    if state in {b"Z", b"X"}:
        return None
    try:
        cwd: str | None = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115 (in a tight loop)
    except OSError:
        cwd = None
    return Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        name=os.fsdecode(status[opened + 1 : closed]),
        cwd=cwd,
        stopped=state in {b"T", b"t"},
        started=fields[19].decode(),
    )


def _from_ps(*chosen: str) -> dict[int, Process]:
    """Processes without their folders, for systems without /proc."""
    listed = _output("ps", *chosen, "-o", "pid=,ppid=,pgid=,state=,lstart=,comm=")
    found = {}
    for line in listed.splitlines():
        fields = line.split(None, 9)
        if len(fields) < 10 or fields[3].startswith("Z"):
            continue
        number = int(fields[0])
        found[number] = Process(
            pid=number,
            parent=int(fields[1]),
            group=int(fields[2]),
            name=os.path.basename(fields[9]),  # noqa: PTH119 (may be any text)
            cwd=None,
            stopped=fields[3].startswith("T"),
            started=" ".join(fields[4:9]),
        )
    return found


def _folders(listing: str) -> dict[int, str]:
    """Process id to folder, from `lsof -F pn0`: fields end with NUL, sets with a newline."""
    folders: dict[int, str] = {}
    pid = 0
    for field in listing.split("\0"):
        kind, value = field.lstrip("\n")[:1], field.lstrip("\n")[1:]
        if kind == "p":
            pid = int(value)
        elif kind == "n":
            folders[pid] = value
    return folders


def _output(*command: str) -> str:
    """What a program of the system prints; "" when it is not there or takes too long."""
    import subprocess

    try:
        done = subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(done.stdout)
