"""The command line at a terminal: a bar while a checkout lasts, a question before the last word."""

from __future__ import annotations

from pathlib import Path

from helpers import repos
from helpers.calls import done
from helpers.plugin import ROOT
from helpers.repos import git
from helpers.servers import until
from helpers.terminal import Terminal

HQT = f"'{ROOT}/scripts/hqt'"


def test_a_bar_while_files_are_written(person: Terminal, repo: Path, sealed: Path) -> None:
    script = sealed / "slow.sh"
    script.write_text("#!/bin/sh\nsleep 0.04\ncat\n")
    script.chmod(0o755)
    git(repo, "config", "filter.slow.smudge", f"'{script}'")
    git(repo, "config", "filter.slow.clean", "cat")
    repos.commit(repo, ".gitattributes", "*.txt filter=slow\n")
    for number in range(25):
        (repo / f"{number}.txt").write_text("x\n")
    repos.commit(repo, "many")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "Files")
    person.type(f"{HQT} new fix --no-window; echo en''ded\n")
    person.see("checkout", "%")
    screen = person.see("ended")
    assert "Created" in screen
    assert "%" not in screen
    person.type(f"{HQT} new other --no-window; git worktree list; echo sto''pped\n")
    person.see("checkout", "%")
    person.press("C-c")
    screen = person.see("stopped")
    assert "Cancelled" in screen
    assert "worktrees/other" not in screen


def test_who_asks_in_a_shell_is_at_rest(person: Terminal) -> None:
    person.type(f"{HQT} new fix\n")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
    person.type(f"clear; {HQT} list\n")
    person.see("⎇ fix", "idle")


def test_what_removes_itself_says_so_in_the_status_line(person: Terminal, repo: Path) -> None:
    person.type(f"{HQT} new fix\n")
    assert until(lambda: person.ask("#{window_name}") == "⎇ fix")
    person.type(f"clear; {HQT} remove .\n")
    assert until(lambda: person.ask("#{window_id}") == "@0")
    person.see("Removed ⎇ fix. `hqt undo` brings it back.")
    assert not (repo / ".worktrees" / "fix").exists()


def test_the_trash_is_emptied_after_a_yes_to_what_goes(person: Terminal, repo: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    (repo / ".worktrees" / "fix" / "notes").write_text("mine\n")
    done("remove", "fix", "--force", cwd=repo)
    person.type(f"{HQT} trash empty\n")
    person.see("⎇ fix (held: uncommitted files)", "[y/N]")
    person.type("n\n")
    person.see("Nothing was emptied.")
    assert len(done("trash", "list", cwd=repo)["entries"]) == 1
    person.type(f"clear; {HQT} trash empty\n")
    person.see("[y/N]")
    person.type("y\n")
    person.see("Deleted for good:", "⎇ fix (held: uncommitted files)")
    assert done("trash", "list", cwd=repo)["entries"] == []
