"""What is started in a window, and which conversation comes back.

The flags of hqt's own profiles were read in the `--help` of these versions (and, for where their
transcripts lie and how ids are checked, in what the packages ship), each in an empty home without
a network; no agent was run:

    claude        2.1.197   npm @anthropic-ai/claude-code
    codex         0.171.0   npm @openai/codex
    gemini        0.61.0    npm @google/gemini-cli
    opencode      1.18.33   npm opencode-ai
    copilot       1.0.102   npm @github/copilot
    qwen          0.15.10   npm @qwen-code/qwen-code
    aider         0.86.2    PyPI aider-chat
    cursor-agent  not in a registry; from its public reference only

To read them again: HQT_REAL_HARNESSES=FOLDER, where FOLDER holds the installed programs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from helpers.harnesses import (
    FOLLOWS,
    HERE,
    ID,
    OTHER,
    OWN,
    argv,
    keep,
    profile,
    refused,
    run,
    write,
)
from helpers.stand_in import StandIn
from hqt.errors import Code, HqtError
from hqt.sessions import harness
from hqt.sessions.harness import Launch

REAL = os.environ.get("HQT_REAL_HARNESSES", "")  # read before the seal removes it
pytestmark = pytest.mark.usefixtures("programs")

START = {
    "shell": None,
    "claude": ["claude", "--session-id", ID],
    "codex": ["codex"],
    "gemini": ["gemini", f"--session-id={ID}"],
    "opencode": ["opencode"],
    "copilot": ["copilot", f"--session-id={ID}"],
    "cursor-agent": ["cursor-agent"],
    "qwen": ["qwen", f"--session-id={ID}"],
    "aider": ["aider"],
}
PROMPT = {
    "claude": ["--", "-p 'x'"],
    "codex": ["--", "-p 'x'"],
    "gemini": ["--prompt-interactive=-p 'x'"],
    "opencode": ["--prompt=-p 'x'"],
    "copilot": ["--interactive=-p 'x'"],
    "cursor-agent": ["--", "-p 'x'"],
    "qwen": ["--prompt-interactive=-p 'x'"],
    "aider": ["--message=-p 'x'"],
}
RESUME = {
    "claude": ["claude", "--resume", ID],
    "codex": ["codex", "resume", "--cd", str(HERE), ID],
    "gemini": ["gemini", f"--resume={ID}"],
    "opencode": ["opencode", f"--session={ID}"],
    "copilot": ["copilot", f"--resume={ID}"],
    "cursor-agent": ["cursor-agent", f"--resume={ID}"],
    "qwen": ["qwen", f"--resume={ID}"],
}
FORK = {
    "claude": ["claude", "--resume", ID, "--fork-session", "--session-id", "NEW"],
    "codex": ["codex", "fork", "--cd", str(HERE), ID],
    "opencode": ["opencode", f"--session={ID}", "--fork"],
}


@pytest.mark.parametrize("name", OWN)
def test_starting(name: str, programs: Path) -> None:
    launch = harness.start(profile(name), directory=HERE, conversation=ID)
    if name == "shell":
        assert launch == Launch(None, drop=launch.drop)
    else:
        assert argv(launch) == START[name]
        assert launch.argv is not None
        assert launch.argv[0] == str(programs / name)
    pinned = f"={ID}" in " ".join(START[name] or []) or ID in (START[name] or [])
    assert launch.conversation == (ID if pinned else None)
    assert not launch.resumed


@pytest.mark.parametrize("name", OWN[1:])
def test_starting_with_a_prompt_that_looks_like_an_option(name: str) -> None:
    launch = harness.start(profile(name), directory=HERE, conversation=ID, prompt="-p 'x'")
    assert argv(launch) == [*(START[name] or []), *PROMPT[name]]


@pytest.mark.parametrize("name", OWN[1:])
def test_resuming_exactly_where_there_is_a_transcript(name: str, sealed: Path) -> None:
    env = {"HOME": str(sealed)}

    def again(conversation: str | None) -> Launch | None:
        return harness.resume(profile(name), conversation, directory=HERE, alone=False, env=env)

    assert again(ID) is None, "nothing was said yet"
    keep(name, sealed, HERE, OTHER)
    assert again(ID) is None, "only a sibling spoke"
    assert again(None) is None
    keep(name, sealed, HERE, ID)
    if name in RESUME:
        launch = again(ID)
        assert argv(launch) == RESUME[name]
        assert launch is not None
        assert (launch.conversation, launch.resumed) == (ID, True)
    else:
        assert again(ID) is None


@pytest.mark.parametrize("name", OWN)
def test_the_latest_is_resumed_only_where_that_is_safe_and_nobody_else_claims_it(
    name: str, sealed: Path
) -> None:
    env = {"HOME": str(sealed)}
    keep(name, sealed, HERE, OTHER)

    def again(conversation: str | None, alone: bool) -> Launch | None:
        return harness.resume(profile(name), conversation, directory=HERE, alone=alone, env=env)

    if name == "aider":
        assert argv(again(None, alone=True)) == ["aider", "--restore-chat-history"]
        assert again(None, alone=False) is None
    elif name == "shell":
        assert again(None, alone=False) == Launch(None, drop=profile(name).drop, resumed=True)
    else:
        assert again(None, alone=True) is None
    if name != "shell":
        assert again(ID, alone=True) is None


@pytest.mark.parametrize("name", OWN[1:])
def test_forking(name: str, sealed: Path) -> None:
    env = {"HOME": str(sealed)}

    def child(directory: Path = HERE) -> Launch:
        return harness.fork(
            profile(name), ID, source=HERE, directory=directory, env=env, prompt="-p 'x'"
        )

    refused(child, Code.CANNOT_RESUME)
    keep(name, sealed, HERE, ID)
    if name not in FORK:
        error = refused(child, Code.CANNOT_RESUME)
        assert "cannot fork" in error.message
        assert f"with fork in [harness.{name}]" in error.remedy
        return
    launch = child()
    new = launch.conversation or ""
    assert argv(launch) == [w if w != "NEW" else new for w in FORK[name]] + PROMPT[name]
    assert new != ID
    assert not launch.resumed
    if name in FOLLOWS:
        child(Path("/r/app"))
    else:
        error = refused(lambda: child(Path("/r/app")), Code.CANNOT_RESUME)
        assert f"with follow in [harness.{name}]" in error.remedy


def test_no_window_inherits_the_variables_of_whichever_agent_is_outside() -> None:
    for name in OWN:
        drop = profile(name).drop
        assert {"CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "QWEN_CODE", "OPENCODE"} <= set(drop)
        assert not {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "PATH", "HOME"} & set(drop)


def test_claude_is_given_hooks_in_a_file_of_hqts_own(sealed: Path) -> None:
    hooks = sealed / "hooks.json"
    launch = harness.start(profile("claude"), directory=HERE, conversation=ID, hooks=hooks)
    assert argv(launch) == ["claude", "--settings", str(hooks), "--session-id", ID]
    assert argv(harness.start(profile("codex"), directory=HERE, hooks=hooks)) == ["codex"]


def test_a_program_that_is_not_installed_is_an_error_before_anything_is_made(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(sealed))
    for attempt in (
        lambda: harness.find_program(profile("claude")),
        lambda: harness.start(profile("claude"), directory=HERE),
    ):
        error = refused(attempt, Code.CONFIG_INVALID)
        assert "program claude" in error.message
        assert "[harness.claude]" in error.remedy
    assert harness.find_program(profile("shell")) is None


def test_a_harness_nobody_knows_is_answered_with_those_that_are_known() -> None:
    error = refused(lambda: profile("claud"), Code.CONFIG_INVALID)
    assert "shell, claude" in error.remedy


def test_the_shell_takes_no_prompt() -> None:
    error = refused(lambda: harness.start(profile("shell"), directory=HERE, prompt="x"), Code.USAGE)
    assert "shell takes no prompt" in error.message
    assert harness.start(profile("shell"), directory=HERE, prompt="").argv is None


@pytest.mark.skipif(not REAL, reason="HQT_REAL_HARNESSES names no folder of installed programs")
@pytest.mark.parametrize("name", OWN[1:])
def test_the_real_program_knows_every_flag(name: str, sealed: Path) -> None:
    program = Path(REAL, name)
    if not program.exists():
        pytest.skip(f"{name} is not in {REAL}")

    def knows(*command: str) -> str:
        done = subprocess.run(
            [program, *command, "--help"],
            cwd=sealed,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout + done.stderr

    found = profile(name)
    for words in (found.start, found.prompt, found.hooks, found.resume, found.fork, found.latest):
        command = [word for word in (words or ())[:1] if word in ("resume", "fork")]
        text = knows(*command) if words else ""
        for word in words or ():
            if word.startswith("-") and word != "--":
                flag = word.partition("=")[0]
                assert re.search(rf"(?<![\w-]){flag}(?![\w-])", text), (flag, text)


PROMPTS = [
    "--version",
    "-",
    "--",
    "say \"no\" to 'quotes' `and` $(this) \\ ; # {conversation} {prompt}",
    "two\nlines\n\ttabbed\r\n",
    "ünïcödé 修复 💡 e\u0301",
    "\udcff bytes \udc80",
    "x" * (100 << 10),
    "é" * (60 << 10),
]


@pytest.mark.parametrize("prompt", PROMPTS, ids=range(len(PROMPTS)))
def test_a_prompt_arrives_as_it_was_written(prompt: str, agent: StandIn, sealed: Path) -> None:
    launch = harness.start(profile("stand-in"), directory=sealed, prompt=prompt)
    run(launch, sealed)
    assert launch.conversation is not None
    assert agent.said(sealed, launch.conversation) == [prompt]


def too_long(name: str, prompt: str) -> HqtError:
    return refused(lambda: harness.start(profile(name), directory=HERE, prompt=prompt), Code.USAGE)


def test_a_prompt_too_long_for_an_argument_goes_by_file_or_is_refused() -> None:
    prompt = "é\n" * (64 << 10)
    for name in OWN[1:-1]:
        error = too_long(name, prompt)
        assert "192" in error.message
    _, word = argv(harness.start(profile("aider"), directory=HERE, prompt=prompt))
    file = Path(word.removeprefix("--message-file="))
    assert file.read_text() == prompt
    assert file.stat().st_mode & 0o077 == 0
    os.utime(file, (0, 0))
    harness.start(profile("aider"), directory=HERE, prompt=prompt)
    assert not file.exists()


def test_a_prompt_with_a_nul_is_refused() -> None:
    refused(lambda: harness.start(profile("claude"), directory=HERE, prompt="a\0b"), Code.USAGE)


def test_a_conversation_goes_on_after_its_window_is_gone(agent: StandIn, sealed: Path) -> None:
    env = dict(os.environ)
    found = profile("stand-in")
    first = harness.start(found, directory=sealed, prompt="begin")
    run(first, sealed, "more\n")
    again = harness.resume(found, first.conversation, directory=sealed, alone=True, env=env)
    assert f"resumed {first.conversation}" in run(again, sealed, "and more\n")
    assert agent.said(sealed, first.conversation or "") == ["begin", "more", "and more"]


def test_a_conversation_in_which_nothing_was_said_starts_afresh_with_its_id(
    agent: StandIn, sealed: Path
) -> None:
    found = profile("stand-in")
    first = harness.start(found, directory=sealed)
    run(first, sealed)
    id = first.conversation
    assert harness.resume(found, id, directory=sealed, alone=True, env=dict(os.environ)) is None
    second = harness.start(found, directory=sealed, conversation=id, prompt="now")
    run(second, sealed)
    assert [one["conversation"] for one in agent.launches()] == [id, id]
    assert agent.said(sealed, id or "") == ["now"]


def test_a_fork_leaves_the_parent_as_it_was(agent: StandIn, sealed: Path) -> None:
    env = dict(os.environ)
    found = profile("stand-in")
    parent = harness.start(found, directory=sealed, prompt="parent")
    run(parent, sealed)
    child = harness.fork(
        found, parent.conversation, source=sealed, directory=sealed, env=env, prompt="child"
    )
    run(child, sealed)
    assert agent.said(sealed, parent.conversation or "") == ["parent"]
    assert agent.said(sealed, child.conversation or "") == ["parent", "child"]


def test_the_latest_is_that_of_the_directory(agent: StandIn, sealed: Path) -> None:
    env = dict(os.environ)
    found = profile("stand-in-latest")
    write(agent.transcript(sealed, ID), json.dumps({"said": "before"}) + "\n")
    again = harness.resume(found, None, directory=sealed, alone=True, env=env)
    assert f"resumed {ID}" in run(again, sealed)


def test_the_stand_in_ends_at_once_when_it_is_told_to(agent: StandIn, sealed: Path) -> None:
    agent.exit_at_once(3)
    launch = harness.start(profile("stand-in"), directory=sealed)
    assert launch.argv is not None
    assert subprocess.run(launch.argv, cwd=sealed, check=False).returncode == 3
    agent.exit_at_once(None)
    assert "started" in run(harness.start(profile("stand-in"), directory=sealed), sealed)


def test_the_stand_in_refuses_what_the_real_ones_refuse(agent: StandIn, sealed: Path) -> None:
    write(agent.transcript(sealed, ID))
    for words in (
        ["--resume", OTHER],
        ["--session-id", ID],
        ["--resume", ID, "--session-id", OTHER],
    ):
        done = subprocess.run([agent.program, *words], cwd=sealed, capture_output=True, check=False)
        assert done.returncode == 1
