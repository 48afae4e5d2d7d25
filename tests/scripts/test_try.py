"""scripts/try --headless: the main job, with the real hqt, and nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from helpers import servers
from helpers.plugin import ROOT, launcher_environment
from helpers.repos import git


def test_the_main_job_leaves_nothing_behind(repo: Path) -> None:
    """Called inside a tmux and a repository of the user's, neither of which it touches."""
    with servers.running(cwd=repo) as server:
        before = server.windows(), server.cmd("list-keys"), server.cmd("show-options", "-g")
        done = subprocess.run(
            [ROOT / "scripts/try", "--headless"],
            cwd=repo,
            env={
                **os.environ,
                **launcher_environment(),
                "TMUX": server.ask("#{socket_path},#{pid},0"),
                "GIT_DIR": str(repo / ".git"),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith("scripts/try: all of it went as it should.\n")
        assert "$ hqt new demo\n" in done.stdout
        after = server.windows(), server.cmd("list-keys"), server.cmd("show-options", "-g")
        assert after == before
    assert git(repo, "worktree", "list").count("\n") == 0
    assert git(repo, "status", "--porcelain") == ""
    scratch = set(re.findall(r"/tmp/hqt-try\.\w+", done.stdout))
    assert len(scratch) == 1
    assert not Path(*scratch).exists()
