"""Scenes that a person's tests begin with, made without keys since they are not what is tested."""

from __future__ import annotations

from pathlib import Path

from helpers.calls import done
from helpers.servers import until
from helpers.terminal import Terminal


def session(person: Terminal, name: str, *arguments: str, cwd: Path | None = None) -> Path:
    """A session of that name, in whose window the person is then; its worktree's path."""
    call = ("-L", person.server.socket, "--client", person.client, "new", name, "--switch")
    made = done(*call, *arguments, cwd=cwd or Path.home() / "project")
    assert until(lambda: person.ask("#{window_id}") == made["window"])
    assert until(lambda: person.ask("#{pane_current_command}") == "bash"), "its shell is there"
    person.see("$")
    return Path(made["worktree"]["path"] if made["worktree"] else made["source"])
