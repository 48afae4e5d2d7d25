"""The hooks that an agent is given: a file of hqt's own, which a real shell can run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helpers.calls import done, refused
from helpers.servers import Server, until
from helpers.stand_in import StandIn
from hqt import paths
from hqt.sessions import agent as agents
from hqt.sessions import hooks


def commands(event: str) -> list[str]:
    """What Claude Code would run for an event, by the file that it was given."""
    settings = json.loads(hooks.file().read_text())
    return [one["command"] for group in settings["hooks"][event] for one in group["hooks"]]


def test_every_event_has_a_meaning() -> None:
    known = {*agents.EVENTS, "Notification", "SessionStart"}
    assert set(hooks.content()["hooks"]) <= known


def test_the_file_is_the_users_alone_and_written_only_when_it_must(sealed: Path) -> None:
    place = hooks.file()
    assert place.is_relative_to(paths.state_dir())
    assert place.parent.stat().st_mode & 0o077 == 0
    before = place.stat().st_mtime_ns
    assert hooks.file().stat().st_mtime_ns == before
    place.write_text("{}")
    assert json.loads(hooks.file().read_text()) == hooks.content()
    assert [one.name for one in place.parent.iterdir()] == [place.name]
    assert not (sealed / ".claude").exists()


def test_an_agent_is_given_them_and_they_work(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", "-H", "stand-in", cwd=repo)
    [launch] = until(agent.launches)
    words: list[str] = launch["argv"]
    assert words[words.index("--settings") + 1] == str(hooks.file())
    # What the program itself has is what its hooks get.
    env: dict[str, str] = launch["environment"]

    def fire(event: str, **told: Any) -> list[subprocess.CompletedProcess[str]]:
        payload = json.dumps({"session_id": "abc", "hook_event_name": event, **told})
        ran = [
            subprocess.run(
                ["/bin/sh", "-c", command],
                input=payload,
                cwd=launch["cwd"],
                env=env,
                capture_output=True,
                text=True,
                check=False,
            )
            for command in commands(event)
        ]
        assert [(one.returncode, one.stderr) for one in ran] == [(0, "")] * len(ran)
        return ran

    def session() -> tuple[str, str]:
        [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
        return row["state"], row["conversation"]

    started = fire("SessionStart", source="startup")
    assert session() == ("idle", "abc")
    assert made["session"]["id"] in started[-1].stdout, "it is told where it is"
    assert fire("UserPromptSubmit", prompt="go")[-1].stdout == started[-1].stdout
    assert session()[0] == "working"
    fire("PermissionRequest", tool_name="Bash", tool_input={})
    assert session()[0] == "waiting"
    fire("PostToolUse", tool_name="Bash", tool_input={}, tool_response={})
    assert session()[0] == "working"
    tmux.cmd("set", "-g", "@hqt-worktree-dir", "~/elsewhere")
    assert "elsewhere" in fire("UserPromptSubmit", prompt="go")[-1].stdout, "in its current form"
    fire("Stop")
    assert session()[0] == "done"
    fire("SessionEnd", reason="other")
    assert session()[0] == "unknown"


def test_a_failure_of_what_it_is_told_is_visible(repo: Path, tmux: Server) -> None:
    tmux.cmd("set", "-g", "@hqt-from", "nowhere")
    env = {**os.environ, "TMUX": f"{tmux.ask('#{socket_path}')},{tmux.pid},0"}
    ran = subprocess.run(
        ["/bin/sh", "-c", commands("UserPromptSubmit")[-1]],
        cwd=repo,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "@hqt-from" in ran.stderr


@pytest.mark.usefixtures("agent")
def test_a_state_directory_that_cannot_be_written_makes_nothing(repo: Path, tmux: Server) -> None:
    paths.state_dir().mkdir(parents=True)
    (paths.state_dir() / "hooks").write_text("in the way")
    words = ("-L", tmux.socket, "new", "fix", "-d", "-H", "stand-in")
    assert refused(*words, cwd=repo)["code"] == "store_failed"
    assert not (repo / ".worktrees").exists()
