"""Wires the question before a removal to the story of `remove`."""

from __future__ import annotations

from collections.abc import Sequence

from hqt.commands import background, ui_removal, ui_switch
from hqt.commands.ui_removal import Going
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.sessions import targets
from hqt.sessions.doomed import at_home
from hqt.sessions.targets import Target
from hqt.ui import confirm
from hqt.ui.confirm_model import ConfirmServices, Refusal, RemovalAnswer, RemovalQuestion
from hqt.ui.picker_model import PickerRow


def show(caller: Caller, *names: str | None) -> None:
    """Ask about these targets (none: the selected checkout's session, or which), then remove them.

    Sessions without a worktree are asked about too: a key is pressed sooner than a command is
    typed, and what is in their windows is in no trash. The work is done outside of this popup.
    """
    chosen = [name for name in names if name] or _selected(caller)
    if not chosen:
        return
    found = _found(caller, chosen)
    if refusal := _refusal(found):
        confirm.run(refusal, icon_set=_icons(found))
        return
    going = [_going(one) for one in found]
    services = ConfirmServices(load=lambda: ui_removal.whole(_again(caller, going)))
    answer = confirm.run(ui_removal.first(going), services, icon_set=_icons(found))
    if answer is not None:
        _go(going[0].world.caller, going, answer)


def _selected(caller: Caller) -> list[str]:
    """The session or worktree that the caller is in; in the main checkout the user is asked."""
    try:
        here = targets.find(caller, ".")
    except HqtError as error:
        if error.code is not Code.NO_SUCH_TARGET:
            raise
        here = None
    if here and (here.session or (here.worktree and not here.worktree.main)):
        return [_name(_going(here))]
    none = "Nothing is here that could be removed."
    return [
        ui_switch.target(row) for row in ui_switch.ask(caller, "Remove which?", _can_go, empty=none)
    ]


def _can_go(row: PickerRow) -> bool:
    """The main checkout itself never goes."""
    return bool(row.session) or not row.main


def _found(caller: Caller, names: Sequence[str]) -> list[Target]:
    """What the names mean, each once."""
    found: dict[str, Target] = {}
    for name in names:
        one = targets.find(caller, name)
        place = str(one.worktree.path) if one.worktree else ""
        found.setdefault(f"{one.session.id if one.session else ''} {place}", one)
    return list(found.values())


def _refusal(found: Sequence[Target]) -> RemovalQuestion | None:
    """A question that is none, where the main checkout itself was named."""
    for one in found:
        if one.worktree and one.worktree.main and not one.session:
            reason = f"{one.worktree.path} is the main checkout, which is never removed."
            remedy = "Choose a session or another worktree."
            return RemovalQuestion(
                f"Remove {one.worktree.label}?", refused=Refusal(reason, remedy), worktrees=0
            )
    return None


def _going(target: Target) -> Going:
    """What goes for a target, by the rule of `remove`."""
    world, tree, session = target.world, target.worktree, target.session
    if tree is None or tree.main:
        return Going(world, session, None)
    inside = world.sessions_in(tree)
    if session is None:
        session = at_home(tree, inside)
    return Going(world, session, tree)


def _again(caller: Caller, going: Sequence[Going]) -> list[Going]:
    return [_going(targets.find(caller, _name(one))) for one in going]


def _name(one: Going) -> str:
    """What names it exactly, from anywhere."""
    if one.session:
        return f"session:{one.session.id}"
    return one.tree.id if one.tree else ""


def _icons(found: Sequence[Target]) -> str:
    return found[0].world.config.icons


def _go(caller: Caller, going: Sequence[Going], answer: RemovalAnswer) -> None:
    """`hqt remove` in a process of its own, since it may close the window this popup is over."""
    flags = {
        "--force": answer.force,
        "--close": answer.close,
        "--evacuate": answer.evacuate,
        "--keep-worktree": not answer.remove_worktree,
    }
    given = [flag for flag, wanted in flags.items() if wanted]
    names = [_name(one) for one in going]
    background.start(*background.place(caller), "remove", *given, "--", *names)
