"""`hqt rename`: nickname and branch, and everything that shows them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.repos import git
from helpers.servers import Server
from hqt.errors import Code, HqtError
from hqt.sessions import placement
from hqt.sessions import world as worlds


def made(repo: Path, name: str = "fix", *flags: str) -> Path:
    return Path(done("new", name, "--no-window", *flags, cwd=repo)["worktree"]["path"])


def everything(repo: Path, place: Path) -> tuple[str, ...]:
    """What a rename could change, as git and the store say it."""
    return (
        git(repo, "for-each-ref"),
        git(repo, "worktree", "list", "--porcelain"),
        git(repo, "config", "--local", "--list"),
        git(place, "reflog", "-5"),
        str(worlds.rows().all()),
    )


def test_nickname_branch_label_and_store_follow(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    answer = done(*here, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], Path(answer["worktree"]["path"])
    (place / "file0").write_text("changed\n")
    tip = repos.commit(place, "work")
    git(repo, "config", "branch.fix.description", "what it is for")

    renamed = done(*here, "rename", "fix", "Better Name", cwd=repo)
    assert renamed["session"]["nickname"] == "Better Name"
    assert renamed["session"]["worktree_branch"] == "better-name"
    assert renamed["worktree"]["branch"] == "better-name"
    assert renamed["worktree"]["path"] == str(place), "the directory stays"
    assert renamed["window"] == window
    assert git(place, "symbolic-ref", "HEAD") == "refs/heads/better-name"
    assert git(repo, "rev-parse", "better-name") == tip
    assert git(repo, "branch", "--list", "fix") == ""
    assert git(repo, "config", "branch.better-name.description") == "what it is for"
    assert git(place, "status", "--porcelain") == " M file0"
    assert tmux.ask("#{window_name}", window) == "⎇ better-name"
    assert tmux.option("@hqt_branch", "-w", "-t", window) == "better-name"
    assert done(*here, "open", "Better Name", cwd=repo)["window"] == window
    git(place, "checkout", "-q", "--", "file0")
    gone = done(*here, "remove", "better-name", "--force", "--delete-branch", cwd=repo)["removed"]
    assert gone[0]["branch_deleted"] is True, "it still is hqt's own"


@pytest.mark.parametrize(
    ("flags", "nickname", "branch"),
    [
        ((), "fix/login", "fix/login"),
        (("-b", "other"), "Login", "other"),
        (("--keep-branch",), "Login", "fix"),
        (("-b", "fix/x"), "Login", "fix/x"),  # a folder where the branch itself was a file
        (("-b", "fix"), "Login", "fix"),
        ((), "fix", "fix"),
    ],
)
def test_what_the_branch_is_called(
    repo: Path, flags: tuple[str, ...], nickname: str, branch: str
) -> None:
    made(repo)
    renamed = done("rename", "fix", nickname, *flags, cwd=repo)
    assert renamed["session"]["nickname"] == nickname
    assert renamed["worktree"]["branch"] == branch
    assert git(repo, "branch", "--format=%(refname:short)").split() == sorted([branch, "main"])


def test_a_branch_with_a_name_of_its_own_keeps_it(repo: Path) -> None:
    made(repo, "fix", "-b", "theirs")
    assert done("rename", "fix", "better", cwd=repo)["worktree"]["branch"] == "theirs"
    git(repo, "branch", "old")
    done("new", "old", "--checkout", "old", "--no-window", cwd=repo)
    assert done("rename", "session:old", "new", cwd=repo)["worktree"]["branch"] == "old"


def test_a_worktree_without_a_session(repo: Path) -> None:
    place = repos.linked(repo, repo.parent / "hand", "hand")
    answer = done("rename", "hand", "Better Name", cwd=repo)
    assert answer["session"] is None
    assert answer["worktree"]["branch"] == "better-name"
    assert git(place, "branch", "--show-current") == "better-name"


@pytest.mark.parametrize("by", ["topic", "branch:topic", "path", "id"])
def test_a_worktree_means_its_only_session(repo: Path, tmux: Server, by: str) -> None:
    here = ("-L", tmux.socket)
    answer = done(*here, "new", "Long Story", "-b", "topic", "-d", cwd=repo)
    target = answer["worktree"].get(by, by)
    renamed = done(*here, "rename", target, "Better Name", cwd=repo)
    assert renamed["session"]["id"] == answer["session"]["id"]
    assert renamed["session"]["nickname"] == "Better Name"
    assert renamed["session"]["worktree_branch"] == "better-name"
    assert renamed["worktree"]["branch"] == "better-name"
    assert renamed["window"] == answer["window"]
    assert tmux.ask("#{window_name}", answer["window"]) == "⎇ better-name"
    kept = done(*here, "rename", "better-name", "Last", "--keep-branch", cwd=repo)
    assert (kept["session"]["nickname"], kept["worktree"]["branch"]) == ("Last", "better-name")


def test_of_several_sessions_none_is_meant(repo: Path) -> None:
    place = made(repo, "first", "-b", "topic")
    [row] = worlds.rows().all()
    worlds.rows().add(replace(row, id="second-id", nickname="second"))
    renamed = done("rename", str(place), "better", cwd=repo)
    assert renamed["session"] is None
    assert renamed["worktree"]["branch"] == "better"
    assert renamed["notes"] == [
        "Only the branch was renamed, since several sessions live there: first, second."
    ]
    assert {one.nickname for one in worlds.rows().all()} == {"first", "second"}
    assert {one.worktree_branch for one in worlds.rows().all()} == {"better"}


def test_outside_a_repository_nothing_is_left_in_the_folder(sealed: Path, tmux: Server) -> None:
    folder = sealed / "plain"
    folder.mkdir()
    here = ("-L", tmux.socket)
    window = done(*here, "new", "notes", "-d", cwd=folder)["window"]
    assert done(*here, "rename", "notes", "ideas", cwd=folder)["session"]["nickname"] == "ideas"
    assert tmux.ask("#{window_name}", window) == "ideas"
    assert list(folder.iterdir()) == []


def test_a_session_without_a_worktree(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    window = done(*here, "new", "notes", "--no-worktree", "-d", cwd=repo)["window"]
    done(*here, "rename", "notes", "ideas", cwd=repo)
    assert tmux.ask("#{window_name}", window) == "ideas"
    assert refused(*here, "rename", "ideas", "x", "-b", "y", cwd=repo)["code"] == "no_such_branch"


def test_the_main_branch_goes_only_by_its_name(repo: Path) -> None:
    assert refused("rename", "main", "trunk", cwd=repo)["code"] == "no_such_target"
    assert done("rename", "main", "x", "-b", "trunk", cwd=repo)["worktree"]["branch"] == "trunk"


def test_every_session_of_the_worktree_follows(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    made(repo)
    [row] = worlds.rows().all()
    worlds.rows().add(replace(row, id="second-id", nickname="second", owns_branch=False))
    window = done(*here, "open", "second", cwd=repo)["window"]
    done(*here, "rename", "session:fix", "better", cwd=repo)
    assert {one.worktree_branch for one in worlds.rows().all()} == {"better"}
    assert tmux.ask("#{window_name}", window) == "⎇ better"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("x", "-b", "a..b"), "invalid_name"),
        (("x", "-b", ""), "invalid_name"),
        (("",), "invalid_name"),
        (("!!!",), "invalid_name"),
        ((".", "-b", "y"), "invalid_name"),
        (("x", "-b", "taken"), "branch_exists"),
        (("x", "-b", "taken/deeper"), "branch_exists"),
        (("x", "-b", "dir"), "branch_exists"),
        (("x", "-b", "y", "--keep-branch"), "usage"),
    ],
)
def test_what_is_refused_changes_nothing(repo: Path, words: tuple[str, ...], code: str) -> None:
    place = made(repo)
    git(repo, "branch", "taken")
    git(repo, "branch", "dir/inner")
    before = everything(repo, place)
    assert refused("rename", "fix", *words, cwd=repo)["code"] == code
    assert everything(repo, place) == before


def test_only_the_case_changes(repo: Path) -> None:
    made(repo)
    git(repo, "config", "core.ignoreCase", "true")
    git(repo, "branch", "other")
    assert refused("rename", "fix", "x", "-b", "OTHER", cwd=repo)["code"] == "branch_exists"
    git(repo, "config", "core.ignoreCase", "false")
    assert done("rename", "fix", "x", "-b", "Fix", cwd=repo)["worktree"]["branch"] == "Fix"


def test_in_the_middle_of_an_operation(repo: Path) -> None:
    place = made(repo)
    git(place, "bisect", "start")
    git(place, "bisect", "bad", "HEAD")
    before = everything(repo, place)
    error = refused("rename", "fix", "better", cwd=repo)
    assert error["code"] == "operation_in_progress"
    assert everything(repo, place) == before
    assert done("rename", "fix", "better", "--keep-branch", cwd=repo)["session"]["nickname"] == (
        "better"
    )


def test_a_rebase_elsewhere_that_comes_back_to_it(repo: Path, sealed: Path) -> None:
    place = made(repo)
    repos.commit(place, "file0", "one\n")
    repos.commit(repo, "file0", "two\n")
    git(place, "rebase", "main", check=False)
    other = sealed / "other"
    git(repo, "worktree", "add", "-q", "--force", str(other), "fix", check=False)
    assert refused("rename", "session:fix", "x", "-b", "y", cwd=repo)["code"] in {
        "no_such_branch",  # its HEAD is detached while it goes on
        "operation_in_progress",
    }
    assert git(repo, "rev-parse", "--verify", "fix")


def broken(*_: object, **__: object) -> None:
    raise HqtError(Code.TMUX_UNAVAILABLE, "tmux said no.", "Try again.")


def test_a_failure_takes_everything_back(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("-L", tmux.socket)
    answer = done(*here, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], Path(answer["worktree"]["path"])
    before = everything(repo, place)
    mark, calls = placement.mark, []

    def fails_once(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 1:
            mark(*arguments)  # type: ignore[arg-type]  # as it was called
            broken()
        mark(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(placement, "mark", fails_once)
    assert refused(*here, "rename", "fix", "better", cwd=repo)["code"] == "tmux_unavailable"
    after = everything(repo, place)
    assert after[:3] == before[:3]
    assert after[4] == before[4]
    assert tmux.ask("#{window_name}", window) == "⎇ fix"
    assert tmux.option("@hqt_branch", "-w", "-t", window) == "fix"


def test_a_store_that_cannot_be_written_keeps_the_branch(repo: Path) -> None:
    place = made(repo)
    before = git(repo, "for-each-ref")
    folder = worlds.rows().path
    with sqlite3.connect(folder) as connection:
        connection.execute(
            "CREATE TRIGGER no BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    connection.close()
    assert refused("rename", "fix", "better", cwd=repo)["code"] == "store_failed"
    assert git(repo, "for-each-ref") == before
    assert git(place, "branch", "--show-current") == "fix"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fix", "better"], "fix to better, ⎇ fix to ⎇ better"),
        (["fix", "better", "--keep-branch"], "fix to better"),
        (["fix", "fix", "-b", "topic"], "⎇ fix to ⎇ topic"),
        (["fix", "fix"], "⎇ fix"),
    ],
)
def test_people_read_both_names(repo: Path, words: list[str], said: str) -> None:
    place = made(repo)
    assert hqt("rename", *words, cwd=repo).out == f"Renamed {said}: {place}\n"


def test_the_windows_of_the_main_checkout_follow_its_branch(repo: Path, tmux: Server) -> None:
    call = ("-L", tmux.socket)
    windows = [
        done(*call, "new", "notes", "--no-worktree", "-d", cwd=repo)["window"],
        done(*call, "open", "main", cwd=repo)["window"],
    ]
    done(*call, "rename", "branch:main", "trunk", "-b", "trunk", cwd=repo)
    names = [tmux.ask("#{window_name}|#{@hqt_branch}", window) for window in windows]
    assert names == ["notes|trunk", "main|trunk"], "that session's name is no branch's any more"
