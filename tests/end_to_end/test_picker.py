"""The picker with a person's keys: everything at a glance, and each of its keys."""

from __future__ import annotations

from pathlib import Path

from helpers import repos, terminal
from helpers.calls import done
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal
from hqt.tmux import agent_states


def opened(person: Terminal, *texts: str) -> str:
    person.press("C-b", "S")
    return person.see("Worktrees", "Enter open", "⎇ main", *texts)


def line(person: Terminal, label: str) -> str:
    return next(one for one in person.screen().splitlines() if label in one)


def test_rows_fill_in_with_everything_there_is(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    repos.commit(place, "thought")
    (place / "new").write_text("new\n")
    git(repo, "worktree", "lock", str(place))
    git(repo, "worktree", "add", "-q", "--detach", str(repo.parent / "gone"))
    (repo.parent / "gone").rename(repo.parent / "elsewhere")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "waiting"))
    opened(person, "⎇ fix", "gone@", "missing")
    assert until(lambda: "?1" in line(person, "⎇ fix") and "↑1" in line(person, "⎇ fix"))
    assert "locked" in line(person, "⎇ fix")
    assert "◆" in line(person, "⎇ fix")
    assert "*" in line(person, "⎇ fix"), "where the person is"


def test_a_preview_of_commits_and_changes_or_of_the_agents_screen(person: Terminal) -> None:
    place = session(person, "fix")
    (place / "new").write_text("new\n")
    person.type("echo from the 'agent'")
    person.press("Enter")
    person.see("from the agent")
    opened(person, "First", "?? new")
    person.press("Escape")
    person.dismissed("Worktrees", "┌")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "waiting"))
    opened(person)
    assert until(lambda: person.screen().count("from the agent") == 2), "below, and in the preview"
    assert "?? new" not in person.screen()


def test_enter_opens_and_escape_leaves(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    before = person.ask("#{window_id}")
    opened(person)
    person.press("Escape")
    person.dismissed("Worktrees", "┌")
    assert person.ask("#{window_id}") == before
    opened(person)
    person.type("main")
    person.see("1/2")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_id}") != before)
    assert person.ask("#{pane_current_path}") == str(repo)


def test_lock_and_copy(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    opened(person, "⎇ fix")
    person.press("C-l")
    person.see("Locked fix.", "locked")
    person.press("C-y")
    person.see("Copied")
    assert person.server.cmd("show-buffer") == str(place)
    person.press("C-l")
    person.see("Unlocked fix.")
    assert "locked" not in git(repo, "worktree", "list", "--porcelain")


def test_new_and_git(person: Terminal) -> None:
    person.server.cmd("set", "-g", "@hqt-git-command", "git log --oneline; read x")
    opened(person)
    person.press("C-n")
    person.see("New session", "Nickname")
    person.press("Escape")
    person.dismissed("Nickname", "┌")
    opened(person)
    person.press("C-g")
    person.see("First")
    person.dismissed("Worktrees")


def test_archive_and_the_archived(person: Terminal, repo: Path) -> None:
    place = repo / ".worktrees" / "fix"
    done("-L", person.server.socket, "new", "fix", "-d", cwd=repo)
    opened(person)
    person.type("fix")
    person.see("1/2")
    person.press("C-a")
    person.see("Archived fix.")
    assert until(lambda: not place.exists())
    person.press("C-u", "F5")
    person.dismissed("⎇ fix")
    person.press("C-r")
    person.see("archived too", "fix")
    person.type("fix")
    person.see("1/2")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
    assert place.exists()


def test_what_is_busy_is_not_archived(person: Terminal) -> None:
    place = session(person, "fix")
    person.type("sleep 1234")
    person.press("Enter")
    assert until(lambda: person.ask("#{pane_current_command}") == "sleep")
    opened(person, "⎇ fix")
    person.press("C-a")
    person.see("sleep runs in")
    assert place.exists()


def test_all_repositories_and_one_that_is_gone(person: Terminal, sealed: Path) -> None:
    other = repos.repository(sealed / "other")
    gone = repos.repository(sealed / "gone")
    for place, name in ((other, "elsewhere"), (gone, "nowhere")):
        done("-L", person.server.socket, "new", name, "--no-window", cwd=place)
    opened(person)
    person.press("C-t")
    person.see("all repositories", "⎇ elsewhere", "⎇ nowhere")
    gone.rename(sealed / "moved")
    person.press("F5")
    person.see("Could not read gone.", "⎇ nowhere", "⎇ elsewhere")
    person.press("C-t")
    person.dismissed("⎇ elsewhere")


def test_remove_several_at_once(person: Terminal, repo: Path) -> None:
    for name in ("one", "two"):
        done("-L", person.server.socket, "new", name, "-d", cwd=repo)
    opened(person, "⎇ one", "⎇ two")
    person.press("End", "BTab", "BTab")
    person.see("2 marked")
    person.press("C-x")
    person.see("Remove 2 worktrees?", "[x] Also remove 2 worktrees")
    person.press("Enter")
    assert until(lambda: not list((repo / ".worktrees").glob("[ot]*")))


def test_outside_a_repository(sealed: Path, person: Terminal) -> None:
    session(person, "fix")
    person.server.cmd("new-window", "-c", str(sealed))
    assert until(lambda: person.ask("#{pane_current_path}") == str(sealed))
    person.press("C-b", "S")
    person.see("Worktrees", "Nothing is here yet")
    person.press("C-t")
    person.see("⎇ fix")
    person.press("Escape")
    person.dismissed("Worktrees")


def test_two_people_have_a_picker_each(person: Terminal, repo: Path) -> None:
    person.server.cmd("new-session", "-d", "-s", "second", "-c", str(repo))
    done("-L", person.server.socket, "new", "fix", "-d", "-s", "second", cwd=repo)
    with terminal.attached(person.server, session="second", size=(90, 24)) as other:
        opened(other, "⎇ fix")
        assert "Worktrees" not in person.screen()
        opened(person, "⎇ fix")
        other.type("fix")
        other.see("1/2")
        other.press("Enter")
        assert until(lambda: other.ask("#{window_name}") == "⎇ fix")
        person.see("Worktrees", "2/2")
        assert person.ask("#{window_name}") != "⎇ fix"
