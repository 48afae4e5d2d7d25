"""Wires picker and form to the story of `move`: the session of this window goes on elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hqt.commands import background, ui_switch
from hqt.errors import Code, HqtError
from hqt.models import Caller, Session
from hqt.names import slug
from hqt.sessions import targets
from hqt.sessions import world as worlds
from hqt.sessions.planning import Wish, plan_for
from hqt.sessions.world import World
from hqt.ui import form
from hqt.ui.form_model import FormDefaults, FormServices, FormValues, SubmitOutcome


def show(caller: Caller) -> None:
    """Let the user choose a checkout; the session goes there when this popup has closed."""
    world, session = _mine(caller)
    for row in ui_switch.ask(world.caller, f"Move {session.nickname} to")[:1]:
        to = row.worktree or ""
        if not to:
            raise HqtError(
                Code.NO_SUCH_TARGET,
                f"{row.nickname} has no worktree to move to; nothing was moved.",
                "Choose a worktree or the main checkout.",
            )
        background.start(*_call(world, session), "--to", to)


def show_new(caller: Caller) -> None:
    """Ask for a name, make a worktree of that name, and let the session go on in there."""
    world, session = _mine(caller)
    title = f"New worktree, and move {session.nickname} there"
    defaults = FormDefaults(title=title, named_only=True, repository=world.repository.root.name)
    form.run(defaults, _services(world, session), icon_set=world.config.icons)


def _mine(caller: Caller) -> tuple[World, Session]:
    """The session of the window that the key was pressed in."""
    world = worlds.look(caller)
    session = targets.session_here(world)
    if session is None:
        raise HqtError(
            Code.NO_SUCH_TARGET,
            "This is not the window of a session; nothing was moved.",
            "Go to a session's window first.",
        )
    return world, session


def _call(world: World, session: Session) -> list[str]:
    return [*background.place(world.caller), "move", f"session:{session.id}"]


def _services(world: World, session: Session) -> FormServices:
    def planned(values: FormValues) -> Wish:
        return Wish(name=values.nickname, window=False)

    def validate(values: FormValues) -> dict[str, str]:
        if not slug(values.nickname):
            return {"nickname": "A name has letters or digits."} if values.nickname else {}
        try:
            plan_for(world, planned(values))
        except HqtError as error:
            return {"nickname": error.message}
        return {}

    def preview(values: FormValues) -> str:
        if not slug(values.nickname):
            return ""
        plan = plan_for(world, planned(values))
        return str(plan.new.path) if plan.new else ""

    def submit(values: FormValues, _: Callable[[str, int, int], None]) -> SubmitOutcome:
        quiet = replace(world, caller=replace(world.caller, client=None))
        try:
            background.answer(*_call(quiet, session), "--new", values.nickname)
        except HqtError as error:
            return SubmitOutcome(False, error.message, error.remedy, "nickname")
        return SubmitOutcome(True)

    return FormServices(
        slug=slug,
        validate=validate,
        path_preview=preview,
        revisions=lambda _: [],
        branches=list,
        submit=submit,
        cancel=lambda: None,
    )
