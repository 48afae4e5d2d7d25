"""A worktree that was moved by `mv` is not gone: no verb unregisters it or makes it anew."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helpers.calls import done, refused
from helpers.repos import git, linked
from helpers.servers import Server, until
from helpers.trashing import discover, registered
from hqt.git import entry, passage, trash
from hqt.git.manifest import State
from hqt.sessions import rows
from hqt.sessions import world as worlds

VERBS = [("remove", "fix"), ("remove", "fix", "--force"), ("restore", "fix"), ("open", "fix")]


def moved(repo: Path, what: str) -> tuple[Path, Path, Path]:
    """The repository, where git looks for the worktree, and where it is with its work."""
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    (place / "notes").write_text("mine\n")
    if what == "worktree":
        return repo, place, place.rename(place.with_name("a way"))
    new = repo.rename(repo.with_name("pro ject"))
    return new, place, new / place.relative_to(repo)


@pytest.mark.parametrize("what", ["worktree", "repository"])
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_it_is_refused_and_its_remedy_heals(
    repo: Path, tmux: Server, sealed: Path, verb: tuple[str, ...], what: str
) -> None:
    here = ("-L", tmux.socket)
    new, old, now = moved(repo, what)
    error = refused(*here, *verb, cwd=new)
    assert error["code"] == "missing_worktree"
    assert error["details"] == {"path": str(old), "moved": str(now)}
    assert f"is at {now} now" in error["message"]
    assert not old.exists()
    assert git(new, "branch", "--list", "fix")
    assert (new / ".git" / "worktrees" / "fix").is_dir()
    [remedy] = re.findall("`(.*)`", error["remedy"])
    subprocess.run(remedy, shell=True, check=True, cwd=sealed)
    assert done(*here, "path", "fix", cwd=new)["path"] == str(now)
    assert refused(*here, "remove", "fix", cwd=new)["code"] == "dirty"
    assert (now / "notes").read_text() == "mine\n"


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("what", ["worktree", "repository"])
def test_archive_keeps_it_and_says_so(repo: Path, what: str, wait: bool) -> None:
    new, _, now = moved(repo, what)
    done("archive", "fix", *(["--wait"] if wait else []), cwd=new)

    def cleanup() -> dict[str, Any] | None:
        found = done("archive", "--status", "fix", cwd=new)["session"]["cleanup"]
        return None if found["status"] == "scheduled" else found

    assert until(cleanup) == {"revision": 1, "status": "retained", "reason": "moved"}
    assert (now / "notes").exists()
    assert (new / ".git" / "worktrees" / "fix").is_dir()


def test_a_session_comes_along_with_its_repository(repo: Path, tmux: Server) -> None:
    """What changes something in the moved repository writes down where its sessions' project is,
    as long as git still has the old path of the worktree, by which they are known."""
    here = ("-L", tmux.socket)
    new, _, now = moved(repo, "repository")
    [row] = done("list", cwd=new)["sessions"]
    done("archive", "fix", "--wait", cwd=new)
    git(new, "worktree", "repair", str(now))
    opened = done(*here, "open", row["id"], cwd=new)["session"]
    assert (opened["id"], opened["project"]) == (row["id"], str(new))
    assert opened["worktree"] == done("inspect", "fix", cwd=new)["worktree"]["id"]
    (now / "notes").unlink()
    done(*here, "archive", "fix", "--wait", cwd=new)
    assert done("undo", cwd=new)["session"]["id"] == row["id"]


def test_a_removal_cut_short_before_the_move_keeps_the_session_too(repo: Path) -> None:
    """Its worktree had lost its `.git` and its entry was in the trash; the next verb mends all."""
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    [row] = worlds.rows().all()
    one = trash.prepare(discover(repo), registered(repo, place), session=rows.record(row))
    one = entry.change(one, state=State.TAKING)
    passage.set_aside(one)
    one.home.rename(one.admin)
    new = repo.rename(repo.with_name("again"))
    opened = done("new", "other", "--no-window", cwd=new)
    now = new / place.relative_to(repo)
    assert f"was taken back; it is at {now} now." in opened["notes"][0]
    sessions = {one["nickname"]: one for one in done("list", cwd=new)["sessions"]}
    fix = sessions["fix"]
    assert (fix["id"], fix["project"], fix["worktree_path"]) == (row.id, str(new), str(now))
    assert done("remove", "fix", cwd=new)["removed"][0]["path"] == str(now)


def test_an_undo_in_a_moved_repository_knows_the_sessions_project(repo: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    done("remove", "fix", cwd=repo)
    new = repo.rename(repo.with_name("again"))
    assert done("undo", cwd=new)["session"]["project"] == str(new)


def test_a_session_of_a_clone_at_the_old_place_stays_its_own(repo: Path) -> None:
    new, old, _ = moved(repo, "repository")
    git(new, "clone", "-q", str(new), str(repo))
    done("remove", "session:fix", "--keep-worktree", cwd=new)
    theirs = done("new", "fix", "--no-window", cwd=repo)
    assert theirs["worktree"]["path"] == str(old)
    done("new", "other", "--no-window", cwd=new)
    done("archive", "other", "--wait", cwd=new)
    [row] = done("list", cwd=repo)["sessions"]
    assert row["project"] == str(repo)


def test_a_worktree_that_its_repository_was_moved_away_from(repo: Path) -> None:
    """It is in its place, so that git heals it where it is asked in the main checkout."""
    place = linked(repo, repo.parent / "hand", "hand")
    new = repo.rename(repo.with_name("again"))
    error = refused("remove", "hand", cwd=new)
    assert error["code"] == "identity_mismatch"
    assert "`git worktree repair` in its main checkout" in error["remedy"]
    git(new, "worktree", "repair")
    assert done("remove", "hand", cwd=new)["removed"][0]["path"] == str(place)


def test_where_one_of_several_was_moved_none_is_removed(repo: Path) -> None:
    done("new", "other", "--no-window", cwd=repo)
    moved(repo, "worktree")
    error = refused("remove", "other", "fix", cwd=repo)
    assert error["code"] == "missing_worktree"
    assert (repo / ".worktrees" / "other").is_dir()


@pytest.mark.parametrize("what", ["worktree", "repository"])
def test_doctor_says_where_it_is_and_names_the_same_repair(repo: Path, what: str) -> None:
    new, _, now = moved(repo, what)
    found = [one for one in done("doctor", cwd=new)["findings"] if one["remedy"]]
    [remedy] = [one["remedy"] for one in found if one["message"].endswith(f" but at {now}.")]
    [command] = re.findall("`(.*)`", remedy)
    assert f"`{command}`" in refused("remove", "fix", cwd=new)["remedy"]
    subprocess.run(command, shell=True, check=True, cwd=new.parent)
    assert done("path", "fix", cwd=new)["path"] == str(now)


def test_where_nobody_knows_where_it_is_doctor_leaves_the_place_open(repo: Path) -> None:
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    place.rename(repo.parent / "far")
    said = [one["remedy"] for one in done("doctor", cwd=repo)["findings"]]
    assert any(f"`git -C {repo} worktree repair NEW_PATH` tells git" in one for one in said), said
