"""Unique commits: reachable from a branch or detached HEAD and from nothing else that stays.

What counts as something else is design §2: the other branches, tags and remote-tracking refs; not
the stash, not other detached HEADs, not `refs/hqt`. Git walks the history, as it really is: replace
refs and grafts, which could join a commit to a branch that does not hold it, are left aside.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hqt.errors import HqtError
from hqt.git import files, question
from hqt.git.question import Place
from hqt.models import Commit, Repository

NAMED = 20  # of the unique commits, the newest that are named

HOLDING = ("refs/heads/", "refs/tags/", "refs/remotes/")
PRIVATE = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")

LISTING = (
    "for-each-ref",
    "--format=%(HEAD)%(refname) %(objectname) %(symref)",
    "refs/stash",
    *(prefix.rstrip("/") for prefix in (*HOLDING, *PRIVATE)),
)
_AS_IT_IS = (("GIT_NO_REPLACE_OBJECTS", "1"),)


class Ref(NamedTuple):
    """A reference as git lists it."""

    name: str
    id: str  # what it holds, an annotated tag's own id
    target: str  # the reference that a symbolic one leads to in the end, else ""
    current: bool = False  # the checkout's branch


@dataclass(frozen=True, slots=True)
class UniqueCommits:
    """How many there are, and the newest of them."""

    count: int = 0
    newest: tuple[Commit, ...] = ()


class Head(NamedTuple):
    """What a checkout has checked out."""

    commit: str  # hex
    branch: str | None  # short name; None when detached


def refs(place: Place) -> tuple[Ref, ...]:
    """Branches, tags, remote-tracking refs, the place's own private refs, and the stash.

    Raises `git_failed` or `timeout`, also where git warns of a broken reference.
    """
    return parse(question.ask(place, *LISTING))


def parse(listing: bytes) -> tuple[Ref, ...]:
    """The references in the output of `LISTING`."""
    lines = os.fsdecode(listing).splitlines()
    parts = ((line[0] == "*", line[1:].split(" ")) for line in lines)
    return tuple(Ref(name, id, target, here) for here, (name, id, target) in parts)


def holders(listed: Iterable[Ref], removing: frozenset[str]) -> tuple[str, ...]:
    """The ids that hold commits even when the branches `removing` (short names) are gone.

    A symbolic reference to one of those holds nothing.
    """
    gone = {f"refs/heads/{name}" for name in removing}
    held = (
        ref.id
        for ref in listed
        if ref.name.startswith(HOLDING) and ref.name not in gone and ref.target not in gone
    )
    return tuple(dict.fromkeys(held))


def lines_beyond(place: Place, tips: Sequence[str], held: Sequence[str]) -> list[str]:
    """The commits reachable from `tips` and from none of `held` (ids in hex, tags too): a line
    each, newest first, for `named`.

    Raises `git_failed` or `timeout`; a missing object is a failure, never an end of history.
    """
    others = set(held)
    wanted = [tip for tip in tips if tip not in others]
    if not wanted:
        return []
    revisions = "".join([f"{tip}\n" for tip in wanted] + [f"^{other}\n" for other in held])
    return _walk(place, "--no-commit-header", "--format=%H %s", input=revisions)


def named(lines: Sequence[str]) -> tuple[Commit, ...]:
    """The commits that `lines_beyond` found, to be shown."""
    split = (line.partition(" ") for line in lines)
    return tuple(Commit(id, subject) for id, _, subject in split)


def judge(
    repo: Repository, tip: str, *, branch: str | None, without: frozenset[str] = frozenset()
) -> UniqueCommits:
    """The unique commits of `tip` (hex), for a verdict.

    `branch` is the branch whose tip it is, None for a detached HEAD; `without` are branches that go
    at the same time. Raises `git_failed` or `timeout`.
    """
    place = Place(repo.common_dir)
    gone = without | {branch} if branch else without
    lines = lines_beyond(place, [tip], holders(refs(place), gone))
    return UniqueCommits(len(lines), named(lines[:NAMED]))


def count(repo: Repository, tip: str, *, branch: str | None) -> int | None:
    """How many commits are unique to `tip`, for display; None when it cannot be told."""
    return count_all(repo, [Head(tip, branch)])[0]


def count_all(repo: Repository, heads: Sequence[Head]) -> tuple[int | None, ...]:
    """As `count` for many checkouts of one repository, with two processes for all of them.

    The part of the history that the default branch does not hold is read once, and each of its
    commits goes to the one branch that reaches it, or to none.
    """
    place = Place(repo.common_dir)
    try:
        listed = refs(place)
        base = _base(repo, listed)
        rest = [head for head in heads if head.branch is None or head.branch != base.branch]
        counted = dict(zip(rest, _shared_out(place, listed, rest, base), strict=True))
    except HqtError:
        return (None,) * len(heads)
    return tuple(
        counted[head] if head in counted else _alone(place, listed, head) for head in heads
    )


def _alone(place: Place, listed: Sequence[Ref], head: Head) -> int | None:
    gone = frozenset({head.branch}) if head.branch else frozenset[str]()
    try:
        return len(lines_beyond(place, [head.commit], holders(listed, gone)))
    except HqtError:
        return None


class _Base(NamedTuple):
    """A reference whose history is left out of the common walk, and its branch's short name."""

    commit: str | None
    branch: str | None


def _base(repo: Repository, listed: Sequence[Ref]) -> _Base:
    """The branch that most others come from: what the main checkout is on, else a usual name."""
    found = {ref.name: ref for ref in listed}
    try:
        head = os.fsdecode(files.read(repo.common_dir / "HEAD")).removeprefix("ref:").strip()
    except OSError:
        head = ""
    for name in (head, "refs/heads/main", "refs/heads/master"):
        if name in found:
            name = found[name].target or name
            branch = name.removeprefix("refs/heads/")
            return _Base(found[name].id, branch) if name in found else _Base(None, None)
    return _Base(None, None)


def _shared_out(
    place: Place, listed: Sequence[Ref], heads: Sequence[Head], base: _Base
) -> list[int]:
    """The number of commits that each head alone reaches, none of them being the base branch."""
    holding = [ref for ref in listed if ref.name.startswith(HOLDING)]
    tags = [ref.id for ref in holding if ref.name.startswith("refs/tags/")]
    tips = {ref.id for ref in holding} | {head.commit for head in heads}
    revisions = "".join(f"{tip}\n" for tip in tips)
    revisions += f"^{base.commit}\n" if base.commit else ""
    parents = {
        commit: rest.split()
        for commit, _, rest in (
            line.partition(" ")
            for line in _walk(place, "--topo-order", "--parents", input=revisions)
        )
    }
    commit_of = {id: one.id for id, one in peeled(place, tags).items()} if parents else {}
    owners: dict[str, str] = {}  # commit → the branch that alone reaches it, "" for several
    for ref in holding:
        name = ref.target or ref.name
        owner = name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""
        _give(owners, commit_of.get(ref.id, ref.id), owner)
    counts: Counter[str] = Counter()
    for commit in parents:  # children come before their parents
        if commit in owners:
            counts[owners[commit]] += 1
            for parent in parents[commit]:
                _give(owners, parent, owners[commit])
    return [
        counts[head.branch] if head.branch else _unheld(parents, owners, head.commit)
        for head in heads
    ]


def _give(owners: dict[str, str], commit: str, owner: str) -> None:
    owners[commit] = owner if owners.get(commit, owner) == owner else ""


def _unheld(parents: Mapping[str, list[str]], owners: Mapping[str, str], tip: str) -> int:
    """How many commits of a detached HEAD no reference reaches."""
    waiting, seen = [tip], set[str]()
    while waiting:
        commit = waiting.pop()
        if commit in parents and commit not in owners and commit not in seen:
            seen.add(commit)
            waiting += parents[commit]
    return len(seen)


class Peeled(NamedTuple):
    """What an id leads to when annotated tags are followed."""

    id: str
    commit: bool  # or else a file or a folder


def peeled(place: Place, ids: Sequence[str]) -> dict[str, Peeled]:
    """What tags and other objects lead to, by their ids. Raises `git_failed` or `timeout`."""
    if not ids:
        return {}
    asked = "".join(f"{id}^{{}}\n" for id in ids).encode()
    out = question.ask(place, "cat-file", "--batch-check=%(objecttype) %(objectname)", input=asked)
    answers = (line.split(" ") for line in os.fsdecode(out).splitlines())
    return {
        id: Peeled(found, kind == "commit") for id, (kind, found) in zip(ids, answers, strict=True)
    }


def _walk(place: Place, *options: str, input: str) -> list[str]:
    """The lines of `git rev-list` over the revisions in `input`."""
    command = ("rev-list", "--encoding=UTF-8", *options, "--stdin")
    out = question.ask(place, *command, input=input.encode(), env=dict(_AS_IT_IS))
    return os.fsdecode(out).split("\n")[:-1]
