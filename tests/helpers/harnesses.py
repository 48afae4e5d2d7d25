"""hqt's own harnesses as tests meet them: their names, and what the real programs keep."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hqt import paths
from hqt.errors import Code, HqtError
from hqt.sessions import profiles, transcripts
from hqt.sessions.harness import Launch
from hqt.sessions.profiles import Profile

OWN = tuple("shell claude codex gemini opencode copilot cursor-agent qwen aider".split())
ID = "01234567-89ab-4cde-8f01-23456789abcd"
OTHER = "11111111-2222-4333-8444-555555555555"
HERE = Path("/r/app/.worktrees/fix#it")
FOLLOWS = {"shell": "anywhere", "claude": "transcript", "codex": "anywhere"}


def profile(name: str) -> Profile:
    """The profile called `name`, hqt's own or of the test's config.toml."""
    return profiles.named(name, paths.config_file())


def refused(attempt: Callable[[], object], code: Code) -> HqtError:
    """The error that `attempt` raises; fails unless it has this code and both its sentences."""
    with pytest.raises(HqtError) as caught:
        attempt()
    assert caught.value.code is code
    assert caught.value.message.endswith(".")
    assert caught.value.remedy.endswith(".")
    return caught.value


def argv(launch: Launch | None) -> list[str]:
    """A launch's command line, with the program's name for its absolute path."""
    assert launch is not None
    assert launch.argv is not None
    program, *words = launch.argv
    assert Path(program).is_absolute()
    return [Path(program).name, *words]


def write(file: Path, text: str = "{}\n") -> Path:
    """Make a file with its folders."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def run(launch: Launch | None, cwd: Path, typed: str = "") -> str:
    """Run a launch to its end as a pane would, and return what it printed."""
    assert launch is not None
    assert launch.argv is not None
    env = {name: value for name, value in os.environ.items() if name not in launch.drop}
    env.update(launch.environment)
    done = subprocess.run(
        launch.argv, cwd=cwd, env=env, input=typed, capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def keep(name: str, home: Path, directory: Path, conversation: str, at: float = 0) -> None:
    """Write a conversation down as the real program would."""
    dashes = "-r-app--worktrees-fix-it" if directory == HERE else transcripts.slug(directory)
    match name:
        case "claude":
            write(home / f".claude/projects/{dashes}/{conversation}.jsonl")
        case "codex":
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S.250Z", time.gmtime(at))
            meta = {"id": conversation, "cwd": str(directory)}
            head = json.dumps({"timestamp": stamp, "type": "session_meta", "payload": meta})
            file = f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{conversation}.jsonl"
            write(home / file, head + "\n{}\n")
        case "gemini":
            chats = home / ".gemini/tmp" / directory.name.replace("#", "-")
            write(chats / ".project_root", str(directory))
            head = json.dumps({"sessionId": conversation, "startTime": "2026-01-02T03:04:05Z"})
            file = f"session-2026-01-02T03-04-{conversation[:8]}.jsonl"
            write(chats / "chats" / file, head + "\n")
        case "opencode":
            folder = home / ".local/share/opencode"
            folder.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(folder / "opencode.db")) as database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS session (id, directory, time_created, parent_id)"
                )
                row = (conversation, str(directory), int(at * 1000))
                database.execute("INSERT INTO session VALUES (?, ?, ?, NULL)", row)
                child = (f"{conversation}-child", str(directory), int(at * 1000), conversation)
                database.execute("INSERT INTO session VALUES (?, ?, ?, ?)", child)
                database.commit()
        case "copilot":
            write(home / f".copilot/session-state/{conversation}/events.jsonl")
        case "cursor-agent":
            write(home / f".cursor/chats/0123456789abcdef/{conversation}/store.db")
        case "qwen":
            write(home / f".qwen/projects/{dashes}/chats/{conversation}.jsonl")
