"""`hqt move`: a session goes on elsewhere, whole or not at all."""

from __future__ import annotations

import functools
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import PYTHON, done, hqt, refused, spawn
from helpers.repos import git
from helpers.servers import Server, until
from helpers.stand_in import StandIn
from hqt.git import lock, repository
from hqt.sessions import agent as agents
from hqt.sessions import world as worlds

Answer = dict[str, Any]


def new(tmux: Server, repo: Path, name: str, *flags: str) -> Answer:
    answer: Answer = done("-L", tmux.socket, "new", name, "-d", *flags, cwd=repo)
    return answer


def move(tmux: Server, repo: Path, *arguments: str | Path) -> Answer:
    answer: Answer = done("-L", tmux.socket, "move", *arguments, cwd=repo)
    return answer


def cannot(tmux: Server, repo: Path, *arguments: str | Path) -> str:
    """The code of a move that is refused, after which everything has to be as it was."""
    before = state(tmux, repo)
    code: str = refused("-L", tmux.socket, "move", *arguments, cwd=repo)["code"]
    assert state(tmux, repo) == before
    return code


def state(tmux: Server, repo: Path) -> Any:
    """What a move could change: rows, windows, panes and their programs, worktrees, refs."""
    form = "#{@hqt_session} #{window_id} #{window_name} #{@hqt_worktree} #{@hqt_branch} #{pane_pid}"
    listed = done("-L", tmux.socket, "list", cwd=repo)
    rows = [{**row, "state": None} for row in listed["sessions"]]
    trees = [tree["path"] for tree in listed["worktrees"]]
    panes = tmux.cmd("list-panes", "-a", "-F", form).splitlines()
    hqts = [pane for pane in panes if not pane.startswith(" ")]
    return rows, trees, hqts, git(repo, "for-each-ref")


def at(tmux: Server, pane: str, folder: Path | str) -> bool:
    return until(lambda: tmux.ask("#{pane_current_path}", pane) == str(folder))


def at_prompt(tmux: Server, window: str) -> bool:
    """Whether the window's shell has read its profile and takes commands."""
    tmux.cmd("send-keys", "-t", window, "echo rea''dy", "Enter")
    return until(lambda: "ready" in tmux.cmd("capture-pane", "-p", "-t", window))


def idle(tmux: Server, window: str) -> None:
    """As the agent's hook reports it."""
    pane = tmux.cmd("list-panes", "-t", window, "-F", "#{pane_id}").split()[0]
    tmux.cmd("set-option", "-p", "-t", pane, "@hqt_agent", "idle")


def heard(agent: StandIn, count: int) -> list[dict[str, Any]]:
    assert until(lambda: len(agent.launches()) >= count), agent.launches()
    return agent.launches()


def test_a_shell_goes_on_in_another_worktree(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "one")
    goal = new(tmux, repo, "two")
    moved = move(tmux, repo, "one", "--to", "branch:two")

    assert moved["window"] == made["window"]
    assert moved["session"]["id"] == made["session"]["id"]
    assert moved["session"]["nickname"] == "one"
    assert moved["session"]["project"] == str(repo)
    assert moved["worktree"]["id"] == goal["worktree"]["id"]
    assert moved["session"]["worktree_branch"] == "two"
    assert at(tmux, made["window"], goal["worktree"]["path"])
    marks = "#{window_name}|#{@hqt_session}|#{@hqt_worktree}|#{@hqt_branch}"
    assert tmux.ask(marks, made["window"]) == "|".join(
        ["⎇ two", made["session"]["id"], goal["worktree"]["id"], "two"]
    )
    assert Path(made["worktree"]["path"]).is_dir(), "the worktree it leaves stays"
    assert git(repo, "branch", "--list", "one").strip("+ ") == "one"


def test_to_the_main_checkout_and_back(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "one")
    moved = move(tmux, repo, "one", "--to", "main")
    assert moved["worktree"]["main"] is True
    assert moved["session"]["worktree"] == moved["worktree"]["id"]
    assert moved["session"]["worktree_path"] is None
    assert at(tmux, made["window"], repo)
    assert tmux.ask("#{window_name}|#{@hqt_worktree}", made["window"]) == "one|"
    assert at_prompt(tmux, made["window"])
    moved = move(tmux, repo, "session:one", "--to", made["worktree"]["path"])
    assert moved["worktree"]["path"] == made["worktree"]["path"]
    assert at(tmux, made["window"], made["worktree"]["path"])
    assert tmux.ask("#{window_name}", made["window"]) == "⎇ one"


def test_what_is_not_committed_stays_and_is_named(repo: Path, tmux: Server) -> None:
    place = Path(new(tmux, repo, "one")["worktree"]["path"])
    (place / "notes").write_text("mine\n")
    (place / "file0").write_text("changed\n")
    moved = move(tmux, repo, "one", "--to", "main")
    assert f"Uncommitted files stay in {place}: 1 modified, 1 untracked." in moved["notes"]
    assert (place / "notes").exists()
    for goal in (("--to", str(place)), ("--fresh", "--to", str(place))):
        assert move(tmux, repo, "one", *goal)["notes"] in ([], ["It is there already."])
    (repo / "new").write_text("mine\n")
    move(tmux, repo, "one", "--to", "main")
    moved = move(tmux, repo, "one", "--new", "two")
    assert f"Uncommitted files stay in {repo}: 1 untracked." in moved["notes"]
    assert moved["source"] == str(repo), "what the new worktree was made from"


def test_to_where_it_is_already_changes_nothing(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "one")
    before = state(tmux, repo)
    assert move(tmux, repo, "one", "--to", "branch:one")["window"] == made["window"]
    assert state(tmux, repo) == before


def test_any_checkout_of_the_repository_will_do(repo: Path, tmux: Server, sealed: Path) -> None:
    made = new(tmux, repo, "one")
    outside = repos.linked(repo, sealed / "out #(touch X)", "outside")
    git(repo, "worktree", "add", "-q", "--detach", str(sealed / "detached"))
    for goal in (outside, sealed / "detached", repo):
        assert at_prompt(tmux, made["window"])
        move(tmux, repo, "one", "--to", goal)
        assert at(tmux, made["window"], goal)
    assert tmux.ask("#{window_name}", made["window"]) == "one"
    assert at_prompt(tmux, made["window"])
    move(tmux, repo, "one", "--to", "path:../detached")
    head = git(repo, "rev-parse", "--short=7", "HEAD")
    assert tmux.ask("#{window_name}", made["window"]) == f"⎇ detached@{head}"


def test_what_is_no_checkout_of_the_repository(repo: Path, tmux: Server, sealed: Path) -> None:
    new(tmux, repo, "one")
    git(sealed, "clone", "-q", str(repo), str(sealed / "clone"))
    gone = repos.linked(repo, sealed / "gone", "gone")
    gone.rename(sealed / "elsewhere")
    assert cannot(tmux, repo, "one", "--to", sealed / "clone") == "no_such_target"
    assert cannot(tmux, repo, "one", "--to", "nonesuch") == "no_such_target"
    assert cannot(tmux, repo, "one", "--to", "gone") == "missing_worktree"
    assert cannot(tmux, repo, "nonesuch", "--to", "main") == "no_such_target"
    assert cannot(tmux, repo, "main", "--to", "one") == "no_such_target", "nobody lives there"
    assert cannot(tmux, repo, "--to", "main") == "no_such_target", "nobody's window"
    assert cannot(tmux, repo, "one") == "usage"
    assert cannot(tmux, repo, "one", "--to", "main", "--new", "x") == "usage"


def test_a_target_that_is_two_things(repo: Path, tmux: Server) -> None:
    new(tmux, repo, "one")
    new(tmux, repo, "two")
    new(tmux, repo, "two", "-b", "three")
    assert cannot(tmux, repo, "one", "--to", "two") == "ambiguous_target"
    assert cannot(tmux, repo, "two", "--to", "one") == "ambiguous_target"
    move(tmux, repo, "one", "--to", "branch:two")


def test_the_folder_is_the_same_there(repo: Path, tmux: Server) -> None:
    repos.commit(repo, "packages/a/x")
    made = new(tmux, repo / "packages" / "a", "one")
    goal = repos.linked(repo, repo.parent / "two", "two")
    move(tmux, repo, "one", "--to", "two")
    assert at(tmux, made["window"], goal / "packages" / "a")


def test_the_conversation_follows(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    conversation = made["session"]["conversation"]
    place = Path(made["worktree"]["path"])
    assert until(lambda: agent.transcript(place, conversation).exists())
    idle(tmux, made["window"])
    goal = repos.linked(repo, repo.parent / "two", "two")
    moved = move(tmux, repo, "one", "--to", "two")

    last = heard(agent, 2)[-1]
    assert (last["cwd"], last["conversation"], last["resumed"]) == (str(goal), conversation, True)
    assert moved["session"]["conversation"] == conversation
    assert agent.said(goal, conversation) == ["Hello"]
    assert agent.said(place, conversation) == ["Hello"], "the original is not touched"
    assert last["environment"]["HQT_SESSION"] == made["session"]["id"]
    assert tmux.ask("#{remain-on-exit}", made["window"]) == "off"


def test_a_conversation_that_nobody_has_begun_starts_there(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "one", "-H", "stand-in")
    heard(agent, 1)
    idle(tmux, made["window"])
    move(tmux, repo, "one", "--to", "main")
    last = heard(agent, 2)[-1]
    assert last["conversation"] == made["session"]["conversation"]
    assert not last["resumed"]


@pytest.mark.parametrize("harness", ["stand-in-rooted", "stand-in-latest"])
def test_a_conversation_that_cannot_follow_keeps_its_session(
    repo: Path, tmux: Server, agent: StandIn, harness: str
) -> None:
    prompt = () if harness == "stand-in-latest" else ("-p", "Hello")
    made = new(tmux, repo, "one", "-H", harness, *prompt)
    place = Path(made["worktree"]["path"])
    heard(agent, 1)
    idle(tmux, made["window"])
    assert until(lambda: not prompt or list(agent.home.glob("projects/*/*.jsonl")))
    assert cannot(tmux, repo, "one", "--to", "main") == "cannot_resume"
    moved = move(tmux, repo, "one", "--to", "main", "--fresh")
    last = heard(agent, 2)[-1]
    assert last["cwd"] == str(repo)
    assert not last["resumed"]
    if prompt:
        assert moved["session"]["conversation"] == last["conversation"]
        assert last["conversation"] != made["session"]["conversation"]
        assert agent.said(place, made["session"]["conversation"]) == ["Hello"]
    assert any("starts anew" in note for note in moved["notes"])
    assert until(lambda: "starts anew" in tmux.cmd("capture-pane", "-p", "-t", made["window"]))


def test_a_captured_conversation_that_resumes_anywhere(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "one", "-H", "stand-in-captured", "-p", "Hello")
    assert made["session"]["conversation"] is None
    [first] = heard(agent, 1)
    place = Path(made["worktree"]["path"])
    assert until(lambda: agent.transcript(place, first["conversation"]).exists())
    idle(tmux, made["window"])
    moved = move(tmux, repo, "one", "--to", "main")
    assert moved["session"]["conversation"] == first["conversation"]
    last = heard(agent, 2)[-1]
    assert (last["cwd"], last["resumed"]) == (str(repo), True)


def test_a_working_agent_is_not_interrupted(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    heard(agent, 1)
    assert cannot(tmux, repo, "one", "--to", "main") == "busy"
    moved = move(tmux, repo, "one", "--to", "main", "--close")
    assert moved["window"] == made["window"]
    assert heard(agent, 2)[-1]["cwd"] == str(repo)


def test_an_agent_that_does_not_start_there_is_back_where_it_was(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """And so is the shell beside it, which had gone already: all panes or none."""
    made = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    window, place = made["window"], Path(made["worktree"]["path"])
    assert until(lambda: agent.transcript(place, made["session"]["conversation"]).exists())
    beside = tmux.cmd("split-window", "-dP", "-t", window, "-F", "#{pane_id}", "-c", str(place))
    assert at(tmux, beside, place)
    idle(tmux, window)
    before = done("-L", tmux.socket, "list", cwd=repo)
    agent.exit_at_once(3)
    error = refused("-L", tmux.socket, "move", "one", "--new", "two", cwd=repo)
    assert error["code"] == "cannot_resume"
    after = done("-L", tmux.socket, "list", cwd=repo)
    assert [tree["path"] for tree in after["worktrees"]] == [
        tree["path"] for tree in before["worktrees"]
    ]
    assert git(repo, "branch", "--list", "two") == ""
    assert after["sessions"][0]["worktree_path"] == str(place)
    assert after["sessions"][0]["window"] == window
    assert tmux.ask("#{window_name}", window) == "⎇ one"
    assert at(tmux, window, place), "a shell, since the agent does not start here either"
    assert at(tmux, beside, place)
    assert tmux.ask("#{pane_dead}", window) == "0"


def test_an_interrupted_move_is_taken_back(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    window, place = made["window"], Path(made["worktree"]["path"])
    assert until(lambda: agent.transcript(place, made["session"]["conversation"]).exists())
    idle(tmux, window)
    call = spawn("-L", tmux.socket, "move", "one", "--new", "two", "--json", cwd=repo)
    assert heard(agent, 2)[-1]["cwd"] == str(repo / ".worktrees" / "two")
    call.send_signal(signal.SIGINT)  # it looks whether the agent stays
    out, err = call.communicate(timeout=20)
    assert call.returncode == 130, (out, err)
    last = heard(agent, 3)[-1]
    assert (last["cwd"], last["resumed"]) == (str(place), True)
    assert at(tmux, window, place)
    assert not (repo / ".worktrees" / "two").exists()
    assert git(repo, "branch", "--list", "two") == ""
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert (row["worktree_path"], row["window"]) == (str(place), window)
    assert tmux.ask("#{window_name}|#{pane_dead}|#{remain-on-exit}", window) == "⎇ one|0|off"


def test_the_panes_beside_it_come_along(repo: Path, tmux: Server) -> None:
    repos.commit(repo, "deep/er/x")
    made = new(tmux, repo, "one")
    window, place = made["window"], made["worktree"]["path"]
    goal = repos.linked(repo, repo.parent / "two", "two")

    def split(folder: str | Path) -> str:
        pane = tmux.cmd("split-window", "-dP", "-t", window, "-F", "#{pane_id}", "-c", str(folder))
        assert at(tmux, pane, folder)
        return pane

    beside, deep, away = split(place), split(f"{place}/deep/er"), split(repo.parent)
    tmux.cmd("send-keys", "-t", beside, "sleep 1000", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_command}", beside) == "sleep")
    assert cannot(tmux, repo, "one", "--to", "two") == "busy"
    move(tmux, repo, "one", "--to", "two", "--close")
    assert at(tmux, beside, goal)
    assert at(tmux, deep, goal / "deep" / "er")
    assert at(tmux, away, repo.parent), "it was not in the worktree, and stays where it is"
    assert tmux.cmd("list-panes", "-t", window, "-F", "#{pane_current_path}").count(str(goal)) == 3


def test_a_new_worktree_in_one_step(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "notes", "--no-worktree")
    repos.commit(repo, "later")
    moved = move(tmux, repo, "notes", "--new", "Fix it")
    place = repo / ".worktrees" / "fix-it"
    assert moved["worktree"]["path"] == str(place)
    assert moved["worktree"]["branch"] == "fix-it"
    assert moved["worktree"]["base_commit"] == git(repo, "rev-parse", "HEAD")
    assert at(tmux, made["window"], place)
    gone = done("-L", tmux.socket, "remove", "notes", cwd=repo)["removed"][0]
    assert gone["path"] == str(place), "it owns what was made for it"
    assert gone["branch_deleted"] is True


def test_a_new_worktree_that_cannot_be_used_goes_again(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "one")
    tmux.cmd("send-keys", "-t", made["window"], "sleep 1000", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_command}", made["window"]) == "sleep")
    assert cannot(tmux, repo, "one", "--new", "two") == "busy"
    assert not (repo / ".worktrees" / "two").exists()
    assert cannot(tmux, repo, "one", "--new", "main") == "branch_exists"


def test_the_answer_says_where_the_session_is_now(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    window = done(*here, "new", "fix", "-d", cwd=repo)["window"]
    said = hqt(*here, "move", "session:fix", "--new", "other", cwd=repo).out.splitlines()[0]
    assert said == f"Moved fix to ⎇ other in window {window}: {repo}/.worktrees/other"
    said = hqt(*here, "move", "session:fix", "--to", "main", cwd=repo).out.splitlines()[0]
    assert said == f"Moved fix to ⎇ main in window {window}: {repo}"


def test_a_closed_session_is_opened_where_it_was_moved(repo: Path, tmux: Server) -> None:
    done("new", "one", "--no-window", cwd=repo)
    moved = move(tmux, repo, "one", "--to", "main")
    assert moved["window"] is None
    opened = done("-L", tmux.socket, "open", "session:one", cwd=repo)
    assert at(tmux, opened["window"], repo)


def test_from_its_own_window(repo: Path, tmux: Server, sealed: Path) -> None:
    """As an agent moves itself: the answer is there before its pane starts anew."""
    made = new(tmux, repo, "one")
    window, out = made["window"], sealed / "answer"
    command = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt move --new two --json > {out} 2>&1"
    tmux.cmd("send-keys", "-t", window, command, "Enter")
    place = repo / ".worktrees" / "two"
    assert at(tmux, window, place), out.read_text()
    moved = json.loads(out.read_text())
    assert moved["session"]["id"] == made["session"]["id"]
    assert moved["worktree"]["path"] == str(place)
    assert tmux.ask("#{window_name}", window) == "⎇ two"
    listed = done("-L", tmux.socket, "list", cwd=repo)
    assert listed["sessions"][0]["worktree_path"] == str(place)


def test_nobody_moves_in_while_a_worktree_is_being_removed(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(tmux, repo, "one")
    new(tmux, repo, "two")
    impatient = functools.partial(lock.repository_lock, wait=0.1)
    monkeypatch.setattr(lock, "repository_lock", impatient)
    with lock.repository_lock(repository.discover(repo), "remove"):
        for arguments in (
            ("move", "one", "--to", "branch:two"),
            ("open", "two"),
            ("new", "three", "-d"),
            ("new", "notes", "--no-worktree", "-d"),
        ):
            error = refused("-L", tmux.socket, *arguments, cwd=repo)
            assert error["code"] == "repository_locked", arguments


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="who waits is seen in /proc")
@pytest.mark.parametrize(
    "arguments", [("open", "two"), ("open", "branch:two"), ("move", "one", "--to", "branch:two")]
)
def test_whoever_waited_for_the_removal_finds_nothing_to_move_into(
    repo: Path, tmux: Server, arguments: tuple[str, ...]
) -> None:
    new(tmux, repo, "one")
    made = done("new", "two", "--no-window", cwd=repo)
    with lock.repository_lock(repository.discover(repo), "remove"):
        waiting = spawn("-L", tmux.socket, *arguments, "--json", cwd=repo)
        holder = repo / ".git" / "hqt" / "lock"
        assert until(lambda: waits_for(waiting.pid, holder))
        git(repo, "worktree", "remove", made["worktree"]["path"])
        store = worlds.rows()
        store.delete(made["session"]["id"])
    out, err = waiting.communicate(timeout=20)
    assert waiting.returncode == 1
    assert not out
    assert json.loads(err)["error"]["code"] in {"no_such_target", "missing_worktree"}
    assert len(tmux.windows()) == 2
    assert not Path(made["worktree"]["path"]).exists()


def waits_for(pid: int, file: Path) -> bool:
    """Whether a process has the file open (this one has it too, but that is another)."""
    folder = Path(f"/proc/{pid}/fd")
    try:
        return any(link.readlink() == file for link in folder.iterdir())
    except OSError:
        return False


def test_the_others_are_led_out_before_a_worktree_goes(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "one")
    place = Path(made["worktree"]["path"])
    guest = new(tmux, place, "guest", "--no-worktree", "-H", "stand-in", "-p", "Hello")
    assert guest["worktree"]["path"] == str(place)
    assert guest["session"]["worktree_path"] == str(place)
    assert until(lambda: agent.transcript(place, guest["session"]["conversation"]).exists())
    idle(tmux, guest["window"])
    kept = done("-L", tmux.socket, "remove", "session:one", "--close", cwd=repo)["removed"][0]
    assert kept["path"] is None, "removing one of several keeps the worktree"
    done("-L", tmux.socket, "open", "session:guest", cwd=repo)
    host = new(tmux, place, "host", "--no-worktree")

    gone = done("-L", tmux.socket, "remove", "session:host", "--evacuate", cwd=repo)["removed"][0]
    assert gone["path"] == str(place)
    assert host["window"] in gone["windows_closed"]
    assert guest["window"] not in gone["windows_closed"]
    assert at(tmux, guest["window"], repo)
    last = heard(agent, 2)[-1]
    assert (last["cwd"], last["resumed"]) == (str(repo), True)
    assert tmux.ask("#{window_name}|#{@hqt_worktree}", guest["window"]) == "guest|"
    shown = done("-L", tmux.socket, "list", cwd=repo)
    [row] = shown["sessions"]
    assert row["worktree"] == shown["worktrees"][0]["id"], "in the main checkout"
    assert row["worktree_path"] is None


def test_one_who_cannot_come_along_keeps_the_worktree(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "one")
    place = Path(made["worktree"]["path"])
    guest = new(tmux, place, "guest", "--no-worktree", "-H", "stand-in-rooted", "-p", "Hello")
    assert until(lambda: agent.transcript(place, guest["session"]["conversation"]).exists())
    idle(tmux, guest["window"])
    before = state(tmux, repo)
    error = refused("-L", tmux.socket, "remove", "branch:one", "--evacuate", cwd=repo)
    assert error["code"] == "cannot_resume"
    assert state(tmux, repo) == before


def test_whoever_evacuates_their_own_window_stays_in_it(
    repo: Path, tmux: Server, sealed: Path
) -> None:
    made = new(tmux, repo, "one")
    place = Path(made["worktree"]["path"])
    guest = new(tmux, place, "guest", "--no-worktree")
    out = sealed / "answer"
    command = (
        f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt remove session:one --evacuate --json"
        f" > {out} 2>&1"
    )
    tmux.cmd("send-keys", "-t", guest["window"], command, "Enter")
    assert at(tmux, guest["window"], repo), out.read_text()
    gone = json.loads(out.read_text())["removed"][0]
    assert gone["path"] == str(place)
    assert gone["windows_closed"] == [made["window"]]
    assert not place.exists()


def test_an_agent_that_went_elsewhere_by_a_tool_of_its_own(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """Its hook says so: label, options and row follow. A plain `cd` changes nothing."""
    made = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
    window, id = made["window"], made["session"]["conversation"]
    assert until(lambda: agent.transcript(Path(made["worktree"]["path"]), id).exists())
    (repo / ".claude").mkdir()
    goal = repos.linked(repo, repo / ".claude" / "worktrees" / "two", "two")
    (goal / "sub").mkdir()
    env = {
        "TMUX": f"{tmux.ask('#{socket_path}')},{tmux.pid},0",
        "TMUX_PANE": tmux.ask("#{pane_id}", window),
        "HQT_SESSION": made["session"]["id"],
    }

    def told(tool: str, cwd: Path, **more: str) -> None:
        payload = {"hook_event_name": "PostToolUse", "tool_name": tool, "cwd": str(cwd), **more}
        agents.hear("PostToolUse", json.dumps(payload).encode(), env)

    before = state(tmux, repo)
    told("Bash", goal, tool_input="cd EnterWorktree")
    told("EnterWorktree", goal, agent_id="a1")
    told("EnterWorktree", repo.parent)
    assert state(tmux, repo) == before
    told("EnterWorktree", goal / "sub")
    assert tmux.ask("#{window_name}|#{@hqt_branch}", window) == "⎇ two|two"
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert row["worktree_path"] == str(goal)
    assert tmux.ask("#{@hqt_worktree}", window) == row["worktree"]
    tmux.cmd("kill-window", "-t", window)
    opened = done("-L", tmux.socket, "open", "session:one", cwd=repo)
    last = heard(agent, 2)[-1]
    assert (last["cwd"], last["conversation"]) == (str(goal / "sub"), id)
    assert last["resumed"], "wherever its transcript was left"
    told("ExitWorktree", repo)
    assert tmux.ask("#{window_name}|#{@hqt_worktree}", opened["window"]) == "one|"


def test_a_vanished_worktree_is_not_where_the_session_is(tmux: Server, repo: Path) -> None:
    place = new(tmux, repo, "fix")["worktree"]["path"]
    git(repo, "worktree", "remove", "--force", place)
    answer = move(tmux, repo, "session:fix", "--to", "main")
    assert answer["session"]["worktree_path"] is None
    assert answer["worktree"]["main"]


def test_the_answer_names_its_own_window(tmux: Server, repo: Path) -> None:
    """A pane that has just started anew is not in its folder yet."""
    new(tmux, repo, "fix")
    for number in range(4):
        there = move(tmux, repo, "session:fix", "--to", ("main", "branch:fix")[number % 2])
        assert there["window"] in there["worktree"]["windows"]


@pytest.mark.parametrize("kind", ["nobody reads", "no room"])
def test_an_answer_that_cannot_be_told_takes_nothing_back(
    tmux: Server, repo: Path, kind: str
) -> None:
    new(tmux, repo, "fix")
    to = ">/dev/full" if kind == "no room" else "| true"
    words = shlex.join(["-L", tmux.socket, "move", "session:fix", "--new", "other"])
    command = f"{shlex.quote(sys.executable)} -m hqt {words} {to}"
    subprocess.run(
        command, shell=True, cwd=repo, env={**os.environ, "PYTHONPATH": str(PYTHON)}, check=False
    )
    (session,) = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert session["worktree_branch"] == "other"
