"""The main job with a person's keys: a new place to work, everything at a glance, gone, undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.repos import git
from helpers.servers import until
from helpers.terminal import Terminal

# The other tests have a warm server; all this is done without one just as well.
pytestmark = pytest.mark.usefixtures("cold")


def test_new_by_one_key(person: Terminal, repo: Path) -> None:
    person.press("C-b", "N")
    person.see("New session", "Isolate in worktree")
    person.type("Fix the login")
    person.see("fix-the-login")
    person.press("Enter")
    person.dismissed("Isolate in worktree", "┌")
    place = repo / ".worktrees" / "fix-the-login"
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix-the-login")
    person.see("⎇ fix-the-login")
    assert git(place, "branch", "--show-current") == "fix-the-login"
    person.see("$")
    person.type("pwd")
    person.press("Enter")
    person.see(str(place))


def test_escape_leaves_at_once_and_makes_nothing(person: Terminal, repo: Path) -> None:
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("nothing")
    person.press("Escape")
    person.dismissed("Isolate in worktree")
    assert not (repo / ".worktrees").exists()
    assert person.attached


def test_a_refusal_stays_in_the_form(person: Terminal, repo: Path) -> None:
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("main")
    person.press("Enter")
    person.see("exists")
    person.press("Escape")
    person.dismissed("Isolate in worktree")
    assert git(repo, "branch", "--list").split() == ["*", "main"]


def test_remove_and_undo(person: Terminal, repo: Path) -> None:
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("fix")
    person.press("Enter")
    place = repo / ".worktrees" / "fix"
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
    person.dismissed("Isolate in worktree", "┌")
    (place / "notes").write_text("mine\n")
    person.press("C-b", "R")
    person.see("Close fix?", "Its worktree stays", "1 untracked file", "notes")
    person.press("Escape")
    person.dismissed("Close fix?", "┌")
    assert (place / "notes").exists()
    (place / "notes").unlink()
    person.press("C-b", "R")
    person.see("Remove fix?", "[x] Also remove worktree")
    person.press("Enter")
    assert until(lambda: not place.exists())
    assert until(lambda: person.ask("#{window_name}") != "⎇ fix")
    person.see("Removed")
    person.press("C-b", "U")
    assert until(place.exists)
    person.see("Restored")


def test_switch_to_a_worktree(person: Terminal, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "by-hand", str(repo.parent / "hand"))
    person.press("C-b", "S")
    person.see("by-hand", "main")
    person.type("hand")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_name}") == "⎇ by-hand")
    person.dismissed("Worktrees")


def test_everything_from_the_menu(person: Terminal, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "fix/#(touch${IFS}hit)", str(repo.parent / "hand"))
    (repo / "untracked").write_text("new\n")
    person.press("C-b", "W")
    screen = person.see("New…", "Switch…", "Remove…", "Undo", "Git", "Lock", "⎇ main", "?1")
    assert "fix/" in screen
    person.press("Escape")
    person.dismissed("New…")
    person.press("C-b", "W")
    person.see("New…")
    person.press("n")
    person.see("Isolate in worktree")
    person.press("Escape")
    person.dismissed("Isolate in worktree", "┌")
    person.press("C-b", "W")
    person.see("New…")
    person.press("Up", "Enter")
    assert until(lambda: "fix/" in person.ask("#{window_name}"))
    assert not list(repo.parent.rglob("hit"))


def test_lock_by_key_answers_in_the_status_line(person: Terminal, repo: Path) -> None:
    person.press("C-b", "B")
    person.see("main checkout")
    assert person.attached
    assert repo.exists()
