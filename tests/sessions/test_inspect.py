"""What `inspect` tells a person."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from helpers.calls import PYTHON, done
from helpers.servers import Server, until
from hqt.documents import document
from hqt.git import witness
from hqt.models import Caller
from hqt.sessions.inspect import inspect


def test_its_own_call_is_no_program_in_the_pane(repo: Path, tmux: Server, sealed: Path) -> None:
    """The pane is in there, with the shell that the call was typed into."""
    window = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)["window"]
    out, call = sealed / "answer", shlex.join([sys.executable, "-m", "hqt", "inspect", "."])
    typed = f"PYTHONPATH={shlex.quote(str(PYTHON))} {call} > {out} 2>&1; echo end >> {out}"
    tmux.cmd("send-keys", "-t", window, typed, "Enter")
    assert until(lambda: out.exists() and out.read_text().endswith("end\n"))
    told = out.read_text()
    assert f"in window {window} ⎇ fix (sh)" in told
    assert "python" not in told
    assert "at work" not in told


def test_commits_that_git_denies_are_no_dirt(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    monkeypatch.setattr(witness, "unique", lambda *_, **__: 1)
    found = inspect(Caller(repo), "fix")
    said = "libgit2 sees a commit that nothing else holds where git sees none."
    assert [(one.code, one.message) for one in found.refusals] == [("unique_commits", said)]
    assert document(found)["disputed"] == [said]
