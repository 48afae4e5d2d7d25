"""Wires the picker to the stories of open, lock, archive and remove."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from hqt.commands import background
from hqt.errors import HqtError
from hqt.models import Caller, Worktree
from hqt.names import sentence
from hqt.results import SessionView, WorktreeView
from hqt.sessions import views
from hqt.sessions import world as worlds
from hqt.sessions.world import World
from hqt.ui import picker
from hqt.ui.picker_model import (
    Action,
    Listing,
    PickerOptions,
    PickerResult,
    PickerRow,
    PickerServices,
    Scope,
)

_AGENT = frozenset({"working", "waiting", "done", "error"})  # something to see on its screen


def show(caller: Caller) -> None:
    """Let the user choose, and do what was chosen; screens follow each other in this process."""
    wiring = _Wiring(_world(caller))
    result = picker.run(wiring.services(), PickerOptions(icon_set=wiring.icons))
    if result is not None:
        _act(wiring.world, result)


def ask(
    caller: Caller,
    title: str,
    fits: Callable[[PickerRow], bool] = lambda _row: True,
    empty: str = PickerOptions().empty,
) -> tuple[PickerRow, ...]:
    """Let the user only name rows that fit: those marked, or the one in focus; none if they left.
    `empty` is what stands there where none fits."""
    wiring = _Wiring(_world(caller), fits)
    options = PickerOptions(title, enter=Action.CHOOSE, icon_set=wiring.icons, empty=empty)
    result = picker.run(wiring.services(), options)
    return result.rows if result and result.action is Action.CHOOSE else ()


def target(row: PickerRow) -> str:
    """What names a row exactly: the session's id, else the worktree's."""
    return f"session:{row.session}" if row.session else row.worktree or ""


def _world(caller: Caller) -> World:
    """The world to choose from, a folder without a repository included."""
    with worlds.glancing(caller) as seen:
        caller = worlds.settled(caller, seen)
        return worlds.of_project(caller, caller.directory, seen)


def _act(world: World, result: PickerResult) -> None:
    if result.action is Action.NEW:
        from hqt.commands import ui_new

        ui_new.show(world.caller)
    elif result.action in (Action.OPEN, Action.CHOOSE):
        from hqt.sessions.open import open_target

        open_target(replace(world.caller, by_key=True), target(result.rows[0]))
    elif result.action is Action.REMOVE:
        from hqt.commands import ui_remove

        ui_remove.show(world.caller, *(target(row) for row in result.rows))
    elif result.action is Action.GIT:
        from hqt.commands import ui_git

        ui_git.show(world, result.rows[0].path)


class _Wiring:
    """The picker's callables, called in threads. What the rows were made of is kept for those
    that ask about one of them: `places` is replaced as a whole by each listing."""

    def __init__(self, world: World, fits: Callable[[PickerRow], bool] = lambda _row: True) -> None:
        self.world = world
        self._fits = fits
        self.icons = world.config.icons
        self._places: dict[str, tuple[World, Worktree | None]] = {}

    def services(self) -> PickerServices:
        return PickerServices(self._rows, self._fill, self._preview, self._do)

    def _rows(self, scope: Scope) -> Listing:
        """Rows as the listing has them, without the slow counts."""
        asked, message = [worlds.again(self.world)], ""
        if scope.all_repositories:
            others, message = _others(asked[0])
            asked += others
        found = {row.key: (world, tree, row) for world in asked
                 for tree, row in _rows_of(world, scope.archived) if self._fits(row)}  # fmt: skip
        self._places = {key: (world, tree) for key, (world, tree, _) in found.items()}
        rows = tuple(
            row if scope.all_repositories else replace(row, repository="")
            for _, _, row in found.values()
        )
        return Listing(rows, complete=not message, message=message)

    def _fill(self, row: PickerRow) -> PickerRow:
        world, tree = self._places.get(row.key, (self.world, None))
        if tree is None:
            return row
        view = views.counted(world, tree)
        return replace(
            row,
            changes=view.changes,
            unique=view.unique_commits,
            operation=tree.operation,
        )

    def _preview(self, row: PickerRow) -> tuple[str, ...]:
        """The screen of an agent, or of a session without a worktree; else commits and changes."""
        world, tree = self._places.get(row.key, (self.world, None))
        if row.session and (tree is None or row.state in _AGENT):
            screen = _screen(world, row.session)
            if screen:
                return screen
        if tree is None or tree.missing:
            return ()
        from hqt.git import offers

        return tuple(offers.preview(tree.path))

    def _do(self, action: Action, rows: tuple[PickerRow, ...]) -> str:
        caller = self.world.caller
        if action is Action.COPY:
            from hqt.tmux import popups

            popups.copy(worlds.connect(caller), rows[0].path, caller.client)
            return f"Copied {rows[0].path}."
        if action is Action.LOCK:
            from hqt.sessions import locking

            return " ".join(locking.toggle(caller, target(row)) for row in rows)
        # Putting a session aside may close the window below: not in this process.
        place = background.place(replace(caller, client=None))
        for row in rows:
            background.answer(*place, "archive", "--", target(row))
        return sentence(f"Archived {', '.join(row.nickname or row.label for row in rows)}")


def _screen(world: World, session: str) -> tuple[str, ...]:
    """What the pane of a session's window shows, without the empty lines at its end."""
    from hqt.tmux import screens

    panes = world.snapshot.panes if world.snapshot else ()
    mine = [pane for pane in panes if pane.window_session == session]
    shown = next((pane for pane in mine if pane.agent_state), None)
    shown = shown or next((pane for pane in mine if pane.pane_active), None)
    return screens.screen(worlds.connect(world.caller), shown.id) if shown else ()


def _others(world: World) -> tuple[list[World], str]:
    """The other repositories that hqt knows, and which of them could not be read."""
    seen = {world.repository.common_dir}
    found, failed = [], []
    for project in dict.fromkeys(session.project for session in worlds.rows().all()):
        try:
            other = worlds.of_project(world.caller, project, lambda: world.snapshot)
        except HqtError:
            failed.append(project.name)
            continue
        if other.repository.common_dir not in seen:
            seen.add(other.repository.common_dir)
            found.append(other)
    return found, f"Could not read {', '.join(failed)}." if failed else ""


def _rows_of(world: World, archived: bool) -> Iterator[tuple[Worktree | None, PickerRow]]:
    """A row a session, and one for each worktree that has none; archived sessions if asked for."""
    shown = [
        views.session_view(world, session)
        for session in world.sessions
        if archived or not world.is_archived(session)
    ]
    for tree in world.worktrees:
        view = views.plain(world, tree)
        mine = [one for one in shown if world.worktree_of(one.session) == tree]
        for session in mine:
            yield tree, _row(world, view, session)
        if not mine:
            yield tree, _row(world, view, None)
    for session in shown:
        if world.worktree_of(session.session) is None:
            yield None, _row(world, None, session)


def _row(world: World, view: WorktreeView | None, session: SessionView | None) -> PickerRow:
    tree = view.worktree if view else None
    row = session.session if session else None
    return PickerRow(
        worktree=tree.id if tree else None,
        session=row.id if row else None,
        label=tree.label if tree else "",
        nickname=row.nickname if row else "",
        path=str(tree.path if tree else (row.worktree_path or row.project) if row else ""),
        state=session.state if session else _state(world, view.windows if view else None),
        operation=tree.operation if tree else None,
        locked=tree.locked if tree else None,
        missing=tree.missing if tree else False,
        windows=len(view.windows) if view and view.windows is not None else None,
        age=int(time.time()) - row.created_at if row else None,
        current=view.current if view else False,
        main=tree.main if tree else False,
        repository=world.repository.root.name,
        archived=world.is_archived(row) if row else False,
        interrupted=view.interrupted if view else False,
    )


def _state(world: World, windows: Iterable[str] | None) -> str:
    """What an agent is doing in a worktree that no session of hqt lives in; "" without one."""
    from hqt.tmux import agent_states

    inside = set(windows or ())
    panes = world.snapshot.panes if world.snapshot else ()
    return agent_states.most_urgent([pane.agent_state for pane in panes if pane.window in inside])
