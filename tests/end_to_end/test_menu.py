"""The menu with a person's keys: every entry, its key, its page, and where it opens."""

from __future__ import annotations

from pathlib import Path

from helpers import terminal
from helpers.harnesses import write
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal
from hqt import paths
from hqt.tmux import agent_states

ENTRIES = {
    "New…": "n",
    "Switch…": "s",
    "Move…": "m",
    "New and move here…": "M",
    "Remove…": "x",
    "Archive": "a",
    "Undo the last removal": "u",
    "Git": "g",
    "Lock": "l",
    "Help": "?",
}


def opened(person: Terminal) -> str:
    person.press("C-b", "W")
    return person.see("New…", "Help", "⎇ main")


def entry(screen: str, label: str) -> str:
    return next(line for line in screen.splitlines() if label in line)


def test_every_entry_shows_its_key(person: Terminal) -> None:
    session(person, "fix")
    screen = opened(person)
    for label, key in ENTRIES.items():
        assert f"({key})" in entry(screen, label), screen
    assert "(1)" in entry(screen, "⎇ main")
    assert "(2)" in entry(screen, "⎇ fix")
    assert "*" in entry(screen, "⎇ fix")


def test_what_cannot_be_done_here_keeps_its_place_without_a_key(person: Terminal) -> None:
    screen = opened(person)
    for label in ("Move…", "New and move here…", "Archive", "Lock"):
        assert "(" not in entry(screen, label), screen
    order = [line for line in screen.splitlines() if any(label in line for label in ENTRIES)]
    assert [next(label for label in ENTRIES if label in line) for line in order] == list(ENTRIES)


def test_states_and_counts_of_worktrees(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    place = repo / ".worktrees" / "fix"
    (place / "new").write_text("new\n")
    pane = person.ask("#{pane_id}")
    git(repo, "worktree", "lock", str(place))
    person.server.tmux.run(agent_states.recording(pane, "waiting"))
    line = entry(opened(person), "⎇ fix")
    assert "◆" in line
    assert "?1" in line
    assert "waiting" in line
    assert "locked" in line
    assert "(l)" in entry(person.screen(), "Unlock")


def test_lock_and_unlock(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    opened(person)
    person.press("l")
    person.see("Locked ⎇ fix")
    assert "locked" in git(repo, "worktree", "list", "--porcelain")
    opened(person)
    person.press("l")
    person.see("Unlocked ⎇ fix")


def test_a_digit_goes_to_a_worktree(person: Terminal) -> None:
    session(person, "fix")
    opened(person)
    person.press("1")
    assert until(lambda: person.ask("#{window_name}") != "⎇ fix")
    opened(person)
    person.press("2")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")


def test_archive_and_undo(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    place = repo / ".worktrees" / "fix"
    opened(person)
    person.press("a")
    person.see("Archive fix? (y/n)")
    person.press("y")
    person.see("fix is archived")
    assert until(lambda: person.ask("#{window_name}") != "⎇ fix")
    assert until(lambda: not place.exists())
    opened(person)
    person.press("u")
    assert until(place.exists)


def test_git_and_help_in_popups(person: Terminal) -> None:
    person.server.cmd("set", "-g", "@hqt-git-command", "git log --oneline; read x")
    opened(person)
    person.press("g")
    person.see("First")
    person.press("Enter")
    person.dismissed("┌")
    opened(person)
    person.press("?")
    person.see("Usage: hqt")
    person.see("prefix W", "hqt: menu", "q closes this")
    person.press("q")
    person.dismissed("Usage: hqt", "┌")


def test_move_to_another_worktree(person: Terminal, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "by-hand", str(repo.parent / "hand"))
    session(person, "fix")
    opened(person)
    person.press("m")
    person.see("Move fix to", "by-hand")
    person.type("hand")
    person.see("1/3")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_name}") == "⎇ by-hand")
    assert until(lambda: person.ask("#{pane_current_path}") == str(repo.parent / "hand"))
    person.dismissed("┌")


def test_new_and_move_here(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    opened(person)
    person.press("M")
    person.see("New worktree, and move fix there", "Nickname")
    assert "Harness" not in person.screen()
    person.type("Other thing")
    person.see(".worktrees/other-thing")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_name}") == "⎇ other-thing")
    place = repo / ".worktrees" / "other-thing"
    assert until(lambda: person.ask("#{pane_current_path}") == str(place))
    person.dismissed("┌")
    assert (repo / ".worktrees" / "fix").exists()


def test_a_move_that_is_refused_stays_in_the_form(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    opened(person)
    person.press("M")
    person.see("New worktree, and move fix there")
    person.type("main")
    person.press("Enter")
    person.see("exists")
    person.press("Escape")
    person.dismissed("Nickname", "┌")
    assert person.ask("#{window_name}") == "⎇ fix"
    assert [one.name for one in (repo / ".worktrees").iterdir() if one.is_dir()] == ["fix"]


def test_outside_a_repository(person: Terminal, sealed: Path) -> None:
    person.server.cmd("new-window", "-c", str(sealed))
    person.press("C-b", "W")
    screen = person.see("New…", "Help")
    assert "⎇" not in screen
    assert "(" not in entry(screen, "Git")
    person.press("Escape")
    person.dismissed("New…")


def test_with_settings_that_cannot_be_read(person: Terminal) -> None:
    """It opens, and what needs them says what is wrong."""
    file = write(paths.config_file(), "[options]\nfrom = 'nowhere'\n")
    wrong = f"hqt: {file}, line 2: options.from is 'nowhere'"
    for key in ("n", "1", "u", "g"):
        opened(person)
        person.press(key)
        person.see(wrong[:60])
        person.press("C-l")
        person.dismissed("hqt: ")
    opened(person)
    person.press("?")
    person.see("Usage: hqt")
    person.press("q")
    person.dismissed("Usage: hqt", "┌")
    file.unlink()
    opened(person)
    person.press("n")
    person.see("Nickname")


def test_pages_in_a_small_client(person: Terminal, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "by-hand", str(repo.parent / "hand"))
    with terminal.attached(person.server, size=(40, 12)) as small:
        small.press("C-b", "W")
        assert "⎇ main" not in small.see("New…", "More…")
        small.press(">")
        small.see("Back…", "⎇ main", "⎇ by-hand")
        assert "New…" not in person.screen(), "the other client sees no menu"
        small.press("2")
        assert until(lambda: small.ask("#{window_name}") == "⎇ by-hand")
