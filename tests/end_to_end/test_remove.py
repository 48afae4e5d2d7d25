"""The question before a removal, with a person's keys: what it says is what happens."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal


def asked(person: Terminal, *texts: str) -> str:
    person.press("C-b", "R")
    return person.see("Esc", *texts)


def branches(repo: Path) -> list[str]:
    return git(repo, "branch", "--format=%(refname:short)").splitlines()


def sessions(repo: Path) -> list[str]:
    return [one["nickname"] for one in done("-L", "nobody", "list", cwd=repo)["sessions"]]


def test_a_merged_branch_goes_and_the_screen_says_so(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    until_then = time.strftime("%Y-%m-%d", time.localtime(time.time() + 14 * 86400))
    screen = asked(person, "Nothing would be lost.", "Branch fix is deleted too", until_then)
    assert "Remove fix?" in screen
    assert f"Enter removes session, window {person.ask('#{window_id}')} and worktree." in screen
    person.press("Enter")
    assert until(lambda: not place.exists())
    assert until(lambda: branches(repo) == ["main"])


def test_a_branch_that_hqt_did_not_make_stays(person: Terminal, repo: Path) -> None:
    git(repo, "branch", "theirs")
    place = session(person, "theirs", "--checkout", "theirs")
    asked(person, "Branch theirs stays: not made by hqt.")
    person.press("Enter")
    assert until(lambda: not place.exists())
    assert branches(repo) == ["main", "theirs"]


def test_the_setting_is_heeded(person: Terminal) -> None:
    person.server.cmd("set", "-g", "@hqt-delete-branch", "never")
    session(person, "fix")
    asked(person, "Branch fix stays: @hqt-delete-branch is never.")


def test_what_would_be_lost_takes_a_step_of_its_own(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    repos.commit(place, "thought", message="Think")
    (place / "notes").write_text("mine\n")
    (place / ".gitignore").write_text(".env\n")
    (place / ".env").write_text("SECRET\n")
    screen = asked(person, "[ ] Also remove worktree", "1 commit that exists nowhere else", ".env")
    assert "2 untracked files" in screen
    person.see("Close fix?", "the worktree stays as it is.")
    person.press("Space")
    person.see(
        "[x]",
        "Remove fix?",
        "Enter asks once more, then removes",
        "Branch fix stays: not merged.",
        "until you empty it",
    )
    person.press("Enter")
    person.see("This goes with the worktree", "Think")
    person.press("Enter")
    person.see("This goes with the worktree")
    assert place.exists()
    person.press("y")
    assert until(lambda: not place.exists())
    person.see("Removed")
    assert "fix" in branches(repo)
    person.press("C-b", "U")
    assert until(lambda: (place / "notes").exists())
    assert (place / ".env").read_text() == "SECRET\n"


def test_only_the_session_goes_when_the_worktree_is_not_chosen(
    person: Terminal, repo: Path
) -> None:
    place = session(person, "fix")
    (place / "notes").write_text("mine\n")
    asked(person, "[ ] Also remove worktree", "Its worktree stays, with 1 untracked file.")
    person.see(f"Enter closes session and window {person.ask('#{window_id}')};")
    person.press("Enter")
    assert until(lambda: sessions(repo) == [])
    assert (place / "notes").exists()
    person.see(f"Removed session fix. The worktree at {place} stays.")


def test_what_runs_in_its_window_is_named_and_asked_for(person: Terminal) -> None:
    place = session(person, "fix")
    person.type("sleep 1234")
    person.press("Enter")
    assert until(lambda: person.ask("#{pane_current_command}") == "sleep")
    asked(person, "sleep runs in", "(busy)")
    person.press("Enter")
    person.see("Still at work in there", "sleep")
    person.press("Enter")
    person.see("Still at work in there")
    assert place.exists()
    person.press("c")
    assert until(lambda: not place.exists())


def test_who_is_in_another_window_is_in_the_way_only_of_the_worktree(
    person: Terminal, repo: Path
) -> None:
    place = session(person, "fix")
    (place / "notes").write_text("mine\n")
    person.server.cmd("new-window", "-d", "-c", str(place), "exec sleep 1234")
    asked(person, "sleep runs in", "[ ] Also remove worktree")
    person.press("Enter")
    assert until(lambda: sessions(repo) == [])
    assert "sleep" in "".join(person.server.windows("#{pane_current_command}"))


def test_others_who_live_there_move_to_the_main_checkout(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    done("-L", person.server.socket, "new", "review", "--no-worktree", "-d", cwd=place)
    asked(person, "Other sessions in there", "review", "[ ] Also remove worktree")
    person.press("Space", "Enter")
    person.see("Others live in the worktree", "review")
    person.press("m")
    assert until(lambda: not place.exists())
    assert until(lambda: sessions(repo) == ["review"])


def test_a_locked_worktree_stays_and_its_session_may_go(person: Terminal, repo: Path) -> None:
    place = session(person, "fix")
    git(repo, "worktree", "lock", "--reason", "on a stick", str(place))
    asked(person, "Also remove worktree", "on a stick")
    person.press("Space")
    person.see("hqt unlock")
    person.press("Enter")
    assert until(lambda: sessions(repo) == [])
    assert place.exists()


def adopted(person: Terminal, repo: Path) -> str:
    """The window that the person was in all along, made a session of the main checkout."""
    window = person.ask("#{window_id}")
    call = ("-L", person.server.socket, "--client", person.client, "open", "main")
    assert done(*call, cwd=repo)["window"] == window
    return window


def test_a_window_without_a_worktree_closes_after_a_yes(person: Terminal, repo: Path) -> None:
    """It may be the person's own, with everything on its screen."""
    person.server.cmd("new-window", "-d")
    window = adopted(person, repo)
    asked(person, "Close main?", f"Its window {window} closes; nothing in git changes.")
    person.press("Escape")
    person.dismissed("Close main?")
    assert sessions(repo) == ["main"]
    assert window in person.server.windows()
    asked(person, "Close main?", "Enter close")
    person.press("Enter")
    assert until(lambda: window not in person.server.windows())
    assert until(lambda: sessions(repo) == [])
    assert person.attached
    assert repo.exists()


@pytest.mark.parametrize("way", ["menu", "picker"])
def test_from_wherever_it_is_removed(person: Terminal, repo: Path, way: str) -> None:
    adopted(person, repo)
    if way == "menu":
        person.press("C-b", "W")
        person.see("Remove…")
        person.press("x")
    else:
        person.press("C-b", "S")
        person.see("Worktrees", "idle  main")
        person.press("Down", "C-x")
    person.see("Close main?", "nothing in git changes.")
    assert sessions(repo) == ["main"]


def test_what_runs_in_there_takes_a_step_of_its_own(person: Terminal, repo: Path) -> None:
    session(person, "plain", "--no-worktree")
    person.type("sleep 1234")
    person.press("Enter")
    assert until(lambda: person.ask("#{pane_current_command}") == "sleep")
    asked(person, "Close plain?", "sleep runs in")
    person.press("Enter")
    person.see("Still at work")
    assert sessions(repo) == ["plain"]
    person.press("c")
    assert until(lambda: sessions(repo) == [])


def test_from_the_main_checkout_it_asks_which_and_takes_several(
    person: Terminal, repo: Path
) -> None:
    places = [repo / ".worktrees" / name for name in ("one", "two")]
    for name in ("one", "two", "three"):
        done("-L", person.server.socket, "new", name, "-d", cwd=repo)
    (places[0] / "notes").write_text("mine\n")
    person.press("C-b", "R")
    person.see("Remove which?", "three")
    person.type("one")
    person.see("❯ one")
    person.press("Tab", "C-u")
    assert "⎇ main" not in person.see("1 marked", "3/3"), "it never goes"
    person.type("two")
    person.see("❯ two")
    person.press("Tab", "Enter")
    person.see("Close 2 sessions?", "Also remove 2 worktrees", "1 untracked file in one")
    person.press("Space", "Enter")
    person.see("This goes with the worktree")
    person.press("y")
    assert until(lambda: not any(place.exists() for place in places))
    person.see("Removed ⎇ one, ⎇ two. `hqt undo`, once for each, brings them back.")
    assert (repo / ".worktrees" / "three").exists()


def test_of_the_main_checkout_only_a_session_is_offered(person: Terminal, repo: Path) -> None:
    person.press("C-b", "R")
    person.see("Remove which?", "Nothing is here that could be removed.")
    person.press("Escape")
    person.dismissed("Remove which?")
    person.server.cmd("new-window", "-d", "-c", str(repo))
    window = adopted(person, repo)
    person.press("C-b", "n")
    assert until(lambda: person.ask("#{window_id}") != window)
    person.press("C-b", "R")
    person.see("Remove which?", "idle  main", "1/1")
    person.press("Enter")
    person.see("Close main?", f"Its window {window} closes")
    person.press("Enter")
    assert until(lambda: sessions(repo) == [])


def test_the_main_checkout_is_refused(person: Terminal, repo: Path) -> None:
    call = f"new-window -n hqt {repo.parent}/ask"
    (repo.parent / "ask").write_text('#!/bin/sh\ncd "$HOME/project"\nexec "$HQT" ui remove main\n')
    (repo.parent / "ask").chmod(0o755)
    from helpers.plugin import ROOT

    person.server.cmd("set-environment", "-g", "HQT", f"{ROOT}/scripts/hqt")
    person.server.cmd(*call.split())
    person.see("is the main checkout", "never removed")
    person.press("Enter")
    person.dismissed("never removed")
    assert repo.exists()
