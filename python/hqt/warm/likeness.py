"""Whether a client is a process such as the server is: then its call runs here as it would there.

A sandbox, a container, `sudo -g`, `newgrp` or a dropped privilege make a difference that a child
of the server could not take over, so such a call goes the cold way. See proc(5) for the fields.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

_ALIKE = (
    "Uid Gid Groups NoNewPrivs Seccomp Seccomp_filters CapInh CapPrm CapEff CapBnd CapAmb".split()
)
_PLACES = ("root", "ns/mnt", "ns/pid_for_children", "ns/user", "ns/net", "ns/ipc", "ns/uts")


@dataclass(frozen=True, slots=True)
class Client:
    """What a child takes over from its client besides what the request holds."""

    pid: int
    umask: int
    ignored: frozenset[int]  # signals


def client(pid: int) -> Client | None:
    """The client `pid`, None when it is of another kind. Raises OSError when it has ended."""
    its, ours = _status(pid), _status(os.getpid())
    if any(its.get(field) != ours.get(field) for field in _ALIKE):
        return None
    for place in _PLACES:
        if _at(pid, place) != _at(os.getpid(), place):
            return None
    mask = int(its["SigIgn"], 16)
    ignored = frozenset(number for number in range(1, 65) if mask >> (number - 1) & 1)
    return Client(pid, int(its["Umask"], 8), ignored)


def _status(pid: int) -> dict[str, str]:
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        lines = [line.partition(":") for line in file]
    return {name: value.strip() for name, _, value in lines}


def _at(pid: int, place: str) -> str:
    return os.readlink(f"/proc/{pid}/{place}")  # noqa: PTH115
