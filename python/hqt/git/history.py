"""The commits that would go with a worktree: its own, and those that only its private refs hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from hqt.errors import HqtError
from hqt.git import commits, elsewhere, question
from hqt.git.commits import NAMED, Ref
from hqt.git.question import Place
from hqt.models import Commit, Repository


class Past(NamedTuple):
    """What a worktree's history holds alone."""

    unique: tuple[Commit, ...] = ()
    unique_count: int = 0
    private_refs: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    elsewhere: str | None = None
    unstarted: bool = False


class Tip(NamedTuple):
    """Where one of the histories to be judged begins."""

    commit: str  # hex
    branch: str | None  # short name; None for a detached HEAD


def tips(place: Place, listed: Sequence[Ref], recorded: str | None) -> tuple[Tip, ...]:
    """The live HEAD, and the recorded branch where that is another one that still exists.

    Raises `git_failed` or `timeout`.
    """
    current = next((ref for ref in listed if ref.current), None)
    if current is not None:
        found = [Tip(current.id, current.name.removeprefix("refs/heads/"))]
    else:
        head = os.fsdecode(question.ask(place, "rev-parse", "--revs-only", "HEAD")).strip()
        found = [Tip(head, None)] if head else []  # unborn
    for ref in listed:
        if recorded and ref.name == f"refs/heads/{recorded}" and ref != current:
            found.append(Tip(ref.id, recorded))
    return tuple(found)


def judge(
    repo: Repository,
    place: Place,
    listed: Sequence[Ref],
    begun: Sequence[Tip],
    *,
    base: str | None,
    removing: frozenset[str],
) -> Past:
    """What the histories that begin at `begun` hold alone; each is judged by itself.

    Raises `git_failed` or `timeout` unless all that refuses could be told; what only informs is
    left out where it cannot be.
    """
    lines: dict[str, None] = {}
    alone: list[Tip] = []
    for tip in begun:
        gone = removing | {tip.branch} if tip.branch else removing
        own = commits.lines_beyond(place, [tip.commit], commits.holders(listed, gone))
        if own:
            alone.append(tip)
        lines |= dict.fromkeys(own)
    private = _private(place, listed, begun)
    proof = None
    if lines:
        gone = removing | {tip.branch for tip in begun if tip.branch}
        into = elsewhere.targets(repo, listed, gone)
        proof = elsewhere.proof(place, [tip.commit for tip in alone], len(lines), into)
    return Past(
        unique=commits.named(list(lines)[:NAMED]),
        unique_count=len(lines),
        private_refs=private,
        stashes=_stashes(place, listed, {tip.branch for tip in begun}),
        elsewhere=proof,
        unstarted=bool(begun) and not lines and _unstarted(place, begun, base),
    )


def _private(place: Place, listed: Sequence[Ref], begun: Sequence[Tip]) -> tuple[str, ...]:
    """The private refs that hold what no branch, tag, remote-tracking ref or HEAD reaches.

    One that holds no commit but a file or folder is named too.
    """
    own = [ref for ref in listed if ref.name.startswith(commits.PRIVATE)]
    if not own:
        return ()
    peeled = commits.peeled(place, [ref.id for ref in own])
    held = [*commits.holders(listed, frozenset()), *(tip.commit for tip in begun)]
    return tuple(
        ref.name
        for ref in own
        if not peeled[ref.id].commit or commits.lines_beyond(place, [peeled[ref.id].id], held)
    )


def _stashes(place: Place, listed: Sequence[Ref], branches: set[str | None]) -> tuple[str, ...]:
    if not any(ref.name == "refs/stash" for ref in listed):
        return ()
    command = ("log", "--walk-reflogs", "--no-show-signature", "--format=%gs", "refs/stash", "--")
    try:
        subjects = os.fsdecode(question.ask(place, *command)).splitlines()
    except HqtError:
        return ()
    made_on = tuple(f"{how} {name}: " for name in branches if name for how in ("WIP on", "On"))
    return tuple(
        f"stash@{{{number}}}: {subject}"
        for number, subject in enumerate(subjects)
        if subject.startswith(made_on)
    )


def _unstarted(place: Place, begun: Sequence[Tip], base: str | None) -> bool:
    """Whether nothing was committed since `base`."""
    try:
        return base is not None and not commits.lines_beyond(
            place, [tip.commit for tip in begun], [base]
        )
    except HqtError:
        return False
