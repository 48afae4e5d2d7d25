"""`hqt list`: where the caller is, in whichever repository; the archived beside the living."""

from __future__ import annotations

from pathlib import Path

from helpers import repos
from helpers.calls import done, hqt


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


def test_the_archived_stand_beside_the_living(repo: Path) -> None:
    place = Path(done("new", "gone", "--no-window", cwd=repo)["worktree"]["path"])
    for name in ("live", "kept"):
        done("new", name, "--no-window", cwd=repo)
    kept = repo / ".worktrees" / "kept"
    (kept / "new").write_text("new\n")
    for name in ("gone", "kept"):
        done("archive", name, "--wait", cwd=repo)

    found = done("list", "--archived", cwd=repo)
    states = {one["nickname"]: (one["state"], one["worktree_branch"]) for one in found["sessions"]}
    assert states == {
        "gone": ("archived", "gone"),
        "live": ("closed", "live"),
        "kept": ("archived", "kept"),
    }
    ids = {one["nickname"]: one["id"] for one in found["sessions"]}
    inside = {tree["label"]: tree["sessions"] for tree in found["worktrees"]}
    assert inside == {"main": [], "live": [ids["live"]], "kept": [ids["kept"]]}

    lines = hqt("list", "--archived", cwd=repo).out.splitlines()
    told = {line.split("⎇ ")[1].split()[0]: line for line in lines[1:]}
    assert set(told) == {"main", "live", "kept", "gone"}
    assert "(archived)" not in told["live"]
    assert "kept (archived)" in told["kept"]
    assert told["kept"].endswith(str(kept))
    assert "gone (archived)" in told["gone"]
    assert told["gone"].endswith(f"{place} (gone)")
    assert "(archived)" not in hqt("list", cwd=repo).out
