"""A session as plain JSON values, for the manifest of the trash, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from hqt.models import Session

_PATHS = frozenset({"project", "worktree_path"})


def record(session: Session) -> dict[str, object]:
    """Every field of a session; a path's bytes that are not UTF-8 stay as surrogates."""
    values = {field.name: getattr(session, field.name) for field in fields(session)}
    return {
        name: str(value) if isinstance(value, Path) else value for name, value in values.items()
    }


def session(values: Mapping[str, object]) -> Session | None:
    """The session of a record; None for an empty one or one that a later hqt wrote otherwise."""
    known = {field.name for field in fields(Session)}
    given: dict[str, Any] = {
        name: Path(str(value)) if name in _PATHS and value is not None else value
        for name, value in values.items()
        if name in known
    }
    try:
        return Session(**given)
    except TypeError:
        return None
