"""What leaves the trash by itself, and what waits for the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt
from helpers.repos import git
from helpers.servers import Server, until
from hqt import texts
from hqt.models import Caller
from hqt.sessions import trash


def removed(repo: Path, name: str) -> Path:
    """Remove a worktree and make it look long gone; its directory in the trash."""
    id = done("remove", name, cwd=repo)["removed"][0]["trash"]
    entry: Path = repo / ".git" / "hqt" / "trash" / id
    manifest = entry / "manifest.json"
    said = json.loads(manifest.read_text())
    said["removed_at"] = 0
    manifest.write_text(json.dumps(said))
    return entry


def new(repo: Path, name: str) -> Path:
    return Path(done("new", name, "--no-window", cwd=repo)["worktree"]["path"])


def test_what_held_nothing_goes_after_its_time(repo: Path) -> None:
    repos.commit(repo, ".gitignore", "cache/\n*.log\n")
    place = new(repo, "fix")
    (place / "cache").mkdir()
    (place / "cache" / "x").write_text("x")
    (place / "debug.log").write_text("x")
    entry = removed(repo, "fix")
    assert [one["path"] for one in done("trash", "expire", cwd=repo)["emptied"]] == [str(place)]
    assert not entry.exists()
    assert git(repo, "for-each-ref", "refs/hqt") == ""


def test_what_is_young_stays(repo: Path) -> None:
    new(repo, "fix")
    done("remove", "fix", cwd=repo)
    assert done("trash", "expire", cwd=repo)["emptied"] == []
    assert len(done("trash", "list", cwd=repo)["entries"]) == 1


@pytest.mark.parametrize("file", [".env", "data/app.sqlite3", "keys/id_ed25519"])
def test_ignored_files_that_look_precious_wait_for_the_user(repo: Path, file: str) -> None:
    repos.commit(repo, ".gitignore", ".env\ndata/\nkeys/\n")
    place = new(repo, "fix")
    (place / file).parent.mkdir(exist_ok=True)
    (place / file).write_text("mine\n")
    removed(repo, "fix")
    assert done("trash", "expire", cwd=repo)["emptied"] == []
    entries = done("trash", "list", cwd=repo)["entries"]
    assert entries[0]["holds"] == ["dirty"]
    done("undo", cwd=repo)
    assert (place / file).read_text() == "mine\n"


@pytest.mark.parametrize("change", ["new", "modified", "deleted"])
def test_what_was_written_in_the_last_moment_waits_for_the_user(repo: Path, change: str) -> None:
    new(repo, "fix")
    entry = removed(repo, "fix")
    if change == "new":
        (entry / "tree" / "late").write_text("mine\n")
    elif change == "modified":
        (entry / "tree" / "file0").write_text("mine\n")
    else:
        (entry / "tree" / "file0").unlink()
    assert done("trash", "expire", cwd=repo)["emptied"] == []
    assert entry.exists()


@pytest.mark.parametrize("folder", ["vendor/", "node_modules/deep/", "plain/"])
def test_a_repository_that_came_in_the_last_moment_waits_for_the_user(
    repo: Path, sealed: Path, folder: str
) -> None:
    """Another one's worktree, in folders that are looked at for nothing else."""
    repos.commit(repo, ".gitignore", "vendor/\nnode_modules/\n")
    other = repos.repository(sealed / "other")
    new(repo, "fix")
    entry = removed(repo, "fix")
    repos.linked(other, entry / "tree" / folder / "theirs")
    assert done("trash", "expire", cwd=repo)["emptied"] == []
    assert (entry / "tree" / folder / "theirs" / "file0").exists()
    assert done("trash", "list", cwd=repo)["entries"][0]["holds"] == ["dirty"]


def test_a_look_that_fails_keeps_everything(repo: Path) -> None:
    new(repo, "fix")
    entry = removed(repo, "fix")
    (entry / "admin" / "index").write_bytes(b"broken")
    assert done("trash", "expire", cwd=repo)["emptied"] == []
    assert entry.exists()


def test_for_as_many_days_as_the_asked_server_says(repo: Path, tmux: Server) -> None:
    tmux.cmd("set-option", "-g", "@hqt-trash-days", "0")
    done("-L", tmux.socket, "new", "fix", "--no-window", cwd=repo)
    done("-L", tmux.socket, "remove", "fix", cwd=repo)
    assert until(lambda: not done("trash", "list", cwd=repo)["entries"])


def test_a_removal_lets_old_ones_go_in_the_background(repo: Path) -> None:
    new(repo, "old")
    entry = removed(repo, "old")
    new(repo, "fix")
    done("remove", "fix", cwd=repo)
    assert until(lambda: not entry.exists())


@pytest.mark.parametrize("file", ["my.draft.md", "scratch/notes", "a/b/c/d"])
def test_ignored_files_that_no_program_makes_wait_for_the_user(repo: Path, file: str) -> None:
    repos.commit(repo, ".gitignore", "*.draft.md\nscratch/\na/\nbuild/\n")
    place = new(repo, "fix")
    (place / file).parent.mkdir(parents=True, exist_ok=True)
    (place / file).write_text("mine\n")
    removed(repo, "fix")
    assert done("trash", "expire", cwd=repo)["emptied"] == []


@pytest.mark.parametrize(("file", "waits"), [(".env", True), ("cache/x", False)])
def test_what_a_repository_ignores_that_a_commit_names_counts_too(
    repo: Path, sealed: Path, file: str, waits: bool
) -> None:
    """Its clone is clean and has nothing of its own, and git does not look into it."""
    library = repos.repository(sealed / "library")
    repos.commit(library, ".gitignore", ".env\ncache/\n")
    git(repo, "clone", "-q", str(library), "lib")
    git(repo, "add", "lib")
    git(repo, "commit", "-q", "-m", "Lib")
    place = new(repo, "fix")
    git(place, "clone", "-q", str(library), "lib")
    (place / "lib" / file).parent.mkdir(exist_ok=True)
    (place / "lib" / file).write_text("mine\n")
    ignored = done("inspect", "fix", cwd=repo)["ignored"]
    assert ignored["precious"] == ([f"lib/{file}"] if waits else [])
    assert ignored["files"] == (0 if waits else 1)
    entry = removed(repo, "fix")
    assert bool(done("trash", "expire", cwd=repo)["emptied"]) != waits
    assert (entry / "tree" / "lib" / file).exists() == waits


def test_what_a_program_makes_again_and_what_main_has_too_goes(repo: Path) -> None:
    repos.commit(repo, ".gitignore", "build/\n*.log\n*.pyc\n.env\nlinked\nnode_modules\n")
    (repo / ".env").write_text("the same\n")
    place = new(repo, "fix")
    (place / "build").mkdir()
    for file in ("build/notes", "a.log", "b.pyc"):
        (place / file).write_text("x")
    (place / ".env").write_text("the same\n")
    (place / "node_modules").symlink_to(repo)
    removed(repo, "fix")
    assert len(done("trash", "expire", cwd=repo)["emptied"]) == 1
    place = new(repo, "fix")
    (place / ".env").write_text("another\n")
    removed(repo, "fix")
    assert done("trash", "expire", cwd=repo)["emptied"] == []


def test_a_precious_file_behind_a_mountain_of_others_is_seen(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes: what is shown may stop early, what deletes may not."""
    from hqt.git import ignored

    monkeypatch.setattr(ignored, "PATIENCE", 0.0)
    repos.commit(repo, ".gitignore", "a/\nlogs/\n")
    place = new(repo, "fix")
    for folder in ("a", "logs"):
        (place / folder).mkdir()
    (place / "a" / ".env").write_text("mine\n")
    assert "at least" in hqt("inspect", "fix", cwd=repo).out
    removed(repo, "fix")
    assert done("trash", "expire", cwd=repo)["emptied"] == []


def test_people_read_words_where_json_has_codes(repo: Path) -> None:
    place = new(repo, "fix")
    repos.commit(place, "only-here")
    (place / "notes").write_text("mine\n")
    told = hqt("inspect", "fix", cwd=repo).out.partition("would refuse:")[2]
    assert "fix has 1 untracked file (notes)." in told
    assert "unique_commits" not in told
    done("remove", "fix", "--force", cwd=repo)
    assert done("trash", "list", cwd=repo)["entries"][0]["holds"] == ["dirty", "unique_commits"]
    assert "  uncommitted files, unique commits  " in hqt("trash", "list", cwd=repo).out


def test_emptying_does_not_read_as_if_it_took_what_is_there_again(repo: Path) -> None:
    for name in ("gone", "fix", "topic"):
        new(repo, name)
        done("remove", name, cwd=repo)
    new(repo, "fix")
    git(repo, "switch", "-q", "-c", "topic")
    for said in (
        "\n".join(texts.entries(trash.older(Caller(repo), None))),  # what is asked about
        hqt("trash", "empty", cwd=repo).out,
    ):
        assert "  an older copy of ⎇ fix  " in said
        assert "  an older copy of ⎇ topic  " in said
        assert "  ⎇ gone  " in said
