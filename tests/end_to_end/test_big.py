"""One key in a big repository: the window first, its files after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import big
from helpers.big import Big, everything
from helpers.plugin import ROOT
from helpers.servers import until
from helpers.terminal import Terminal


@pytest.fixture
def repo(sealed: Path) -> Path:
    """In the place of the small one that a person else works in."""
    return big.make(sealed / "project").repo


@pytest.fixture
def held(repo: Path) -> Big:
    return Big(repo)


def submit(person: Terminal, held: Big) -> str:
    """Fill in the form; the window that is then on the screen, while its files are written."""
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("fix")
    person.press("Enter")
    person.see("of 6002 files of fix")
    person.dismissed("Isolate in worktree", "┌")
    held.wait()
    assert person.ask("#{window_name}") == "⎇ fix"
    return person.ask("#{window_id}")


def test_by_key(person: Terminal, held: Big) -> None:
    window = submit(person, held)
    held.go()
    person.dismissed("files of fix")
    person.see("$", "Created ⎇ fix")
    assert person.ask("#{window_id}") == window
    assert person.ask("#{pane_current_path}") == str(held.repo / ".worktrees" / "fix")


def test_two_by_key_go_one_after_the_other(person: Terminal, held: Big) -> None:
    submit(person, held)
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("two")
    person.press("Enter")
    person.see("hqt: Waiting for hqt new (process ")
    held.go()
    person.see("Created ⎇ two")
    assert until(lambda: person.ask("#{window_name}") == "⎇ two")


def test_closed_by_key(person: Terminal, held: Big) -> None:
    before = everything(held.repo)
    submit(person, held)
    person.press("C-b", "&")
    person.see("kill-window")
    person.press("y")
    person.see("hqt: Cancelled: ⎇ fix was not made; nothing was kept.")
    assert person.ask("#{window_id}") == "@0"
    assert everything(held.repo) == before


def test_a_refusal_stays_in_the_form(person: Terminal, held: Big) -> None:
    taken = held.repo / ".worktrees" / "fix"
    taken.mkdir(parents=True)
    (taken / "mine").write_text("mine\n")
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type("fix")
    person.press("Enter")
    person.see("Isolate in worktree", "exists")
    assert not held.begun


def test_typed_and_cancelled(person: Terminal, held: Big) -> None:
    """The answer is where the command was typed, and the person is there again."""
    person.type(f"'{ROOT}/scripts/hqt' new fix; echo sta''tus $?\n")
    person.see("of 6002 files of fix")
    held.wait()
    person.press("C-c")
    screen = person.see("status 130")
    assert "hqt: Cancelled: ⎇ fix was not made; nothing was kept." in screen
    assert until(lambda: person.ask("#{window_id}") == "@0")
