"""`hqt restore`: every way to name what is to come back, from anywhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.servers import Server

NAMES: dict[str, Callable[[Any, Any], str]] = {
    "nickname": lambda made, _: made["session"]["nickname"],
    "session id": lambda made, _: made["session"]["id"],
    "session:": lambda made, _: f"session:{made['session']['id']}",
    "branch": lambda made, _: made["worktree"]["branch"],
    "branch:": lambda made, _: f"branch:{made['worktree']['branch']}",
    "worktree id": lambda made, _: made["worktree"]["id"],
    "path": lambda made, _: made["worktree"]["path"],
    "path:": lambda made, _: f"path:{made['worktree']['path']}",
    "trash id": lambda _, gone: gone["trash"],
}


@pytest.fixture
def elsewhere(sealed: Path) -> dict[str, Path]:
    (sealed / "plain").mkdir()
    return {
        "here": sealed / "project",
        "plain": sealed / "plain",
        "other": repos.repository(sealed / "other"),
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["here", "plain", "other"])
def test_out_of_the_trash(repo: Path, elsewhere: dict[str, Path], where: str, name: str) -> None:
    done("new", "stays", "--no-window", cwd=repo)  # by which hqt knows the repository
    made = done("new", "Long Story", "-b", "topic", "--no-window", cwd=repo)
    (Path(made["worktree"]["path"]) / "notes").write_text("mine\n")
    [gone] = done("remove", "topic", "--force", cwd=repo)["removed"]
    back = done("restore", NAMES[name](made, gone), cwd=elsewhere[where])
    assert back["worktree"]["path"] == made["worktree"]["path"]
    assert back["session"]["id"] == made["session"]["id"]
    assert (Path(made["worktree"]["path"]) / "notes").exists()


@pytest.mark.parametrize("name", NAMES)
def test_trash_restore_takes_the_same_names(repo: Path, name: str) -> None:
    made = done("new", "Long Story", "-b", "topic", "--no-window", cwd=repo)
    [gone] = done("remove", "topic", cwd=repo)["removed"]
    done("new", "newer", "--no-window", cwd=repo)
    done("remove", "newer", cwd=repo)
    back = done("trash", "restore", NAMES[name](made, gone), cwd=repo)
    assert back["worktree"]["path"] == made["worktree"]["path"]
    error = refused("trash", "restore", NAMES[name](made, gone), cwd=repo)
    assert error["code"] == "no_such_target"


def test_what_means_several_in_the_trash_is_no_guess(repo: Path) -> None:
    ids = []
    for _ in range(2):
        place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
        ids += [one["trash"] for one in done("remove", "fix", cwd=repo)["removed"]]
    error = refused("trash", "restore", "fix", cwd=repo)
    assert error["code"] == "ambiguous_target"
    assert error["details"]["candidates"] == [f"{id} (fix, from {place})" for id in reversed(ids)]
    assert all(id in error["message"] for id in ids)
    assert done("trash", "restore", ids[0], cwd=repo)["worktree"]["path"] == str(place)


def test_a_registration_in_the_trash_is_not_what_a_name_means(repo: Path) -> None:
    """It was set aside when the vanished worktree was checked out again."""
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    (place / "notes").write_text("mine\n")
    shutil.rmtree(place)
    done("restore", "fix", cwd=repo)
    (place / "notes").write_text("mine\n")
    done("remove", "fix", "--force", cwd=repo)
    assert len(done("trash", "list", cwd=repo)["entries"]) == 2
    done("trash", "restore", "fix", cwd=repo)
    assert (place / "notes").exists()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "trash id"])
@pytest.mark.parametrize("where", ["here", "plain", "other"])
def test_a_vanished_one(repo: Path, elsewhere: dict[str, Path], where: str, name: str) -> None:
    made = done("new", "Long Story", "-b", "topic", "--no-window", cwd=repo)
    shutil.rmtree(made["worktree"]["path"])
    back = done("restore", NAMES[name](made, None), cwd=elsewhere[where])
    assert back["worktree"]["missing"] is False
    assert back["session"]["id"] == made["session"]["id"]


def test_by_its_path_though_hqt_does_not_know_the_repository(repo: Path, sealed: Path) -> None:
    place = repos.linked(repo, repo / ".worktrees" / "hand", "hand")
    shutil.rmtree(place)
    assert done("restore", str(place), cwd=sealed)["worktree"]["branch"] == "hand"
    done("remove", str(place), "--force", cwd=sealed)
    assert done("restore", str(place), cwd=sealed)["worktree"]["branch"] == "hand"


def test_in_two_other_trashes(repo: Path, sealed: Path) -> None:
    for one in (repo, repos.repository(sealed / "other")):
        done("new", "stays", "--no-window", cwd=one)
        done("new", "fix", "--no-window", cwd=one)
        done("remove", "fix", cwd=one)
    (sealed / "plain").mkdir()
    error = refused("restore", "fix", cwd=sealed / "plain")
    assert error["code"] == "ambiguous_target"
    assert len(error["details"]["candidates"]) == 2
    assert done("restore", "fix", cwd=repo)["worktree"]["path"] == str(repo / ".worktrees" / "fix")


@pytest.mark.parametrize("verb", ["restore", "open", "path", "inspect"])
def test_a_project_that_is_gone(repo: Path, sealed: Path, verb: str) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    shutil.rmtree(repo)
    for cwd in (sealed, repos.repository(sealed / "other")):
        for name in ("fix", made["session"]["id"]):
            assert refused(verb, name, cwd=cwd)["code"] == "project_missing"


def test_a_session_whose_project_is_gone_can_be_forgotten(
    repo: Path, sealed: Path, tmux: Server
) -> None:
    here, other = ("-L", tmux.socket), repos.repository(sealed / "other")
    made = [
        done(*here, "new", name, *how, "-d", cwd=repo)
        for name, how in (("fix", ()), ("plain", ("--no-worktree",)))
    ]
    shutil.rmtree(repo)
    for one in made:
        tmux.cmd("kill-window", "-t", one["window"])
        id = one["session"]["id"]
        error = refused(*here, "remove", id, cwd=other)
        assert error["code"] == "project_missing"
        assert f"`hqt remove --keep-worktree session:{id}`" in error["remedy"]
    error = refused(*here, "remove", "--keep-worktree", "fix", cwd=other)
    assert error["code"] == "project_missing", "by its id alone"
    assert len(done(*here, "open", "--all", "--dry-run", cwd=other)["failed"]) == len(made)
    for one in made:
        id = one["session"]["id"]
        (gone,) = done(*here, "remove", "--keep-worktree", f"session:{id}", cwd=other)["removed"]
        assert (gone["session"], gone["path"]) == (id, None)
    assert done(*here, "open", "--all", "--dry-run", cwd=other)["failed"] == []


def test_what_has_no_worktree(repo: Path, sealed: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    (sealed / "plain").mkdir()
    done(*here, "new", "ideas", "--no-worktree", "-d", cwd=repo)
    done(*here, "new", "notes", "-d", cwd=sealed / "plain")
    for name, cwd in (("ideas", repo), ("notes", sealed / "plain"), ("ideas", sealed / "plain")):
        error = refused(*here, "restore", name, cwd=cwd)
        assert error["code"] == "no_such_target"
        assert "no worktree" in error["message"]
    assert refused(*here, "restore", "nonesuch", cwd=repo)["code"] == "no_such_target"
    assert list((sealed / "plain").iterdir()) == []


@pytest.mark.parametrize("flags", [(), ("--detach",)])
def test_people_are_told_how_to_get_there(repo: Path, tmux: Server, flags: tuple[str, ...]) -> None:
    """It opens no window."""
    made = done("new", "Long Story", "--no-window", *flags, cwd=repo)
    place = Path(made["worktree"]["path"])
    means = made["worktree"]["branch"] or str(place)
    done("remove", "Long Story", cwd=repo)
    told = [hqt("undo", cwd=repo)]
    [gone] = done("remove", "Long Story", cwd=repo)["removed"]
    told.append(hqt("trash", "restore", gone["trash"], cwd=repo))
    shutil.rmtree(place)
    told.append(hqt("restore", "Long Story", cwd=repo))
    for call in told:
        assert call.out.splitlines()[-1] == f"`hqt open {means}` goes there."
    opened = done("-L", tmux.socket, "open", means, cwd=repo)
    assert opened["worktree"]["path"] == str(place)
