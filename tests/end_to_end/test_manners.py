"""Whose client, which pane, how small, which shell, which locale: wherever hqt is pressed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import servers, terminal, warming
from helpers.calls import done
from helpers.hostile import NAMES
from helpers.plugin import launcher_environment
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal


@pytest.fixture(autouse=True)
def launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)


def load(person: Terminal) -> None:
    warming.load(person.server)


KEYS = ("set -g @hqt-new-key N", "set -g @hqt-switch-key S", "set -g @hqt-remove-key R")


def test_the_pane_that_was_in_focus_counts(person: Terminal, sealed: Path) -> None:
    """Two panes in different repositories, and another client that was active later."""
    place = session(person, "fix")
    person.server.cmd("split-window", "-d", "-c", str(sealed))
    with terminal.attached(person.server, size=(90, 24)) as other:
        other.press("C-b", "o")
        assert until(lambda: other.ask("#{pane_current_path}") == str(sealed))
        other.press("C-b", "N")
        other.see("(not a git repo)")
        assert "Nickname" not in person.screen()
        other.press("Escape")
        other.dismissed("Nickname", "┌")
        person.press("C-b", "o")
        assert until(lambda: person.ask("#{pane_current_path}") == str(place))
        person.press("C-b", "N")
        person.see("Isolate in worktree")
        assert "(not a git repo)" not in person.screen()


def test_the_client_that_pressed_goes_to_the_new_window(person: Terminal, repo: Path) -> None:
    person.server.cmd("new-session", "-d", "-s", "second", "-c", str(repo))
    with terminal.attached(person.server, session="second") as other:
        before = person.ask("#{window_id}")
        other.press("C-b", "N")
        other.see("Isolate in worktree")
        other.type("theirs")
        other.see(".worktrees/theirs")
        other.press("Enter")
        assert until(lambda: other.ask("#{window_name}") == "⎇ theirs")
        assert other.ask("#{session_name}") == "second"
        assert person.ask("#{window_id}") == before


@pytest.mark.parametrize("size", [(40, 12), (60, 10), (24, 8)])
def test_small_clients_get_a_popup_of_all_there_is(
    person: Terminal, repo: Path, size: tuple[int, int]
) -> None:
    with terminal.attached(person.server, size=size) as small:
        small.press("C-b", "N")
        small.see("Nickname", "┌")
        small.type("fix")
        small.press("Enter")
        assert until(lambda: small.ask("#{window_name}") == "⎇ fix")
        small.dismissed("Nickname", "┌")
        small.press("C-b", "S")
        small.see("Worktrees", "fix", "main")  # the status line has the names as well
        small.press("Escape")
        small.dismissed("┌")
        small.press("C-b", "R")
        small.see("Remove fix?", "[x] Also remove")
        small.press("Enter")
        assert until(lambda: not (repo / ".worktrees" / "fix").exists())


def test_a_tiny_client_gets_a_window(person: Terminal) -> None:
    with terminal.attached(person.server, size=(20, 6)) as tiny:
        windows = len(person.server.windows())
        tiny.press("C-b", "N")
        tiny.see("Nickname")
        assert tiny.ask("#{window_name}") == "hqt"
        tiny.type("fix")
        tiny.press("Enter")
        assert until(lambda: tiny.ask("#{window_name}") == "⎇ fix")
        assert until(lambda: len(person.server.windows()) == windows + 1), "its own is gone"
        tiny.press("C-b", "W")
        tiny.see("New…", "More…")
        tiny.press("n")
        tiny.see("Nickname")
        tiny.press("Escape")
        assert until(lambda: tiny.ask("#{window_name}") == "⎇ fix")
        assert until(lambda: len(person.server.windows()) == windows + 1)


def test_without_room_for_a_menu_the_picker_comes(person: Terminal) -> None:
    with terminal.attached(person.server, size=(30, 4)) as flat:
        flat.press("C-b", "W")
        assert until(lambda: flat.ask("#{window_name}") == "hqt")
        flat.see("main")
        flat.press("Escape")
        assert until(lambda: flat.ask("#{window_name}") != "hqt")


def test_where_windows_begin_at_one(repo: Path) -> None:
    config = ("set -g base-index 1", "setw -g pane-base-index 1", "set -g renumber-windows on")
    with terminal.opened(*config, *KEYS, cwd=repo) as person:
        load(person)
        place = session(person, "fix")
        assert person.ask("#{window_index}") == "2"
        person.press("C-b", "R")
        person.see("Remove fix?", "Enter remove")
        person.press("Enter")
        assert until(lambda: not place.exists())
        assert until(lambda: person.ask("#{window_index}") == "1")


SHELLS = [shell for shell in ("fish", "zsh", "nu", "dash", "tcsh") if shutil.which(shell)]


@pytest.mark.parametrize("shell", SHELLS)
def test_whatever_the_default_shell_is(repo: Path, sealed: Path, shell: str) -> None:
    (sealed / ".zshrc").write_text("PS1='%# '\n")
    path = shutil.which(shell)
    config = (f"set -g default-shell {path}", "set -g default-command ''")
    with servers.running(*config, *KEYS, cwd=repo) as server, terminal.attached(server) as person:
        load(person)
        person.press("C-b", "N")
        person.see("Isolate in worktree")
        person.type("fix")
        person.see(".worktrees/fix")
        person.press("Enter")
        assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
        place = repo / ".worktrees" / "fix"
        assert until(lambda: person.ask("#{pane_current_path}") == str(place))
        person.dismissed("Isolate in worktree", "┌")
        person.press("C-b", "W")
        person.see("⎇ fix")
        person.press("Escape")
        person.dismissed("New…")
        assert not [one for one in person.server.windows("#{pane_in_mode}") if one != "0"]


def test_without_a_utf_8_locale(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("LANG", raising=False)
    with terminal.opened(*KEYS, "set -g @hqt-icons ascii", cwd=repo) as person:
        load(person)
        person.press("C-b", "N")
        person.see("Isolate in worktree")
        person.type("fix")
        person.see(".worktrees/fix")
        person.press("Enter")
        assert until(lambda: person.ask("#{@hqt_branch}") == "fix")
        person.dismissed("Isolate in worktree", "┌")
        person.press("C-b", "W")
        person.see("Y fix", "Y main")
        person.press("Escape")
        person.dismissed("Y main")
        person.press("C-b", "S")
        person.see("Y fix")


def test_a_tmux_inside_of_this_one(person: Terminal, sealed: Path) -> None:
    """The inner server was started in a pane of the outer, whose variables it has inherited."""
    conf = sealed / "inner.conf"
    conf.write_text("\n".join(["set -g prefix C-a", *terminal.INNER, *KEYS, ""]))
    name = f"{person.server.socket}-in"
    person.type(f"env -u TMUX tmux -u -L {name} -f {conf} new-session -s inner")
    person.press("Enter")
    person.see("[inner]")
    inner = servers.Server(name, 0)
    inner = servers.Server(name, int(inner.ask("#{pid}", "inner:")))
    try:
        warming.load(inner)
        person.press("C-a", "N")
        person.see("Isolate in worktree")
        person.type("deep")
        person.see(".worktrees/deep")
        person.press("Enter")
        assert until(lambda: "⎇ deep" in inner.windows("#{window_name}"))
        assert "⎇ deep" not in person.server.windows("#{window_name}")
    finally:
        servers.end(inner)


def test_loading_again_with_other_options_leaves_nothing_stale(person: Terminal) -> None:
    def traces() -> tuple[list[str], list[str]]:
        keys = person.server.cmd("list-keys", "-T", "prefix").splitlines()
        hooks = person.server.cmd("show-hooks", "-g").splitlines()
        return [key for key in keys if "hqt" in key], [hook for hook in hooks if "hqt" in hook]

    keys, hooks = traces()
    assert hooks == [], "nothing shows it"
    person.server.cmd("set", "-g", "status-right", "#{E:@hqt_status}")
    load(person)
    assert len(traces()[1]) in (2, 3)
    load(person)
    assert len(traces()[1]) in (2, 3)
    person.server.cmd("set", "-gu", "status-right")
    for option in ("new", "switch", "remove", "undo", "git", "lock"):
        person.server.cmd("set", "-g", f"@hqt-{option}-key", "none")
    load(person)
    left, hooks = traces()
    assert hooks == []
    assert len(left) == 1 < len(keys)


BRANCHES = [
    "#(touch${IFS}X)", "$(touch${IFS}X)", "`touch${IFS}X`", "';touch${IFS}X;'", '"quoted"',
    "ends;", "%%", "é⎇😀", "$HOME", "{", "#{pane_id}", "%d", "a;b",
    "&&x", "|x", "-x", "x'", "#{E:X}", "!x", "a,b", "a}b",
]  # fmt: skip


@pytest.fixture
def hostile(person: Terminal, repo: Path) -> Iterator[list[str]]:
    """A worktree for each branch that git allows, and a session by each name."""
    made = []
    for number, name in enumerate(BRANCHES):
        if git(repo, "check-ref-format", "--branch", name, check=False):
            git(repo, "worktree", "add", "-q", "-b", name, "--", str(repo.parent / f"t{number}"))
            made.append(name)
    yield made
    assert not list(repo.parent.rglob("X"))
    assert person.attached


def test_names_are_data_in_every_screen(person: Terminal, repo: Path, hostile: list[str]) -> None:
    assert len(hostile) > 12
    person.server.cmd("set", "-g", "status-left", "#{E:@hqt_status} ")
    person.server.cmd("set", "-g", "status-left-length", "60")
    load(person)
    with terminal.attached(person.server, size=(110, 50)) as other:
        other.press("C-b", "W")
        other.see("＃(touch", "＃{pane_id}", "é⎇😀")
        other.press("Escape")
        other.dismissed("New…")
    person.press("C-b", "S")
    person.see("Worktrees", "#{pane_id}", f"{len(hostile) + 1}/{len(hostile) + 1}")
    person.press("Escape")
    person.dismissed("Worktrees", "┌")
    chosen = [name for name in hostile if any(sign in name for sign in "#$`%;")]
    for name in chosen:
        done("-L", person.server.socket, "open", f"branch:{name}", "--json", cwd=repo)
    assert until(lambda: len(person.server.windows()) > len(chosen))
    for place in person.server.windows("#{window_id}")[1:]:
        person.server.cmd("select-window", "-t", place)
        branch = person.server.option("@hqt_branch", "-w", "-t", place) or ""
        person.press("C-b", "R")
        person.see("Remove ", "Enter remove")
        person.press("Escape")
        person.dismissed("Remove ", "┌")
        if branch.isascii():
            person.see(f"⎇ {branch.replace('#', '＃')}")


TYPED = [name for name in NAMES if name.isprintable() and set(name) & set("#$`%;{~")]


@pytest.mark.parametrize("name", TYPED[::2])
def test_any_nickname_can_be_typed(person: Terminal, repo: Path, name: str) -> None:
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    person.type(name)
    person.press("Enter")
    person.see("⎇" if any(char.isalnum() for char in name) else "Nickname")
    assert until(lambda: "Nickname" not in person.screen() or "!" in person.screen())
    assert not list(repo.parent.rglob("X"))
    assert person.attached
    assert os.path.isdir(repo)  # noqa: PTH112 - said so that `~` is no path here
