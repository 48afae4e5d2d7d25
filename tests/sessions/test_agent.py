"""`hqt agent EVENT`: what hooks report becomes the state of a pane, a window and a session."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import terminal
from helpers.calls import PYTHON, done
from helpers.servers import Server, until
from hqt import itself
from hqt.sessions import agent as agents
from hqt.sessions import world as worlds
from hqt.tmux import agent_states, quick

Report = Callable[..., None]


def environment(tmux: Server, pane: str, session: str = "s1") -> dict[str, str]:
    """What a hook finds in its environment in a pane of hqt."""
    socket = tmux.ask("#{socket_path}")
    return {"TMUX": f"{socket},{tmux.pid},0", "TMUX_PANE": pane, "HQT_SESSION": session}


@pytest.fixture
def pane(tmux: Server) -> str:
    """A pane whose window nobody looks at."""
    return tmux.cmd("new-window", "-dP", "-F", "#{pane_id}", "sleep 1000")


@pytest.fixture
def report(tmux: Server, pane: str) -> Report:
    """An agent's hook in that pane."""
    env = environment(tmux, pane)

    def call(event: str, **told: object) -> None:
        agents.hear(event, json.dumps(told).encode(), env)

    return call


def state(tmux: Server, pane: str) -> str:
    """The pane's, which is its window's too."""
    own = tmux.ask("#{@hqt_agent}", pane)
    assert tmux.ask("#{@hqt_state}", pane) == own
    return own


@pytest.mark.parametrize(
    ("event", "told", "expected"),
    [
        ("SessionStart", {"source": "startup"}, "idle"),
        ("SessionStart", {"source": "resume"}, "idle"),
        ("SessionStart", {"source": "clear"}, "idle"),
        ("SessionStart", {"source": "compact"}, "unknown"),
        ("UserPromptSubmit", {"prompt": "go"}, "working"),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {}}, "working"),
        ("PreToolUse", {"tool_name": "AskUserQuestion", "tool_input": {}}, "waiting"),
        ("PostToolUse", {"tool_name": "Bash"}, "working"),
        ("PermissionRequest", {"tool_name": "Bash"}, "waiting"),
        ("Notification", {"notification_type": "permission_prompt"}, "waiting"),
        ("Notification", {"notification_type": "elicitation_dialog"}, "waiting"),
        ("Notification", {"notification_type": "ToolPermission"}, "waiting"),
        ("Notification", {"notification_type": "auth_success"}, "unknown"),
        ("Notification", {}, "unknown"),
        ("Stop", {}, "done"),
        ("StopFailure", {"error": "rate_limit"}, "error"),
        ("SessionEnd", {"reason": "other"}, ""),
        ("BeforeAgent", {}, "working"),
        ("AfterAgent", {}, "done"),
        ("agent-turn-complete", {}, "done"),
        ("session.idle", {}, "done"),
        ("permission.asked", {}, "waiting"),
        ("waiting", {}, "waiting"),
        ("gone", {}, ""),
        ("SomethingNew", {}, "unknown"),
    ],
)
def test_what_an_event_says(
    tmux: Server, pane: str, report: Report, event: str, told: dict[str, Any], expected: str
) -> None:
    report("unknown")
    report(event, **told)
    assert state(tmux, pane) == expected


@pytest.mark.parametrize("missing", ["TMUX", "TMUX_PANE", "HQT_SESSION"])
def test_outside_a_session_of_hqt_nothing_happens(tmux: Server, pane: str, missing: str) -> None:
    env = {k: v for k, v in environment(tmux, pane).items() if k != missing}
    agents.hear("Stop", b"{}", env)
    assert state(tmux, pane) == ""


@pytest.mark.parametrize("payload", [b"", b"no JSON", b"[1]", b'{"source": 1}', b"\xff\xfe"])
def test_a_payload_that_is_none_does_no_harm(tmux: Server, pane: str, payload: bytes) -> None:
    env = environment(tmux, pane)
    agents.hear("UserPromptSubmit", payload, env)
    assert state(tmux, pane) == "working"
    agents.hear("SessionStart", payload, env)
    assert state(tmux, pane) == "working"


def test_subagents_do_not_count(tmux: Server, pane: str, report: Report) -> None:
    report("UserPromptSubmit")
    for event in ("Stop", "PermissionRequest", "PreToolUse", "Notification"):
        report(event, agent_id="a1", tool_name="Bash", notification_type="permission_prompt")
    assert state(tmux, pane) == "working"
    report("Stop", last_assistant_message='it said "agent_id" in passing')
    assert state(tmux, pane) == "done", "only the key itself makes one"
    report("PreToolUse", tool_name="Send", tool_input={"agent_id": "a1"})
    assert state(tmux, pane) == "working", "and only at the top"


def test_waiting_stays_until_answered(tmux: Server, pane: str, report: Report) -> None:
    report("UserPromptSubmit")
    report("PermissionRequest", tool_name="Bash", tool_use_id="t1", tool_input={"command": "x"})
    for _ in range(2):
        report("PreToolUse", tool_name="Read", tool_use_id="t2")  # side by side with the other
        report("PostToolUse", tool_name="Read", tool_use_id="t2")
        report("Notification", notification_type="permission_prompt")
        report("Notification", notification_type="idle_prompt")
        assert state(tmux, pane) == "waiting"
    tmux.cmd("select-window", "-t", tmux.ask("#{window_id}", pane))
    assert state(tmux, pane) == "waiting", "it is not enough to look at it"
    report("PostToolUse", tool_name="Bash", tool_use_id="t1")
    assert state(tmux, pane) == "working"


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "SessionEnd", "PermissionDenied"])
def test_other_answers(tmux: Server, pane: str, report: Report, event: str) -> None:
    report("PermissionRequest", tool_name="Bash")
    report(event)
    assert state(tmux, pane) == agents.EVENTS[event]


def test_where_it_is_unknown_what_was_asked_any_end_is_an_answer(
    tmux: Server, pane: str, report: Report
) -> None:
    report("Notification", notification_type="permission_prompt")
    report("PostToolUse", tool_name="Bash", tool_use_id="t1")
    assert state(tmux, pane) == "working"
    report("PermissionRequest", tool_name="Bash")  # an older one, that gives no id
    report("PostToolUse", tool_name="Bash", tool_use_id="t1")
    assert state(tmux, pane) == "working"


def test_what_begins_later_shows_that_it_was_answered(
    tmux: Server, pane: str, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal with a word of advice fires nothing; the agent goes on with another call."""
    report("PermissionRequest", tool_name="Bash", tool_use_id="t1")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 10)
    report("PreToolUse", tool_name="Read", tool_use_id="t2")
    assert state(tmux, pane) == "working"


def test_done_stays_until_seen(tmux: Server, pane: str, report: Report) -> None:
    report("UserPromptSubmit")
    report("Stop")
    assert state(tmux, pane) == "done"
    tmux.cmd("select-window", "-t", tmux.ask("#{window_id}", pane))
    assert until(lambda: state(tmux, pane) == "idle")
    tmux.cmd("select-window", "-t", "@0")
    report("Notification", notification_type="idle_prompt")
    assert state(tmux, pane) == "idle", "it was seen already"


def test_done_in_front_of_somebody_is_seen(sealed: Path) -> None:
    with terminal.opened(cwd=sealed) as person:
        env = environment(person.server, "%0")
        agents.hear("UserPromptSubmit", b"{}", env)
        agents.hear("Stop", b"{}", env)
        assert state(person.server, "%0") == "idle"
        other = person.server.cmd("new-window", "-dP", "-F", "#{pane_id}", "sleep 1000")
        agents.hear("Stop", b"{}", environment(person.server, other))
        assert state(person.server, other) == "done"
        person.press("C-b", "n")
        assert until(lambda: state(person.server, other) == "idle")


def test_several_panes_show_the_most_urgent_and_are_seen_together(
    tmux: Server, pane: str, report: Report
) -> None:
    second = tmux.cmd("split-window", "-dP", "-F", "#{pane_id}", "-t", pane, "sleep 1000")
    env = environment(tmux, second)
    report("Stop")
    agents.hear("UserPromptSubmit", b"{}", env)
    assert tmux.ask("#{@hqt_state}", pane) == "done"
    tmux.cmd("select-window", "-t", tmux.ask("#{window_id}", pane))
    assert until(lambda: tmux.ask("#{@hqt_state}", pane) == "working")
    assert tmux.ask("#{@hqt_agent}", pane) == "idle"
    agents.hear("Stop", b"{}", env)
    report("PermissionRequest")
    assert tmux.ask("#{@hqt_state}", second) == "waiting"


def title(tmux: Server, pane: str, text: str) -> None:
    """As the program sets it, one title after the other."""
    Path(tmux.ask("#{pane_tty}", pane)).write_text(f"\x1b]2;{text}\x07")
    assert until(lambda: tmux.ask("#{pane_title}", pane) == text)


@pytest.mark.parametrize("spinner", ["⠂⠐", "◐◓", "⠋⠙"])
def test_an_interrupted_agent_does_not_stay_working(
    tmux: Server, pane: str, report: Report, spinner: str
) -> None:
    title(tmux, pane, "✳ Fix the login")
    report("UserPromptSubmit")
    title(tmux, pane, "✳ Fix the logout")
    assert state(tmux, pane) == "working", "not before it has begun to spin"
    for sign in spinner:
        title(tmux, pane, f"{sign} Fix the login")
    assert state(tmux, pane) == "working"
    title(tmux, pane, "✳ Fix the login")
    assert until(lambda: state(tmux, pane) == "idle")
    report("UserPromptSubmit")
    title(tmux, pane, f"{spinner[0]} Fix it")
    report("PermissionRequest")
    title(tmux, pane, "✳ Fix it")
    assert state(tmux, pane) == "waiting"
    report("SessionEnd")
    title(tmux, pane, f"{spinner[0]} ✳")
    assert tmux.option("@hqt_spins", "-p", "-t", pane) is None


def test_an_agent_that_says_nothing_in_its_title_rests_when_it_says_so(
    tmux: Server, pane: str, report: Report
) -> None:
    report("UserPromptSubmit")
    report("Notification", notification_type="idle_prompt")
    assert state(tmux, pane) == "done"


def test_titles_of_other_panes_cost_nothing(tmux: Server, pane: str, report: Report) -> None:
    report("UserPromptSubmit")
    hook = f"{agent_states.TITLE_HOOK}[{agent_states.HOOK}]"
    assert hook in tmux.cmd("show-hooks", "-p", "-t", pane)
    assert hook not in tmux.cmd("show-hooks", "-p", "-t", "%0")
    assert hook not in tmux.cmd("show-hooks", "-gw")
    report("SessionEnd")
    assert hook not in tmux.cmd("show-hooks", "-p", "-t", pane)


def test_a_title_is_data(tmux: Server, pane: str, report: Report, sealed: Path) -> None:
    report("UserPromptSubmit")
    for text in ("⠂ #(touch X)", "}#{pane_id},#(touch X)", "✳ a,b}", "'; run-shell 'touch X"):
        Path(tmux.ask("#{pane_tty}", pane)).write_text(f"\x1b]2;{text}\x07")
        title(tmux, pane, "seen")  # and so was the one before it
    report("Stop")
    assert state(tmux, pane) == "done"
    assert not list(sealed.rglob("X"))


def test_a_server_that_is_gone_or_hangs(tmux: Server, pane: str, sealed: Path) -> None:
    env = {**environment(tmux, pane), "TMUX": f"{sealed}/none,1,0"}
    agents.hear("Stop", b"{}", env)
    os.kill(tmux.pid, 19)
    try:
        began = time.monotonic()
        inside = f"{sealed}/tmux/tmux-{os.getuid()}/{tmux.socket},1,0"
        assert quick.ask(inside, ["display-message", "-p", "x"], timeout=0.2) == ""
        assert time.monotonic() - began < 2
    finally:
        os.kill(tmux.pid, 18)
    assert quick.ask(environment(tmux, pane)["TMUX"], ["display-message", "-p", "x"]) == "x"


def test_a_fault_is_logged_and_the_agent_goes_on(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hqt import paths

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(quick, "ask", broken)
    report("Stop")
    assert "ZeroDivisionError" in paths.log_file().read_text()


@pytest.mark.usefixtures("agent")
def test_the_latest_conversation_is_remembered(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", "-H", "stand-in", cwd=repo)
    first, id = made["session"]["conversation"], made["session"]["id"]
    pane = tmux.ask("#{pane_id}", made["window"])
    env = environment(tmux, pane, id)

    def told(event: str, **more: str) -> None:
        agents.hear(event, json.dumps(more).encode(), env)

    told("UserPromptSubmit", session_id="not-yet")
    assert worlds.rows().get(id).conversation == first  # type: ignore[union-attr]  # it is there
    told("SessionStart", source="startup", session_id=first)
    told("SessionStart", source="clear", session_id="second")
    told("SessionStart", source="startup", session_id="sub", agent_id="a1")
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert (row["conversation"], row["state"]) == ("second", "idle")


def test_a_shell_has_no_conversation(repo: Path, tmux: Server) -> None:
    """Whoever starts an agent by hand in it still sees its state."""
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    pane, id = tmux.ask("#{pane_id}", made["window"]), made["session"]["id"]
    payload = b'{"source": "startup", "session_id": "abc"}'
    agents.hear("SessionStart", payload, environment(tmux, pane, id))
    agents.hear("PermissionRequest", b"{}", environment(tmux, pane, id))
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert (row["conversation"], row["state"]) == (None, "waiting")


def test_as_a_hook_calls_it(tmux: Server, pane: str) -> None:
    """In a process of its own, the payload on standard input or, as Codex does, as an argument."""
    env = {**os.environ, **environment(tmux, pane)}
    call = [*itself.own_words(bare=True), "agent"]
    ran = subprocess.run([*call, "Stop"], input=b"{}", env=env, capture_output=True, check=True)
    assert (ran.stdout, ran.stderr) == (b"", b"")
    assert state(tmux, pane) == "done"
    told = '{"agent_id": "a1"}'
    subprocess.run([*call, "PermissionRequest", told], env=env, check=True)
    assert state(tmux, pane) == "done"
    long_way = [sys.executable, "-m", "hqt", "-C", "/", "agent", "working"]
    subprocess.run(long_way, input=b"", env={**env, "PYTHONPATH": str(PYTHON)}, check=True)
    assert state(tmux, pane) == "working"


def test_it_loads_next_to_nothing_and_is_quick(tmux: Server, pane: str) -> None:
    env = {**os.environ, **environment(tmux, pane)}
    look = "import sys\nbefore = set(sys.modules)\n" + itself.own_words(bare=True)[-2].replace(
        "sys.exit(main())", "main()\nprint(*sorted(set(sys.modules) - before))"
    )
    words = [*itself.own_words(bare=True)[:-2], look, str(PYTHON), "agent", "PostToolUse"]
    ran = subprocess.run(words, input="{}", env=env, capture_output=True, check=True, text=True)
    assert not {"click", "libtmux", "json", "re", "subprocess", "dataclasses", "enum"} & set(
        ran.stdout.split()
    )
    call = [*itself.own_words(bare=True), "agent"]
    bare = [*itself.own_words(bare=True)[:-2], "pass"]
    over = []
    for number in range(10):
        times = []
        for command in ([*call, ("Stop", "PreToolUse")[number % 2]], bare):
            began = time.perf_counter()
            subprocess.run(command, input=b"{}", env=env, check=True)
            times.append(time.perf_counter() - began)
        over.append(times[0] - times[1])
    assert statistics.median(over) < 0.06, "seconds over an empty Python; 5 of them are tmux's"
