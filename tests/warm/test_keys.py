"""Keys pressed by a person whose tmux has a warm server: popups, menu, job control."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import terminal, warming
from helpers.plugin import ROOT, launcher_environment
from helpers.servers import until
from helpers.terminal import Terminal
from helpers.warming import Warm, children

HQT = f"'{ROOT}/scripts/hqt'"


@pytest.fixture
def person(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """In the main checkout, the plugin loaded and warm."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    keys = ["set -g @hqt-new-key N", "set -g @hqt-switch-key S"]
    with terminal.opened(*keys, cwd=repo) as someone:
        someone.server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
        warm = warming.warm(os.environ, someone.server.pid)
        assert until(lambda: warm.answers)
        yield someone
        warm.end()


@pytest.fixture
def warm(person: Terminal) -> Warm:
    return warming.warm(os.environ, person.server.pid)


def test_a_form_in_a_popup(person: Terminal, warm: Warm, repo: Path) -> None:
    person.press("C-b", "N")
    person.see("Isolate in worktree")
    assert len(children(warm.pid)) == 1, "a child of the warm server draws it"
    person.type("Fix it")
    person.see("fix-it")
    person.press("Enter")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix-it")
    person.dismissed("Isolate in worktree", "┌")
    assert (repo / ".worktrees/fix-it").is_dir()
    assert until(lambda: not children(warm.pid))


def test_it_hears_keys_as_such_and_ends_by_escape(person: Terminal, warm: Warm) -> None:
    for key in ("Escape", "C-c"):
        person.press("C-b", "N")
        person.see("Isolate in worktree")
        person.press(key)
        person.dismissed("Isolate in worktree")
        assert until(lambda: not children(warm.pid))
    assert person.attached


def test_a_screen_in_a_pane_follows_its_size(person: Terminal, warm: Warm) -> None:
    person.type(f"{HQT} ui new\n")
    person.see("Isolate in worktree")
    assert children(warm.pid)
    person.resize(70, 24)
    assert until(lambda: all(len(line) <= 70 for line in person.screen().splitlines()))
    person.see("Isolate in worktree")
    person.press("Escape")
    person.dismissed("Isolate in worktree")
    person.type("stty -a | grep -o ' echo '\n")  # and the terminal is as it was
    assert until(
        lambda: " echo " in person.screen().splitlines()[-3:] or " echo" in person.screen()
    )


def test_a_pane_that_is_closed_takes_its_screen_along(person: Terminal, warm: Warm) -> None:
    person.server.cmd("split-window", "-c", "#{pane_current_path}")
    person.type(f"{HQT} ui switch\n")
    assert until(lambda: children(warm.pid))
    person.server.cmd("kill-pane")
    assert until(lambda: not children(warm.pid))


def test_ctrl_c_in_a_pane(person: Terminal, warm: Warm, repo: Path) -> None:
    (repo / ".git/hooks/post-checkout").write_text("#!/bin/sh\n: >../../begun; exec sleep 30\n")
    (repo / ".git/hooks/post-checkout").chmod(0o755)
    person.type(f"{HQT} new slow --no-window; echo ended $?\n")
    assert until((repo / "begun").exists)
    person.press("C-c")
    person.see("ended 130")
    assert until(lambda: not children(warm.pid))
    assert not (repo / ".worktrees/slow").exists()


def test_ctrl_z_and_fg(person: Terminal, warm: Warm, repo: Path) -> None:
    gate = repo.parent / "go"
    hook = f"#!/bin/sh\n: >../../begun; while [ ! -e '{gate}' ]; do sleep 0.05; done\n"
    (repo / ".git/hooks/post-checkout").write_text(hook)
    (repo / ".git/hooks/post-checkout").chmod(0o755)
    person.type(f"{HQT} new slow --no-window; echo ended $?\n")
    assert until((repo / "begun").exists)
    person.press("C-z")
    person.see("Stopped")
    (child,) = children(warm.pid)
    assert Path(f"/proc/{child}/stat").read_text().rsplit(") ")[-1][0] == "T"
    person.type("fg\n")
    gate.touch()
    assert until(lambda: not children(warm.pid))
    assert until((repo / ".worktrees/slow").is_dir)


def test_remove_typed_in_the_doomed_pane(person: Terminal, warm: Warm, repo: Path) -> None:
    """It answers first, then closes the pane of its caller, which is not its own."""
    person.type(f"{HQT} new doomed --switch\n")
    assert until(lambda: person.ask("#{window_name}") == "⎇ doomed")
    place = repo / ".worktrees/doomed"
    said = repo.parent / "said"
    assert until(lambda: person.ask("#{pane_current_path}") == str(place))
    person.type(f"{HQT} remove . --json 2>&1 | tee {said}\n")
    assert until(lambda: not place.exists())
    assert until(lambda: person.ask("#{window_name}") != "⎇ doomed")
    assert '"removed"' in said.read_text()
    assert until(lambda: not children(warm.pid))
    assert person.attached


def test_a_git_program_has_the_terminal_for_its_own(
    person: Terminal, warm: Warm, repo: Path
) -> None:
    """Its client becomes it, for the child has no controlling terminal."""
    person.server.cmd("set-option", "-g", "@hqt-git-command", "tty </dev/tty && pwd && sleep 60")
    person.type(f"cd /; {HQT} -C {repo} ui git\n")
    person.see("/dev/tty", str(repo))
    assert until(lambda: not children(warm.pid))
    person.press("C-c")  # from the terminal to whom it belongs
    person.type(f"clear; cd {repo}\n")
    person.dismissed("/dev/tty")
    person.press("C-b", "S")
    person.see("Worktrees", "⎇ main", "First")
    person.press("C-g")
    person.see("/dev/tty")
    person.press("C-c")
    person.dismissed("/dev/tty", "┌")


def test_the_menu(person: Terminal, warm: Warm) -> None:
    person.press("C-b", "W")
    person.see("New…", "Switch…")
    assert until(lambda: not children(warm.pid))
    person.press("n")
    person.see("Isolate in worktree")
    assert children(warm.pid)
    person.press("Escape")
    person.dismissed("Isolate in worktree")
