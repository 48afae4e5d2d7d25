"""`hqt list`: where the caller is, in whichever repository; the archived beside the living."""

from __future__ import annotations

from pathlib import Path

from helpers import repos
from helpers.calls import done


def standing(cwd: Path) -> list[str]:
    """The checkouts that `list --all` calls the current one."""
    listings = done("-L", "nobody", "list", "--all", cwd=cwd)["repositories"]
    return [tree["path"] for one in listings for tree in one["worktrees"] if tree["current"]]


def test_the_caller_is_in_one_place_at_most(repo: Path, sealed: Path) -> None:
    other = repos.repository(sealed / "other")
    inner = repos.repository(repo / "vendor" / "inner")
    (repo / "sub").mkdir()
    for each in (repo, other, inner):
        done("new", "fix", "--no-window", cwd=each)
    linked = other / ".worktrees" / "fix"
    places = {
        repo: [repo],
        repo / "sub": [repo],
        other: [other],
        linked: [linked],
        inner: [inner],
        repo / "vendor": [repo],
        sealed: [],
    }
    for cwd, expected in places.items():
        assert standing(cwd) == [str(one) for one in expected], cwd


def test_through_a_link(repo: Path, sealed: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    (sealed / "link").symlink_to(repo)
    assert standing(sealed / "link") == [str(repo)]
