"""The menu typed blind: its entries' keys before it is there, and nothing of it in the pane.

`type` hands all of its text over in one write: no person is faster.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import terminal
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal

# The slower the menu is, the more is typed before it.
pytestmark = pytest.mark.usefixtures("cold")

KEY = "\x02W"  # prefix W


def table(person: Terminal) -> str:
    return person.ask("#{client_key_table}")


def pane(person: Terminal) -> str:
    """What the shell's pane itself shows: where a key would land that nobody took."""
    return person.server.cmd("capture-pane", "-p").strip()


def settled(person: Terminal) -> None:
    """Wait until the process that makes the menu is through, whatever came of it."""
    assert until(lambda: "@hqt_menu0_" in person.server.cmd("show-options", "-s"))
    assert until(lambda: table(person) == "root")


@pytest.mark.parametrize(
    ("key", "screen"),
    [("n", "New session"), ("s", "⎇ main"), ("m", "Move fix to"), ("M", "New worktree, and move")],
)
def test_an_entrys_key_opens_its_screen_at_once(person: Terminal, key: str, screen: str) -> None:
    session(person, "fix")
    person.type(KEY + key)
    person.see("┌", screen)
    settled(person)
    assert "(n)" not in person.screen(), "no menu over it"
    person.press("Escape")
    person.dismissed("┌")
    assert pane(person) == "$"


def test_key_by_key_is_the_same(person: Terminal) -> None:
    for key in ("C-b", "W", "n"):
        person.press(key)
    person.see("┌", "Nickname")
    person.press("Escape")
    person.dismissed("┌")
    assert pane(person) == "$"


def test_the_menu_still_answers_when_it_is_there(person: Terminal) -> None:
    person.type(KEY)
    person.see("New…", "Help")
    assert table(person) == "root"
    person.press("n")
    person.see("Nickname")
    person.press("Escape")
    person.dismissed("┌")
    assert pane(person) == "$"


@pytest.mark.parametrize("keys", ["z", "jj", "\r", "ä", "\x1b[B"])
def test_other_keys_wait_for_the_menu(person: Terminal, keys: str) -> None:
    person.type(KEY + keys)
    person.see("New…", "Help")
    assert table(person) == "root"
    person.press("Escape")
    person.dismissed("New…")
    assert pane(person) == "$"
    person.type("x")
    assert until(lambda: pane(person) == "$ x"), "keys are the pane's again"


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_no_menu_after_all(person: Terminal, key: str) -> None:
    person.type(KEY + key)
    settled(person)
    person.type("x")
    assert until(lambda: pane(person) == "$ x")
    assert "New…" not in person.screen()


def test_another_binding_of_tmux_takes_its_place(person: Terminal) -> None:
    person.server.cmd("bind-key", "F", "set-option", "-g", "@pressed", "yes")
    person.type(KEY + "\x02F")
    assert until(lambda: person.server.option("@pressed", "-g")) == "yes"
    settled(person)
    assert "New…" not in person.screen()
    assert pane(person) == "$"


def test_lock_and_a_worktree_by_its_number(person: Terminal, repo: Path) -> None:
    session(person, "fix")
    person.type(KEY + "l")
    person.see("Locked ⎇ fix")
    assert "locked" in git(repo, "worktree", "list", "--porcelain")
    person.type(KEY + "l")
    person.see("Unlocked ⎇ fix")
    person.type(KEY + "1")
    assert until(lambda: person.ask("#{window_name}") != "⎇ fix")
    person.type(KEY + "2")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
    person.type(KEY + "7")
    person.see("There is no worktree 7 here.")
    assert pane(person) == "$"


def test_what_cannot_be_done_here_says_why(person: Terminal) -> None:
    for key, why in [("m", "not the window of a session"), ("l", "main checkout")]:
        person.type(KEY + key)
        person.see(why)
        person.dismissed("┌")
    assert pane(person) == "$"


def test_help(person: Terminal) -> None:
    person.type(KEY + "?")
    person.see("Usage: hqt")
    person.press("q")
    person.dismissed("Usage: hqt", "┌")


def test_the_menu_comes_to_who_asked_and_only_their_table_changes(person: Terminal) -> None:
    person.server.cmd("new-session", "-d", "-s", "other")
    with terminal.attached(person.server, session="other") as other:
        other.type("x")  # the one that was active last
        other.see("$ x")
        person.type(KEY)
        other.type("y")
        person.see("New…", "Help")
        other.see("$ xy")
        assert "New…" not in other.screen()
        assert (table(person), table(other)) == ("root", "root")
        person.press("Escape")
        person.dismissed("New…")
        other.type(KEY + "n")
        other.see("Nickname")
        assert "Nickname" not in person.screen()


def test_a_key_table_of_the_users_own_is_given_back(person: Terminal) -> None:
    person.server.cmd("bind-key", "-T", "my own", "C-b", "switch-client", "-T", "prefix")
    person.server.cmd("set-option", "-g", "key-table", "my own")
    person.type(KEY)
    person.see("New…")
    assert table(person) == "my own"
    person.press("Escape")
    person.dismissed("New…")
    person.type(KEY + "q")
    assert until(lambda: table(person) == "my own")


def test_in_a_tiny_client_the_picker_comes(person: Terminal) -> None:
    with terminal.attached(person.server, size=(40, 5)) as tiny:
        tiny.type(KEY)
        assert until(lambda: tiny.ask("#{window_name}") == "hqt")
        tiny.see("main")
        assert table(tiny) == "root"


@pytest.mark.parametrize("launcher", ["false", "kill -9 $$;", "/not/there"])
def test_a_failure_gives_the_keys_back(person: Terminal, launcher: str) -> None:
    person.server.cmd("set-option", "-g", "@hqt_launcher", f"touch ~/began; {launcher}")
    person.type(KEY)
    assert until((Path.home() / "began").exists)
    assert until(lambda: table(person) == "root")
    person.type("x")
    assert until(lambda: pane(person) == "$ x")


def test_archiving_asks_first(person: Terminal) -> None:
    name = "50%d-#[fg=red]#(touch hit)"
    place = session(person, name, "-b", "50%d/#(touch${IFS}hit)")
    for keys in (KEY + "a", KEY):  # blind, and by the menu
        person.type(keys)
        if keys == KEY:
            person.see("Archive")
            person.press("a")
        person.see("Archive 50", "? (y/n)")
        person.press("n")
        person.dismissed("(y/n)")
        assert place.exists()
        assert pane(person) == "$"
    person.type(KEY + "a")
    person.see("? (y/n)")
    person.press("y")
    person.see("is archived")
    assert until(lambda: not place.exists())
    assert not list(Path.home().rglob("hit"))
