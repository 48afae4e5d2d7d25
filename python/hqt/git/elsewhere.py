"""Whether what unique commits change is already in another branch: squashed, rebased or picked.

A proof, never a guess: merging the commits into that branch, as it is now, would change nothing.
Names, upstream states and messages prove nothing, and neither does a squash that was reverted
(faults 20). It only informs; the commits themselves are still unique.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hqt.errors import HqtError
from hqt.git import files, question
from hqt.git.commits import Ref
from hqt.git.question import Place
from hqt.models import Repository

PATIENCE = 5.0  # seconds for each step; what only informs must not keep anybody waiting


class Target(NamedTuple):
    """A branch that work is usually merged into."""

    name: str  # as a person calls it
    commit: str  # hex


def targets(repo: Repository, listed: Sequence[Ref], gone: frozenset[str]) -> tuple[Target, ...]:
    """The main checkout's branch and the remotes' default branches, without the branches `gone`."""
    found = {ref.name: ref.id for ref in listed}
    try:
        head = os.fsdecode(files.read(repo.common_dir / "HEAD")).removeprefix("ref:").strip()
    except OSError:
        head = ""
    remotes = (ref.target for ref in listed if ref.name.startswith("refs/remotes/") and ref.target)
    names = (name for name in (head, *remotes) if name in found)
    short = {name: name.removeprefix("refs/heads/").removeprefix("refs/remotes/") for name in names}
    return tuple(Target(short[name], found[name]) for name in short if short[name] not in gone)


def proof(place: Place, tips: Sequence[str], count: int, into: Sequence[Target]) -> str | None:
    """A sentence that says where the `count` unique commits of `tips` also are; None if unproved.

    Needs a git that merges without a checkout (2.38); an older one proves nothing. Never raises.
    """
    for target in into:
        try:
            if all(_holds(place, target.commit, tip) for tip in tips):
                copied = all(_copied(place, target.commit, tip) for tip in tips)
                how = ("as a copy" if count == 1 else "as copies") if copied else "as a squash"
                verb = "commit is" if count == 1 else "commits are"
                return f"{count} {verb} in {target.name} {how}."
        except HqtError:
            continue  # conflicts, unrelated histories, a git too old, or too much to compare
    return None


def _holds(place: Place, target: str, tip: str) -> bool:
    """Whether merging `tip` into `target` changes nothing, and `tip` changes anything at all."""
    base = _line(place, "merge-base", target, tip)
    if _tree(place, base) == _tree(place, tip):
        return False
    with tempfile.TemporaryDirectory(prefix="hqt-") as folder:
        env = dict(_aside(place, Path(folder)))
        merged = _line(place, "merge-tree", "--write-tree", target, tip, env=env)
    return merged == _tree(place, target)


def _copied(place: Place, target: str, tip: str) -> bool:
    """Whether each commit by itself is in `target` too, with the same change."""
    marks = os.fsdecode(question.ask(place, "cherry", target, tip, timeout=PATIENCE)).splitlines()
    return bool(marks) and all(mark.startswith("- ") for mark in marks)


def _aside(place: Place, folder: Path) -> Iterator[tuple[str, str]]:
    """New objects go where they vanish again; those of the repository are read as alternates."""
    objects = _line(place, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    quoted = objects.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    yield "GIT_OBJECT_DIRECTORY", os.fspath(folder)
    yield "GIT_ALTERNATE_OBJECT_DIRECTORIES", f'"{quoted}"'


def _tree(place: Place, commit: str) -> str:
    return _line(place, "rev-parse", "--verify", f"{commit}^{{tree}}")


def _line(place: Place, *arguments: str, env: dict[str, str] | None = None) -> str:
    out = question.ask(place, *arguments, env=env, timeout=PATIENCE)
    return os.fsdecode(out).removesuffix("\n")
