"""The one that talks to tmux."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from helpers import servers
from helpers.hostile import NAMES
from helpers.servers import Server
from hqt.errors import Code, HqtError
from hqt.tmux import server
from hqt.tmux.server import Tmux


def test_flags_come_before_the_environment_and_that_before_the_default() -> None:
    environ = {"TMUX": "/tmp/a,b/sock,123,4"}

    def connect(name: str | None, path: str | None, **env: str) -> tuple[str | None, str | None]:
        tmux = server.connect(socket_name=name, socket_path=path, environ=env)
        return tmux.socket_name, tmux.socket_path

    assert connect("name", None, **environ) == ("name", None)
    assert connect(None, "/p", **environ) == (None, "/p")
    assert connect("name", "/p", **environ) == (None, "/p")
    assert connect(None, None, **environ) == (None, "/tmp/a,b/sock")
    assert connect(None, None, TMUX="") == (None, None)
    assert connect(None, None) == (None, None)


@pytest.mark.parametrize("text", NAMES)
def test_every_word_arrives_byte_for_byte(tmux: Server, sealed: Path, text: str) -> None:
    tmux.tmux.run(["set-option", "-s", "@a", text], ["set-option", "-s", "@b", "after"])

    assert tmux.option("@a", "-s") == text
    assert tmux.option("@b", "-s") == "after"
    assert not (sealed / "X").exists()


@pytest.mark.parametrize("text", NAMES)
def test_so_it_does_in_a_batch_too_long_for_one_message(tmux: Server, text: str) -> None:
    filler = "x" * 20_000
    tmux.tmux.run(
        ["set-option", "-s", "@big", filler],
        ["set-option", "-s", "@a", text],
        ["set-option", "-s", "@b", "after"],
    )

    assert tmux.option("@a", "-s") == text
    assert tmux.option("@b", "-s") == "after"
    assert tmux.option("@big", "-s") == filler


@pytest.mark.parametrize("filler", ["", "x" * 20_000])
def test_a_failing_command_stops_its_batch_and_tells_tmux_words(tmux: Server, filler: str) -> None:
    with pytest.raises(HqtError) as caught:
        tmux.tmux.run(
            ["set-option", "-s", "@before", filler],
            ["kill-window", "-t", "@999"],
            ["set-option", "-s", "@after", "x"],
        )

    assert caught.value.code is Code.TMUX_UNAVAILABLE
    assert "can't find window: @999" in caught.value.message
    assert tmux.option("@after", "-s") is None


@pytest.mark.parametrize("text", [*NAMES, "\n\n", "a\n", "\udcff"])
def test_a_read_answers_as_libtmux_does(tmux: Server, text: str) -> None:
    tmux.cmd("set-option", "-s", "@a", text)
    for command in (
        ["display-message", "-p", "#{@a}"],
        ["show-options", "-sv", "@a"],
        ["display-message", "-p", ""],
        ["show-options", "-t", "@999", text],
        ["list-panes", "-a", "-F", "#{pane_id}"],
    ):
        assert tmux.tmux.look(command) == tmux.tmux.ask(command)
    path = Tmux(socket_path=tmux.ask("#{socket_path}"))
    assert path.look(["list-panes", "-a"]) == path.ask(["list-panes", "-a"])


def test_nobody_at_the_socket(sealed: Path) -> None:
    nobody = Tmux(socket_name="nobody")

    assert not nobody.alive()
    for call in (lambda: nobody.run(["list-sessions"]), lambda: server.read(nobody)):
        with pytest.raises(HqtError) as caught:
            call()
        assert caught.value.code is Code.TMUX_UNAVAILABLE
        assert "nobody" in caught.value.message
        assert caught.value.remedy
    (sealed / "file").write_text("not a socket")
    for place in ("file", "file/below", "no/where", "line\nbreak"):
        path = Tmux(socket_path=str(sealed / place))
        assert not path.alive()
        assert path.ask(["list-sessions"]).nobody


def test_a_socket_that_may_not_be_used_is_not_nobody() -> None:
    refused = "error connecting to /tmp/x (Permission denied)"

    assert not server.Answer(1, [], refused).nobody
    assert refused in str(Tmux().failure(server.Answer(1, [], refused), "list-panes"))


def test_no_tmux_on_this_machine(monkeypatch: pytest.MonkeyPatch, sealed: Path) -> None:
    monkeypatch.setenv("PATH", str(sealed))
    for missing in (Tmux(), Tmux(executable="/nowhere/tmux")):
        with pytest.raises(HqtError) as caught:
            missing.alive()
        assert caught.value.code is Code.TMUX_UNAVAILABLE
        assert "Install tmux" in caught.value.remedy


WAYS = pytest.mark.parametrize("way", ["ask", "look"])


@WAYS
def test_a_server_that_hangs_is_not_waited_for(tmux: Server, way: str) -> None:
    hurried = Tmux(socket_name=tmux.socket, timeout=0.3)
    os.kill(tmux.pid, signal.SIGSTOP)
    begun = time.monotonic()

    with pytest.raises(HqtError) as caught:
        getattr(hurried, way)(["list-sessions"])

    assert caught.value.code is Code.TIMEOUT
    assert time.monotonic() - begun < 3
    assert not _clients()


@WAYS
def test_an_interrupted_call_leaves_no_client(tmux: Server, way: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    os.kill(tmux.pid, signal.SIGSTOP)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            getattr(tmux.tmux, way)(["list-sessions"])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not _clients()


def _clients() -> list[str]:
    from hqt import processes

    return [
        one.name
        for one in processes.running().values()
        if one.parent == os.getpid() and one.name.startswith("tmux")
    ]


def test_a_client_that_is_only_being_started_is_ended_too(
    tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no process id yet when the call is given up."""
    given_up, started = threading.Event(), list[subprocess.Popen[str]]()
    real = vars(subprocess.Popen)["_execute_child"]

    def late(popen: subprocess.Popen[str], *arguments: object) -> None:
        given_up.wait(5)
        real(popen, *arguments)
        started.append(popen)

    def looking(arguments: list[str]) -> list[subprocess.Popen[str]]:
        found = clients(arguments)
        given_up.set()
        return found

    clients = server._clients
    monkeypatch.setattr(subprocess.Popen, "_execute_child", late)
    monkeypatch.setattr(server, "_clients", looking)
    os.kill(tmux.pid, signal.SIGSTOP)
    try:
        with pytest.raises(HqtError) as error:
            Tmux(socket_name=tmux.socket, timeout=0.05).run(["list-sessions"])
    finally:
        os.kill(tmux.pid, signal.SIGCONT)
    assert error.value.code is Code.TIMEOUT
    assert servers.until(lambda: [one.returncode for one in started]) == [-signal.SIGKILL]


def test_a_living_server(tmux: Server) -> None:
    assert tmux.tmux.alive()


def test_a_folder_that_was_removed_under_the_caller_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, tmux: Server, sealed: Path
) -> None:
    (sealed / "gone").mkdir()
    monkeypatch.chdir(sealed / "gone")
    (sealed / "gone").rmdir()

    assert tmux.tmux.alive()
    assert len(server.read(tmux.tmux).panes) == 1


def test_the_locale_does_not_matter(monkeypatch: pytest.MonkeyPatch, tmux: Server) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    tmux.tmux.run(["rename-window", "-t", "@0", "⎇ größe"])

    [pane] = server.read(tmux.tmux).panes
    assert pane.window_name == "⎇ größe"


@pytest.mark.parametrize(
    "name",
    rb"plain|#(touch X)|back\slash|$HOME|\377| blanks ".split(b"|")
    + b"line\nbreak/carriage\rreturn/tab\there/ctl\x01/bad\xff".split(b"/")
    + ["größe⎇".encode()],
)
def test_a_path_is_read_byte_for_byte(tmux: Server, sealed: Path, name: bytes) -> None:
    folder = sealed / os.fsdecode(name)
    folder.mkdir()
    tmux.cmd("set", "-s", "@d", str(folder), ";", "neww", "-d", "-t", "main:", "-c", "#{@d}")

    def path() -> str:
        return server.read(tmux.tmux).panes[1].path

    servers.until(lambda: path() == str(folder))
    assert path() == str(folder)
    assert not (sealed / "X").exists()


def test_what_a_snapshot_tells(tmux: Server, sealed: Path) -> None:
    tmux.cmd("set", "-w", "-t", "@0", "@hqt_session", "s1", ";", "set", "-w", "@hqt_worktree", "w1")
    tmux.cmd("set", "-p", "-t", "%0", "@hqt_agent", "done")
    tmux.cmd("split-window", "-d", "-t", "%0")

    seen = server.read(tmux.tmux)

    first, second = seen.panes
    assert (first.id, first.window, first.session, first.session_name) == ("%0", "@0", "$0", "main")
    assert (first.window_session, first.window_worktree) == ("s1", "w1")
    assert (second.window_session, second.window_worktree) == ("s1", "w1")
    assert (first.agent_state, second.agent_state) == ("done", "")
    assert (first.pane_active, second.pane_active, first.window_active) == (True, False, True)
    assert first.path == str(sealed)
    assert first.pid == int(tmux.ask("#{pane_pid}", "%0"))
    assert seen.clients == ()
    assert seen.pid == tmux.pid
    assert seen.version == tmux.ask("#{version}")
    assert [(one.id, one.name, one.windows, one.active) for one in seen.sessions] == [
        ("$0", "main", ("@0",), "@0")
    ]


def test_a_window_linked_twice_is_there_once(tmux: Server) -> None:
    tmux.cmd("new-session", "-d", "-s", "other")
    tmux.cmd("link-window", "-s", "@0", "-t", "other:")

    seen = server.read(tmux.tmux)

    assert [pane.id for pane in seen.panes] == ["%0", "%1"]
    assert {one.name: one.windows for one in seen.sessions} == {
        "main": ("@0",),
        "other": ("@1", "@0"),
    }


def test_a_dead_pane_has_no_path(tmux: Server) -> None:
    tmux.cmd("set", "-w", "-t", "@0", "remain-on-exit", "on", ";", "respawn-pane", "-k", "true")
    servers.until(lambda: server.read(tmux.tmux).panes[0].dead)

    [pane] = server.read(tmux.tmux).panes
    assert (pane.dead, pane.path) == (True, "")


@pytest.mark.parametrize("lost", ["", "head -n 3"], ids=["all", "the rest"])
@pytest.mark.parametrize("times", [1, 9], ids=["once", "always"])
def test_what_is_broken_off_is_no_answer(tmux: Server, sealed: Path, lost: str, times: int) -> None:
    """As a client gives it, with status 0, whose server is just ending."""
    tmux.cmd("new-window", "-d")
    real, failing = shutil.which("tmux"), sealed / "tmux.sh"
    failing.write_text(
        f'#!/bin/sh\necho >>"{sealed}/calls"\n[ $(wc -l <"{sealed}/calls") -gt {times} ] && '
        f'exec {real} "$@"\n{real} "$@" | {lost or "cat >/dev/null"}\nexit 0\n'
    )
    failing.chmod(0o755)
    flaky = Tmux(socket_name=tmux.socket, executable=str(failing))
    if times == 1:
        assert len(server.read(flaky).panes) == 2
        return
    with pytest.raises(HqtError) as error:
        server.read(flaky)
    assert (error.value.code, error.value.message) == (
        Code.TIMEOUT,
        f"The tmux server at {tmux.tmux.place} broke its answer off.",
    )


def test_a_server_without_sessions_is_empty_not_dead(tmux: Server) -> None:
    tmux.cmd("set", "-g", "exit-empty", "off", ";", "kill-session", "-t", "main")

    assert tmux.tmux.alive()
    assert server.read(tmux.tmux) == server.Snapshot()


@pytest.mark.parametrize("value", [*NAMES, "", "'", '"', "#", ";", "a'b\"c", "\\", "\\\\$x", " "])
def test_options_are_read_as_they_were_set(tmux: Server, value: str) -> None:
    tmux.tmux.run(["set-option", "-g", "@hqt-key", value], ["set-option", "-g", "@other", "x"])

    assert server.read(tmux.tmux).options == {"@hqt-key": value}
