"""A last look into the trash before something goes from it by itself.

What held nothing when it was removed may hold something all the same: a file or a repository that
came between the last check and the move, or an ignored file that nobody can make again. Only
caches, what programs leave behind and what is kept elsewhere goes without the user's word (design,
rule 1).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.git import entry, ignored, nested, question
from hqt.git.entry import Entry
from hqt.git.nested import Nested
from hqt.git.question import Place
from hqt.models import Repository, TrashEntry


def sift(repo: Repository, entries: Iterable[TrashEntry]) -> tuple[TrashEntry, ...]:
    """Of `entries` those that hold nothing, by a look at their files now; under the lock.

    The others are marked as holding something, so that they wait for the user. A look that fails
    or is unsure is as good as something found.
    """
    return tuple(one for one in entries if not _holds(entry.find(repo, one.id), repo.main))


def _holds(one: Entry, main: Path | None) -> bool:
    try:
        found = _found(one, main)
    except (HqtError, OSError):
        return True  # not marked: the next look may succeed
    if found:
        entry.change(one, holds=(Code.DIRTY.value,))
    return found


def _found(one: Entry, main: Path | None) -> bool:
    if not one.has_tree:
        return False
    listed = ("ls-files", "-z", "--exclude-standard", "--others")
    names = os.fsdecode(_ask(one, *listed, "--ignored", "--directory")).split("\0")
    head = one.manifest.commit
    # A submodule's `.git` leads nowhere from in here, so that it waits as well.
    inside = nested.judge(one.tree, one.admin, nested.find(one.tree))
    names += inside.ignored  # git does not look into a repository that a commit names
    return bool(
        inside._replace(ignored=()) != Nested()
        or (head and _ask(one, "diff-index", "--cached", "--name-only", "-z", head, "--"))
        or _ask(one, *listed, "--modified")
        or ignored.worth_keeping(one.tree, [name for name in names if name], main)
    )


def _ask(one: Entry, *arguments: str) -> bytes:
    """A question about the tree, with its own index. The admin entry itself cannot be asked in the
    trash, where its common directory is not at its place."""
    place = Place(one.common_dir, one.tree)
    return question.ask(place, *arguments, env={"GIT_INDEX_FILE": str(one.admin / "index")})
