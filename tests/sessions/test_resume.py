"""`hqt open` step by step down its ladder: what comes back, and what the screen says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers import repos, servers
from helpers.calls import done, refused
from helpers.repos import git
from helpers.servers import Server, until
from helpers.stand_in import StandIn

ANEW = "starts anew: there is no conversation to resume"


def new(tmux: Server, repo: Path, name: str, *flags: str) -> Any:
    return done("-L", tmux.socket, "new", name, "-d", *flags, cwd=repo)


def reopened(tmux: Server, repo: Path, name: str, *flags: str) -> Any:
    return done("-L", tmux.socket, "open", name, *flags, cwd=repo)


def close(tmux: Server, *windows: str) -> None:
    for window in windows:
        tmux.cmd("kill-window", "-t", window)
    assert until(lambda: not {*windows} & {*tmux.windows()})


def screen(tmux: Server, window: str) -> str:
    return tmux.cmd("capture-pane", "-p", "-J", "-t", window)


def launched(agent: StandIn, count: int) -> dict[str, Any]:
    """The launch of that number, the first being 1."""
    assert until(lambda: len(agent.launches()) >= count), agent.launches()
    return agent.launches()[count - 1]


def spoken(agent: StandIn, directory: Path | str, conversation: str) -> bool:
    return until(lambda: agent.transcript(Path(directory), conversation).exists())


def starts_in(tmux: Server, window: str, folder: Path | str) -> bool:
    return until(lambda: tmux.ask("#{pane_current_path}", window) == str(folder))


def test_the_very_conversation_is_resumed(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in", "-p", "Hello")
    place, id = made["worktree"]["path"], made["session"]["conversation"]
    assert spoken(agent, place, id)
    close(tmux, made["window"])
    again = reopened(tmux, repo, "fix")
    last = launched(agent, 2)
    assert (last["conversation"], last["resumed"], last["cwd"]) == (id, True, place)
    assert again["notes"] == []
    assert again["session"]["conversation"] == id
    assert reopened(tmux, repo, "fix")["window"] == again["window"]
    assert len(agent.launches()) == 2, "a live window is only gone to"


def test_where_nothing_was_said_it_starts_with_its_own_id(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in")
    launched(agent, 1)
    close(tmux, made["window"])
    again = reopened(tmux, repo, "fix")
    last = launched(agent, 2)
    assert last["conversation"] == made["session"]["conversation"]
    assert not last["resumed"]
    assert any(ANEW in note for note in again["notes"])
    assert until(lambda: ANEW in screen(tmux, again["window"])), "the screen says that it is fresh"


def test_a_vanished_worktree_comes_back_for_its_conversation(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    repos.commit(repo, "packages/a/x")
    made = new(tmux, repo / "packages" / "a", "fix", "-H", "stand-in", "-p", "Hello")
    place, id = Path(made["worktree"]["path"]), made["session"]["conversation"]
    assert spoken(agent, place / "packages" / "a", id)
    close(tmux, made["window"])
    shutil.rmtree(place)
    again = reopened(tmux, repo, "fix")
    assert again["worktree"]["path"] == str(place)
    assert again["branch_recreated"] is False
    last = launched(agent, 2)
    assert (last["resumed"], last["cwd"]) == (True, str(place / "packages" / "a"))
    assert until(lambda: "had vanished and was checked out" in screen(tmux, again["window"]))


def test_a_worktree_that_git_moved_takes_its_conversation_along(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in", "-p", "Hello")
    id = made["session"]["conversation"]
    assert spoken(agent, made["worktree"]["path"], id)
    close(tmux, made["window"])
    moved = repo.parent / "moved"
    git(repo, "worktree", "move", made["worktree"]["path"], str(moved))
    again = reopened(tmux, repo, "session:fix")
    assert again["worktree"]["path"] == str(moved)
    last = launched(agent, 2)
    assert (last["conversation"], last["resumed"], last["cwd"]) == (id, True, str(moved))


def test_one_that_cannot_follow_begins_a_new_one(repo: Path, tmux: Server, agent: StandIn) -> None:
    """The old conversation stays where it is; its id is not used for another."""
    made = new(tmux, repo, "fix", "-H", "stand-in-rooted", "-p", "Hello")
    place, id = Path(made["worktree"]["path"]), made["session"]["conversation"]
    assert spoken(agent, place, id)
    close(tmux, made["window"])
    git(repo, "worktree", "move", str(place), str(repo.parent / "moved"))
    again = reopened(tmux, repo, "session:fix")
    last = launched(agent, 2)
    assert not last["resumed"]
    assert last["conversation"] != id
    assert again["session"]["conversation"] == last["conversation"], "the store knows the new one"
    assert any(ANEW in note for note in again["notes"])
    assert agent.said(place, id) == ["Hello"]


def test_the_latest_only_where_it_can_be_nobody_elses(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in-latest")
    first = launched(agent, 1)
    tmux.cmd("send-keys", "-t", made["window"], "Hello", "Enter")
    assert spoken(agent, made["worktree"]["path"], first["conversation"])
    close(tmux, made["window"])
    again = reopened(tmux, repo, "fix")
    assert launched(agent, 2)["conversation"] == first["conversation"]
    assert again["notes"] == []
    close(tmux, again["window"])

    place = Path(made["worktree"]["path"])
    done("-L", tmux.socket, "new", "other", "--no-worktree", "-d", "-H", "stand-in-latest",
         cwd=place)  # fmt: skip
    launched(agent, 3)
    again = reopened(tmux, repo, "session:fix")
    assert not launched(agent, 4)["resumed"], "it could be the other's"
    assert any(ANEW in note for note in again["notes"])


def test_an_id_that_the_program_makes_up_is_captured(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """Before the window closes or after; and after a /clear the new one counts."""
    made = new(tmux, repo, "fix", "-H", "stand-in-captured", "-p", "Hello")
    place = made["worktree"]["path"]
    first = launched(agent, 1)["conversation"]
    assert spoken(agent, place, first)
    close(tmux, made["window"])
    again = reopened(tmux, repo, "fix")
    assert again["session"]["conversation"] == first
    assert launched(agent, 2)["conversation"] == first
    tmux.cmd("send-keys", "-t", again["window"], "clear", "Enter", "Again", "Enter")
    assert until(lambda: len(list(agent.home.glob("projects/*/*.jsonl"))) == 2)
    reopened(tmux, repo, "fix")
    [row] = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    assert row["conversation"] not in {None, first}
    assert agent.said(Path(place), row["conversation"]) == ["Again"]
    reopened(tmux, repo, "fix")
    assert (
        done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["conversation"]
        == (row["conversation"])
    ), "it does not go back to the old one"


def test_a_siblings_conversation_is_never_captured(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in-captured")
    place = Path(made["worktree"]["path"])
    launched(agent, 1)
    done("-L", tmux.socket, "new", "other", "--no-worktree", "-d", "-H", "stand-in-captured",
         "-p", "Mine", cwd=place)  # fmt: skip
    assert spoken(agent, place, launched(agent, 2)["conversation"])
    close(tmux, made["window"])
    again = reopened(tmux, repo, "session:fix")
    assert again["session"]["conversation"] is None
    assert not launched(agent, 3)["resumed"]


def test_looking_writes_nothing_down(repo: Path, tmux: Server, agent: StandIn) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in-captured", "-p", "Hello")
    first = launched(agent, 1)["conversation"]
    assert spoken(agent, made["worktree"]["path"], first)
    for verb in (["list"], ["inspect", "fix"], ["path", "fix"], ["open", "--all", "--dry-run"]):
        done("-L", tmux.socket, *verb, cwd=repo)
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["conversation"] is None


def test_a_program_that_ends_at_once_is_not_started_in_a_loop(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    agent.exit_at_once(1)
    made = new(tmux, repo, "fix", "-H", "stand-in", "-p", "Hello")
    launched(agent, 1)
    assert until(lambda: made["window"] not in tmux.windows())
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["state"] == "closed"
    reopened(tmux, repo, "fix")
    launched(agent, 2)
    assert len(agent.launches()) == 2


def test_a_program_that_is_not_installed_makes_nothing(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    made = new(tmux, repo, "fix", "-H", "stand-in")
    launched(agent, 1)
    close(tmux, made["window"])
    agent.program.rename(agent.program.with_name("away"))
    before = tmux.windows()
    assert refused("-L", tmux.socket, "open", "fix", cwd=repo)["code"] == "config_invalid"
    assert refused("-L", tmux.socket, "new", "x", "-H", "stand-in", cwd=repo)["code"] == (
        "config_invalid"
    )
    assert tmux.windows() == before
    hand = repos.linked(repo, repo.parent / "hand", "hand")
    tmux.cmd("set", "-g", "@hqt-harness", "stand-in")
    assert refused("-L", tmux.socket, "open", str(hand), cwd=repo)["code"] == "config_invalid"
    assert len(done("-L", tmux.socket, "list", cwd=repo)["sessions"]) == 1, "nor a row"


@pytest.mark.parametrize("prompt", ["-p 'x' \"$HOME\" `id`\n#(touch X);", "é" * 50_000])
def test_a_prompt_arrives_as_one_argument(
    repo: Path, tmux: Server, agent: StandIn, prompt: str
) -> None:
    """Up to 100 KB, though a message to tmux takes 16."""
    new(tmux, repo, "fix", "-H", "stand-in", "-p", prompt)
    assert launched(agent, 1)["argv"][-1] == prompt


def test_what_an_outer_agent_left_behind_is_dropped(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    tmux.cmd("set-environment", "-g", "STAND_IN_INSIDE", "1")
    tmux.cmd("set-environment", "-g", "OTHER_INSIDE", "1")
    new(tmux, repo, "agent", "-H", "stand-in")
    environment = launched(agent, 1)["environment"]
    assert "STAND_IN_INSIDE" not in environment
    assert environment["OTHER_INSIDE"] == "1"
    shell = new(tmux, repo, "shell")
    tmux.cmd("send-keys", "-t", shell["window"], 'echo "<${STAND_IN_INSIDE-gone}>"', "Enter")
    assert until(lambda: "<gone>" in screen(tmux, shell["window"]))
    assert tmux.ask("#{pane_current_command}", shell["window"]) == "sh"


def test_the_users_default_command_is_kept(repo: Path, agent: StandIn) -> None:
    assert agent
    with servers.running("set -g default-command 'echo mine; exec sh'", cwd=repo) as tmux:
        tmux.cmd("set-environment", "-g", "STAND_IN_INSIDE", "1")
        made = new(tmux, repo, "shell")
        assert until(lambda: screen(tmux, made["window"]).startswith("mine"))


def test_a_window_that_tmux_resurrect_brought_back_gets_its_agent(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """A shell in the worktree under the old name; the user's own shell there is left alone."""
    made = new(tmux, repo, "fix", "-H", "stand-in", "-p", "Hello")
    place, id = made["worktree"]["path"], made["session"]["conversation"]
    assert spoken(agent, place, id)
    close(tmux, made["window"])
    make = ["new-window", "-dP", "-F", "#{window_id}", "-c", place]
    users = tmux.cmd(*make, "-n", "mine")
    old = tmux.cmd(*make, "-n", "⎇ fix")
    for window in (users, old):
        assert starts_in(tmux, window, place)
    again = reopened(tmux, repo, "fix")
    assert again["window"] == old
    assert launched(agent, 2)["conversation"] == id
    assert until(lambda: "resumed" in screen(tmux, old))
    assert tmux.ask("#{@hqt_session}", old) == made["session"]["id"]
    assert tmux.ask("#{@hqt_session}", users) == ""


def test_a_running_agent_whose_window_lost_its_marks_is_started_no_second_time(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    """As `hqt uninstall` leaves it; its conversation in the program's words tells whose it is."""
    made = new(tmux, repo, "fix", "-H", "stand-in", "-p", "Hello")
    assert spoken(agent, made["worktree"]["path"], made["session"]["conversation"])
    done("-L", tmux.socket, "uninstall", cwd=repo)
    tmux.cmd("rename-window", "-t", made["window"], "python")
    again = reopened(tmux, repo, "fix")
    assert again["window"] == made["window"]
    assert len(agent.launches()) == 1
    assert tmux.ask("#{@hqt_session}", made["window"]) == made["session"]["id"]


def test_a_session_without_a_worktree_starts_again_where_it_was(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    (repo / "sub").mkdir()
    made = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", "-H", "stand-in",
                "-p", "Hello", cwd=repo / "sub")  # fmt: skip
    assert spoken(agent, repo / "sub", made["session"]["conversation"])
    close(tmux, made["window"])
    reopened(tmux, repo, "notes")
    last = launched(agent, 2)
    assert (last["cwd"], last["resumed"]) == (str(repo / "sub"), True)


def test_a_session_outside_any_repository_opens_and_goes(sealed: Path, tmux: Server) -> None:
    folder = sealed / "plain"
    folder.mkdir()
    made = done("-L", tmux.socket, "new", "notes", "-d", cwd=folder)
    window = made["window"]
    (listed,) = done("list", "--all", cwd=sealed)["repositories"]
    assert listed["repository"]["root"] == str(folder)
    assert [one["nickname"] for one in listed["sessions"]] == ["notes"]
    for place in (folder, sealed):
        close(tmux, window)
        window = reopened(tmux, place, "notes")["window"]
        assert starts_in(tmux, window, folder)
    tmux.cmd("send-keys", "-t", window, "echo rea''dy", "Enter")  # one that reads its profile works
    assert until(lambda: "ready" in tmux.cmd("capture-pane", "-p", "-t", window))
    done("-L", tmux.socket, "remove", "notes", cwd=sealed)
    assert window not in tmux.windows()
    assert folder.is_dir()


def test_opened_from_another_repository(repo: Path, tmux: Server, sealed: Path) -> None:
    made = new(tmux, repo, "fix")
    other = repos.repository(sealed / "other")
    assert reopened(tmux, other, "fix")["window"] == made["window"]
    close(tmux, made["window"])
    for place in (other, sealed):
        again = reopened(tmux, place, "fix")
        assert again["worktree"]["path"] == made["worktree"]["path"]
        close(tmux, again["window"])


def test_a_project_that_is_gone(repo: Path, tmux: Server, sealed: Path) -> None:
    new(tmux, repo, "fix")
    repo.rename(sealed / "away")
    assert refused("-L", tmux.socket, "open", "fix", cwd=sealed)["code"] == "project_missing"


def test_after_a_restart_everything_is_where_it_was(
    repo: Path, sealed: Path, agent: StandIn
) -> None:
    """Two tmux sessions, their windows in another order than they were made, a gap between."""
    with servers.running("set -g base-index 1", cwd=sealed) as tmux:
        one = new(tmux, repo, "one", "-H", "stand-in", "-p", "Hello")
        new(tmux, repo, "two")
        new(tmux, repo, "three", "-s", "side")
        new(tmux, repo, "four", "-s", "side")
        assert spoken(agent, one["worktree"]["path"], one["session"]["conversation"])
        tmux.cmd("move-window", "-s", one["window"], "-t", "main:7")
        done("-L", tmux.socket, "open", "session:two", cwd=repo)  # a verb that changes: it notices
        form = "#{session_name}:#{window_index} #{window_name} #{@hqt_session} #{@hqt_branch}"
        before = [line for line in tmux.windows(form) if "⎇" in line]
    with servers.running("set -g base-index 1", cwd=sealed) as tmux:
        would = done("-L", tmux.socket, "open", "--all", "--dry-run", cwd=repo)["opened"]
        names = ["two", "one", "three", "four"]
        assert [view["session"]["nickname"] for view in would] == names
        back = done("-L", tmux.socket, "open", "--all", cwd=repo)
        assert [view["session"]["nickname"] for view in back["opened"]] == names
        assert back["failed"] == []
        assert [line for line in tmux.windows(form) if "⎇" in line] == before
        last = launched(agent, 2)
        assert (last["conversation"], last["resumed"]) == (one["session"]["conversation"], True)
        assert done("-L", tmux.socket, "open", "--all", cwd=repo)["opened"] == []


def test_taken_places_keep_the_order(repo: Path, sealed: Path) -> None:
    with servers.running(cwd=sealed) as tmux:
        for name in ("one", "two", "three"):
            new(tmux, repo, name)
    with servers.running(cwd=sealed) as tmux:
        tmux.cmd("new-window", "-d", "-t", "main:1")
        tmux.cmd("new-window", "-d", "-t", "main:3")
        done("-L", tmux.socket, "open", "--all", cwd=repo)
        names = [line for line in tmux.windows("#{window_index} #{window_name}") if "⎇" in line]
        assert names == ["2 ⎇ one", "4 ⎇ two", "5 ⎇ three"]


def test_one_that_cannot_be_opened_does_not_keep_the_others_closed(
    repo: Path, tmux: Server, agent: StandIn, sealed: Path
) -> None:
    other = repos.repository(sealed / "other")
    windows = [
        new(tmux, repo, "one", "-H", "stand-in")["window"],
        new(tmux, repo, "two")["window"],
        new(tmux, other, "far")["window"],
    ]
    gone = repos.repository(sealed / "gone")
    windows.append(new(tmux, gone, "lost")["window"])
    launched(agent, 1)
    for window in windows:
        close(tmux, window)
    agent.program.rename(agent.program.with_name("away"))
    shutil.rmtree(gone)
    for cwd in (repo, sealed):
        would = done("-L", tmux.socket, "open", "--all", "--dry-run", cwd=cwd)
        names = {view["session"]["nickname"] for view in would["opened"]}
        assert names == {"one", "two", "far"}, cwd
        assert [one["code"] for one in would["failed"]] == ["project_missing"]
    back = done("-L", tmux.socket, "open", "--all", cwd=repo)
    assert {view["session"]["nickname"] for view in back["opened"]} == {"two", "far"}
    assert {one["code"] for one in back["failed"]} == {"config_invalid", "project_missing"}
    close(tmux, *(view["window"] for view in back["opened"]))
    outside = done("-L", tmux.socket, "open", "--all", cwd=sealed)
    assert {view["session"]["nickname"] for view in outside["opened"]} == {"two", "far"}
    (other / ".git" / "HEAD").write_text("nonsense\n")
    close(tmux, *(view["window"] for view in outside["opened"]))
    for cwd in (other, repo):
        broken = done("-L", tmux.socket, "open", "--all", cwd=cwd)
        close(tmux, *(view["window"] for view in broken["opened"]))
        assert {view["session"]["nickname"] for view in broken["opened"]} == {"two"}, cwd
        assert len(broken["failed"]) == 3


def test_what_has_moved_is_told_where_it_is(repo: Path, tmux: Server, sealed: Path) -> None:
    """The sessions of a repository that was moved are named once, with what mends them."""
    close(tmux, new(tmux, repo, "fix")["window"])
    moved = repo.rename(sealed / "moved")
    back = done("-L", tmux.socket, "open", "--all", cwd=moved)
    assert back["opened"] == []
    assert [one["code"] for one in back["failed"]] == ["missing_worktree"]
    assert "git -C" in back["failed"][0]["remedy"]
