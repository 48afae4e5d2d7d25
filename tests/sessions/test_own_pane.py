"""A session's window may hold panes that are the user's own: they are known, and left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, refused
from helpers.servers import Server, until
from helpers.stand_in import StandIn
from hqt import processes
from hqt.models import Process

MARKS = "@hqt_session @hqt_worktree @hqt_branch @hqt_state remain-on-exit allow-rename".split()
Do = Callable[[Server, Path], object]


def new(tmux: Server, repo: Path, name: str, *flags: str) -> tuple[str, str]:
    """A session's window, and the pane that hqt has opened in it, its shell being there."""
    made = done("-L", tmux.socket, "new", name, "-d", *flags, cwd=repo)
    pane = tmux.ask("#{pane_id}", made["window"])
    place = made["worktree"]["path"] if made["worktree"] else str(repo)
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == place)
    return made["window"], pane


def mine(tmux: Server, *command: str) -> str:
    """A pane of the user's own, in /."""
    form = ("-F", "#{pane_id}")
    pane = tmux.cmd("new-window", "-dP", *form, "-c", "/", "-n", "mine", "--", *command)
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == "/")
    return pane


def pid(tmux: Server, pane: str) -> str:
    """Of what a pane runs; "" when the pane is gone."""
    panes = tmux.cmd("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}").splitlines()
    return dict(line.split(" ") for line in panes).get(pane, "")


def at(tmux: Server, pane: str, folder: Path | str) -> bool:
    return until(lambda: tmux.ask("#{pane_current_path}", pane) == str(folder))


def to_new(*flags: str) -> Do:
    return lambda tmux, repo: done("-L", tmux.socket, "move", "one", "--new", "x", *flags, cwd=repo)


def to_main(*flags: str) -> Do:
    return lambda tmux, repo: done("-L", tmux.socket, "move", "one", "--to", ".", *flags, cwd=repo)


def evacuated(*flags: str) -> Do:
    def do(tmux: Server, repo: Path) -> None:
        tree = repo / ".worktrees" / "one"
        done("-L", tmux.socket, "remove", f"path:{tree}", "--evacuate", *flags, cwd=repo)

    return do


def removed(*flags: str) -> Do:
    return lambda tmux, repo: done("-L", tmux.socket, "remove", "session:one", *flags, cwd=repo)


LED = {
    "move to a new one": to_new(),
    "move to a new one, busy": to_new("--close"),
    "move to the main checkout": to_main(),
    "move to the main checkout, busy": to_main("--close"),
    "evacuate": evacuated(),
    "evacuate, busy": evacuated("--close"),
}
GONE = {"remove": removed(), "remove, busy": removed("--close"), "keep": removed("--keep-worktree")}
SLEEP = ("sleep", "1000")


@pytest.mark.parametrize("older", [True, False], ids=["older", "newer"])
@pytest.mark.parametrize("does", [*LED, *GONE])
def test_a_pane_that_lives_elsewhere_is_left_alone(
    repo: Path, tmux: Server, does: str, older: bool
) -> None:
    command = SLEEP if "busy" in does else ()
    guest = mine(tmux, *command) if older else ""
    window, own = _evacuable(tmux, repo) if "evacuate" in does else new(tmux, repo, "one")
    guest = guest or mine(tmux, *command)
    tmux.cmd("join-pane", "-d", "-s", guest, "-t", window)
    runs, ran = pid(tmux, guest), pid(tmux, own)

    {**LED, **GONE}[does](tmux, repo)

    assert pid(tmux, guest) == runs
    assert at(tmux, guest, "/")
    if does in LED:
        goal = repo / ".worktrees" / "x" if "new" in does else repo
        assert at(tmux, own, goal)
        assert pid(tmux, own) != ran
        assert tmux.option("@hqt_session", "-w", "-t", window)
    else:
        assert pid(tmux, own) == ""
        assert [tmux.option(name, "-w", "-t", window) for name in MARKS] == [None] * len(MARKS)


def _evacuable(tmux: Server, repo: Path) -> tuple[str, str]:
    """A guest's window in a worktree that is another session's."""
    made = done("-L", tmux.socket, "new", "one", "--no-window", cwd=repo)
    window, own = new(tmux, repo, "guest", "--no-worktree")
    done("-L", tmux.socket, "move", "guest", "--to", "branch:one", cwd=repo)
    assert at(tmux, own, made["worktree"]["path"])
    return window, own


@pytest.mark.parametrize("does", [*LED, *GONE])
def test_a_mark_alone_makes_no_pane_the_sessions(repo: Path, tmux: Server, does: str) -> None:
    """As a hook, a plugin or a hand may have put it there."""
    guest = mine(tmux, *(SLEEP if "busy" in does else ()))
    window, own = _evacuable(tmux, repo) if "evacuate" in does else new(tmux, repo, "one")
    id = tmux.option("@hqt_session", "-w", "-t", window)
    tmux.cmd("kill-pane", "-t", own)
    tmux.cmd("set-option", "-w", "-t", guest, "@hqt_session", str(id))
    runs = pid(tmux, guest)

    {**LED, **GONE}[does](tmux, repo)

    assert pid(tmux, guest) == runs
    assert tmux.option("@hqt_session", "-w", "-t", guest) is None
    sessions = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert {one["state"] for one in sessions} <= {"closed"}


def test_a_session_that_shares_its_window_keeps_its_pane(repo: Path, tmux: Server) -> None:
    """Another session's pane, joined beside, is that one's, though it is in the same checkout."""
    window, own = new(tmux, repo, "one", "--no-worktree")
    _, other = new(tmux, repo, "two", "--no-worktree")
    tmux.cmd("join-pane", "-d", "-s", other, "-t", window)
    runs = pid(tmux, other)
    done("-L", tmux.socket, "move", "session:one", "--new", "x", cwd=repo)
    assert at(tmux, own, repo / ".worktrees" / "x")
    assert pid(tmux, other) == runs
    done("-L", tmux.socket, "remove", "session:one", "--keep-worktree", cwd=repo)
    assert (pid(tmux, own), pid(tmux, other)) == ("", runs)


def test_its_own_pane_is_found_where_the_user_has_put_it(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    window, own = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    place = repo / ".worktrees" / "one"
    assert until(lambda: len(agent.launches()) == 1)
    beside = tmux.cmd("split-window", "-dP", "-t", window, "-F", "#{pane_id}", "-c", str(place))
    assert at(tmux, beside, place)
    tmux.cmd("break-pane", "-d", "-s", own)
    tmux.cmd("set-option", "-p", "-t", own, "@hqt_agent", "idle")
    done("-L", tmux.socket, "move", "one", "--to", ".", "--close", cwd=repo)
    assert at(tmux, own, repo)
    assert at(tmux, beside, repo)
    assert until(lambda: len(agent.launches()) == 2), "once, and not in the pane beside it too"
    assert agent.launches()[-1]["cwd"] == str(repo)


def test_of_several_panes_that_may_be_its_own_none_is_guessed(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """As in a window that an older hqt has opened, or that another plugin has brought back."""
    window, own = new(tmux, repo, "one", "-H", "stand-in")
    place = repo / ".worktrees" / "one"
    assert until(lambda: len(agent.launches()) == 1)
    tmux.cmd("set-option", "-pu", "-t", own, "@hqt_started")
    panes = [own]
    for _ in range(2):
        form = ("-F", "#{pane_id}", "-c", str(place))
        panes.append(tmux.cmd("split-window", "-dP", "-t", window, *form))
        assert at(tmux, panes[-1], place)
    tmux.cmd("kill-pane", "-t", own)
    running = [pid(tmux, pane) for pane in panes]
    error = refused("-L", tmux.socket, "move", "one", "--to", ".", cwd=repo)
    found = (error["code"], sorted(error["details"]["candidates"]))
    assert found == ("ambiguous_target", panes[1:])
    assert [pid(tmux, pane) for pane in panes] == running

    tmux.cmd("break-pane", "-d", "-s", panes[1])
    done("-L", tmux.socket, "move", "one", "--to", ".", cwd=repo)
    assert until(lambda: [one["cwd"] for one in agent.launches()][1:] == [str(repo)])


def test_the_pane_in_which_its_conversation_runs_is_its_own(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    window, own = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    place = repo / ".worktrees" / "one"
    assert until(lambda: len(agent.launches()) == 1)
    tmux.cmd("set-option", "-pu", "-t", own, "@hqt_started")
    beside = tmux.cmd("split-window", "-bdP", "-t", window, "-F", "#{pane_id}", "-c", str(place))
    assert at(tmux, beside, place)
    done("-L", tmux.socket, "move", "one", "--to", ".", "--close", cwd=repo)
    assert until(lambda: len(agent.launches()) == 2)
    assert at(tmux, own, repo)
    assert tmux.ask("#{pane_current_command}", beside) == "sh"


@pytest.mark.parametrize("harness", ["shell", "stand-in"])
def test_open_runs_again_what_was_left_behind_dead(
    repo: Path, tmux: Server, agent: StandIn, harness: str
) -> None:
    tmux.cmd("set-option", "-g", "remain-on-exit", "on")
    window, own = new(tmux, repo, "one", "-H", harness)
    place = repo / ".worktrees" / "one"
    if harness != "shell":
        assert until(lambda: len(agent.launches()) == 1)
    _dies(tmux, own)
    opened = done("-L", tmux.socket, "open", "one", cwd=repo)
    assert opened["window"] == window
    assert tmux.ask("#{pane_id} #{pane_dead} #{window_panes}", window) == f"{own} 0 1"
    assert at(tmux, own, place)
    if harness != "shell":
        assert until(lambda: len(agent.launches()) == 2)
    runs = pid(tmux, own)
    done("-L", tmux.socket, "open", "one", cwd=repo)
    assert pid(tmux, own) == runs, "and only then"


def test_so_it_does_beside_what_lives(repo: Path, tmux: Server) -> None:
    tmux.cmd("set-option", "-g", "remain-on-exit", "on")
    window, own = new(tmux, repo, "one")
    guest = mine(tmux)
    tmux.cmd("join-pane", "-d", "-s", guest, "-t", window)
    runs = pid(tmux, guest)
    _dies(tmux, own)
    done("-L", tmux.socket, "open", "one", cwd=repo)
    assert tmux.ask("#{pane_dead}", own) == "0"
    assert pid(tmux, guest) == runs


def test_what_the_user_keeps_dead_is_kept(repo: Path, tmux: Server) -> None:
    """The outcome of a build, say, joined to look at; by `open` and by `remove`."""
    tmux.cmd("set-option", "-g", "remain-on-exit", "on")
    window, own = new(tmux, repo, "one")
    guest = mine(tmux)
    tmux.cmd("join-pane", "-d", "-s", guest, "-t", window)
    tmux.cmd("send-keys", "-t", guest, "echo RES''ULT; exit", "Enter")
    assert until(lambda: tmux.ask("#{pane_dead}", guest) == "1")
    tmux.cmd("kill-pane", "-t", own)

    opened = done("-L", tmux.socket, "open", "one", cwd=repo)["window"]
    assert opened != window
    assert "RESULT" in tmux.cmd("capture-pane", "-p", "-t", guest)

    tmux.cmd("join-pane", "-d", "-s", guest, "-t", opened)
    done("-L", tmux.socket, "remove", "one", cwd=repo)
    assert tmux.ask("#{pane_dead} #{window_id}|#{@hqt_session}", guest) == f"1 {opened}|"
    assert "RESULT" in tmux.cmd("capture-pane", "-p", "-t", guest)


def _dies(tmux: Server, pane: str) -> None:
    tmux.cmd("run-shell", f"kill -9 {pid(tmux, pane)}")
    assert until(lambda: tmux.ask("#{pane_dead}", pane) == "1")


HOOKS = {
    "another window takes its place": "swap-window -t main:0",
    "another one is selected": "select-window -t main:0",
    "its pane is joined to another": "join-pane -t main:0",
    "it is closed": "kill-window",
    "its program has ended": "run-shell 'sleep 0.3'",
}


@pytest.mark.parametrize("flags", [["--switch"], ["-d"]], ids=["switch", "stay"])
@pytest.mark.parametrize("hook", HOOKS)
def test_no_hook_makes_another_window_the_sessions(
    repo: Path, tmux: Server, hook: str, flags: list[str]
) -> None:
    if "ended" in hook:
        tmux.cmd("set-option", "-g", "default-command", "false")
    tmux.cmd("set-hook", "-g", "after-new-window", HOOKS[hook])
    before, runs = theirs(tmux), pid(tmux, "%0")

    done("-L", tmux.socket, "new", "one", *flags, cwd=repo)
    assert theirs(tmux) == before
    tmux.cmd("set-hook", "-gu", "after-new-window")
    done("-L", tmux.socket, "move", "one", "--new", "x", "--close", cwd=repo)
    done("-L", tmux.socket, "remove", "session:one", "--force", "--close", cwd=repo)
    assert pid(tmux, "%0") == runs
    assert theirs(tmux) == before


def theirs(tmux: Server) -> list[str | None]:
    """The name and the marks of the user's own window, its shell being there."""
    assert until(lambda: tmux.ask("#{window_name}", "@0") == "sh")
    options = [tmux.option(name, "-w", "-t", "@0") for name in MARKS]
    return [tmux.ask("#{window_name} #{automatic-rename}", "@0"), *options]


def test_a_swapped_pane_makes_no_window_the_sessions(repo: Path, tmux: Server) -> None:
    """The mark is on the new window, but a hook has put the user's pane into it."""
    tmux.cmd("set-hook", "-g", "after-new-window", "swap-pane -t %0")
    done("-L", tmux.socket, "new", "one", "--switch", cwd=repo)
    runs = pid(tmux, "%0")
    tmux.cmd("set-hook", "-gu", "after-new-window")
    assert tmux.ask("#{window_id}", "%0") != "@0"
    done("-L", tmux.socket, "move", "one", "--new", "x", cwd=repo)
    done("-L", tmux.socket, "remove", "session:one", cwd=repo)
    assert pid(tmux, "%0") == runs


def test_what_is_marked_is_unmarked_with_its_window(repo: Path, tmux: Server) -> None:
    window, own = new(tmux, repo, "one")
    assert tmux.option("@hqt_started", "-p", "-t", own)
    tmux.cmd("send-keys", "-t", own, "cd /", "Enter")
    assert at(tmux, own, "/")
    repos.commit(repo, "later")
    done("-L", tmux.socket, "remove", "one", cwd=repo)
    assert tmux.option("@hqt_started", "-p", "-t", own) is None
    assert tmux.option("@hqt_session", "-w", "-t", window) is None


def test_processes_are_looked_through_once_however_many_panes_there_are(
    tmux: Server, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hundred panes took three seconds."""
    new(tmux, repo, "one")
    for _ in range(20):
        mine(tmux, "sleep", "99")
    looked = []

    def noted(server: int = 0) -> Mapping[int, Process]:
        looked.append(server)
        return running(server)

    running = processes.running
    monkeypatch.setattr(processes, "running", noted)
    done("-L", tmux.socket, "remove", "one", cwd=repo)
    assert len(looked) < 20
