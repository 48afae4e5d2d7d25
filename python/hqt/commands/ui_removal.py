"""The question before a removal in plain words: what goes, who is in there, what stays."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hqt import tables, verdict
from hqt.errors import HqtError
from hqt.models import Losses, Session, Worktree
from hqt.names import printable
from hqt.results import Inventory
from hqt.sessions import branch_fate, inspect, taking
from hqt.sessions.inspect import Permits
from hqt.sessions.world import World
from hqt.ui.confirm_model import Loss, Occupant, Refusal, RemovalQuestion
from hqt.ui.text import enumerated

_DAY = 24 * 60 * 60
_NAMED = 3  # precious files that are named in the summary itself


@dataclass(frozen=True, slots=True)
class Going:
    """One target: a session, a linked worktree, or both."""

    world: World
    session: Session | None
    tree: Worktree | None

    @property
    def name(self) -> str:
        """What a person calls it."""
        if self.tree:
            return self.tree.label
        return self.session.nickname if self.session else ""

    @property
    def line(self) -> str:
        """It, with its place."""
        if self.tree is None:
            return self.name
        nickname = self.session.nickname if self.session else ""
        called = f"  {nickname}" if nickname not in ("", self.tree.label) else ""
        return f"{self.world.sign} {self.tree.label}{called}  {tilde(self.tree.path)}"


@dataclass(frozen=True, slots=True)
class _Found:
    """A target's worktree, looked at."""

    going: Going
    tree: Worktree
    inventory: Inventory
    kept: Refusal | None  # what no consent lifts


def first(targets: Collection[Going]) -> RemovalQuestion:
    """What can be said at once."""
    going = [one for one in targets if one.session]
    windows = (one.world.window_of(one.session) for one in going if one.session)
    called = going[0].name if len(going) == 1 else f"{len(going)} sessions"
    return RemovalQuestion(
        title=_title(targets),
        targets=tuple(one.line for one in targets),
        sessions=len(going),
        worktrees=sum(1 for one in targets if one.tree),
        closing=f"Close {called}?",
        windows=tuple(dict.fromkeys(window for window in windows if window)),
    )


def whole(targets: Collection[Going]) -> RemovalQuestion:
    """Everything to know before these targets go, read now. Raises what looking raises."""
    branches = {one.tree.branch for one in targets if one.tree and one.tree.branch}
    found = [_look(one, one.tree, branches) for one in targets if one.tree]
    several = len(targets) > 1
    losses = [
        _of(one.going, loss, several) for one in found for loss in _losses(one.inventory.losses)
    ]
    final = next((one.kept for one in found if one.kept), None)
    question = first(targets)
    return replace(
        question,
        losses=tuple(losses),
        notes=tuple(note for one in found for note in _notes(one.inventory.losses)),
        occupants=tuple(_unique([*_in_windows(targets), *(w for o in found for w in _inside(o))])),
        others=tuple(dict.fromkeys(name for one in found for name in _others(one))),
        stays_with=(*_branches(found), *_trash(found)),
        refused=None if question.sessions else final,
        kept=final if question.sessions else None,
    )


def tilde(path: Path) -> str:
    """A path as people write it."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)


def _title(targets: Collection[Going]) -> str:
    if len(targets) == 1:
        return f"Remove {next(iter(targets)).name}?"
    trees = sum(1 for one in targets if one.tree)
    return f"Remove {len(targets)} {'worktrees' if trees == len(targets) else 'sessions'}?"


def _look(going: Going, tree: Worktree, branches: Iterable[str]) -> _Found:
    world = going.world
    found = inspect.take(world, tree, going.session, removing=branches)
    everything = Permits(force=True, close=True, evacuate=True)
    left = inspect.refusals(tree, found.losses, found.occupants, everything)
    kept = Refusal(left[0].message, left[0].remedy) if left else None
    try:
        taking.require_registered(world, tree)
    except HqtError as error:
        kept = Refusal(error.message, error.remedy)
    if kept is None and found.occupants.sessions and world.main is None:
        kept = Refusal(
            "Other sessions live there, and there is no main checkout to move them to.",
            "Remove those sessions first.",
        )
    return _Found(going, tree, found, kept)


def _of(going: Going, loss: Loss, several: bool) -> Loss:
    """A loss, with whose it is where there are several."""
    if not several:
        return loss
    return Loss(f"{loss.summary} in {going.name}", loss.items, loss.force)


def _losses(lost: Losses) -> list[Loss]:
    """Each kind that would go, in plain words, with every item by its name."""
    disputed = [one.sentence for one in lost.disputed]
    kinds = [
        (lost.conflicted, "file with a conflict", "files with conflicts"),
        (lost.staged, "staged file", "staged files"),
        (lost.modified, "modified file", "modified files"),
        (lost.untracked, "untracked file", "untracked files"),
        (lost.hidden, "edit hidden from git", "edits hidden from git"),
        (lost.submodules, "submodule with work", "submodules with work"),
        (lost.nested_repositories, "nested repository", "nested repositories"),
        (lost.private_refs, "reference with own commits", "references with own commits"),
        (disputed, "thing that git does not see", "things that git does not see"),
    ]  # fmt: skip
    found = [
        Loss(f"{len(items)} {one if len(items) == 1 else many}", tuple(items))
        for items, one, many in kinds
        if items
    ]
    if lost.unique_count:
        word = "commit that exists" if lost.unique_count == 1 else "commits that exist"
        commits = tuple(f"{one.id[:7]} {one.subject}" for one in lost.unique)
        extra = lost.unique_count - len(commits)
        more = (f"… and {extra} more",) if extra > 0 else ()
        found.append(Loss(f"{lost.unique_count} {word} nowhere else", (*commits, *more)))
    if lost.operation:
        found.append(Loss(f"a {lost.operation} in progress"))
    if not found and verdict.holds(lost):  # never go without a word where `remove` would refuse
        found.append(Loss(verdict.sentence(lost)))
    if precious := lost.ignored.at_stake:
        if len(precious) <= _NAMED:
            found.append(Loss(", ".join(precious), force=False))
        else:
            many = f"{len(precious)} ignored files that look precious"
            found.append(Loss(many, precious, force=False))
    return found


def _notes(lost: Losses) -> list[str]:
    notes = [f"{name}, as in the main checkout" for name in lost.ignored.in_main]
    notes += [others] if (others := tables.others_ignored(lost.ignored)) else []
    notes += [f"The stash stays: {stash}" for stash in lost.stashes]
    return [*notes, lost.elsewhere] if lost.elsewhere else notes


def _busy(one: Going) -> tuple[str, ...]:
    """A sentence for each program that works in the window of a target's session."""
    from hqt import processes
    from hqt.tmux.occupants import busy

    panes = one.world.snapshot.panes if one.world.snapshot else ()
    mine = [pane for pane in panes if one.session and pane.window_session == one.session.id]
    if not mine:
        return ()
    running = processes.running()
    return busy(mine, running, own=processes.chain(running, os.getpid()))


def _in_windows(targets: Iterable[Going]) -> list[Occupant]:
    """Who works in the sessions' own windows, and so is ended in any case."""
    return [Occupant(said, busy=True) for one in targets for said in _busy(one)]


def _inside(one: _Found) -> list[Occupant]:
    """Who else is in the worktree: in the way only where that goes."""
    who = one.inventory.occupants
    busy = [Occupant(said, busy=True, outside=True) for said in who.busy]
    mine = one.going.world.window_of(one.going.session) if one.going.session else None
    windows = dict.fromkeys(pane.window for pane in who.panes if pane.window != mine)
    idle = [Occupant(f"window {window} has a pane there", outside=True) for window in windows]
    clients = [Occupant(f"client {client.name} looks at it") for client in who.clients]
    return [*busy, *idle, *clients]


def _unique(everybody: list[Occupant]) -> list[Occupant]:
    """Each once: who is named first is in a session's own window."""
    return list({one.text: one for one in reversed(everybody)}.values())[::-1]


def _others(one: _Found) -> list[str]:
    names = {row.id: row.nickname for row in one.going.world.sessions}
    return [names.get(id, id) for id in one.inventory.occupants.sessions]


def _branches(found: Iterable[_Found]) -> Iterator[str]:
    """What becomes of the branches: a sentence for those that fare alike."""
    fates: dict[str, list[str]] = {}
    for one in found:
        if one.tree.branch is None:
            yield f"{one.tree.label} has no branch."
        else:
            fates.setdefault(_why_kept(one), []).append(one.tree.branch)
    for why, names in fates.items():
        several = len(names) > 1
        who = f"Branches {enumerated(_some(names))}" if several else f"Branch {names[0]}"
        if why:
            yield f"{who} {'stay' if several else 'stays'}: {why}."
        else:
            goes = "are deleted too: they are" if several else "is deleted too: it is"
            yield f"{who} {goes} merged."


def _why_kept(one: _Found) -> str:
    try:
        unique = one.inventory.losses.unique_count
        return branch_fate.kept(one.going.world, one.tree, one.going.session, unique)
    except HqtError as error:
        return printable(error.message).rstrip(".")


def _some(names: list[str]) -> tuple[str, ...]:
    """Of many names only a few, and how many more there are."""
    if len(names) <= verdict.NAMED + 1:
        return tuple(names)
    return (*names[: verdict.NAMED], f"{len(names) - verdict.NAMED} more")


def _trash(found: list[_Found]) -> Iterator[str]:
    """How long what goes can be brought back."""
    if not found:
        return
    losses = [one.inventory.losses for one in found]
    held = any(verdict.holds(one) or one.ignored.at_stake for one in losses)
    days = min(one.going.world.config.trash_days for one in found)
    until = time.strftime("%Y-%m-%d", time.localtime(time.time() + days * _DAY))
    when = "you empty it" if held else until
    if len(found) == 1:
        what = "the worktree and all that is in it" if held else "the worktree"
        yield f"The trash keeps {what} until {when}; undo brings it back."
    else:
        what = "the worktrees and all that is in them" if held else "the worktrees"
        yield f"The trash keeps {what} until {when}; undo, once for each, brings them back."
