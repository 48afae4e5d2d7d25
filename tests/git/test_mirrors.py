"""Which remotes would publish or prune what the trash keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import trashing
from helpers.repos import git
from hqt.git import trash


@pytest.mark.parametrize(
    ("settings", "reached"),
    [
        ({}, False),
        ({"fetch": "+refs/heads/*:refs/remotes/origin/*"}, False),
        ({"fetch": "+refs/heads/*:refs/heads/*"}, False),
        ({"fetch": "+refs/*:refs/remotes/origin/*"}, False),
        ({"fetch": "+refs/*:refs/*"}, True),
        ({"fetch": "refs/*:refs/*"}, True),
        ({"fetch": "+refs/backup/*:refs/hqt/*"}, True),
        ({"push": "+refs/*:refs/*"}, True),
        ({"push": "refs/*:refs/backup/*"}, True),
        ({"push": "refs/heads/*:refs/heads/*"}, False),
        ({"push": "HEAD"}, False),
        ({"push": ":"}, False),
        ({"mirror": "true"}, True),
        ({"mirror": "false"}, False),
    ],
    ids=str,
)
def test_refspecs(repo: Path, settings: dict[str, str], reached: bool) -> None:
    git(repo, "config", "remote.origin.url", "/nowhere")
    for key, value in settings.items():
        git(repo, "config", f"remote.origin.{key}", value)
    assert trash.mirrored(trashing.discover(repo)) == ("origin" if reached else None)


def test_what_a_negative_refspec_leaves_out(repo: Path) -> None:
    git(repo, "config", "remote.backup.push", "refs/*:refs/*")
    git(repo, "config", "--add", "remote.backup.push", "^refs/hqt/*")
    assert trash.mirrored(trashing.discover(repo)) is None


def test_a_mirror_clone(repo: Path, sealed: Path) -> None:
    git(repo, "clone", "-q", "--mirror", str(repo), str(sealed / "mirror.git"))
    assert trash.mirrored(trashing.discover(sealed / "mirror.git")) == "origin"
