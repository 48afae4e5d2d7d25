"""Who runs where."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.hostile import NAMES
from helpers.servers import has, until
from hqt import processes
from hqt.errors import Code, HqtError
from hqt.models import Process

SLEEP = ["sleep", "1000"]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Children that are ended with the test."""
    children: list[subprocess.Popen[bytes]] = []
    yield children
    for child in children:
        child.kill()
        child.wait()


Started = list[subprocess.Popen[bytes]]


def look(child: subprocess.Popen[bytes]) -> Process:
    return processes.running()[child.pid]


def test_it_sees_itself(sealed: Path) -> None:
    me = processes.running()[os.getpid()]

    assert me.parent == os.getppid()
    assert me.group == os.getpgrp()
    assert me.cwd == str(sealed)
    assert me.started
    assert not me.stopped


def test_a_fork_is_given_time_to_become_its_program() -> None:
    """As the process of a pane that tmux has just opened: it is not "tmux" that runs there."""
    go, gone = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(gone)
        os.read(go, 1)
        os.execvp("sleep", SLEEP)
    try:
        me = os.getpid()
        assert processes.running()[pid].name == processes.running()[me].name
        threading.Timer(0.1, os.close, [gone]).start()
        assert processes.running(me)[pid].name == "sleep"
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(go)


def test_a_stopped_process_and_one_that_has_ended(started: Started) -> None:
    started += [subprocess.Popen(SLEEP), subprocess.Popen(["true"])]
    sleeper, gone = started
    os.kill(sleeper.pid, signal.SIGSTOP)

    assert until(lambda: look(sleeper).stopped)
    assert until(lambda: gone.pid not in processes.running())  # a zombie: nobody has waited yet


@pytest.mark.parametrize("name", [*NAMES, "a) S (b"])
def test_a_folder_and_a_program_of_any_name(sealed: Path, started: Started, name: str) -> None:
    folder = sealed / name
    folder.mkdir()
    program = folder / name
    program.write_text("#!/bin/sh\nread line\n")
    program.chmod(0o755)
    started.append(subprocess.Popen([program], cwd=folder, stdin=subprocess.PIPE))
    known = os.fsencode(name)[:15]  # all that Linux keeps

    assert until(lambda: os.fsencode(look(started[0]).name) == known)
    assert look(started[0]).cwd == str(folder)
    assert [one.pid for one in processes.inside(processes.running(), folder)] == [started[0].pid]


def test_inside_is_the_folder_and_below_also_when_it_was_deleted() -> None:
    folders = [
        "/w/fix",
        "/w/fix/a",
        "/w/fix (deleted)",
        "/w/fix/a (deleted)",
        "/w/fix-2",
        "/w",
        None,
    ]
    table = {pid: Process(pid, 1, "x", folder) for pid, folder in enumerate(folders)}

    assert [one.cwd for one in processes.inside(table, Path("/w/fix"))] == folders[:4]
    assert len(processes.inside(table, Path("/"))) == 6


def test_the_chain_is_ancestors_and_descendants() -> None:
    parents = {1: 0, 10: 1, 20: 10, 30: 20, 40: 30, 41: 40, 31: 20, 32: 20, 50: 1}
    table = {pid: Process(pid, parent, "x", None, group=pid) for pid, parent in parents.items()}
    table[31] = replace(table[31], group=30)  # a background job of the same script

    assert processes.chain(table, 30) == {1, 10, 20, 30, 40, 41}
    assert processes.chain(table, 99) == {99}
    assert processes.descendants(table, 20) == {30, 31, 32, 40, 41}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="pipes have names on Linux")
def test_the_chain_holds_the_pipeline_but_not_a_background_job(started: Started) -> None:
    """All of them are in one process group and write to one pipe, as under a coding agent."""
    script = "sleep 1001 & sleep 1002 | sleep 1003 | sleep 1004"
    group = subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True, stdin=subprocess.PIPE
    )
    started.append(group)

    def sleeping() -> dict[str, int]:
        found = {}
        for one in processes.running().values():
            if one.group == group.pid and one.name == "sleep":
                words = Path(f"/proc/{one.pid}/cmdline").read_bytes().split(b"\0")
                found[words[1].decode()] = one.pid
        return found

    try:
        assert until(lambda: len(sleeping()) == 4)
        pids = sleeping()
        chain = processes.chain(processes.running(), pids["1003"])
        assert {pids["1002"], pids["1003"], pids["1004"], group.pid} <= chain
        assert pids["1001"] not in chain
    finally:
        os.killpg(group.pid, signal.SIGKILL)


def test_a_chain_of_this_process(started: Started) -> None:
    started.append(subprocess.Popen(SLEEP))

    chain = processes.chain(processes.running(), os.getpid())

    assert {os.getpid(), os.getppid(), started[0].pid, 1} <= chain


def test_waiting_for_the_end(started: Started) -> None:
    started += [subprocess.Popen(SLEEP), subprocess.Popen(["sleep", "0.05"])]
    both = [look(child) for child in started]

    assert processes.wait_gone(both, 0.5) == (both[0],)
    assert processes.wait_gone([], 0.5) == ()


def test_hanging_up_ends_even_a_stopped_one(started: Started) -> None:
    started += [subprocess.Popen(SLEEP), subprocess.Popen(SLEEP), subprocess.Popen(SLEEP)]
    os.kill(started[1].pid, signal.SIGSTOP)
    first, second, bystander = (look(child) for child in started)

    processes.hang_up([first, second])

    assert processes.wait_gone([first, second], 5) == ()
    assert processes.wait_gone([bystander], 0) == (bystander,)


def test_one_that_ignores_the_hangup_is_terminated(sealed: Path, started: Started) -> None:
    script = "trap '' HUP; touch ready; while :; do sleep 0.01; done"
    started.append(subprocess.Popen(["sh", "-c", script]))
    assert until((sealed / "ready").exists)
    stubborn = look(started[0])

    processes.hang_up([stubborn])
    assert processes.wait_gone([stubborn], 0.1) == (stubborn,)
    processes.terminate([stubborn])
    assert processes.wait_gone([stubborn], 5) == ()


def test_a_later_process_with_the_same_id_is_left_alone(started: Started) -> None:
    started.append(subprocess.Popen(SLEEP))
    earlier = replace(look(started[0]), started="another time")

    processes.hang_up([earlier])
    processes.terminate([earlier])

    assert processes.wait_gone([earlier], 5) == ()  # that one is gone
    assert started[0].poll() is None


@pytest.mark.skipif(not (has("ps") and has("lsof")), reason="ps or lsof is not installed")
def test_without_proc_the_answer_is_the_same(
    monkeypatch: pytest.MonkeyPatch, sealed: Path, started: Started
) -> None:
    (sealed / "a folder").mkdir()
    started.append(subprocess.Popen(SLEEP, cwd=sealed / "a folder"))
    os.kill(started[0].pid, signal.SIGSTOP)
    assert until(lambda: look(started[0]).stopped)
    mine = look(started[0])

    monkeypatch.setattr(processes, "_PROC", sealed / "no-proc")
    found = processes.running()[started[0].pid]

    assert found.started != mine.started  # told in another way
    assert replace(found, started=mine.started) == mine
    assert processes.wait_gone([found], 0) == (found,)
    started[0].kill()
    assert processes.wait_gone([found], 5) == ()


def test_when_nothing_can_be_known_it_says_so(
    monkeypatch: pytest.MonkeyPatch, sealed: Path
) -> None:
    monkeypatch.setattr(processes, "_PROC", sealed / "no-proc")
    monkeypatch.setenv("PATH", str(sealed))

    with pytest.raises(HqtError) as caught:
        processes.running()
    assert caught.value.code is Code.BUSY
