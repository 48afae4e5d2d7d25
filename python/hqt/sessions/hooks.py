"""The hooks that hqt gives to an agent, in a file of its own: nothing of the user's is touched.

It is a settings file of Claude Code, for a profile whose `hooks` say how it is passed. Each event
becomes the state of the pane (`agent`); at the start and with each prompt the agent is told what it
should know (`instructions`), as it is then. A hook that fails is shown by the agent itself.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

from hqt import paths
from hqt.errors import Code, HqtError
from hqt.itself import own_words

_TOLD = ("SessionStart", "UserPromptSubmit")  # what is printed then, the agent gets to read
_EVENTS = (
    *_TOLD,
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SessionEnd",
)
_TIMEOUT = 10  # seconds, after which the agent goes on without


def file() -> Path:
    """Where the hooks are, written anew if they are not as they should be.

    Raises `store_failed` when the state directory cannot be written.
    """
    place = paths.state_dir() / "hooks" / "claude.json"
    wanted = json.dumps(content(), indent=1)
    try:
        if place.exists() and place.read_text() == wanted:
            return place
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.{os.getpid()}")
        draft.write_text(wanted)
        draft.replace(place)  # an agent that reads it now gets all of it
    except OSError as error:
        raise HqtError(
            Code.STORE_FAILED,
            f"The agent's hooks cannot be written to {place} ({error.strerror}). Nothing was made.",
            "Make the folder writable for you.",
        ) from error
    return place


def content() -> dict[str, Any]:
    """The settings, as JSON holds them."""
    return {"hooks": {event: [{"hooks": _commands(event)}] for event in _EVENTS}}


def _commands(event: str) -> list[dict[str, Any]]:
    # The start writes to the store, for which more has to be loaded than Python itself.
    words = [[*own_words(bare=event != "SessionStart"), "agent", event]]
    if event in _TOLD:
        words.append([*own_words(), "instructions"])
    return [{"type": "command", "command": shlex.join(one), "timeout": _TIMEOUT} for one in words]
