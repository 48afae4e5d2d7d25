"""What the inventory of a worktree means: why it may not be removed, and what to call the loss.

Pure. The rules are those of design §5, Remove: some refusals nothing lifts; loss is lifted by
force, work going on by close, other sessions by evacuate, and none of these by another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hqt.errors import Code
from hqt.models import Losses, Occupants, Refusal

NAMED = 4  # of many things, how many a message names


def refusals(
    losses: Losses,
    occupants: Occupants,
    *,
    label: str = "The worktree",
    main: bool = False,
    locked: str | None = None,
    force: bool = False,
    close: bool = False,
    evacuate: bool = False,
) -> tuple[Refusal, ...]:
    """Why a worktree may not be removed, in the public order of codes; empty when it may.

    `label` is what to call it, `locked` the reason of git's lock (perhaps empty) or None.
    """
    found = [
        *_always(losses, label, main, locked, force),
        *([] if force else _lost(losses, label)),
        *_living(occupants, label, close, evacuate),
        *_unsure(losses),
    ]
    order = list(Code)
    return tuple(sorted(found, key=lambda refusal: order.index(Code(refusal.code))))


def holds(losses: Losses) -> tuple[str, ...]:
    """The codes that a removal without force is refused for, in the public order."""
    return tuple(refusal.code for refusal in refusals(losses, Occupants()))


def sentence(losses: Losses) -> str:
    """What would be lost, in plain words: "3 uncommitted files, 2 commits that exist nowhere else".

    Ignored files that look precious are named at the end, but for those that the main checkout has
    just so.
    """
    names = {*losses.staged, *losses.modified, *losses.untracked, *losses.conflicted}
    folders = sum(name.endswith("/") for name in names)
    parts = [
        _count(len(names) - folders, "uncommitted file"),
        _count(folders, "untracked folder"),
        _count(len(losses.hidden), "hidden edit"),
        _commits(losses.unique_count),
        f"commits that only {_and(losses.private_refs)} holds" if losses.private_refs else "",
        f"{_a(losses.operation)} in progress" if losses.operation else "",
        f"work in {_and(losses.submodules)}" if losses.submodules else "",
        f"repositories inside: {_and(losses.nested_repositories)}"
        if losses.nested_repositories
        else "",
        f"other worktrees: {_and(losses.nested_worktrees)}" if losses.nested_worktrees else "",
        f"mounts: {_and(losses.mounts)}" if losses.mounts else "",
        "what libgit2 sees and git does not" if losses.disputed else "",
        "what could not be checked" if losses.unsure else "",
        _and(losses.ignored.at_stake),
    ]
    return ", ".join(part for part in parts if part) or "nothing would be lost"


def _always(
    losses: Losses, label: str, main: bool, locked: str | None, force: bool
) -> Iterator[Refusal]:
    if main:
        yield Refusal(
            Code.MAIN_CHECKOUT,
            f"{label} is the repository's main checkout, which hqt never removes.",
            "Name a linked worktree; `hqt list` shows them.",
        )
    if locked is not None:
        why = f": {locked.rstrip('.')}" if locked else ""
        yield Refusal(
            Code.LOCKED,
            f"{label} is locked{why}.",
            "`hqt unlock` lifts the lock; nothing else does.",
        )
    inside = [
        f"the worktree {_and(losses.nested_worktrees)}" if losses.nested_worktrees else "",
        f"something mounted at {_and(losses.mounts)}" if losses.mounts else "",
    ]
    if any(inside):
        yield Refusal(
            Code.NESTED,
            f"{label} contains {' and '.join(part for part in inside if part)}.",
            "Remove or move that first; force does not.",
        )
    elif not force and (losses.nested_repositories or losses.submodules):
        work = [*losses.nested_repositories, *losses.submodules]
        yield Refusal(
            Code.NESTED,
            f"{label} contains repositories with something of their own: {_and(work)}.",
            "Push what is in there, or pass --force: the trash keeps it.",
        )


def _lost(losses: Losses, label: str) -> Iterator[Refusal]:
    if losses.operation:
        yield Refusal(
            Code.OPERATION_IN_PROGRESS,
            f"{label} is in the middle of {_a(losses.operation)}.",
            "Finish or abort it, or pass --force: the trash keeps it as it is.",
        )
    kinds = (
        (losses.conflicted, "file with a conflict", "files with conflicts"),
        (losses.staged, "staged change", "staged changes"),
        (losses.modified, "modified file", "modified files"),
        (losses.untracked, "untracked file", "untracked files"),
        (losses.hidden, "edit hidden from git status", "edits hidden from git status"),
    )
    dirty = [
        f"{_count(len(names), one, many)} ({_and(names)})" for names, one, many in kinds if names
    ]
    disputed = _disputed(losses, Code.DIRTY)
    if dirty or disputed:
        told = [f"{label} has {_join(dirty)}."] if dirty else []
        yield Refusal(
            Code.DIRTY,
            " ".join([*told, *disputed]),
            "Commit or stash that, or pass --force: the trash keeps it.",
        )
    disputed = _disputed(losses, Code.UNIQUE_COMMITS)
    if losses.unique_count or losses.private_refs or disputed:
        commits = [f"{one.id[:7]} {one.subject}" for one in losses.unique]
        told = []
        if losses.unique_count:
            listed = _and(commits, of=losses.unique_count)
            told.append(f"{label} has {_commits(losses.unique_count)} ({listed}).")
        if losses.private_refs:
            told.append(f"Only {_and(losses.private_refs)} of this worktree holds some commits.")
        told += disputed
        if losses.elsewhere:
            told.append(losses.elsewhere)
        yield Refusal(
            Code.UNIQUE_COMMITS,
            " ".join(told),
            "Push, merge or tag them, or pass --force: the trash keeps them.",
        )


def _disputed(losses: Losses, code: Code) -> list[str]:
    return [one.sentence for one in losses.disputed if one.code == code]


def _living(occupants: Occupants, label: str, close: bool, evacuate: bool) -> Iterator[Refusal]:
    told, remedies = [], []
    if occupants.busy and not close:
        told.append(f"{label} is busy: {'; '.join(occupants.busy)}.")
        remedies.append("End that, or pass --close.")
    if occupants.sessions and not evacuate:
        told.append(f"Other sessions live in {label}: {_and(occupants.sessions)}.")
        remedies.append("Move them, or pass --evacuate.")
    if told:
        yield Refusal(Code.BUSY, " ".join(told), " ".join(remedies))


def _unsure(losses: Losses) -> Iterator[Refusal]:
    """What could not be checked is not deleted, forced or not."""
    if losses.unsure:
        yield Refusal(
            Code.TIMEOUT if losses.timed_out else Code.GIT_FAILED,
            " ".join(losses.unsure),
            "Mend what stood in the way, then try again; force does not lift this.",
        )


def _count(number: int, one: str, many: str = "") -> str:
    if not number:
        return ""
    return f"1 {one}" if number == 1 else f"{number} {many or one + 's'}"


def _commits(number: int) -> str:
    return _count(number, "commit that exists nowhere else", "commits that exist nowhere else")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _and(names: Iterable[str], of: int | None = None) -> str:
    """Some names as words; `of` is how many there are when not all were given."""
    listed = list(names)
    more = (of or len(listed)) - len(listed[:NAMED])
    return _join([*listed[:NAMED], *([f"{more} more"] if more else [])])


def _join(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
