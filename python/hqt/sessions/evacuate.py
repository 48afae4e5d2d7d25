"""The other sessions of a worktree that is to go: led to the main checkout first."""

from __future__ import annotations

from hqt.errors import Code, HqtError
from hqt.models import Session, Worktree
from hqt.sessions import launching, placement
from hqt.sessions import world as worlds
from hqt.sessions.world import World


def evacuate(world: World, tree: Worktree, going: Session | None) -> tuple[str, ...]:
    """Move every session of `tree` but `going` to the main checkout; a sentence for each.

    Their panes there start anew, or resume, in the main checkout. What keeps them busy has been
    judged before. Raises `main_checkout` where there is none to go to.
    """
    from hqt.tmux import windows

    main = world.main
    others = [one for one in world.sessions_in(tree) if going is None or one.id != going.id]
    if others and main is None:
        raise HqtError(
            Code.MAIN_CHECKOUT,
            f"There is no main checkout to move {others[0].nickname!r} to; nothing was removed.",
            "Remove that session first.",
        )
    notes = []
    for session in others:
        assert main is not None
        window = world.window_of(session)
        panes = world.snapshot.panes if world.snapshot else ()
        living = [
            pane
            for pane in panes
            if pane.window == window and world.home(worlds.pane_path(pane.path)) == tree
        ]
        launch = launching.again(world, session, main.path)
        for pane in living:
            windows.respawn(
                worlds.connect(world.caller),
                pane.id,
                cwd=main.path,
                command=launch.argv,
                environment={"HQT_SESSION": session.id, **launch.environment},
            )
        worlds.rows().update(session.id, worktree_path=None, worktree_branch=None)
        if window:
            placement.mark(world, window, session, None)
        notes.append(f"Session {session.nickname} moved to {main.path}.")
    return tuple(notes)
