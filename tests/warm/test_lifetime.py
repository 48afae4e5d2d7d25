"""When the warm server is there, when it goes, and who it lets in."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers import servers, warming
from helpers.plugin import ROOT, launcher_environment
from helpers.repos import repository
from helpers.servers import Server, until
from helpers.warming import COLD, Warm, children, lives, run, spares, usual_words, warm_words
from hqt.warm import rehearsal


def test_without_a_server_a_call_goes_the_cold_way(inside: Server) -> None:
    assert run(warm_words("--version")).status == COLD
    assert run(usual_words("--version")).out.startswith("hqt ")
    assert not warming.warm(os.environ, inside.pid).sockets


def test_only_on_the_command_line_of_a_key_a_call_starts_one(inside: Server) -> None:
    warm = warming.warm(os.environ, inside.pid)
    assert run(warm_words("--client", "nobody", "--version")).status == COLD
    assert until(lambda: run(warm_words("--version")).status == 0)
    warm.end()


def test_none_is_started_where_the_option_says_off(inside: Server) -> None:
    inside.cmd("set-option", "-g", "@hqt-warm", "off")
    warm = warming.warm(os.environ, inside.pid)
    assert run(usual_words("--warm")).status == 0
    assert not warm.sockets
    warm.start()
    assert run(usual_words("--warm")).status == 0
    assert until(lambda: not warm.sockets)


def test_switched_off_by_the_environment(warm: Warm) -> None:
    assert run(warm_words("--version"), HQT_WARM="off").status == COLD
    assert warm.pid


def test_outside_tmux_nothing_is_warm(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX")
    assert run(warm_words("--version")).status == COLD
    assert warm.pid


def test_there_is_only_one(warm: Warm) -> None:
    before = warm.pid
    many = [subprocess.Popen(usual_words("--warm", "on")) for _ in range(5)]
    assert [one.wait(20) for one in many] == [0] * 5
    assert warm.pid == before
    assert len(warm.sockets) == 1


def test_it_goes_with_its_tmux_server(warm: Warm, inside: Server) -> None:
    pid = warm.pid
    inside.cmd("kill-server")
    assert until(lambda: not lives(pid))
    assert not list(warm.folder.iterdir())


def test_it_goes_with_a_tmux_server_that_is_killed(warm: Warm, inside: Server) -> None:
    pid = warm.pid
    os.kill(inside.pid, signal.SIGKILL)
    assert until(lambda: not lives(pid))
    assert not warm.sockets


def test_killed_it_is_not_missed_and_comes_again(warm: Warm) -> None:
    pid = warm.pid
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not lives(pid))
    assert warm.sockets, "it has left its socket"
    assert run(warm_words("--version")).status == COLD
    assert run(usual_words("--version")).status == 0
    assert warm.start().pid != pid
    assert len(warm.sockets) == 1
    assert run(warm_words("--version")).status == 0


def test_one_that_hangs_is_given_up(warm: Warm) -> None:
    pid = warm.pid
    os.kill(pid, signal.SIGSTOP)
    started = time.monotonic()
    assert run(warm_words("--version")).status == COLD
    assert time.monotonic() - started < 5, "and no pipe of the caller's is kept open"
    os.kill(pid, signal.SIGCONT)
    assert until(lambda: run(warm_words("--version")).status == 0)
    assert until(lambda: not children(pid))


def test_an_upgrade_replaces_it(warm: Warm, sealed: Path) -> None:
    """Another generation has another socket: a call of the new one never meets the old server."""
    import shutil

    old = warm.pid
    new = sealed / "new"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python", new / "python", ignore=ignored)

    def words(code_of: list[str]) -> list[str]:
        return [str(new / "python") if one == str(ROOT / "python") else one for one in code_of]

    assert run(words(warm_words("--version"))).status == COLD
    assert run(words(usual_words("--warm", "on"))).status == 0
    assert until(lambda: not lives(old))
    assert until(lambda: run(words(warm_words("--version"))).status == 0)
    assert run(warm_words("--version")).status == COLD
    (new / "python/hqt/names.py").write_text((new / "python/hqt/names.py").read_text() + "\n")
    assert run(words(warm_words("--version"))).status == COLD


def test_idle_it_does_nothing(warm: Warm) -> None:
    run(warm_words("--version"))
    pid = warm.pid

    def used() -> str:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ")[-1].split()
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        switches = [line for line in lines if line.startswith("voluntary")]
        return f"{fields[11:13]} {switches}"

    def at_rest() -> bool:
        before = used()
        return not until(lambda: used() != before, 0.5)

    assert until(lambda: not children(pid) and spares(pid))
    assert until(at_rest), "it has something to do again and again"


def test_several_at_once_are_all_served(warm: Warm) -> None:
    assert until(lambda: spares(warm.pid))
    calls = [subprocess.Popen(warm_words("--version")) for _ in range(4)]
    assert [call.wait(20) for call in calls] == [0] * 4
    assert until(lambda: not children(warm.pid) and len(spares(warm.pid)) == 1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_waiting_child_that_is_killed_is_not_missed(warm: Warm, number: int) -> None:
    (waiting,) = until(lambda: spares(warm.pid))
    os.kill(waiting, number)
    assert until(lambda: not lives(waiting))
    for _ in range(2):
        assert run(warm_words("--version")).status == 0
    assert until(lambda: [one for one in spares(warm.pid) if one != waiting])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_waiting_child_ends_with_its_server(warm: Warm, number: int) -> None:
    (waiting,) = until(lambda: spares(warm.pid))
    os.kill(warm.pid, number)
    assert until(lambda: not lives(waiting))


def test_a_waiting_child_keeps_nothing_of_its_server(warm: Warm) -> None:
    """Neither the socket nor the lock, which would outlive it, nor the calls of others."""

    def shared() -> set[str]:
        """What both have open; of a child that is only just forked, or has a call, much more."""
        both = [Path(f"/proc/{pid}/fd") for pid in (warm.pid, *spares(warm.pid))]
        try:
            opened = [{str(one.readlink()) for one in folder.iterdir()} for folder in both]
        except OSError:  # ended, or closed, meanwhile
            return set()
        return set.intersection(*opened) if len(opened) == 2 else set()

    assert until(lambda: shared() == {"/dev/null"}), shared()


def test_the_rehearsal_goes_well() -> None:
    """The server goes on without it, so that nobody would notice."""
    rehearsal.rehearse()
    rehearsal.rehearse()


def test_a_folder_that_others_can_enter_is_not_trusted(warm: Warm) -> None:
    warm.folder.chmod(0o755)
    assert run(warm_words("--version")).status == COLD
    warm.folder.chmod(0o700)
    assert run(warm_words("--version")).status == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_another_user_is_turned_away(warm: Warm, sealed: Path) -> None:
    """Even one who gets at the socket."""
    (path,) = warm.sockets
    for folder in (sealed, *[one for one in warm.folder.parents if sealed in one.parents]):
        folder.chmod(0o755)
    warm.folder.chmod(0o755)
    path.chmod(0o777)
    code = (
        "import os, socket, sys; os.setgid(65534); os.setuid(65534); s = socket.socket(1);"
        "s.connect(sys.argv[1]); s.settimeout(9); s.send(b'x'); print(s.recv(1))"
    )
    done = run([sys.executable, "-c", code, str(path)])
    assert done.out == "b''\n" or "ConnectionResetError" in done.err or "BrokenPipe" in done.err
    warm.folder.chmod(0o700)
    assert run(warm_words("--version")).status == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to change what it may do")
@pytest.mark.parametrize(
    "before", [["setpriv", "--no-new-privs"], ["setpriv", "--groups=7"], ["unshare", "--mount"]]
)
def test_a_process_of_another_kind_goes_the_cold_way(warm: Warm, before: list[str]) -> None:
    if not servers.has(before[0]) or run([*before, "true"]).status:
        pytest.skip(f"no {before[0]} here")
    assert run([*before, *warm_words("--version")]).status == COLD
    assert warm.pid


def test_nonsense_on_its_socket_does_not_hurt(warm: Warm) -> None:
    (path,) = warm.sockets
    for said in (b"", b"x", b"\xff" * 100, (5).to_bytes(8, "big") + b"1\0a\0b"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(said)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(10):
                pass  # a greeting, and what its end says
    assert until(lambda: not children(warm.pid))
    assert run(warm_words("--version")).status == 0


def test_a_long_path_is_no_obstacle(inside: Server, sealed: Path) -> None:
    runtime = sealed / ("long" * 30) / "and on"
    runtime.mkdir(parents=True)
    assert run(usual_words("--warm", "on"), XDG_RUNTIME_DIR=str(runtime)).status == 0
    call = warm_words("--version")
    assert until(lambda: run(call, XDG_RUNTIME_DIR=str(runtime)).status == 0)
    assert inside.pid


def test_what_dead_servers_left_is_cleared_away(inside: Server) -> None:
    warm = warming.warm(os.environ, inside.pid)
    warm.folder.mkdir(parents=True, mode=0o700)
    (warm.folder / "4194304999-0123456789abcdef").touch()
    (warm.folder / "4194304999-0123456789abcdef.lock").touch()
    (warm.folder / "notes").touch()
    warm.start()
    assert until(lambda: len(list(warm.folder.iterdir())) == 3)
    assert (warm.folder / "notes").exists()
    warm.end()


def test_loading_the_plugin_starts_it_and_waits_for_nothing(inside: Server, sealed: Path) -> None:
    for name, value in launcher_environment().items():
        inside.cmd("set-environment", "-g", name, value)
    warm = warming.warm(os.environ, inside.pid)
    inside.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    assert until(lambda: warm.pid)
    there = repository(sealed / "there")
    assert until(lambda: "warm: This call came" in run(usual_words("doctor"), cwd=there).out)
    inside.cmd("set-option", "-g", "@hqt-warm", "off")
    inside.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    assert until(lambda: not warm.sockets)
