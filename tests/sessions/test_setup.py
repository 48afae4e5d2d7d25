"""The setup of a fresh worktree: what a repository's own `.hqt.toml` may do, and may not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import PYTHON, done, hqt, refused
from helpers.repos import git
from helpers.servers import Server, until
from helpers.stand_in import StandIn


def asks(repo: Path, text: str, *, commit: bool = True) -> None:
    if commit:
        repos.commit(repo, ".hqt.toml", text)
    else:
        (repo / ".hqt.toml").write_text(text)


def new(tmux: Server, repo: Path, name: str, *flags: str) -> Any:
    return done("-L", tmux.socket, "new", name, "-d", *flags, cwd=repo)


def screen(tmux: Server, window: str) -> str:
    return tmux.cmd("capture-pane", "-p", "-J", "-t", window)


def seen(tmux: Server, window: str, *texts: str) -> bool:
    return until(lambda: all(text in screen(tmux, window) for text in texts))


def test_files_come_along(repo: Path) -> None:
    repos.commit(repo, ".gitignore", ".env\nmodules\n")
    asks(repo, '[setup]\ncopy = [".env", "gone", "certs/*.pem"]\nlink = ["modules", "gone"]\n')
    (repo / ".env").write_text("SECRET=1\n")
    (repo / "modules").mkdir()
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    assert (place / ".env").read_text() == "SECRET=1\n"
    assert (place / "modules").readlink() == repo / "modules"
    assert made["worktree"]["changes"]["untracked"] == 0
    assert made["notes"] == [f"Setup: nothing in {repo} matches gone, certs/*.pem."]


def test_a_file_that_only_the_main_checkout_has_counts_too(repo: Path) -> None:
    asks(repo, '[setup]\ncopy = [".env"]\n', commit=False)
    (repo / ".env").write_text("SECRET=1\n")
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    assert (place / ".env").exists()
    assert not (place / ".hqt.toml").exists()


def test_the_files_come_back_with_a_vanished_worktree(repo: Path, tmux: Server) -> None:
    asks(repo, '[setup]\ncopy = [".env"]\n')
    (repo / ".env").write_text("SECRET=1\n")
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    place.rename(repo.parent / "aside")
    done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert (place / ".env").read_text() == "SECRET=1\n"


def test_a_creation_that_fails_afterwards_leaves_nothing(repo: Path, tmux: Server) -> None:
    asks(repo, '[setup]\ncopy = [".env", "deep/er/file", "folder"]\nlink = ["modules"]\n')
    for name in (".env", "deep/er/file", "folder/a/b"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("x\n")
    (repo / "modules").mkdir()
    tmux.cmd("set", "-s", "command-alias[0]", "new-window=nonsense")
    error = refused("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    assert error["code"] == "tmux_unavailable"
    assert "left" not in error["details"]
    assert not (repo / ".worktrees").exists()
    assert git(repo, "branch", "--list", "fix") == ""


def test_a_broken_file_is_said_and_skipped(repo: Path) -> None:
    """A branch with a broken file can be checked out, or nobody could mend it."""
    asks(repo, '[setup]\ncopy = [".env"]\ncopies = 1\n')
    made = done("new", "fix", "--no-window", cwd=repo)
    place = made["worktree"]["path"]
    [note] = made["notes"]
    assert note.startswith("The setup was skipped.")
    assert f"{place}/.hqt.toml" in note
    assert "copies" in note
    assert "3" in note, "the line"


def test_a_command_that_nobody_trusted_is_not_run(repo: Path, tmux: Server) -> None:
    asks(repo, '[setup]\ncommand = "touch ran"\n')
    made = new(tmux, repo, "fix")
    assert seen(tmux, made["window"], "was skipped: nobody has trusted it yet", "hqt trust")
    assert any("nobody has trusted it" in note for note in made["notes"])
    assert done("trust", cwd=repo)["trusted"] is None
    done("trust", "--no", cwd=repo)
    made = new(tmux, repo, "two")
    assert any("you have refused it" in note for note in made["notes"])
    for name in ("fix", "two"):
        assert not (repo / ".worktrees" / name / "ran").exists()


def test_a_trusted_command_runs_before_the_harness(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    asks(repo, '[setup]\ncommand = "echo $HQT_SESSION > ran; echo I am $0"\n')
    repos.commit(repo, "packages/a/x")
    found = done("trust", "--yes", cwd=repo)
    assert found["command"] == "echo $HQT_SESSION > ran; echo I am $0"
    assert found["trusted"] is True
    made = new(tmux, repo / "packages" / "a", "fix", "-H", "stand-in", "-p", "Hello")
    place = Path(made["worktree"]["path"])
    assert made["notes"] == []
    assert until(agent.launches)[0]["cwd"] == str(place / "packages" / "a")
    assert (place / "ran").read_text() == f"{made['session']['id']}\n", "in the worktree's root"
    assert seen(tmux, made["window"], "hqt: setup: echo", "I am /bin/sh", "started")


def test_trust_is_for_the_exact_content_in_one_project(
    repo: Path, tmux: Server, sealed: Path
) -> None:
    text = '[setup]\ncommand = "touch ran"\n'
    asks(repo, text)
    done("trust", "--yes", cwd=repo)
    other = repos.repository(sealed / "other")
    asks(other, text)
    assert done("trust", cwd=other)["trusted"] is None
    asks(repo, text + "# changed\n")
    assert done("trust", cwd=repo)["trusted"] is None
    old = git(repo, "rev-parse", "HEAD~1")
    new(tmux, repo, "old", "--from", old)
    new(tmux, repo, "changed")
    assert until((repo / ".worktrees" / "old" / "ran").exists), "that content was trusted"
    assert not (repo / ".worktrees" / "changed" / "ran").exists()


def test_a_command_that_fails_is_seen_and_the_harness_starts(
    repo: Path, tmux: Server, agent: StandIn
) -> None:
    asks(repo, '[setup]\ncommand = "echo trying; exit 7"\n')
    done("trust", "--yes", cwd=repo)
    made = new(tmux, repo, "fix", "-H", "stand-in")
    assert seen(tmux, made["window"], "trying", "the setup command failed (exit status 7)")
    assert until(agent.launches)
    shell = new(tmux, repo, "shell")
    tmux.cmd("send-keys", "-t", shell["window"], "echo still $((40+2))", "Enter")
    assert seen(tmux, shell["window"], "the setup command failed (exit status 7)", "still 42")


def test_an_interrupt_ends_the_setup_and_not_the_window(repo: Path, tmux: Server) -> None:
    asks(repo, '[setup]\ncommand = "echo waiting; sleep 1000"\n')
    done("trust", "--yes", cwd=repo)
    made = new(tmux, repo, "fix")
    assert seen(tmux, made["window"], "waiting")
    tmux.cmd("send-keys", "-t", made["window"], "C-c")
    assert seen(tmux, made["window"], "the setup command failed (exit status 130)")
    tmux.cmd("send-keys", "-t", made["window"], "echo still $((40+2))", "Enter")
    assert seen(tmux, made["window"], "still 42")


def test_without_a_window_the_command_is_not_run(repo: Path) -> None:
    asks(repo, '[setup]\ncommand = "touch ran"\n')
    done("trust", "--yes", cwd=repo)
    made = done("new", "fix", "--no-window", cwd=repo)
    assert made["notes"] == ["The setup command was not run, since there is no window."]


def test_the_user_is_asked_once_at_a_terminal(repo: Path, tmux: Server) -> None:
    asks(repo, '[setup]\ncommand = "touch ran"\n')
    command = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt new"
    pane = tmux.cmd("new-window", "-dP", "-F", "#{pane_id}", "-c", str(repo))
    tmux.cmd("send-keys", "-t", pane, f"{command} -d one", "Enter")
    assert seen(tmux, pane, "asks to run this in every new worktree", "touch ran", "[y/N]")
    assert not (repo / ".worktrees").exists(), "nothing is made before the answer"
    tmux.cmd("send-keys", "-t", pane, "y", "Enter")
    assert until((repo / ".worktrees" / "one" / "ran").exists)
    tmux.cmd("send-keys", "-t", pane, f"clear; {command} -d two", "Enter")
    assert until((repo / ".worktrees" / "two" / "ran").exists)
    assert "[y/N]" not in screen(tmux, pane)


@pytest.mark.parametrize(
    ("before", "asked", "answer", "after"),
    [
        ("--yes", "It is trusted.|Withdraw that?", "", True),
        ("--yes", "It is trusted.|Withdraw that?", "y", False),
        ("--no", "It is refused.|Trust it after all?", "", False),
        ("--no", "It is refused.|Trust it after all?", "y", True),
    ],
)
def test_what_was_said_before_changes_only_by_a_yes(
    repo: Path, tmux: Server, before: str, asked: str, answer: str, after: bool
) -> None:
    asks(repo, '[setup]\ncommand = "touch ran"\n')
    done("trust", before, cwd=repo)
    call = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt trust; echo ended"
    pane = tmux.cmd("new-window", "-dP", "-F", "#{pane_id}", "-c", str(repo))
    tmux.cmd("send-keys", "-t", pane, call, "Enter")
    assert seen(tmux, pane, "asks for a setup command", "touch ran", *asked.split("|"), "[y/N]")
    tmux.cmd("send-keys", "-t", pane, answer, "Enter")
    assert seen(tmux, pane, "\nended")
    assert done("trust", cwd=repo)["trusted"] is after, "it is shown without a question"


def test_nothing_to_trust(repo: Path, sealed: Path) -> None:
    assert refused("trust", cwd=repo)["code"] == "no_such_target"
    assert refused("trust", cwd=sealed)["code"] == "not_a_repository"
    asks(repo, "[setup]\ncommand = 7\n", commit=False)
    assert refused("trust", cwd=repo)["code"] == "config_invalid"
    asks(repo, '[setup]\ncommand = "a"\n', commit=False)
    assert refused("trust", "--yes", "--no", cwd=repo)["code"] == "usage"
    assert "    a\n" in hqt("trust", cwd=repo).out


@pytest.mark.parametrize("hidden", ["\\u202e", "\\u001b[8m", "\\r"])
def test_what_is_asked_about_is_what_is_run(repo: Path, hidden: str) -> None:
    asks(repo, f'[setup]\ncommand = {json.dumps("true ")[:-1]}{hidden}"\n', commit=False)
    assert refused("trust", "--yes", cwd=repo)["code"] == "config_invalid"
