"""The JSON of the public interface (design §4): results in, plain values out. Pure."""

from __future__ import annotations

from dataclasses import asdict
from functools import singledispatch
from pathlib import Path
from typing import Any

from hqt.errors import Failure
from hqt.models import Losses, Occupants, Repository, TrashEntry
from hqt.results import (
    Archived,
    Diagnosis,
    Installed,
    Instructions,
    Inventory,
    Jumped,
    Listing,
    Listings,
    Located,
    LockChanged,
    Opened,
    Removals,
    Removed,
    Reopened,
    SessionView,
    Settings,
    Status,
    TrashListing,
    Trust,
    Uninstalled,
    WorktreeView,
)

SCHEMA_VERSION = 1
Document = dict[str, Any]


def document(result: object) -> Document:
    """The one JSON document of a verb's answer."""
    return {"schema_version": SCHEMA_VERSION, **_fields(result)}


def error_document(error: Failure) -> Document:
    """The one line that a failure prints on standard error."""
    return {
        "schema_version": SCHEMA_VERSION,
        "error": {
            "code": error.code.value,
            "message": error.message,
            "remedy": error.remedy,
            "details": error.details,
        },
    }


@singledispatch
def _fields(result: object) -> Document:
    raise TypeError(f"{type(result).__name__} has no JSON form")


def worktree(view: WorktreeView) -> Document:
    """The public worktree object."""
    tree = view.worktree
    return {
        "id": tree.id,
        "path": str(tree.path),
        "branch": tree.branch,
        "head": tree.head,
        "label": tree.label,
        "main": tree.main,
        "current": view.current,
        "base_commit": view.base_commit,
        "locked": tree.locked,
        "missing": tree.missing,
        "operation": tree.operation,
        "changes": asdict(view.changes) if view.changes else None,
        "unique_commits": view.unique_commits,
        "windows": None if view.windows is None else list(view.windows),
        "tmux_session": {"name": view.tmux_session, "exists": view.tmux_session_exists},
        "sessions": list(view.sessions),
    }


def session(view: SessionView) -> Document:
    """The public session object."""
    row = view.session
    return {
        "id": row.id,
        "nickname": row.nickname,
        "harness": row.harness,
        "conversation": row.conversation,
        "state": view.state,
        "project": str(row.project),
        "worktree": view.worktree.id if view.worktree else None,
        "worktree_path": _text(row.worktree_path),
        "worktree_branch": row.worktree_branch,
        "base_commit": row.base_commit,
        "window": view.window,
        "created_at": row.created_at,
        "cleanup": asdict(row.cleanup) if row.archived and row.cleanup else None,
    }


def repository(value: Repository) -> Document:
    """The public repository object."""
    return {"root": str(value.root), "common_dir": str(value.common_dir)}


def losses(value: Losses) -> Document:
    """What would go with a worktree."""
    return {
        **asdict(value),
        "unique": [asdict(commit) for commit in value.unique],
        "disputed": [one.sentence for one in value.disputed],
        "unique_commits": value.unique_count,
    }


def occupants(value: Occupants) -> Document:
    """Who is in a worktree."""
    return {
        "panes": [
            {"id": pane.id, "window": pane.window, "command": pane.command, "path": pane.path}
            for pane in value.panes
        ],
        "clients": [client.name for client in value.clients],
        "busy": list(value.busy),
        "processes": [{"pid": one.pid, "name": one.name} for one in value.processes],
        "sessions": list(value.sessions),
    }


@_fields.register(Inventory)
def inventory(result: Inventory) -> Document:
    """The inventory: the answer of `inspect`, and the `details` of a refused removal."""
    return {
        "worktree": worktree(result.worktree),
        "sessions": [session(view) for view in result.sessions],
        **losses(result.losses),
        "occupants": occupants(result.occupants),
        "refusals": [asdict(refusal) for refusal in result.refusals],
        "summary": result.sentence,
    }


@_fields.register(Listing)
def _(result: Listing) -> Document:
    return {
        "repository": repository(result.repository),
        "worktrees": [worktree(view) for view in result.worktrees],
        "sessions": [session(view) for view in result.sessions],
    }


@_fields.register(Listings)
def _(result: Listings) -> Document:
    return {"repositories": [_fields(listing) for listing in result.repositories]}


@_fields.register(Opened)
def _(result: Opened) -> Document:
    return {
        "session": session(result.session) if result.session else None,
        "worktree": worktree(result.worktree) if result.worktree else None,
        "window": result.window,
        "source": _text(result.source),
        "branch_recreated": result.branch_recreated,
        "notes": list(result.notes),
    }


@_fields.register(Reopened)
def _(result: Reopened) -> Document:
    return {
        "dry_run": result.dry_run,
        "opened": [_fields(opened) for opened in result.opened],
        "failed": [
            {
                "session": one.session.id,
                "code": one.code,
                "message": one.message,
                "remedy": one.remedy,
            }
            for one in result.failed
        ],
    }


def removed(value: Removed) -> Document:
    """One target that is gone."""
    return {
        "path": _text(value.path),
        "branch": value.branch,
        "branch_deleted": value.branch_deleted,
        "windows_closed": list(value.windows_closed),
        "trash": value.trash,
        "session": value.session,
        "notes": list(value.notes),
    }


@_fields.register(Removals)
def _(result: Removals) -> Document:
    return {"removed": [removed(one) for one in result.removed]}


@_fields.register(Archived)
def _(result: Archived) -> Document:
    return {"session": session(result.session), "windows_closed": list(result.windows_closed)}


def trash_entry(entry: TrashEntry) -> Document:
    """The public trash entry."""
    return {
        "id": entry.id,
        "path": str(entry.path),
        "branch": entry.branch,
        "removed_at": entry.removed_at,
        "size": entry.size,
        "holds": list(entry.holds),
    }


@_fields.register(TrashListing)
def _(result: TrashListing) -> Document:
    key = "emptied" if result.emptied else "entries"
    return {key: [trash_entry(entry) for entry in result.entries]}


@_fields.register(Located)
def _(result: Located) -> Document:
    return {"path": str(result.path)}


@_fields.register(LockChanged)
def _(result: LockChanged) -> Document:
    tree = result.worktree
    return {
        "worktree": {
            "id": tree.id,
            "path": str(tree.path),
            "branch": tree.branch,
            "label": tree.label,
            "locked": tree.locked,
        }
    }


@_fields.register(Instructions)
def _(result: Instructions) -> Document:
    return {
        "text": "\n".join(result.sentences),
        "worktree_dir": _text(result.worktree_dir),
        "from": result.start,
        "harness": result.harness,
        "main": _text(result.main),
        "worktree": _text(result.worktree),
        "session": result.session,
    }


@_fields.register(Trust)
def _(result: Trust) -> Document:
    return {
        "path": str(result.path),
        "digest": result.digest,
        "command": result.command,
        "trusted": result.trusted,
    }


@_fields.register(Status)
def _(result: Status) -> Document:
    return {**asdict(result), "agents": dict(result.agents)}


@_fields.register(Jumped)
def _(result: Jumped) -> Document:
    return {"window": result.window, "label": result.label, "state": result.state or None}


@_fields.register(Installed)
def _(result: Installed) -> Document:
    return {
        "launcher": str(result.launcher),
        "called": _text(result.called),
        "link": _text(result.link),
        "loaded": result.loaded,
        "line": result.line,
    }


@_fields.register(Uninstalled)
def _(result: Uninstalled) -> Document:
    return {
        "server": result.server,
        "keys": list(result.keys),
        "windows": list(result.windows),
        "deleted": [str(path) for path in result.deleted],
        "state": str(result.state),
    }


@_fields.register(Settings)
def _(result: Settings) -> Document:
    return asdict(result) | {"file": str(result.file)}


@_fields.register(Diagnosis)
def _(result: Diagnosis) -> Document:
    return {"healthy": result.healthy, "findings": [asdict(one) for one in result.findings]}


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
