"""A repository with so many files that its windows come before them, and a checkout that waits."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from helpers import repos
from helpers.calls import WARM
from helpers.repos import git
from helpers.servers import until

FILES = 6_000
# As many do where what is big is less: code for a call in a process of its own, and what it sets.
# A warm server keeps to the real measure.
FEWER = FILES if WARM else 1_200
LOWERED = "hqt.sessions.ahead.BIG", 1_000
LOWER = "import hqt.sessions.ahead; {} = {}".format(*LOWERED)
LAST = "zz-held"  # checked out last, and only after `go`


@dataclass(frozen=True, slots=True)
class Big:
    """The repository. Its files lie in the folders `d0` to `d5`."""

    repo: Path

    @property
    def begun(self) -> bool:
        """Whether a checkout waits before its last file."""
        return (self.repo.parent / "begun").exists()

    def wait(self) -> None:
        """Until a checkout has come to its last file."""
        assert until(lambda: self.begun)

    def go(self) -> None:
        """Let it go on, and all that follow."""
        (self.repo.parent / "go").touch()


def make(path: Path, *, files: int = FILES) -> Big:
    """The repository at `path`, on `main`; beside it are the files by which it waits."""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    stream = ["commit refs/heads/main\ncommitter T <t@example.invalid> 1 +0000\ndata 5\nFirst\n"]
    stream += [f"M 100644 inline d{n * 6 // files}/f{n}\ndata 2\n.\n" for n in range(files)]
    stream += [f"M 100644 inline {LAST}\ndata 5\nheld\n"]
    stream += [f"M 100644 inline .gitattributes\ndata {len(LAST) + 13}\n{LAST} filter=wait\n"]
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=path, input="".join(stream).encode(), check=True
    )
    git(path, "reset", "-q", "--hard")
    place = path.resolve().parent
    script = place / "wait.sh"
    script.write_text(
        f"#!/bin/sh\ntouch '{place}/begun'\nn=0\n"
        f"while [ ! -e '{place}/go' ] && [ $n -lt 400 ]; do n=$((n+1)); sleep 0.05; done\ncat\n"
    )
    script.chmod(0o755)
    git(path, "config", "filter.wait.smudge", f"'{script}'")
    git(path, "config", "filter.wait.clean", "cat")
    return Big(path.resolve())


def everything(repo: Path) -> tuple[str, list[str]]:
    """All refs, and every file but objects and what is hqt's own."""
    files = sorted(
        str(path.relative_to(repo))
        for path in repo.rglob("*")
        if not {"objects", "hqt"} & set(path.relative_to(repo).parts)
    )
    return repos.git(repo, "for-each-ref"), files
