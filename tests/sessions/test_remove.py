"""`hqt remove`, as a user meets it: what it refuses, what it takes, and that undo is whole."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import PYTHON, done, refused
from helpers.repos import git
from helpers.servers import Server, until
from hqt import paths
from hqt.errors import Code, HqtError
from hqt.sessions.store import Store


def made(repo: Path, name: str = "fix", *flags: str) -> tuple[Path, dict[str, Any]]:
    answer = done("new", name, "--no-window", *flags, cwd=repo)
    return Path(answer["worktree"]["path"]), answer


def test_a_clean_worktree_goes_with_its_merged_branch(repo: Path) -> None:
    place, answer = made(repo)
    gone = done("remove", "fix", cwd=repo)["removed"]
    assert len(gone) == 1
    assert gone[0]["path"] == str(place)
    assert gone[0]["branch"] == "fix"
    assert gone[0]["branch_deleted"] is True
    assert gone[0]["windows_closed"] == []
    assert gone[0]["trash"]
    assert not place.exists()
    assert git(repo, "branch", "--list", "fix") == ""
    listed = done("list", cwd=repo)
    assert [tree["branch"] for tree in listed["worktrees"]] == ["main"]
    assert listed["sessions"] == []
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 1

    back = done("undo", cwd=repo)
    assert back["worktree"]["path"] == str(place)
    assert back["worktree"]["branch"] == "fix"
    assert back["branch_recreated"] is True
    assert back["session"]["id"] == answer["session"]["id"]
    assert git(place, "status", "--porcelain=v2", "--branch").splitlines()[1] == "# branch.head fix"


def test_empty_parent_folders_go_up_to_the_pool(repo: Path) -> None:
    place, _ = made(repo, "a/b/c")
    made(repo, "a/other")
    done("remove", "a/b/c", cwd=repo)
    assert not place.parent.exists()
    assert (repo / ".worktrees" / "a" / "other").is_dir()
    done("remove", "a/other", cwd=repo)
    assert not (repo / ".worktrees" / "a").exists()


def test_uncommitted_work_refuses_and_is_named(repo: Path) -> None:
    place, _ = made(repo)
    (place / "notes").write_text("mine\n")
    (place / "file0").write_text("changed\n")
    error = refused("remove", "fix", cwd=repo)
    assert error["code"] == "dirty"
    assert error["details"]["untracked"] == ["notes"]
    assert error["details"]["modified"] == ["file0"]
    assert error["details"]["worktree"]["branch"] == "fix"
    assert "1 untracked file (notes)" in error["message"]
    assert (place / "notes").read_text() == "mine\n"
    assert refused("remove", "fix", "--close", cwd=repo)["code"] == "dirty"

    gone = done("remove", "fix", "--force", cwd=repo)["removed"][0]
    assert gone["branch_deleted"] is True
    assert not place.exists()
    entry = done("trash", "list", cwd=repo)["entries"][0]
    assert entry["id"] == gone["trash"]
    assert entry["holds"] == ["dirty"]
    assert entry["size"] > 0
    done("undo", cwd=repo)
    assert git(place, "status", "--porcelain") == " M file0\n?? notes"
    assert (place / "notes").read_text() == "mine\n"


def test_unique_commits_refuse_and_the_branch_stays_under_force(repo: Path) -> None:
    place, _ = made(repo)
    tip = repos.commit(place, "new", message="Only here")
    error = refused("remove", "fix", cwd=repo)
    assert error["code"] == "unique_commits"
    assert error["details"]["unique_commits"] == 1
    assert error["details"]["unique"] == [{"id": tip, "subject": "Only here"}]
    gone = done("remove", "fix", "--force", cwd=repo)["removed"][0]
    assert gone["branch_deleted"] is False
    assert git(repo, "rev-parse", "refs/heads/fix") == tip


def test_an_unmerged_branch_goes_only_when_told_so_with_force(repo: Path) -> None:
    place, _ = made(repo)
    tip = repos.commit(place, "new")
    assert refused("remove", "fix", "--delete-branch", cwd=repo)["code"] == "unique_commits"
    gone = done("remove", "fix", "--delete-branch", "--force", cwd=repo)["removed"][0]
    assert gone["branch_deleted"] is True
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    assert git(repo, "cat-file", "-t", tip) == "commit", "pinned in the trash"
    assert done("undo", cwd=repo)["branch_recreated"] is True
    assert git(place, "rev-parse", "HEAD") == tip


def test_keep_branch_and_the_setting(repo: Path, tmux: Server) -> None:
    made(repo, "one")
    assert done("remove", "one", "--keep-branch", cwd=repo)["removed"][0]["branch_deleted"] is False
    made(repo, "two")
    tmux.cmd("set", "-g", "@hqt-delete-branch", "never")
    gone = done("-L", tmux.socket, "remove", "two", cwd=repo)["removed"][0]
    assert gone["branch_deleted"] is False


def test_a_branch_hqt_did_not_make_stays(repo: Path) -> None:
    git(repo, "branch", "theirs")
    done("new", "--checkout", "theirs", "--no-window", cwd=repo)
    assert done("remove", "theirs", cwd=repo)["removed"][0]["branch_deleted"] is False
    by_hand = repos.linked(repo, repo.parent / "hand", "hand")
    assert done("remove", "hand", cwd=repo)["removed"][0]["branch_deleted"] is False
    assert not by_hand.exists()


def test_the_main_checkout_is_never_removed(repo: Path) -> None:
    for name in ("main", ".", str(repo), "branch:main", f"path:{repo}"):
        for flags in ([], ["--force", "--close"]):
            assert refused("remove", name, *flags, cwd=repo)["code"] == "main_checkout"
    git(repo, "switch", "-q", "-c", "feature")
    assert refused("remove", "feature", "--force", cwd=repo)["code"] == "main_checkout"
    assert (repo / ".git" / "HEAD").exists()


def test_a_lock_comes_first(repo: Path) -> None:
    place, _ = made(repo)
    (place / "notes").write_text("mine\n")
    done("lock", "fix", "--reason", "on a stick", cwd=repo)
    error = refused("remove", "fix", "--force", "--close", cwd=repo)
    assert error["code"] == "locked"
    assert "on a stick" in error["message"]
    assert refused("lock", "fix", cwd=repo)["code"] == "locked"
    done("unlock", "fix", cwd=repo)
    assert done("list", cwd=repo)["worktrees"][1]["locked"] is None
    done("remove", "fix", "--force", cwd=repo)
    assert not place.exists()


def test_another_checkout_at_the_path_is_not_touched(repo: Path, sealed: Path) -> None:
    place, _ = made(repo)
    place.rename(sealed / "aside")
    git(sealed, "clone", "-q", str(repo), str(place))
    for state in ("there", "there and locked"):
        if state == "there and locked":
            git(repo, "worktree", "lock", str(place))
        error = refused("remove", "fix", "--force", "--close", cwd=repo)
        assert error["code"] == "identity_mismatch", state
        assert (place / "file0").exists(), state


def test_nothing_goes_when_one_of_several_is_refused(repo: Path) -> None:
    one, _ = made(repo, "one")
    two, _ = made(repo, "two")
    (two / "notes").write_text("mine\n")
    error = refused("remove", "one", "two", cwd=repo)
    assert error["code"] == "dirty"
    assert error["message"].endswith(" None of the 2 was removed.")
    assert refused("remove", "one", "nope", cwd=repo)["code"] == "no_such_target"
    assert one.exists()
    assert len(done("remove", "one", "two", "one", "--force", cwd=repo)["removed"]) == 2


def test_commits_shared_only_by_what_goes_together_are_unique(repo: Path) -> None:
    one, _ = made(repo, "one")
    repos.commit(one, "new")
    done("new", "two", "--from", "one", "--no-window", cwd=repo)
    assert refused("remove", "one", "two", cwd=repo)["code"] == "unique_commits"
    assert len(done("remove", "one", cwd=repo)["removed"]) == 1


def test_the_windows_close_and_a_program_in_there_refuses(repo: Path, tmux: Server) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], answer["worktree"]["path"]
    pane = tmux.ask("#{pane_id}", window)
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == place)
    tmux.cmd("send-keys", "-t", pane, "sleep 1000", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_command}", pane) == "sleep")
    error = refused("-L", tmux.socket, "remove", "fix", "--force", cwd=repo)
    assert error["code"] == "busy"
    assert any("sleep" in one for one in error["details"]["occupants"]["busy"])
    assert window in tmux.windows()
    gone = done("-L", tmux.socket, "remove", "fix", "--close", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == [window]
    assert window not in tmux.windows()


def test_a_pane_that_wandered_in_closes_and_one_that_wandered_off_stays(
    repo: Path, tmux: Server
) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    place = answer["worktree"]["path"]
    visitor = tmux.cmd("new-window", "-dP", "-F", "#{window_id} #{pane_id}", "-c", place).split()
    lodger = tmux.cmd("split-window", "-dP", "-t", answer["window"], "-F", "#{pane_id}",
                      "-c", str(repo.parent), "sleep 1000").strip()  # fmt: skip
    assert until(lambda: tmux.cmd("capture-pane", "-p", "-t", visitor[1]).strip()), "its prompt"
    gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == [visitor[0]]
    assert lodger in tmux.cmd("list-panes", "-a", "-F", "#{pane_id}").splitlines()
    assert tmux.ask("#{@hqt_session}", lodger) == "", "it is nobody's window now"


def test_only_what_lives_in_the_worktree_closes(repo: Path, tmux: Server, sealed: Path) -> None:
    """An idle pane beside the session's own that lives elsewhere, one that went away, and a window
    that only bears the session's mark: an option never justifies closing a pane."""
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], answer["worktree"]["path"]
    first = tmux.ask("#{pane_id}", window)
    make = ["-dP", "-F", "#{pane_id}", "-c"]
    beside = tmux.cmd("split-window", "-t", window, *make, str(sealed))
    gone_away = tmux.cmd("split-window", "-t", window, *make, place)
    mail = tmux.cmd("new-window", *make, str(sealed))
    tmux.cmd("set", "-w", "-t", mail, "@hqt_session", answer["session"]["id"])
    tmux.cmd("set", "-w", "-t", mail, "@hqt_worktree", answer["worktree"]["id"])
    assert until(lambda: tmux.ask("#{pane_current_path}", gone_away) == place)
    tmux.cmd("send-keys", "-t", gone_away, f"cd {sealed}", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_path}", gone_away) == str(sealed))

    gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == []
    left = tmux.cmd("list-panes", "-a", "-F", "#{pane_id}").splitlines()
    assert {beside, gone_away, mail} <= {*left}
    assert first not in left
    for pane in (beside, mail):
        assert tmux.ask("#{@hqt_session}#{@hqt_worktree}#{@hqt_branch}", pane) == ""


@pytest.mark.parametrize("verb", ["remove --keep-worktree", "archive --wait"])
def test_so_it_is_where_the_worktree_stays(
    repo: Path, tmux: Server, sealed: Path, verb: str
) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], Path(answer["worktree"]["path"])
    (place / "notes").write_text("keeps it from being reclaimed\n")
    lodger = tmux.cmd("split-window", "-dP", "-t", window, "-F", "#{pane_id}",
                      "-c", str(sealed), "exec sleep 1000")  # fmt: skip
    assert until(lambda: tmux.ask("#{pane_current_command}", lodger) == "sleep")
    name, flag = verb.split()
    told = done("-L", tmux.socket, name, "fix", flag, cwd=repo)
    assert [one["windows_closed"] for one in told.get("removed", [told])] == [[]]
    assert tmux.cmd("list-panes", "-t", window, "-F", "#{pane_id}").splitlines() == [lodger]
    assert tmux.ask("#{@hqt_session}", lodger) == "", "it is nobody's window now"


def test_windows_of_other_branches_survive(repo: Path, tmux: Server) -> None:
    """fix against fix-2, quest against quest-two: nothing is found by a pattern on names."""
    windows = {
        name: done("-L", tmux.socket, "new", name, "-d", cwd=repo)["window"]
        for name in ("fix", "fix-2", "fi", "fix/x2"[:3] + "-two")
    }
    tmux.cmd("rename-window", "-t", windows["fix-2"], "⎇ fix")
    done("-L", tmux.socket, "remove", "fix", cwd=repo)
    left = tmux.windows()
    assert windows["fix"] not in left
    assert {windows["fix-2"], windows["fi"], windows["fix-two"]} <= set(left)


def test_a_renamed_window_is_found_all_the_same(repo: Path, tmux: Server) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    tmux.cmd("rename-window", "-t", answer["window"], "my own name")
    gone = done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == [answer["window"]]


def test_removed_from_inside_its_own_window(repo: Path, tmux: Server, sealed: Path) -> None:
    """The answer is there, the window goes last, and the tmux session survives."""
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], Path(answer["worktree"]["path"])
    tmux.cmd("kill-window", "-t", tmux.ask("#{window_id}"))
    assert tmux.windows() == [window], "it is the only one"
    out = sealed / "answer"
    command = f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt remove . --json > {out} 2>&1"
    tmux.cmd("send-keys", "-t", window, command, "Enter")
    assert until(lambda: window not in tmux.windows())
    assert '"removed"' in out.read_text()
    assert not place.exists()
    assert len(tmux.windows()) == 1
    assert until(lambda: tmux.ask("#{pane_current_path}") == str(repo))


def test_a_plain_session_goes_at_once(repo: Path, tmux: Server) -> None:
    answer = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=repo)
    gone = done("-L", tmux.socket, "remove", "notes", cwd=repo)["removed"][0]
    assert gone["path"] is None
    assert gone["trash"] is None
    assert gone["windows_closed"] == [answer["window"]]
    assert repo.exists()


def test_keep_worktree(repo: Path, tmux: Server) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    gone = done("-L", tmux.socket, "remove", "fix", "--keep-worktree", cwd=repo)["removed"][0]
    assert gone["path"] is None
    assert gone["notes"] == [f"The worktree at {answer['worktree']['path']} stays."]
    assert gone["windows_closed"] == [answer["window"]]
    listed = done("-L", tmux.socket, "list", cwd=repo)
    assert [tree["branch"] for tree in listed["worktrees"]] == ["main", "fix"]
    assert listed["sessions"] == []


@pytest.mark.parametrize("kept", ["--keep-worktree", "--keep-branch"])
def test_what_stays_cannot_go_too(kept: str, repo: Path) -> None:
    place, _ = made(repo)
    error = refused("remove", "fix", "--delete-branch", kept, cwd=repo)
    assert error["code"] == "usage"
    assert error["message"].startswith(f"{kept} and --delete-branch exclude each other; nothing")
    assert place.exists()
    listed = done("list", cwd=repo)
    assert [one["nickname"] for one in listed["sessions"]] == ["fix"]
    assert git(repo, "branch", "--list", "fix")


def test_keep_worktree_needs_somebody_to_remove(repo: Path, tmux: Server) -> None:
    repos.linked(repo, repo.parent / "ext", "ext")
    for flags in ([], ["--keep-branch"]):
        error = refused("remove", "ext", "--keep-worktree", *flags, cwd=repo)
        assert error["code"] == "no_such_target"
    place, answer = made(repo)
    done("-L", tmux.socket, "new", "other", "--no-worktree", cwd=place)
    error = refused("remove", "branch:fix", "--keep-worktree", cwd=repo)
    assert error["code"] == "ambiguous_target"
    assert f"session:{answer['session']['id']}" in error["details"]["candidates"]
    assert len(done("list", cwd=repo)["sessions"]) == 2


@pytest.mark.parametrize("order", [("fix", "other"), ("other", "fix")])
def test_a_worktree_goes_with_its_last_session(
    repo: Path, tmux: Server, order: tuple[str, str]
) -> None:
    place, _ = made(repo)
    done("-L", tmux.socket, "new", "other", "--no-worktree", cwd=place)
    names = [f"session:{name}" for name in order]
    (first, last) = done("-L", tmux.socket, "remove", *names, cwd=repo)["removed"]
    assert (first["trash"], last["path"]) == (None, str(place))
    assert last["trash"]
    assert "lives there too" in first["notes"][0]
    assert not place.exists()
    assert done("list", cwd=repo)["sessions"] == []


def test_one_thing_by_several_names_is_one(repo: Path, tmux: Server) -> None:
    place, answer = made(repo)
    done("-L", tmux.socket, "new", "other", "--no-worktree", cwd=place)
    names = [str(place), f"session:{answer['session']['id']}", "branch:fix", "session:other"]
    gone = done("-L", tmux.socket, "remove", *names, answer["worktree"]["id"], cwd=repo)["removed"]
    assert [one["path"] for one in gone] == [None, str(place)]
    assert not place.exists()


@contextlib.contextmanager
def held_store() -> Iterator[None]:
    """A program that has the store for itself."""
    with contextlib.closing(sqlite3.connect(paths.store_file(), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_store_that_cannot_be_written_stops_it_before_anything_goes(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store.__init__, "__kwdefaults__", {"timeout": 0.1})
    place, _ = made(repo)
    with held_store():
        assert refused("remove", "fix", cwd=repo)["code"] == "store_failed"
        assert place.is_dir()
        assert git(repo, "branch", "--list", "fix")
    done("remove", "fix", cwd=repo)
    with held_store():
        assert refused("undo", cwd=repo)["code"] == "store_failed"
        assert not place.exists()
    assert done("undo", cwd=repo)["session"]["nickname"] == "fix"


@pytest.mark.parametrize("how", ["failed", "killed"])
def test_a_row_that_could_not_go_last_goes_next(
    repo: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    place, answer = made(repo)
    if how == "failed":
        with monkeypatch.context() as full:
            full.setattr(Store, "delete", _full)
            (gone,) = done("remove", "fix", cwd=repo)["removed"]
        assert gone["trash"]
        assert "is full. The session goes with the next call" in gone["notes"][-1]
    else:
        store = Store(paths.store_file())
        row = store.get(answer["session"]["id"])
        assert row
        done("remove", "fix", cwd=repo)
        store.add(row)
    assert not place.exists()
    done("new", "another", "--no-window", cwd=repo)
    assert [one["nickname"] for one in done("list", cwd=repo)["sessions"]] == ["another"]
    done("trash", "restore", done("trash", "list", cwd=repo)["entries"][0]["id"], cwd=repo)
    assert len(done("list", cwd=repo)["sessions"]) == 2


def _full(store: Store, _id: str) -> bool:
    raise HqtError(Code.STORE_FAILED, f"The store {store.path} is full.", "")


def test_a_session_whose_worktree_only_vanished_keeps_its_row(repo: Path) -> None:
    place, _ = made(repo)
    subprocess.run(["rm", "-r", str(place)], check=True)
    done("new", "another", "--no-window", cwd=repo)
    assert len(done("list", cwd=repo)["sessions"]) == 2


def test_a_vanished_worktree_can_be_forgotten(repo: Path, sealed: Path) -> None:
    place, _ = made(repo)
    place.rename(sealed / "away")
    row = done("list", cwd=repo)["worktrees"][1]
    assert row["missing"] is True
    assert row["changes"] is None
    assert refused("path", "fix", cwd=repo)["code"] == "missing_worktree"
    done("remove", "fix", cwd=repo)
    assert len(done("list", cwd=repo)["worktrees"]) == 1
    assert (sealed / "away" / "file0").exists(), "what was moved by hand is not touched"


def test_ignored_files_are_listed_and_kept_in_the_trash(repo: Path) -> None:
    repos.commit(repo, ".gitignore", ".env\ncache/\n")
    place, _ = made(repo)
    (place / ".env").write_text("SECRET=1\n")
    (place / "cache").mkdir()
    (place / "cache" / "x").write_text("x")
    found = done("inspect", "fix", cwd=repo)
    assert found["ignored"]["precious"] == [".env"]
    assert found["refusals"] == []
    done("remove", "fix", cwd=repo)
    done("undo", cwd=repo)
    assert (place / ".env").read_text() == "SECRET=1\n"
    assert (place / "cache" / "x").exists()


def test_undo_to_another_place(repo: Path, sealed: Path) -> None:
    place, _ = made(repo)
    (place / "notes").write_text("mine\n")
    done("remove", "fix", "--force", cwd=repo)
    place.mkdir()
    assert refused("undo", cwd=repo)["code"] == "path_exists"
    back = done("undo", "--to", "../elsewhere", cwd=repo)
    assert back["worktree"]["path"] == str(sealed / "elsewhere")
    assert git(sealed / "elsewhere", "status", "--porcelain") == "?? notes"
    assert refused("undo", cwd=repo)["code"] == "no_such_target"


def test_trash_empty_is_for_good(repo: Path) -> None:
    place, _ = made(repo)
    (place / "notes").write_text("mine\n")
    done("remove", "fix", "--force", cwd=repo)
    assert done("trash", "empty", "--older-than", "1", cwd=repo)["emptied"] == []
    assert len(done("trash", "empty", cwd=repo)["emptied"]) == 1
    assert done("trash", "list", cwd=repo)["entries"] == []
    assert git(repo, "for-each-ref", "refs/hqt") == ""


@pytest.mark.parametrize("target", ["fix", "branch:fix"])
def test_restore_from_the_trash_or_the_branch(repo: Path, target: str) -> None:
    place, answer = made(repo)
    (place / "notes").write_text("mine\n")
    done("remove", "fix", "--force", "--keep-branch", cwd=repo)
    back = done("restore", target, cwd=repo)
    assert back["worktree"]["path"] == str(place)
    assert back["session"]["id"] == answer["session"]["id"]
    assert (place / "notes").exists()
    assert refused("restore", "fix", cwd=repo)["code"] == "path_exists"


def test_restore_of_a_worktree_deleted_by_hand(repo: Path) -> None:
    place, answer = made(repo)
    subprocess.run(["rm", "-rf", str(place)], check=True)
    back = done("restore", "fix", cwd=repo)
    assert back["branch_recreated"] is False
    assert back["session"]["id"] == answer["session"]["id"]
    assert git(place, "status", "--porcelain") == ""
    subprocess.run(["rm", "-rf", str(place)], check=True)
    git(repo, "worktree", "prune")
    git(repo, "branch", "-D", "fix")
    back = done("restore", "fix", cwd=repo)
    assert back["branch_recreated"] is True
    assert back["worktree"]["head"] == answer["worktree"]["base_commit"]
    assert place.is_dir()


def test_undo_puts_nothing_inside_a_repository(repo: Path) -> None:
    made(repo)
    done("remove", "fix", cwd=repo)
    for place in (".git/objects/x", ".git/x", "src/x"):
        assert refused("undo", "--to", place, cwd=repo)["code"] == "path_exists"
    back = done("undo", "--to", ".worktrees/other", cwd=repo)
    assert back["worktree"]["path"] == str(repo / ".worktrees" / "other")


def test_a_pool_among_tracked_files_hides_nothing(repo: Path, tmux: Server) -> None:
    repos.commit(repo, "docs/guide")
    tmux.cmd("set", "-g", "@hqt-worktree-dir", "{main}/docs")
    place = Path(done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)["worktree"]["path"])
    assert place == repo / "docs" / "fix"
    assert git(repo, "status", "--porcelain") == ""
    (place / "docs" / "new").write_text("mine\n")
    assert refused("-L", tmux.socket, "remove", "fix", "--close", cwd=repo)["code"] == "dirty"


def test_what_the_pools_line_hides_in_a_worktree_is_refused(repo: Path) -> None:
    place, _ = made(repo)
    (place / ".worktrees").mkdir()
    (place / ".worktrees" / "notes").write_text("mine\n")
    assert refused("remove", "fix", cwd=repo)["code"] == "dirty"
    assert done("inspect", "fix", cwd=repo)["untracked"] == [".worktrees/"]


@pytest.mark.parametrize("relative", ["true", "false"])
def test_a_worktree_that_was_only_moved_never_leads_into_another(
    repo: Path, sealed: Path, relative: str
) -> None:
    git(repo, "config", "worktree.useRelativePaths", relative)
    place, _ = made(repo)
    away = sealed / "away"
    (place / "staged").write_text("mine\n")
    git(place, "add", "staged")
    place.rename(away)
    notes = done("restore", "fix", cwd=repo)["notes"]
    made(repo, "other/fix")
    lost = subprocess.run(["git", "status"], cwd=away, capture_output=True, text=True)
    assert lost.stderr.startswith("fatal: ")  # no repository is found; git's words differ
    (command,) = (note.split("`")[1] for note in notes if "only moved" in note)
    done(*command.replace("ITS_NEW_PATH", str(away)).split()[1:], cwd=repo)
    assert git(away, "status", "--porcelain") == "A  staged"
    assert git(place, "status", "--porcelain") == ""
    assert refused("undo", cwd=repo)["code"] == "no_such_target"


def test_the_latest_removal_is_undone_after_a_restore(repo: Path) -> None:
    place, _ = made(repo)
    made(repo, "other")
    done("remove", "other", cwd=repo)
    subprocess.run(["rm", "-rf", str(place)], check=True)
    done("restore", "fix", cwd=repo)
    assert done("undo", cwd=repo)["worktree"]["branch"] == "other"


def test_a_worktree_of_another_repository_inside_stays_whatever_is_forced(
    repo: Path, sealed: Path
) -> None:
    place, _ = made(repo)
    other = repos.repository(sealed / "other")
    foreign = repos.linked(other, place / "foreign")
    error = refused("remove", "fix", "--force", cwd=repo)
    assert error["code"] == "nested"
    assert str(foreign) in error["message"]
    assert git(foreign, "status", "--porcelain") == ""


def test_an_earlier_repository_at_the_place_owns_nothing_here(repo: Path) -> None:
    """It was deleted and cloned anew; the user's own worktree is named as a session once was."""
    git(repo.parent, "clone", "-q", "--bare", str(repo), "origin")
    made(repo)
    subprocess.run(["rm", "-rf", str(repo)], check=True)
    git(repo.parent, "clone", "-q", "origin", str(repo))
    git(repo, "worktree", "add", "-q", ".worktrees/fix", "-b", "fix")
    place = repo / ".worktrees" / "fix"
    told = done("archive", "fix", "--wait", cwd=repo)
    assert told["session"]["cleanup"]["reason"] == "not_owned"
    assert place.is_dir()
    done("remove", "fix", cwd=repo)
    assert git(repo, "branch", "--list", "fix")


def test_a_guest_is_not_removed_with_the_worktree_it_lives_in(repo: Path, tmux: Server) -> None:
    made(repo, "a")
    made(repo, "b")
    done("-L", tmux.socket, "move", "a", "--to", "b", cwd=repo)
    done("-L", tmux.socket, "remove", "session:b", cwd=repo)
    error = refused("-L", tmux.socket, "remove", "b", cwd=repo)
    assert error["code"] == "busy"
    assert error["message"] == "Other sessions live in b: a."
    done("-L", tmux.socket, "remove", "b", "--evacuate", cwd=repo)
    (left,) = done("list", cwd=repo)["sessions"]
    assert left["nickname"] == "a"
    assert not (repo / ".worktrees" / "b").exists()


@pytest.mark.parametrize("flags", [[], ["--keep-worktree"]])
def test_a_window_whose_program_has_ended_goes_too(
    repo: Path, tmux: Server, flags: list[str]
) -> None:
    tmux.cmd("set-option", "-g", "remain-on-exit", "on")
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    assert until(lambda: tmux.ask("#{pane_current_command}", made["window"]) == "sh")
    tmux.cmd("send-keys", "-t", made["window"], "exit", "Enter")
    assert until(lambda: tmux.ask("#{pane_dead}", made["window"]) == "1")
    done("-L", tmux.socket, "remove", "fix", *flags, cwd=repo)
    assert made["window"] not in tmux.windows()


def test_a_folder_that_is_called_deleted(repo: Path, tmux: Server) -> None:
    odd = repo / ".worktrees" / "b (deleted)"
    one = done("-L", tmux.socket, "new", "a", "--path", str(odd), "-d", cwd=repo)
    two = done("-L", tmux.socket, "new", "b", "-d", cwd=repo)
    windows = [tree["windows"] for tree in done("-L", tmux.socket, "list", cwd=repo)["worktrees"]]
    assert sorted(windows[1:]) == sorted([[one["window"]], [two["window"]]])
    gone = done("-L", tmux.socket, "remove", "b", cwd=repo)["removed"][0]
    assert gone["windows_closed"] == [two["window"]]
    assert one["window"] in tmux.windows()


def test_a_pane_that_joined_a_plain_session_stays(repo: Path, tmux: Server) -> None:
    plain = done("-L", tmux.socket, "new", "plain", "--no-worktree", "-d", cwd=repo)
    other = done("-L", tmux.socket, "new", "b", "-d", cwd=repo)
    pane = tmux.ask("#{pane_id}", other["window"])
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == other["worktree"]["path"])
    tmux.cmd("join-pane", "-d", "-s", pane, "-t", plain["window"])
    done("-L", tmux.socket, "remove", "plain", cwd=repo)
    assert tmux.ask("#{window_id} #{@hqt_session}", pane) == f"{plain['window']} "
    assert len(tmux.cmd("list-panes", "-t", plain["window"]).splitlines()) == 1


def test_a_server_that_does_not_say_who_is_there_is_somebody(
    tmux: Server, repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As to a client of another version: the windows stayed, their shells in the trash."""
    place = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)["worktree"]["path"]
    done("-L", tmux.socket, "new", "plain", "--no-worktree", "-d", cwd=repo)
    (sealed / "newer").mkdir()
    newer = sealed / "newer" / "tmux"
    newer.write_text(
        "#!/bin/sh\necho 'protocol version mismatch (client 8, server 7)' >&2\nexit 1\n"
    )
    newer.chmod(0o755)
    with monkeypatch.context() as here:
        here.setenv("PATH", str(newer.parent), prepend=os.pathsep)
        for verb in (
            ["remove", "fix"],
            ["remove", "fix", "--force"],
            ["remove", "fix", "--keep-worktree"],
            ["remove", "plain"],
            ["archive", "fix"],
        ):
            error = refused("-L", tmux.socket, *verb, cwd=repo)
            assert error["code"] == "busy"
            assert "tmux does not say who is in there (protocol version" in error["message"]
        assert Path(place).is_dir()
        assert done("-L", tmux.socket, "list", cwd=repo)["worktrees"][1]["windows"] is None
    assert done("-L", tmux.socket, "remove", "fix", cwd=repo)["removed"][0]["windows_closed"]


def test_where_the_caller_is_goes_last_of_several(tmux: Server, repo: Path) -> None:
    """What came after it was looked for from a folder that was gone."""
    names = ["one", "two", "three"]
    for name in names:
        done("-L", tmux.socket, "new", name, "-d", cwd=repo)
    here = repo / ".worktrees" / "two"
    removed = done("-L", tmux.socket, "remove", *names, cwd=here)["removed"]
    assert [one["branch"] for one in removed] == ["one", "three", "two"]
    assert [one["path"] for one in done("list", cwd=repo)["worktrees"]] == [str(repo)]
