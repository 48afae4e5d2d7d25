"""`git status --porcelain=v2 -z`, parsed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

# Untracked files are counted whatever `status.showUntrackedFiles` says (git-facts §4): a glance
# that hides them would promise what a removal then refuses.
COMMAND = ("status", "--porcelain=v2", "-z", "--untracked-files=normal")

# No git in a checkout inside, whose configuration it would follow: each is found and judged by
# itself (`nested`). That its commit is another one is seen without.
ALONE = "--ignore-submodules=dirty"

# Fields before the path, by the first letter of an entry.
_FIELDS = {"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}


class Entry(NamedTuple):
    """One line of `git status`. A folder that is untracked or ignored as a whole ends in "/"."""

    path: str
    staged: bool = False
    modified: bool = False
    untracked: bool = False
    conflicted: bool = False
    ignored: bool = False
    submodule: bool = False  # a submodule with other commits, edits or untracked files


def parse(out: bytes) -> tuple[Entry, ...]:
    """The entries in git's order; names that are not UTF-8 hold surrogates.

    Raises ValueError when it is not what git documents.
    """
    return tuple(_entries(iter(os.fsdecode(out).split("\0"))))


def _entries(records: Iterator[str]) -> Iterator[Entry]:
    for record in records:
        kind = record[:1]
        if not kind or kind == "#":
            continue
        *fields, path = record.split(" ", _FIELDS[kind]) if kind in _FIELDS else (record,)
        if len(fields) != _FIELDS.get(kind) or not path:
            raise ValueError(f"git status says {record!r}")
        if kind == "2":
            next(records)  # where a rename came from
        if kind == "?":
            yield Entry(path, untracked=True)
        elif kind == "!":
            yield Entry(path, ignored=True)
        else:
            yield Entry(
                path,
                staged=kind != "u" and fields[1][0] != ".",
                modified=kind != "u" and fields[1][1] != ".",
                conflicted=kind == "u",
                submodule=fields[2] not in {"N...", "S..."},
            )


def names(out: bytes) -> tuple[str, ...]:
    """The paths in a list that ends each with a zero byte."""
    return tuple(os.fsdecode(name) for name in out.split(b"\0") if name)
