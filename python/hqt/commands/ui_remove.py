"""Wires the question before a removal to the stories of `inspect` and `remove`."""

from __future__ import annotations

import time

from hqt.commands import background, ui_switch
from hqt.errors import Code, HqtError
from hqt.models import Caller, Losses
from hqt.results import Inventory
from hqt.sessions import inspect, targets
from hqt.sessions.targets import Target
from hqt.ui import confirm
from hqt.ui.confirm_model import (
    ConfirmServices,
    Loss,
    Occupant,
    Refusal,
    RemovalAnswer,
    RemovalQuestion,
)

_DAY = 24 * 60 * 60
# What force does not lift (design §5, Remove).
_FINAL = frozenset({"main_checkout", "identity_mismatch", "locked", "timeout", "git_failed"})


def show(caller: Caller, *names: str | None) -> None:
    """Ask about these targets (none: the selected checkout's session, or which), then remove them.

    A session without a worktree goes at once. The work itself runs outside of this popup.
    """
    chosen = [name for name in names if name] or _selected(caller)
    if not chosen:
        return
    found = [targets.find(caller, name) for name in chosen]
    if all(one.worktree is None for one in found):
        _go(caller, chosen, RemovalAnswer(remove_worktree=True))
        return
    config = found[0].world.config
    first = RemovalQuestion(title=_title(found), targets=tuple(_line(one) for one in found))
    services = ConfirmServices(load=lambda: question(caller, chosen))
    answer = confirm.run(first, services, icon_set=config.icons)
    if answer is not None:
        _go(found[0].world.caller, chosen, answer)


def _selected(caller: Caller) -> list[str]:
    """The session or worktree that the caller is in; in the main checkout the user is asked."""
    try:
        here = targets.find(caller, ".")
    except HqtError as error:
        if error.code is not Code.NO_SUCH_TARGET:
            raise
        here = None
    if here and here.session:
        return [f"session:{here.session.id}"]
    if here and here.worktree and not here.worktree.main:
        return [here.worktree.id]
    name = ui_switch.ask(caller, "Remove which?")
    return [name] if name else []


def question(caller: Caller, names: list[str]) -> RemovalQuestion:
    """Everything to know before these targets go, read now."""
    found = [targets.find(caller, name) for name in names]
    branches = {one.worktree.branch for one in found if one.worktree and one.worktree.branch}
    inventories = []
    for one in found:
        if one.worktree and not one.worktree.main:
            inside = one.world.sessions_in(one.worktree)
            going = one.session or next(iter(inside), None)
            inventories.append(inspect.take(one.world, one.worktree, going, removing=branches))
    losses = [loss for one in inventories for loss in _losses(one.losses)]
    others = [row for one in inventories for row in one.occupants.sessions]
    nicknames = {row.id: row.nickname for one in found for row in one.world.sessions}
    days = found[0].world.config.trash_days
    until = time.strftime("%Y-%m-%d", time.localtime(time.time() + days * _DAY))
    at_risk = any(loss.force for loss in losses)
    return RemovalQuestion(
        title=_title(found),
        targets=tuple(_line(one) for one in found),
        sessions=sum(1 for one in found if one.session),
        worktrees=len(inventories),
        losses=tuple(losses),
        notes=tuple(note for one in inventories for note in _notes(one.losses)),
        occupants=tuple(who for one in inventories for who in _occupants(one)),
        others=tuple(nicknames.get(row, row) for row in others),
        stays_with=(
            *(_branch(one) for one in inventories if one.worktree.worktree.branch),
            "In the trash until you empty it." if at_risk else f"In the trash until {until}.",
        ),
        stays_without=("The worktree and its branch.",),
        refused=None if any(one.session for one in found) else _final(inventories),
        kept=_final(inventories) if any(one.session for one in found) else None,
    )


def _title(found: list[Target]) -> str:
    if len(found) > 1:
        return f"Remove {len(found)} worktrees?"
    one = found[0]
    name = one.worktree.label if one.worktree else one.session.nickname if one.session else ""
    return f"Remove {name}?"


def _line(one: Target) -> str:
    if one.worktree:
        return f"⎇ {one.worktree.label}  {one.worktree.path}"
    return one.session.nickname if one.session else ""


def _losses(lost: Losses) -> list[Loss]:
    """Each kind that would go, in plain words, with every item by its name."""
    hidden = lost.ignored
    commits = tuple(f"{one.id[:7]} {one.subject}" for one in lost.unique)
    extra = lost.unique_count - len(commits)
    kinds = [
        (lost.conflicted, "file with a conflict", "files with conflicts", True),
        (lost.staged, "staged file", "staged files", True),
        (lost.modified, "modified file", "modified files", True),
        (lost.untracked, "untracked file", "untracked files", True),
        (lost.hidden, "hidden edit", "hidden edits", True),
        (lost.private_refs, "reference held only here", "references held only here", True),
        (lost.submodules, "submodule with work", "submodules with work", True),
        (lost.nested_repositories, "nested repository", "nested repositories", True),
        (hidden.precious, "ignored file that looks precious", "ignored files that look precious",
         False),
    ]  # fmt: skip
    found = [
        Loss(f"{len(items)} {one if len(items) == 1 else many}", tuple(items), force)
        for items, one, many, force in kinds
        if items
    ]
    if lost.unique_count:
        word = "commit" if lost.unique_count == 1 else "commits"
        more = (f"… and {extra} more",) if extra > 0 else ()
        found.append(Loss(f"{lost.unique_count} {word} that exist nowhere else", (*commits, *more)))
    if lost.operation:
        found.append(Loss(f"A {lost.operation} in progress"))
    return found


def _notes(lost: Losses) -> list[str]:
    notes = [f"{lost.ignored.files} other ignored files"] if lost.ignored.files else []
    notes += [f"Stash stays: {stash}" for stash in lost.stashes]
    return [*notes, lost.elsewhere] if lost.elsewhere else notes


def _occupants(one: Inventory) -> list[Occupant]:
    busy = [Occupant(text, busy=True) for text in one.occupants.busy]
    clients = [Occupant(f"client {client.name} looks at it") for client in one.occupants.clients]
    return [*busy, *clients]


def _branch(one: Inventory) -> str:
    return f"Branch {one.worktree.worktree.branch}, unless it is merged and hqt made it."


def _final(inventories: list[Inventory]) -> Refusal | None:
    """What no consent lifts."""
    for one in inventories:
        for refusal in one.refusals:
            if refusal.code in _FINAL or one.losses.mounts or one.losses.nested_worktrees:
                return Refusal(refusal.message)
    return None


def _go(caller: Caller, names: list[str], answer: RemovalAnswer) -> None:
    """`hqt remove` in a process of its own, since it may close the window this popup is over."""
    flags = {
        "--force": answer.force,
        "--close": answer.close,
        "--evacuate": answer.evacuate,
        "--keep-worktree": not answer.remove_worktree,
    }
    given = [flag for flag, wanted in flags.items() if wanted]
    place = {"-L": caller.socket_name, "--socket": caller.socket_path, "--client": caller.client,
             "--pane": caller.pane}  # fmt: skip
    where = [word for flag, value in place.items() if value for word in (flag, value)]
    background.start(*where, "-C", str(caller.directory), "remove", *given, "--", *names)
