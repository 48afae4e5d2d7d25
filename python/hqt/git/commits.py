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

from hqt.errors import HqtError
from hqt.git import question
from hqt.git.question import Place
from hqt.models import Commit, Repository

NAMED = 20  # of the unique commits, the newest that are named

HOLDING = ("refs/heads/", "refs/tags/", "refs/remotes/")
PRIVATE = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")

_FORMAT = "%(refname) %(objectname) %(symref)"
_AS_IT_IS = (("GIT_NO_REPLACE_OBJECTS", "1"),)


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference as git lists it."""

    name: str
    id: str  # what it holds, an annotated tag's own id
    target: str  # the reference that a symbolic one leads to in the end, else ""


@dataclass(frozen=True, slots=True)
class UniqueCommits:
    """How many there are, and the newest of them."""

    count: int = 0
    newest: tuple[Commit, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """What a checkout has checked out."""

    commit: str  # hex
    branch: str | None  # short name; None when detached


def refs(place: Place) -> tuple[Ref, ...]:
    """Branches, tags, remote-tracking refs, the place's own private refs, and the stash.

    Raises `git_failed` or `timeout`, also where git warns of a broken reference.
    """
    listed = ("refs/stash", *(prefix.rstrip("/") for prefix in (*HOLDING, *PRIVATE)))
    out = question.ask(place, "for-each-ref", f"--format={_FORMAT}", *listed)
    return tuple(Ref(*line.split(" ")) for line in os.fsdecode(out).splitlines())


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


def beyond(place: Place, tips: Sequence[str], held: Sequence[str]) -> UniqueCommits:
    """The commits reachable from `tips` and from none of `held` (ids in hex, tags too).

    Raises `git_failed` or `timeout`; a missing object is a failure, never an end of history.
    """
    others = set(held)
    wanted = [tip for tip in tips if tip not in others]
    if not wanted:
        return UniqueCommits()
    revisions = "".join([f"{tip}\n" for tip in wanted] + [f"^{other}\n" for other in held])
    lines = _walk(place, "--no-commit-header", "--format=%H %s", input=revisions)
    newest = (line.partition(" ") for line in lines[:NAMED])
    return UniqueCommits(len(lines), tuple(Commit(id, subject) for id, _, subject in newest))


def judge(
    repo: Repository, tip: str, *, branch: str | None, without: frozenset[str] = frozenset()
) -> UniqueCommits:
    """The unique commits of `tip` (hex), for a verdict.

    `branch` is the branch whose tip it is, None for a detached HEAD; `without` are branches that go
    at the same time. Raises `git_failed` or `timeout`.
    """
    place = Place(repo.common_dir)
    gone = without | {branch} if branch else without
    return beyond(place, [tip], holders(refs(place), gone))


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
        return beyond(place, [head.commit], holders(listed, gone)).count
    except HqtError:
        return None


@dataclass(frozen=True, slots=True)
class _Base:
    """A reference whose history is left out of the common walk, and its branch's short name."""

    commit: str | None
    branch: str | None


def _base(repo: Repository, listed: Sequence[Ref]) -> _Base:
    """The branch that most others come from: what the main checkout is on, else a usual name."""
    found = {ref.name: ref for ref in listed}
    try:
        head = os.fsdecode((repo.common_dir / "HEAD").read_bytes()).removeprefix("ref:").strip()
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
    peeled = _peeled(place, tags) if tags and parents else {}
    owners: dict[str, str] = {}  # commit → the branch that alone reaches it, "" for several
    for ref in holding:
        name = ref.target or ref.name
        owner = name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""
        _give(owners, peeled.get(ref.id, ref.id), owner)
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


def _peeled(place: Place, tags: Sequence[str]) -> dict[str, str]:
    """What annotated tags lead to, by the tag's id."""
    asked = "".join(f"{tag}^{{}}\n" for tag in tags).encode()
    out = question.ask(place, "cat-file", "--batch-check=%(objectname)", input=asked)
    return dict(zip(tags, os.fsdecode(out).splitlines(), strict=True))


def _walk(place: Place, *options: str, input: str) -> list[str]:
    """The lines of `git rev-list` over the revisions in `input`."""
    command = ("rev-list", "--encoding=UTF-8", *options, "--stdin")
    out = question.ask(place, *command, input=input.encode(), env=dict(_AS_IT_IS))
    return os.fsdecode(out).split("\n")[:-1]


def private(listed: Iterable[Ref]) -> tuple[Ref, ...]:
    """The references that only one checkout has, out of what was listed for it."""
    return tuple(ref for ref in listed if ref.name.startswith(PRIVATE))
