"""`@hqt-mode session`: each worktree in a tmux session of its own, named after its path."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import repos, servers, terminal
from helpers.calls import PYTHON, done, refused
from helpers.repos import git
from helpers.servers import Server, until
from hqt.names import tmux_session_name


@pytest.fixture
def tmux(sealed: Path) -> Iterator[Server]:
    with servers.running("set -g @hqt-mode session", cwd=sealed) as server:
        yield server


def new(tmux: Server, repo: Path, *arguments: str) -> Any:
    return done("-L", tmux.socket, "new", *arguments, "-d", cwd=repo)


def place(tmux: Server, window: str) -> str:
    return tmux.ask("#{session_name}:#{window_index}", window)


def window_in(tmux: Server, folder: Path) -> str:
    """Another window of the tmux session `fix`, with an idle shell that has come to `folder`."""
    window = tmux.cmd("new-window", "-dP", "-F", "#{window_id}", "-t", "fix:", "-c", str(folder))
    assert until(lambda: tmux.cmd("capture-pane", "-p", "-t", window).strip()), "it has its prompt"
    return window


def sessions(tmux: Server) -> set[str]:
    return set(tmux.cmd("list-sessions", "-F", "#{session_name}").splitlines())


def test_a_worktree_gets_a_tmux_session(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "feat/login")
    assert place(tmux, made["window"]) == "feat-login:0"
    assert made["worktree"]["tmux_session"] == {"name": "feat-login", "exists": True}
    assert tmux.ask("#{window_name}", made["window"]) == "⎇ feat/login"
    listed = done("-L", tmux.socket, "list", cwd=repo)["worktrees"]
    assert [tree["tmux_session"] for tree in listed] == [
        {"name": "project", "exists": False},
        {"name": "feat-login", "exists": True},
    ]


def test_what_lives_in_one_worktree_shares_it(repo: Path, tmux: Server) -> None:
    made = new(tmux, repo, "fix")
    tree = Path(made["worktree"]["path"])
    beside = new(tmux, tree, "notes", "--no-worktree")
    assert place(tmux, beside["window"]) == "fix:1"
    tmux.cmd("kill-window", "-t", made["window"])
    again = done("-L", tmux.socket, "open", "session:fix", cwd=repo)
    assert tmux.ask("#{session_name}", again["window"]) == "fix"
    plain = [new(tmux, repo, name, "--no-worktree")["window"] for name in ("a", "b")]
    assert [place(tmux, window) for window in plain] == ["project:0", "project:1"]


def test_a_worktree_made_by_hand_and_one_elsewhere(repo: Path, tmux: Server) -> None:
    repos.linked(repo, repo.parent / "by.hand: 1", "hand")
    opened = done("-L", tmux.socket, "open", "hand", cwd=repo)
    assert tmux.ask("#{session_name}", opened["window"]) == "by-hand-1"
    assert opened["worktree"]["tmux_session"] == {"name": "by-hand-1", "exists": True}
    assert done("-L", tmux.socket, "open", "hand", cwd=repo)["window"] == opened["window"]


def test_another_worktrees_name_is_refused_and_another_offered(repo: Path, tmux: Server) -> None:
    new(tmux, repo, "a/b")
    before = git(repo, "for-each-ref")
    for flags in ((), ("--no-window",)):
        error = refused("-L", tmux.socket, "new", "a-b", *flags, cwd=repo)
        assert error["code"] == "name_collision"
        assert "-s" in error["remedy"]
    assert refused("-L", tmux.socket, "new", "project", "-d", cwd=repo)["code"] == (
        "name_collision"
    ), "the main checkout's"
    assert git(repo, "for-each-ref") == before
    made = new(tmux, repo, "a-b", "-s", "mine")
    assert place(tmux, made["window"]) == "mine:0"


def test_a_tmux_session_of_that_name_that_is_not_the_worktrees(repo: Path, tmux: Server) -> None:
    tmux.cmd("new-session", "-d", "-s", "fix")
    assert refused("-L", tmux.socket, "new", "fix", "-d", cwd=repo)["code"] == "name_collision"
    made = new(tmux, repo, "fix", "-s", "mine")
    tmux.cmd("kill-window", "-t", made["window"])
    opened = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert tmux.ask("#{session_name}", opened["window"]) == "mine", "as it was given"
    hand = repos.linked(repo, repo.parent / "deep" / "fix", "hand")
    assert refused("-L", tmux.socket, "open", str(hand), cwd=repo)["code"] == "name_collision"
    opened = done("-L", tmux.socket, "open", str(hand), "-s", "v1.2", cwd=repo)
    name = tmux.ask("#{session_name}", opened["window"])
    assert name in {"v1.2", "v1_2"}, "as this tmux keeps it"
    beside = new(tmux, repo, "other", "-s", "v1.2")
    assert tmux.ask("#{session_name}", beside["window"]) == name


def test_a_tmux_session_that_lost_its_marks_is_known_by_its_folder(
    repo: Path, tmux: Server
) -> None:
    made = new(tmux, repo, "fix")
    window, tree = made["window"], made["worktree"]["path"]
    assert until(lambda: tmux.ask("#{pane_current_path}", window) == tree)
    for option in ("@hqt_session", "@hqt_worktree", "@hqt_branch"):
        tmux.cmd("set-option", "-wu", "-t", window, option)
    beside = new(tmux, Path(tree), "notes", "--no-worktree")
    assert place(tmux, beside["window"]) == "fix:1"


def test_removing_closes_what_lives_in_the_worktree_and_the_tmux_session_with_it(
    repo: Path, tmux: Server
) -> None:
    made = new(tmux, repo, "fix")
    tree = made["worktree"]["path"]
    beside = window_in(tmux, Path(tree))
    with terminal.attached(tmux, session="fix") as person:
        gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
        assert set(gone["windows_closed"]) == {made["window"], beside}
        assert gone["notes"] == []
        assert sessions(tmux) == {"main"}
        assert person.ask("#{session_name}") == "main"
    assert not Path(tree).exists()


@pytest.mark.parametrize("verb", ["remove .", "remove . --keep-worktree", "archive . --wait"])
def test_the_tmux_session_goes_from_inside_too(repo: Path, tmux: Server, verb: str) -> None:
    """The person in it is led to another."""
    window = new(tmux, repo, "fix")["window"]
    if verb == "remove .":
        window_in(tmux, repo / ".worktrees" / "fix")
    command = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt"
    with terminal.attached(tmux, session="fix") as person:
        tmux.cmd("send-keys", "-t", window, f"{command} {verb} --close", "Enter")
        assert until(lambda: sessions(tmux) == {"main"})
        assert until(lambda: person.ask("#{session_name}") == "main")


def test_the_only_tmux_session_stays_with_a_shell(repo: Path, tmux: Server) -> None:
    window = new(tmux, repo, "fix")["window"]
    tmux.cmd("kill-session", "-t", "main")
    command = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt remove ."
    with terminal.attached(tmux, session="fix") as person:
        tmux.cmd("send-keys", "-t", window, command, "Enter")
        assert until(lambda: window not in tmux.windows())
        assert person.attached
    assert sessions(tmux) == {"fix"}
    assert until(lambda: tmux.ask("#{pane_current_path}", "fix:") == str(repo))


def test_windows_that_live_elsewhere_stay_and_the_tmux_session_with_them(
    repo: Path, tmux: Server, sealed: Path
) -> None:
    """Idle, in the main checkout and outside of the repository, one with the worktree's mark."""
    made = new(tmux, repo, "fix")
    marked = window_in(tmux, sealed)
    tmux.cmd("set-option", "-w", "-t", marked, "@hqt_worktree", made["worktree"]["id"])
    there = {marked, window_in(tmux, repo)}
    with terminal.attached(tmux, session="fix") as person:
        gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
        assert person.ask("#{session_name}") == "fix"
    assert gone["windows_closed"] == [made["window"]]
    (said,) = gone["notes"]
    assert said == "The tmux session fix stays, with the 2 windows in it that live elsewhere."
    assert there == set(tmux.cmd("list-windows", "-t", "fix", "-F", "#{window_id}").splitlines())


def test_the_tmux_session_goes_with_a_session_whose_worktree_stays(
    repo: Path, tmux: Server
) -> None:
    new(tmux, repo, "fix")
    with terminal.attached(tmux, session="fix") as person:
        done("-L", tmux.socket, "remove", "fix", "--keep-worktree", cwd=repo)
        assert sessions(tmux) == {"main"}
        assert person.ask("#{session_name}") == "main"
    new_window = done("-L", tmux.socket, "open", "fix", cwd=repo)["window"]
    assert place(tmux, new_window).startswith("fix:")


def test_work_elsewhere_in_that_tmux_session_goes_on(repo: Path, tmux: Server) -> None:
    """A program in another folder, and another session's window that was moved there."""
    made = new(tmux, repo, "fix")
    other = new(tmux, repo, "other")
    busy = tmux.cmd("new-window", "-dP", "-F", "#{window_id}", "-t", "fix:", "-c",
                    str(repo.parent), "exec sleep 1000")  # fmt: skip
    tmux.cmd("move-window", "-d", "-s", other["window"], "-t", "fix:")
    assert until(lambda: tmux.ask("#{pane_current_command}", busy) == "sleep")
    gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == [made["window"]]
    assert gone["notes"] == [
        "The tmux session fix stays, with the 2 windows in it that live elsewhere."
    ]
    assert {busy, other["window"]} <= set(tmux.windows())


def test_in_window_mode_a_session_of_that_name_is_the_users_own(
    repo: Path, tmux: Server, sealed: Path
) -> None:
    tmux.cmd("set", "-g", "@hqt-mode", "window")
    tmux.cmd("new-session", "-d", "-s", "fix", "-c", str(sealed))
    made = new(tmux, repo, "fix")
    assert tmux.ask("#{session_name}", made["window"]) == "main"
    done("-L", tmux.socket, "remove", "fix", cwd=repo)
    assert sessions(tmux) == {"main", "fix"}


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=()), min_size=1)


def test_any_path_gives_a_name_that_this_tmux_keeps(tmux: Server, sealed: Path) -> None:
    """One server for all examples: what it stores is what was derived."""
    pane = tmux.cmd("new-session", "-dP", "-F", "#{pane_id}", "-s", "any", "-c", str(sealed))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(NAMES, min_size=1, max_size=4), st.booleans())
    def keeps(parts: list[str], in_pool: bool) -> None:
        path = Path("/r", *([".worktrees"] if in_pool else []), *parts)
        name = tmux_session_name(path)
        assert name
        assert name == tmux_session_name(path)
        tmux.cmd("rename-session", "-t", pane, "--", "between")
        tmux.cmd("rename-session", "-t", pane, "--", name)
        assert tmux.ask("#{session_name}", pane) == name

    keeps()


def test_every_letter_and_digit_is_kept(tmux: Server) -> None:
    """Those of all scripts, some thousand in a name."""
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    letters = "".join(re.findall(r"\w", every))
    assert len(letters) > 100_000
    for at in range(0, len(letters), 3000):
        name = letters[at : at + 3000]
        assert tmux_session_name(Path("/r", name)) == name
        tmux.tmux.run(["rename-session", "-t", "$0", "--", name])
        assert tmux.ask("#{session_name}", "$0") == name
