"""The other sessions of a worktree that is to go: led to the main checkout first."""

from __future__ import annotations

from contextlib import ExitStack

from hqt.errors import Code, HqtError
from hqt.models import Session, Worktree
from hqt.sessions import leading
from hqt.sessions.leading import Passage
from hqt.sessions.world import World


def evacuate(
    world: World, tree: Worktree, going: Session | None, *, close: bool
) -> tuple[Passage, ...]:
    """Lead every session of `tree` but `going` to the main checkout: all of them, or none.

    The pane that hqt itself runs in is left for `leading.follow`. Raises `main_checkout` where
    there is none to go to, and what `leading.prepare` raises.
    """
    others = [one for one in world.sessions_in(tree) if going is None or one.id != going.id]
    if others and world.main is None:
        raise HqtError(
            Code.MAIN_CHECKOUT,
            f"There is no main checkout to move {others[0].nickname!r} to; nothing was removed.",
            "Remove that session first.",
        )
    passages = tuple(leading.prepare(world, one, None, anew=False, close=close) for one in others)
    with ExitStack() as undo:
        for passage in passages:
            leading.go(passage, undo)
        undo.pop_all()
    return passages


def sentence(passage: Passage) -> str:
    """What happened to a session, for a person."""
    moved = f"Session {passage.row.nickname} moved to {passage.world.repository.root}."
    return " ".join((moved, *(() if passage.steps else passage.notes)))
