"""Wires the picker to the stories of open, lock and remove."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import SessionView, WorktreeView
from hqt.sessions import targets, views
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


def show(caller: Caller) -> None:
    """Let the user choose, and do what was chosen; screens follow each other in this process."""
    world = worlds.look(caller)
    options = PickerOptions(icon_set=world.config.icons)
    result = picker.run(_Wiring(world).services(), options)
    if result is not None:
        _act(world, result)


def ask(caller: Caller, title: str) -> str | None:
    """Let the user only name a row; the target it means, None if they left."""
    world = worlds.look(caller)
    options = PickerOptions(title, enter=Action.CHOOSE, icon_set=world.config.icons)
    result = picker.run(_Wiring(world).services(), options)
    return target(result.rows[0]) if result and result.rows else None


def target(row: PickerRow) -> str:
    """What names a row exactly: the session's id, else the worktree's."""
    return f"session:{row.session}" if row.session else row.worktree or ""


def _act(world: World, result: PickerResult) -> None:
    if result.action is Action.NEW:
        from hqt.commands import ui_new

        ui_new.show(world.caller)
    elif result.action is Action.OPEN:
        from hqt.sessions.open import open_target

        open_target(replace(world.caller, by_key=True), target(result.rows[0]))
    elif result.action is Action.REMOVE:
        from hqt.commands import ui_remove

        ui_remove.show(world.caller, *(target(row) for row in result.rows))
    elif result.action is Action.GIT:
        from hqt.commands import ui_git

        ui_git.show(world, result.rows[0].path)


class _Wiring:
    """The picker's callables."""

    def __init__(self, world: World) -> None:
        self._world = world

    def services(self) -> PickerServices:
        return PickerServices(self._rows, self._fill, self._preview, self._do)

    def _rows(self, scope: Scope) -> Listing:
        """Rows as the listing has them, without the slow counts."""
        worlds_asked, message = [worlds.again(self._world)], ""
        if scope.all_repositories:
            others, message = _others(self._world)
            worlds_asked += others
        rows = [row for world in worlds_asked for row in _rows_of(world, scope.archived)]
        return Listing(tuple(rows), complete=not message, message=message)

    def _fill(self, row: PickerRow) -> PickerRow:
        found = targets.find(self._world.caller, target(row))
        if found.worktree is None:
            return row
        view = views.counted(found.world, found.worktree)
        return replace(
            row,
            changes=view.changes,
            unique=view.unique_commits,
            operation=found.worktree.operation,
        )

    def _preview(self, row: PickerRow) -> tuple[str, ...]:
        from hqt.git import offers

        found = targets.find(self._world.caller, target(row))
        if found.worktree is None or found.worktree.missing:
            return ()
        return tuple(offers.preview(found.worktree.path))

    def _do(self, action: Action, rows: tuple[PickerRow, ...]) -> str:
        if action is Action.COPY:
            from hqt.tmux import popups

            popups.copy(worlds.connect(self._world.caller), rows[0].path, self._world.caller.client)
            return f"Copied {rows[0].path}."
        if action is Action.LOCK:
            from hqt.sessions import locking

            return " ".join(locking.toggle(self._world.caller, target(row)) for row in rows)
        raise HqtError(Code.USAGE, f"{action.value} is not possible yet.", "")


def _others(world: World) -> tuple[list[World], str]:
    """The other repositories that hqt knows, and which of them could not be read."""
    seen = {world.repository.common_dir}
    found, failed = [], []
    for project in dict.fromkeys(session.project for session in worlds.rows().all()):
        try:
            other = worlds.join(world.caller, project, world.snapshot)
        except HqtError:
            failed.append(project.name)
            continue
        if other.repository.common_dir not in seen:
            seen.add(other.repository.common_dir)
            found.append(other)
    return found, f"Could not read {', '.join(failed)}." if failed else ""


def _rows_of(world: World, archived: bool) -> Iterable[PickerRow]:
    sessions = [one for one in world.sessions if world.is_archived(one) == archived]
    shown = [views.session_view(world, session) for session in sessions]
    for tree in world.worktrees:
        view = views.plain(world, tree)
        mine = [one for one in shown if one.worktree == tree]
        for session in mine:
            yield _row(world, view, session)
        if not mine and not archived:
            yield _row(world, view, None)
    for session in shown:
        if session.worktree is None:
            yield _row(world, None, session)


def _row(world: World, view: WorktreeView | None, session: SessionView | None) -> PickerRow:
    tree = view.worktree if view else None
    row = session.session if session else None
    return PickerRow(
        worktree=tree.id if tree else None,
        session=row.id if row else None,
        label=tree.label if tree else "",
        nickname=row.nickname if row else "",
        path=str(tree.path if tree else row.project if row else ""),
        state=session.state if session else "",
        operation=tree.operation if tree else None,
        locked=tree.locked if tree else None,
        missing=tree.missing if tree else False,
        windows=len(view.windows) if view and view.windows is not None else None,
        age=int(time.time()) - row.created_at if row else None,
        current=view.current if view else False,
        main=tree.main if tree else False,
        repository=world.repository.root.name,
        archived=world.is_archived(row) if row else False,
    )
