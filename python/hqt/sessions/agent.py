"""What an agent's hook reports, as the state of its pane. Nothing heavy is loaded here.

The table holds the events of every harness that has hooks, by their own names (harness-facts), so
that a hook only has to pass on what it is called for; a state by its own name will do as well.
"""

from __future__ import annotations

import os
import time

from hqt.itself import load_packages
from hqt.tmux import agent_states, quick

TYPE_CHECKING = False  # that of `typing` would cost a quarter of what all this takes
if TYPE_CHECKING:
    from collections.abc import Mapping

GONE = ""
EVENTS: Mapping[str, str] = {
    **{state: state for state in agent_states.STATES},
    "gone": GONE,
    # Claude Code; Codex and Qwen Code have the same names
    "UserPromptSubmit": "working",
    "PreToolUse": "working",
    "PostToolUse": "working",
    "PostToolUseFailure": "working",
    "PermissionDenied": "working",
    "ElicitationResult": "working",
    "PermissionRequest": "waiting",
    "Elicitation": "waiting",
    "Stop": "done",
    "StopFailure": "error",
    "SessionEnd": GONE,
    # Gemini
    "BeforeAgent": "working",
    "BeforeTool": "working",
    "AfterTool": "working",
    "AfterAgent": "done",
    # Codex, by `notify`
    "agent-turn-complete": "done",
    "approval-requested": "waiting",
    # Cursor
    "sessionStart": "idle",
    "beforeSubmitPrompt": "working",
    "preToolUse": "working",
    "postToolUse": "working",
    "postToolUseFailure": "working",
    "stop": "done",
    "sessionEnd": GONE,
    # OpenCode, by a plugin
    "session.created": "idle",
    "session.idle": "done",
    "session.error": "error",
    "permission.asked": "waiting",
    "permission.replied": "working",
}
_BEGIN = frozenset({"PreToolUse", "BeforeTool", "preToolUse"})
_END = frozenset({"PostToolUse", "PostToolUseFailure", "AfterTool", "postToolUse"})
_NOTIFICATIONS = {
    "permission_prompt": "waiting",
    "worker_permission_prompt": "waiting",
    "elicitation_dialog": "waiting",
    "ToolPermission": "waiting",
    "idle_prompt": "done",
}
_BEGINNINGS = frozenset({"startup", "resume", "clear"})  # not "compact": that is in mid-turn
_MOVES = frozenset({"EnterWorktree", "ExitWorktree"})  # tools that change where the agent lives
_QUESTION = "AskUserQuestion"  # a tool that is a question to the user


def hear(event: str, payload: bytes, environ: Mapping[str, str]) -> None:
    """Record what `event` says of the agent in the caller's pane; `payload` is the hook's JSON.

    Does nothing outside a session of hqt, for a subagent, and for an event that says nothing. It
    never raises: a hook that fails is the agent's trouble, so a fault goes into the log.
    """
    pane, session = environ.get("TMUX_PANE", ""), environ.get("HQT_SESSION", "")
    inside = environ.get("TMUX", "")
    if not (inside and session and pane[:1] == "%" and pane[1:].isdecimal()):
        return
    try:
        _record(event, payload, pane, inside)
        if event == "SessionStart":
            load_packages()
            _remember(session, _read(payload))
        elif event == "PostToolUse" and any(name.encode() in payload for name in _MOVES):
            load_packages()
            _follow(session, pane, inside, _read(payload))
    except Exception as error:  # noqa: BLE001 - said above
        load_packages()
        from hqt import faults

        faults.logged(error)


def _record(event: str, payload: bytes, pane: str, inside: str) -> None:
    # A key is never written so inside a text, where its quotes are escaped; so most payloads need
    # not be read, which costs more than all the rest.
    may_matter = b'"agent_id"' in payload or _QUESTION.encode() in payload
    known = event in EVENTS and event != "PermissionRequest"
    told = {} if known and not may_matter else _read(payload)
    if told.get("agent_id"):
        return  # a subagent: its session goes on
    now = int(time.time())
    state: str | None = EVENTS.get(event)
    if event == "Notification":
        state = _NOTIFICATIONS.get(str(told.get("notification_type")))
    elif event == "SessionStart":
        state = "idle" if told.get("source") in _BEGINNINGS else None
    if state is None:
        return
    if event == "Notification" and state == "done":
        command = agent_states.rested(pane)
    elif state == "waiting" or (event in _BEGIN and told.get("tool_name") == _QUESTION):
        command = agent_states.asking(pane, _call(told), now)
    elif event in _BEGIN:
        command = agent_states.begun(pane, now)
    elif event in _END:
        command = agent_states.ended(pane)
    else:
        command = agent_states.recording(pane, state)
    waits_for = quick.ask(inside, command)
    if event in _END and waits_for and _answers(waits_for, _read(payload)):
        quick.ask(inside, agent_states.recording(pane, "working"))


def _call(told: Mapping[str, object]) -> str:
    """A word for the call of a tool, the same when it asks and when it ends."""
    word = str(told.get("tool_use_id") or told.get("tool_name") or "")
    return "".join(char for char in word if char.isalnum() or char in "_-.")


def _answers(waits_for: str, told: Mapping[str, object]) -> bool:
    """Whether the end of this call is what was waited for; where that is not known, any is."""
    asked = waits_for.partition(" ")[2]
    return asked in {"", _call(told), _call({"tool_name": told.get("tool_name")})}


def _read(payload: bytes) -> dict[str, object]:
    """The hook's JSON object; {} for anything else."""
    import json

    try:
        found = json.loads(payload)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _remember(session: str, told: Mapping[str, object]) -> None:
    """The conversation that the agent is in now: `/clear` and resuming change it."""
    from hqt.sessions import world as worlds

    id = told.get("session_id")
    if not isinstance(id, str) or not id or told.get("agent_id"):
        return
    rows = worlds.rows()
    row = rows.get(session)
    if row and row.harness != "shell" and row.conversation != id:
        rows.update(session, conversation=id)


def _follow(session: str, pane: str, inside: str, told: Mapping[str, object]) -> None:
    """An agent that has gone to another worktree by a tool of its own (a plain `cd` is none):
    label, options and row go along."""
    from pathlib import Path

    from hqt.models import Caller
    from hqt.sessions import leading
    from hqt.sessions import world as worlds

    folder = told.get("cwd")
    if told.get("agent_id") or told.get("tool_name") not in _MOVES or not isinstance(folder, str):
        return
    row = worlds.rows().get(session)
    if row:
        place = Path(os.path.realpath(folder))
        caller = Caller(place, socket_path=inside.rsplit(",", 2)[0], pane=pane)
        with worlds.glancing(caller) as seen:
            world = worlds.of_project(caller, row.project, seen)
        leading.arrived(world, row, place)


def spoken() -> bytes:
    """What the hook passes on standard input; nothing where a person sits there."""
    if os.isatty(0):
        return b""
    parts = []
    while part := os.read(0, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def answer(event: str, told: list[str]) -> int:
    """`hqt agent EVENT [JSON]`, called in the agent's own environment; the exit status."""
    payload = os.fsencode(told[0]) if told else spoken()
    hear(event, payload, os.environ)
    return 0
