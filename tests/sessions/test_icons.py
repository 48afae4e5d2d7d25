"""Where `@hqt-icons` is ascii, whatever hqt prints is: only a window's name keeps its sign."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt
from helpers.harnesses import write
from helpers.repos import git
from helpers.servers import Server
from hqt import paths


@pytest.fixture
def ascii_only() -> None:
    write(paths.config_file(), "[options]\nicons = 'ascii'\n")


def said(*words: str, cwd: Path) -> str:
    call = hqt("-L", "nobody", *words, cwd=cwd)
    text = call.out + call.err
    assert text.isascii(), (words, text)
    return text


@pytest.mark.usefixtures("ascii_only")
def test_each_answer(repo: Path) -> None:
    assert said("new", "fix", "--no-window", cwd=repo).startswith("Created Y fix")
    assert " Y fix " in said("list", cwd=repo)
    assert said("inspect", "fix", cwd=repo).startswith("Y fix  ")
    assert said("lock", "fix", "--reason", "mine", cwd=repo) == "Locked Y fix: mine\n"
    assert said("unlock", "fix", cwd=repo) == "Unlocked Y fix.\n"
    assert "fix to late, Y fix to Y late" in said("rename", "fix", "late", cwd=repo)
    assert said("remove", "late", cwd=repo).startswith("Removed Y late")
    assert "Y late" in said("undo", cwd=repo)
    said("remove", "late", cwd=repo)
    assert "  Y late" in said("trash", "empty", cwd=repo)


@pytest.mark.usefixtures("ascii_only")
def test_each_complaint(repo: Path) -> None:
    place = repos.linked(repo, repo.parent / "ext", "ext")
    assert "No session lives in Y ext," in said("archive", "ext", cwd=repo)
    place.rename(repo.parent / "moved")
    assert "Y ext is at " in said("open", "ext", cwd=repo)
    assert "The directory of Y ext is not at" in said("doctor", cwd=repo)
    (repo.parent / "moved").rename(place)
    git(place, "checkout", "-q", "--detach")
    assert "Y ext@" in said("rename", str(place), "new", "-b", "new", cwd=repo)
    done("new", "one", "-b", "two", "--no-window", cwd=repo)
    done("new", "two", "-b", "one", "--no-window", cwd=repo)
    assert "(one), worktree " in (text := said("path", "one", cwd=repo))
    assert " Y two at " in text


def test_a_window_keeps_its_name(repo: Path, tmux: Server) -> None:
    tmux.cmd("set", "-g", "@hqt-icons", "ascii")
    words = ("-L", tmux.socket)
    window = done(*words, "new", "fix", "-d", cwd=repo)["window"]
    assert tmux.ask("#{window_name}", window) == "⎇ fix"
    assert " Y fix " in hqt(*words, "list", cwd=repo).out
    assert hqt("-L", "nobody", "list", cwd=repo).out.count(" ⎇ ") == 2
