"""`hqt open`, `list` and `path` in a real tmux."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.repos import git
from helpers.servers import Server, until


def test_open_is_idempotent(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    again = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert again["window"] == made["window"]
    assert again["session"]["id"] == made["session"]["id"]
    assert len(tmux.windows()) == 2


def test_the_name_that_the_user_gave_a_window_stays(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    tmux.cmd("rename-window", "-t", made["window"], "mine")
    for verb in (["open", "fix"], ["list"], ["new", "other", "-d"]):
        done("-L", tmux.socket, *verb, cwd=repo)
        assert tmux.ask("#{window_name}", made["window"]) == "mine"
    repos.git(Path(made["worktree"]["path"]), "branch", "-m", "fixed")
    done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert tmux.ask("#{window_name}", made["window"]) == "⎇ fixed", "it would be wrong now"


def test_open_makes_a_window_that_was_closed(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    tmux.cmd("kill-window", "-t", made["window"])
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["state"] == "closed"
    again = done("-L", tmux.socket, "open", made["session"]["id"], cwd=repo)
    assert again["window"] != made["window"]
    assert tmux.ask("#{window_name}", again["window"]) == "⎇ fix"
    assert tmux.ask("#{@hqt_session}", again["window"]) == made["session"]["id"]


def test_a_worktree_made_by_hand_gets_a_session(repo: Path, tmux: Server) -> None:
    place = repos.linked(repo, repo.parent / "hand", "hand")
    opened = done("-L", tmux.socket, "open", "hand", cwd=repo)
    assert opened["worktree"]["path"] == str(place)
    assert tmux.ask("#{window_name}", opened["window"]) == "⎇ hand"
    listed = done("-L", tmux.socket, "list", cwd=repo)
    assert listed["worktrees"][1]["sessions"] == [opened["session"]["id"]]
    assert listed["worktrees"][1]["base_commit"] is None, "hqt did not make it"


def test_a_window_that_lost_its_options_is_adopted(repo: Path, tmux: Server) -> None:
    """As tmux-resurrect leaves it: the window and its folder are there, the options are not."""
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window = made["window"]
    assert until(lambda: tmux.ask("#{pane_current_path}", window) == made["worktree"]["path"])
    steady = ("automatic-rename", "allow-rename")
    for option in steady:
        tmux.cmd("set-option", "-gw", option, "on")
    for option in ("@hqt_session", "@hqt_worktree", "@hqt_branch", *steady):
        tmux.cmd("set-option", "-wu", "-t", window, option)
    again = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert again["window"] == window
    assert tmux.ask("#{@hqt_session}", window) == made["session"]["id"]
    for option in steady:
        assert tmux.cmd("show-options", "-wv", "-t", window, option) == "off", "its name stays"


def test_a_window_that_is_not_all_in_the_worktree_is_left_alone(
    repo: Path, tmux: Server, sealed: Path
) -> None:
    """The user's own window: one pane in the worktree, another one elsewhere."""
    place = repos.linked(repo, sealed / "hand", "hand")
    make = ["-dP", "-F", "#{pane_id}", "-c"]
    elsewhere = tmux.cmd("new-window", *make, str(sealed), "-n", "mine")
    inside = tmux.cmd("split-window", "-t", elsewhere, *make, str(place))
    assert until(lambda: tmux.ask("#{pane_current_path}", inside) == str(place))
    opened = done("-L", tmux.socket, "open", "hand", cwd=repo)
    assert opened["window"] != tmux.ask("#{window_id}", elsewhere)
    assert tmux.ask("#{window_name}#{@hqt_session}", elsewhere) == "mine"
    done("-L", tmux.socket, "remove", "hand", cwd=repo)
    assert elsewhere in tmux.cmd("list-panes", "-a", "-F", "#{pane_id}").splitlines()


def test_a_vanished_worktree_is_checked_out_again(repo: Path, tmux: Server) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    subprocess.run(["rm", "-rf", str(place)], check=True)
    again = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert git(place, "status", "--porcelain") == ""
    assert until(lambda: tmux.ask("#{pane_current_path}", again["window"]) == str(place))


def test_a_worktree_that_was_moved_without_git_is_not_made_anew(repo: Path, tmux: Server) -> None:
    """Its window, which is in there, shows where it is."""
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    place, away = Path(made["worktree"]["path"]), repo.parent / "a way"
    (place / "notes").write_text("mine\n")
    assert until(lambda: tmux.ask("#{pane_current_path}", made["window"]) == str(place))
    place.rename(away)
    error = refused("-L", tmux.socket, "open", "fix", cwd=repo)
    assert error["code"] == "missing_worktree"
    assert error["details"]["moved"] == str(away)
    assert f"worktree repair '{away}'" in error["remedy"]
    assert not place.exists()
    git(repo, "worktree", "repair", str(away))
    opened = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert (opened["window"], opened["worktree"]["path"]) == (made["window"], str(away))
    assert opened["worktree"]["changes"]["untracked"] == 1


def test_a_worktree_and_a_branch_that_are_both_gone(repo: Path, tmux: Server) -> None:
    place = repos.linked(repo, repo.parent / "hand", "hand")
    done("-L", tmux.socket, "open", "hand", cwd=repo)
    tmux.cmd("kill-window", "-t", tmux.windows()[1])
    git(repo, "worktree", "remove", str(place))
    git(repo, "branch", "-D", "hand")
    error = refused("-L", tmux.socket, "open", "hand", cwd=repo)
    assert error["code"] == "worktree_and_branch_gone"


@pytest.mark.parametrize("pruned", [True, False])
def test_open_begins_no_branch_again(repo: Path, tmux: Server, pruned: bool) -> None:
    """Though hqt knows where it began: then the work on it would look lost. `restore` does."""
    made = done("-L", tmux.socket, "new", "fix", "--no-window", cwd=repo)
    shutil.rmtree(made["worktree"]["path"])
    if pruned:
        git(repo, "worktree", "prune")
    git(repo, "update-ref", "-d", "refs/heads/fix")
    error = refused("-L", tmux.socket, "open", "fix", cwd=repo)
    assert error["code"] == "worktree_and_branch_gone"
    assert "hqt restore" in error["remedy"]
    assert done("restore", "fix", cwd=repo)["branch_recreated"] is True


def test_a_moved_worktree_and_a_renamed_branch_are_followed(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    tmux.cmd("kill-window", "-t", made["window"])
    git(repo, "worktree", "move", made["worktree"]["path"], str(repo.parent / "moved"))
    opened = done("-L", tmux.socket, "open", made["session"]["nickname"], cwd=repo)
    assert opened["worktree"]["path"] == str(repo.parent / "moved")
    git(repo, "branch", "-m", "fix", "better")
    listed = done("-L", tmux.socket, "list", cwd=repo)
    assert listed["worktrees"][1]["branch"] == "better"
    again = done("-L", tmux.socket, "open", "better", cwd=repo)
    assert again["window"] == opened["window"]
    assert tmux.ask("#{window_name}", again["window"]) == "⎇ better"


def test_open_all_after_the_server_died(repo: Path, tmux: Server) -> None:
    names = ["one", "two", "three"]
    windows = [done("-L", tmux.socket, "new", name, "-d", cwd=repo)["window"] for name in names]
    for window in windows:
        tmux.cmd("kill-window", "-t", window)
    would = done("-L", tmux.socket, "open", "--all", "--dry-run", cwd=repo)
    assert [one["session"]["nickname"] for one in would["opened"]] == names
    assert [one["worktree"]["branch"] for one in would["opened"]] == names
    assert len(tmux.windows()) == 1
    done("-L", tmux.socket, "open", "--all", cwd=repo)
    assert tmux.windows("#{window_name}")[1:] == ["⎇ one", "⎇ two", "⎇ three"]
    assert done("-L", tmux.socket, "open", "--all", cwd=repo)["opened"] == []


def test_a_target_is_found_by_every_name_it_has(repo: Path, tmux: Server, sealed: Path) -> None:
    made = done("-L", tmux.socket, "new", "My Fix", "-d", cwd=repo)
    tree, session = made["worktree"], made["session"]
    names = [
        session["id"],
        "My Fix",
        "my-fix",
        tree["id"],
        tree["path"],
        ".worktrees/my-fix",
        made["window"],
        f"session:{session['id']}",
        "session:My Fix",
        "branch:my-fix",
        "path:.worktrees/my-fix",
    ]
    for name in names:
        assert done("-L", tmux.socket, "path", name, cwd=repo)["path"] == tree["path"], name
    assert done("path", ".", cwd=Path(tree["path"]))["path"] == tree["path"]
    assert done("path", tree["path"], cwd=sealed)["path"] == tree["path"], "from anywhere"
    assert done("path", "My Fix", cwd=sealed)["path"] == tree["path"], "hqt knows the repository"
    for name in ("my-fi", "my-fix-2", "branch:My Fix", "session:my-fix", "path:my-fix", "@99", ""):
        assert refused("-L", tmux.socket, "path", name, cwd=repo)["code"] == "no_such_target", name


def test_a_name_that_is_two_things_is_ambiguous(repo: Path) -> None:
    done("new", "fix", "--no-window", cwd=repo)
    done("new", "fix", "-b", "other", "--no-window", cwd=repo)
    error = refused("path", "fix", cwd=repo)
    assert error["code"] == "ambiguous_target"
    assert len(error["details"]["candidates"]) >= 2
    assert done("path", "branch:fix", cwd=repo)["path"].endswith("/fix")


def test_without_a_server_windows_is_null(repo: Path) -> None:
    listed = done("-L", "nobody", "list", cwd=repo)
    assert listed["worktrees"][0]["windows"] is None
    assert refused("-L", "nobody", "open", "main", cwd=repo)["code"] == "tmux_unavailable"


def test_list_shows_everything_at_a_glance(repo: Path, sealed: Path) -> None:
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    repos.commit(place, "only-here")
    (place / "only-here").write_text("changed\n")
    (place / "untracked").write_text("new\n")
    git(place, "rm", "-q", "--cached", "file0")
    main, row = done("list", cwd=repo)["worktrees"]
    assert main["main"] is True
    assert main["current"] is True
    assert row["current"] is False
    assert row["changes"] == {"staged": 1, "modified": 1, "untracked": 2, "conflicted": 0}
    assert row["unique_commits"] == 1
    assert row["tmux_session"] == {"name": "fix", "exists": False}
    everywhere = done("list", "--all", cwd=sealed)
    assert [one["repository"]["root"] for one in everywhere["repositories"]] == [str(repo)]
    outside = refused("list", cwd=sealed)
    assert outside["code"] == "not_a_repository"
    assert "`hqt list --all`" in outside["remedy"]


def test_the_main_checkout_is_opened_again_and_again(repo: Path, tmux: Server) -> None:
    """Its session bears its name, which must not make that name mean two things."""
    first = done("-L", tmux.socket, "open", "main", cwd=repo)
    for name in ("main", "branch:main", "session:main", str(repo)):
        again = done("-L", tmux.socket, "open", name, cwd=repo)
        assert again["window"] == first["window"], name
        assert again["session"]["id"] == first["session"]["id"], name
        assert tmux.ask("#{window_name}", again["window"]) == "⎇ main", name
    assert done("-L", tmux.socket, "path", "main", cwd=repo)["path"] == str(repo)
    assert len(done("-L", tmux.socket, "list", cwd=repo)["sessions"]) == 1
    gone = done("-L", tmux.socket, "remove", "main", cwd=repo)["removed"][0]
    assert gone["path"] is None
    assert refused("-L", tmux.socket, "remove", "main", cwd=repo)["code"] == "main_checkout"
    assert repo.is_dir()


def test_the_list_for_people_tells_who_lives_where(repo: Path, tmux: Server) -> None:
    done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=repo)
    told = hqt("-L", tmux.socket, "list", cwd=repo).out.splitlines()
    fix = next(line for line in told if "⎇ fix" in line)
    assert "idle" in fix
    notes = next(line for line in told if "notes" in line)
    assert str(repo) in notes
    archived = hqt("-L", tmux.socket, "list", "--archived", cwd=repo).out
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"][0]["id"] not in archived


def test_inspect_names_the_panes_that_would_close(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    place, pane = made["worktree"]["path"], tmux.ask("#{pane_id}", made["window"])
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == place)
    told = hqt("-L", tmux.socket, "inspect", "fix", cwd=repo).out
    assert pane in told
    assert made["window"] in told
