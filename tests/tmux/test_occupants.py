"""Who is in a worktree, and who of them works."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from helpers import servers
from helpers.servers import Server
from hqt import processes as real
from hqt.models import Client, Occupants, Pane, Process
from hqt.tmux import server, windows
from hqt.tmux.listing import Snapshot
from hqt.tmux.occupants import is_shell, occupants

MAIN = Path("/w/project")
FIX = Path("/w/project/.worktrees/fix")
FIX2 = Path("/w/project/.worktrees/fix-2")
INNER = Path("/w/project/.worktrees/fix/inner")
ALL = (MAIN, FIX, FIX2, INNER)
SERVER, CLIENT = 900, 901


def pane(number: int, path: str, *, pid: int = 0, command: str = "bash") -> Pane:
    return Pane(
        id=f"%{number}",
        window=f"@{number}",
        session="$0",
        session_name="main",
        pid=pid or 100 + number,
        path=path,
        command=command,
        window_name=f"⎇ w{number}",
    )


def process(pid: int, name: str, cwd: str | Path | None, parent: int = SERVER) -> Process:
    return Process(pid, parent, name, str(cwd) if cwd else None)


@dataclass
class Scene:
    """A tmux server and some processes, told in a few words."""

    panes: tuple[Pane, ...] = ()
    processes: tuple[Process, ...] = ()
    own: frozenset[int] = frozenset()

    def of(self, worktree: Path) -> Occupants:
        shells = {one.pid: process(one.pid, one.command, one.path or None) for one in self.panes}
        table = {**shells, **{one.pid: one for one in self.processes}}
        snapshot = Snapshot(
            panes=self.panes, clients=(Client("c", "$0", "@1", pid=CLIENT),), pid=SERVER
        )
        return occupants(snapshot, table, worktree, ALL, own=self.own)


BINDING: list[tuple[str, set[Path]]] = [
    ("/w/project", {MAIN}),
    ("/w/project/src", {MAIN}),
    ("/w/project/.worktrees", {MAIN}),
    ("/w/project/.worktrees/fix", {FIX}),
    ("/w/project/.worktrees/fix/a/b", {FIX}),
    ("/w/project/.worktrees/fix-2", {FIX2}),
    ("/w/project/.worktrees/fix/inner/a", {INNER}),
    ("/w/project/.worktrees/fix/a (deleted)", {FIX}),
    ("/w/project/.worktrees/fix (deleted)", {FIX, MAIN}),  # which of the two cannot be told
    ("/w", set()),
    ("/w/project-2", set()),
]


@pytest.mark.parametrize(("path", "homes"), BINDING)
def test_a_pane_lives_in_the_deepest_worktree_of_its_path(path: str, homes: set[Path]) -> None:
    scene = Scene((pane(1, path),))

    assert {tree for tree in ALL if scene.of(tree).panes} == homes


def test_an_idle_shell_is_no_work() -> None:
    found = Scene((pane(1, str(FIX)), pane(2, str(FIX2)))).of(FIX)

    assert [one.id for one in found.panes] == ["%1"]
    assert [one.name for one in found.clients] == ["c"]
    assert found.busy == ()
    assert found.processes == ()


def test_whatever_a_shell_has_started_is_work_also_when_it_is_stopped() -> None:
    started = (
        process(1, "vim", FIX, 101),
        replace(process(2, "nano", FIX, 101), stopped=True),
        process(3, "make", "/elsewhere", 101),
        process(4, "bash", FIX, 101),
    )
    found = Scene((pane(1, str(FIX)),), started).of(FIX)

    assert found.busy == (
        "vim runs in %1 (window @1 ⎇ w1)",
        "nano is stopped in %1 (window @1 ⎇ w1)",
        "make runs in %1 (window @1 ⎇ w1)",
        "bash runs in %1 (window @1 ⎇ w1)",
    )
    assert found.processes == ()  # they are the pane's


@pytest.mark.parametrize(
    ("state", "session", "busy"),
    [
        ("idle", "s1", False),
        ("done", "s1", False),
        ("working", "s1", True),
        ("waiting", "s1", True),
        ("error", "s1", True),
        ("unknown", "s1", True),
        ("", "s1", True),
        ("idle", "", True),  # says so, but belongs to no session
    ],
)
def test_a_harness_rests_when_it_says_so(state: str, session: str, busy: bool) -> None:
    harness = replace(
        pane(1, str(FIX), command="claude"), agent_state=state, window_session=session
    )
    found = Scene((harness,), (process(7, "node", FIX, 101),)).of(FIX)

    assert bool(found.busy) is busy
    assert found.sessions == ((session,) if session else ())


def test_a_shell_that_claims_to_rest_is_judged_by_its_children() -> None:
    shell = replace(pane(1, str(FIX)), agent_state="done", window_session="s1")

    assert Scene((shell,), (process(7, "vim", FIX, 101),)).of(FIX).busy


def test_the_prompts_helpers_are_no_work() -> None:
    helpers = (process(1, "zsh", "/", 101), process(2, "gitstatusd-linu", "/", 1))
    scene = Scene((pane(1, str(FIX), command="-zsh"),), helpers)

    assert scene.of(FIX).busy == ()
    scene.processes += (process(3, "make", FIX, 1),)
    assert scene.of(FIX).busy == ("zsh runs in %1 (window @1 ⎇ w1)",)


def test_the_callers_own_chain_is_no_work() -> None:
    chain = (process(1, "python", FIX, 101), process(2, "git", FIX, 1), process(3, "cat", FIX, 101))
    scene = Scene((pane(1, str(FIX)),), chain, own=frozenset({1, 2, 3, 101, SERVER}))

    assert scene.of(FIX).busy == ()
    scene.panes = (pane(1, str(FIX), command="claude"),)  # an agent removes its own worktree
    assert scene.of(FIX).busy == ()


def test_a_pane_counts_by_its_own_programs_folder_too() -> None:
    """`cd worktree; (cd /; exec less)`: the foreground is elsewhere, the shell is inside."""
    shell, less = process(101, "bash", FIX), process(7, "less", "/", 101)
    found = Scene((pane(1, "/"),), (shell, less)).of(FIX)

    assert [one.id for one in found.panes] == ["%1"]
    assert found.busy == ("less runs in %1 (window @1 ⎇ w1)",)


def test_an_unknown_folder_counts_as_inside_but_its_pane_is_not_ours_to_close() -> None:
    hidden = replace(pane(1, "", command="sudo"), window_worktree="whatever")
    found = Scene((hidden,)).of(FIX)

    assert found.panes == ()
    assert found.busy == ("sudo in %1 (window @1 ⎇ w1) is in a folder that cannot be read",)


def test_a_dead_pane_is_neither_here_nor_there() -> None:
    """Its process id may be another's by now."""
    dead = replace(pane(1, ""), dead=True)
    found = Scene((dead,), (process(101, "vim", "/elsewhere", 1),)).of(FIX)

    assert (found.panes, found.busy) == ((), ())


def test_programs_that_no_pane_accounts_for() -> None:
    outside = (
        process(1, "code", FIX, 1),
        process(2, "bash", FIX, 1),  # an idle shell of another terminal
        process(3, "make", FIX / "a", 50),
        process(4, "vim", FIX2, 1),
        process(5, "systemd", None, 1),
        process(SERVER, "tmux: server", FIX, 1),
        process(CLIENT, "tmux: client", FIX, 6),
        process(6, "zsh", FIX, 1),  # the shell that tmux was started from
        process(8, "lazygit", FIX, SERVER),  # in a popup
        process(9, "server", FIX, 102),  # started in a pane that has moved on
    )
    found = Scene((pane(2, "/elsewhere"),), outside).of(FIX)

    assert [one.name for one in found.processes] == ["code", "make", "lazygit", "server"]
    assert found.busy[0] == "code runs in the worktree (process 1)"
    assert len(found.busy) == 4
    assert found.panes == ()


def test_without_a_tmux_server_programs_still_count() -> None:
    found = occupants(None, {1: process(1, "vim", FIX)}, FIX, ALL)

    assert found.busy == ("vim runs in the worktree (process 1)",)


def test_sessions_that_live_there() -> None:
    two = tuple(
        replace(pane(number, str(FIX)), window_session=session)
        for number, session in enumerate(["s1", "s2", "s1", ""])
    )
    found = occupants(Snapshot(panes=two), {}, FIX, ALL, without=["s1"])

    assert found.sessions == ("s2",)


@pytest.mark.parametrize("name", "sh bash zsh fish nu dash -bash -zsh".split())
def test_shells(name: str) -> None:
    assert is_shell(name)


@pytest.mark.parametrize("name", ["vim", "ssh", "bashful", "claude", "-", "", "fishy"])
def test_no_shells(name: str) -> None:
    assert not is_shell(name)


def test_a_real_shell_with_a_stopped_editor(tmux: Server, sealed: Path) -> None:
    """tmux itself would say that only `bash` runs there."""
    worktree = sealed / "fix"
    worktree.mkdir()
    window = windows.open_window(
        tmux.tmux, session="$0", cwd=worktree, label="fix", command=["bash", "--norc", "-i"]
    )

    def busy() -> tuple[str, ...]:
        running = real.running()
        seen = server.read(tmux.tmux)
        own = real.chain(running, os.getpid())
        return occupants(seen, running, worktree, [sealed, worktree], own=own).busy

    assert servers.until(lambda: tmux.ask("#{pane_current_command}", window.id) == "bash")
    assert servers.until(lambda: busy() == ())
    tmux.cmd("send-keys", "-t", window.pane, "sleep 1000", "Enter")
    assert servers.until(
        lambda: busy() == (f"sleep runs in {window.pane} (window {window.id} fix)",)
    )
    tmux.cmd("send-keys", "-t", window.pane, "C-z")
    stopped = f"sleep is stopped in {window.pane} (window {window.id} fix)"
    assert servers.until(lambda: busy() == (stopped,))
    assert tmux.ask("#{pane_current_command}", window.id) == "bash"


def test_a_real_program_that_outlives_its_window(tmux: Server, sealed: Path) -> None:
    worktree = sealed / "fix"
    worktree.mkdir()
    script = "trap '' HUP; echo $$ >part; mv part pid; exec sleep 1000"
    stubborn = ["sh", "-c", script]
    window = windows.open_window(
        tmux.tmux, session="$0", cwd=worktree, label="fix", command=stubborn
    )
    assert servers.until((worktree / "pid").exists)
    pid = int((worktree / "pid").read_text())

    windows.close_window(tmux.tmux, window.id)
    try:
        found = occupants(server.read(tmux.tmux), real.running(), worktree, [sealed, worktree])
        assert pid in [one.pid for one in found.processes]
        assert any(sentence.endswith(f"(process {pid})") for sentence in found.busy)
    finally:
        os.kill(pid, signal.SIGKILL)


def test_two_hundred_panes_are_judged_in_milliseconds() -> None:
    import time

    panes = tuple(pane(number, str(FIX)) for number in range(200))
    others = tuple(process(5000 + number, "node", FIX2, 1) for number in range(500))
    trees = [Path(f"/w/project/.worktrees/{number}") for number in range(50)]
    table = {one.pid: one for one in others}
    begun = time.perf_counter()
    occupants(Snapshot(panes=panes), table, FIX, [*ALL, *trees])
    assert time.perf_counter() - begun < 0.1
