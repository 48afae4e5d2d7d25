"""What `inspect` tells a person."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from helpers.calls import PYTHON, done
from helpers.servers import Server, until


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
