"""A stand-in for a coding agent: it behaves as the profiles describe, and tells what it was told.

Run as a program it pins or makes up an id, keeps a transcript by directory, resumes and forks,
refuses what the real ones refuse, and exits at once where `exit` in its home says so. Then it
reads lines: `clear` begins a new conversation, `exit` ends, anything else is said.

Imported, it installs itself for a test and reads what its launches left.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

PROFILES = """
[harness.stand-in]
program = {program}
start = ["--session-id", "{{conversation}}"]
prompt = ["--", "{{prompt}}"]
hooks = ["--settings", "{{hooks}}"]
resume = ["--resume", "{{conversation}}"]
fork = ["--resume", "{{conversation}}", "--fork-session", "--session-id", "{{new}}"]
conversation = "pinned"
follow = "transcript"
drop = ["STAND_IN_INSIDE"]
transcripts = {{ roots = ["$STAND_IN_HOME", "~/.stand-in"], files = "projects/{{slug}}/{{conversation}}.jsonl" }}

[harness.stand-in-captured]
program = {program}
prompt = ["--", "{{prompt}}"]
resume = ["--anywhere", "--resume", "{{conversation}}"]
conversation = "captured"
follow = "anywhere"
transcripts = {{ roots = ["$STAND_IN_HOME", "~/.stand-in"], files = "projects/*/{{conversation}}.jsonl", id = "sessionId", directory = "cwd" }}

[harness.stand-in-rooted]
program = {program}
start = ["--session-id", "{{conversation}}"]
prompt = ["--", "{{prompt}}"]
resume = ["--resume", "{{conversation}}"]
conversation = "pinned"
follow = "never"
transcripts = {{ roots = ["$STAND_IN_HOME", "~/.stand-in"], files = "projects/{{slug}}/{{conversation}}.jsonl" }}

[harness.stand-in-latest]
program = {program}
latest = ["--continue"]
conversation = "none"
"""  # noqa: E501 — an inline table of TOML has to be one line


@dataclass(frozen=True, slots=True)
class StandIn:
    """The stand-in, installed for a test."""

    home: Path  # where it keeps its transcripts
    program: Path

    def launches(self) -> list[dict[str, Any]]:
        """What each launch was told: argv, cwd, environment, conversation, resumed."""
        log = self.home / "launches.jsonl"
        if not log.exists():
            return []
        lines = log.read_text().split("\n")[:-1]  # what follows the last newline is being written
        return [json.loads(line) for line in lines]

    def said(self, directory: Path, conversation: str) -> list[str]:
        """What was said in a conversation that was held in `directory`."""
        lines = self.transcript(directory, conversation).read_text().splitlines()
        return [said for line in lines if (said := json.loads(line)["said"]) is not None]

    def transcript(self, directory: Path, conversation: str) -> Path:
        """Where a conversation held in `directory` is kept."""
        return self.home / "projects" / _slug(str(directory)) / f"{conversation}.jsonl"

    def exit_at_once(self, status: int | None) -> None:
        """From now on each launch ends at once with this status; None: no longer."""
        file = self.home / "exit"
        if status is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(str(status))


def install(home: Path, config_file: Path) -> StandIn:
    """Put the stand-in below `home` (the test's HOME) and its profiles into `config_file`."""
    program = home / "bin" / "stand in"  # a program may have a space in its path
    program.parent.mkdir(exist_ok=True)
    command = shlex.join([sys.executable, "-I", "-S", __file__])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o755)
    config_file.parent.mkdir(parents=True, exist_ok=True)
    with config_file.open("a") as file:
        file.write(PROFILES.format(program=json.dumps(str(program))))
    (home / ".stand-in").mkdir()
    return StandIn(home / ".stand-in", program)


def _slug(directory: str) -> str:
    # The real ones are written in JavaScript, where a character beyond 16 bits counts as two.
    return re.sub("[^a-zA-Z0-9]", lambda c: "-" * (1 + (c[0] > "\uffff")), directory)


def _fail(message: str) -> NoReturn:
    sys.exit(f"stand-in: {message}")


def _show(message: str) -> None:
    sys.stdout.write(f"stand-in {message}\n")
    sys.stdout.flush()


def _main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--session-id")
    parser.add_argument("--resume")
    parser.add_argument("--continue", dest="latest", action="store_true")
    parser.add_argument("--fork-session", action="store_true")
    parser.add_argument("--anywhere", action="store_true")
    parser.add_argument("--settings")
    parser.add_argument("prompt", nargs="?")
    told = parser.parse_args()
    home = Path(os.environ.get("STAND_IN_HOME") or Path.home() / ".stand-in")
    folder = home / "projects" / _slug(str(Path.cwd()))
    folder.mkdir(parents=True, exist_ok=True)

    old = None
    if told.resume:
        places = home.glob(f"projects/*/{told.resume}.jsonl") if told.anywhere else [folder]
        old = next((p if p.is_file() else p / f"{told.resume}.jsonl" for p in places), folder)
        if not old.is_file():
            _fail(f"No conversation found with session ID: {told.resume}")
    elif told.latest:
        old = max(folder.glob("*.jsonl"), key=lambda file: file.stat().st_mtime, default=None)
    if told.session_id and told.resume and not told.fork_session:
        _fail("--session-id with --resume needs --fork-session")
    if told.session_id and (folder / f"{told.session_id}.jsonl").exists():
        _fail(f"Session ID {told.session_id} is already in use")

    conversation = told.session_id or (old.stem if old else str(uuid.uuid4()))
    file = folder / f"{conversation}.jsonl"
    if old and told.fork_session:
        file.write_text(old.read_text())
    elif old:
        file = old

    with (home / "launches.jsonl").open("a") as log:
        launch = {
            "argv": sys.argv[1:],
            "cwd": str(Path.cwd()),
            "environment": dict(os.environ),
            "conversation": conversation,
            "resumed": old is not None,
        }
        log.write(json.dumps(launch) + "\n")
    ending = home / "exit"
    if ending.exists():
        sys.exit(int(ending.read_text()))

    def say(said: str | None) -> None:
        with file.open("a") as lines:
            line = {"sessionId": conversation, "cwd": str(Path.cwd()), "said": said}
            lines.write(json.dumps(line) + "\n")

    _show(f"{'resumed' if old else 'started'} {conversation}")
    # As the real ones, it writes nothing before something is said.
    if told.prompt is not None:
        say(told.prompt)
    for line in sys.stdin:
        if line == "exit\n":
            break
        if line == "clear\n":
            conversation = str(uuid.uuid4())
            file = folder / f"{conversation}.jsonl"
            _show(f"cleared {conversation}")
        else:
            say(line.rstrip("\n"))
            _show("heard")


if __name__ == "__main__":
    _main()
