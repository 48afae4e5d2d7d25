"""`hqt new`, as a user meets it: real git, real tmux."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.repos import git
from helpers.servers import Server, until
from hqt.names import slug


def test_a_new_place_to_work(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "Fix the login", "-d", cwd=repo)

    place = repo / ".worktrees" / "fix-the-login"
    assert made["worktree"]["path"] == str(place)
    assert made["worktree"]["branch"] == "fix-the-login"
    assert made["worktree"]["label"] == "fix-the-login"
    assert made["worktree"]["base_commit"] == git(repo, "rev-parse", "HEAD")
    assert made["worktree"]["changes"] == {
        "staged": 0,
        "modified": 0,
        "untracked": 0,
        "conflicted": 0,
    }
    assert made["worktree"]["unique_commits"] == 0
    assert made["worktree"]["windows"] == [made["window"]]
    assert made["session"]["nickname"] == "Fix the login"
    assert made["session"]["worktree"] == made["worktree"]["id"]
    assert made["session"]["worktree_path"] == str(place)
    assert made["session"]["worktree_branch"] == "fix-the-login"
    assert made["session"]["project"] == str(repo)
    assert made["session"]["harness"] == "shell"
    assert made["session"]["cleanup"] is None
    assert made["source"] == str(repo)
    assert made["branch_recreated"] is False

    assert git(place, "status", "--porcelain") == ""
    assert git(repo, "status", "--porcelain") == ""
    window = made["window"]
    names = "#{window_name}|#{@hqt_session}|#{@hqt_worktree}|#{@hqt_branch}|#{automatic-rename}"
    assert tmux.ask(names, window) == "|".join(
        ["⎇ fix-the-login", made["session"]["id"], made["worktree"]["id"], "fix-the-login", "0"]
    )
    assert until(lambda: tmux.ask("#{pane_current_path}", window) == str(place))
    assert tmux.ask("#{window_id}") != window, "-d leaves the user where they were"


def test_the_new_window_is_shown_when_asked_for(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "fix", "--switch", cwd=repo)
    assert tmux.ask("#{window_id}") == made["window"]


@pytest.mark.parametrize(
    ("arguments", "branch", "nickname"),
    [
        (["fix"], "fix", "fix"),
        (["Fix It"], "fix-it", "Fix It"),
        (["feat/login"], "feat/login", "feat/login"),
        (["a b/c"], "a-b-c", "a b/c"),
        (["日本"], "日本", "日本"),
        (["nick", "-b", "other"], "other", "nick"),
        (["-b", "only/branch"], "only/branch", "only/branch"),
        (["fix/#(touch${IFS}x)"], "fix/#(touch${IFS}x)", "fix/#(touch${IFS}x)"),
    ],
)
def test_branch_and_nickname(repo: Path, arguments: list[str], branch: str, nickname: str) -> None:
    made = done("new", "--no-window", *arguments, cwd=repo)
    assert made["worktree"]["branch"] == branch
    assert made["worktree"]["path"] == str(repo / ".worktrees" / branch)
    assert made["session"]["nickname"] == nickname
    assert made["session"]["state"] == "closed"
    assert made["window"] is None
    assert git(repo, "rev-parse", f"refs/heads/{branch}") == git(repo, "rev-parse", "HEAD")


@pytest.mark.parametrize("name", [[], ["!!!"], [""], [" "], ["\t\u3000"], [" ", "--detach"]])
def test_a_name_is_generated(repo: Path, name: list[str]) -> None:
    made = done("new", "--no-window", *name, cwd=repo)
    branch = made["worktree"]["branch"] or Path(made["worktree"]["path"]).name
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", branch)
    assert made["session"]["nickname"] == (name[0] if name and name[0].strip() else branch)


def test_detached_from_an_annotated_tag(repo: Path) -> None:
    git(repo, "tag", "-a", "-m", "One", "v1")
    first = git(repo, "rev-parse", "HEAD")
    repos.commit(repo, "later")
    made = done("new", "My Look", "--detach", "--from", "v1", "--no-window", cwd=repo)
    assert made["worktree"]["branch"] is None
    assert made["worktree"]["head"] == first
    assert made["worktree"]["path"] == str(repo / ".worktrees" / "my-look")
    assert made["worktree"]["label"] == f"my-look@{first[:7]}"


def test_an_existing_branch(repo: Path) -> None:
    git(repo, "branch", "old")
    made = done("new", "--checkout", "old", "--no-window", cwd=repo)
    assert made["worktree"]["branch"] == "old"
    assert git(repo, "config", "--get-regexp", "^branch", check=False) == ""


def test_a_remote_tracking_branch(sealed: Path, repo: Path) -> None:
    git(repo, "branch", "theirs")
    clone = sealed / "clone"
    git(sealed, "clone", "-q", str(repo), str(clone))
    made = done("new", "--checkout", "theirs", "--no-window", cwd=clone)
    assert made["worktree"]["branch"] == "theirs"
    assert git(clone, "rev-parse", "--abbrev-ref", "theirs@{u}") == "origin/theirs"


def test_the_start_is_the_selected_checkout_or_main(repo: Path, tmux: Server) -> None:
    linked = repos.linked(repo, repo.parent / "linked")
    ahead = repos.commit(linked, "more")
    made = done("-L", tmux.socket, "new", "one", "-d", cwd=linked)
    assert made["worktree"]["head"] == ahead
    assert made["source"] == str(linked)
    assert made["worktree"]["path"] == str(repo / ".worktrees" / "one"), "never nested in a linked"
    tmux.cmd("set", "-g", "@hqt-from", "main")
    made = done("-L", tmux.socket, "new", "two", "-d", cwd=linked)
    assert made["worktree"]["head"] == git(repo, "rev-parse", "HEAD")
    assert made["source"] == str(repo)


def test_the_folder_is_mirrored(repo: Path, tmux: Server) -> None:
    repos.commit(repo, "packages/a/x")
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo / "packages" / "a")
    there = f"{made['worktree']['path']}/packages/a"
    assert until(lambda: tmux.ask("#{pane_current_path}", made["window"]) == there)


def test_uncommitted_files_stay_where_they_are(repo: Path) -> None:
    (repo / "file0").write_text("changed\n")
    (repo / "new").write_text("new\n")
    made = done("new", "fix", "--no-window", cwd=repo)
    assert git(repo, "status", "--porcelain") == " M file0\n?? new"
    assert git(Path(made["worktree"]["path"]), "status", "--porcelain") == ""


def test_a_session_without_a_worktree(repo: Path, tmux: Server) -> None:
    made = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=repo)
    assert made["worktree"]["main"] is True, "it is shown where it is"
    assert made["session"]["worktree"] == made["worktree"]["id"]
    assert made["session"]["worktree_path"] is None
    assert tmux.ask("#{window_name}", made["window"]) == "notes"
    assert until(lambda: tmux.ask("#{pane_current_path}", made["window"]) == str(repo))


def test_a_session_outside_any_repository(sealed: Path, tmux: Server) -> None:
    folder = sealed / "plain"
    folder.mkdir()
    made = done("-L", tmux.socket, "new", "notes", "-d", cwd=folder)
    assert made["worktree"] is None
    assert made["session"]["project"] == str(folder)


def test_the_path_is_relative_to_the_current_directory(repo: Path) -> None:
    (repo / "sub").mkdir()
    made = done("new", "fix", "--path", "../../side", "--no-window", cwd=repo / "sub")
    assert made["worktree"]["path"] == str(repo.parent / "side")


def test_no_path_into_a_checkout(repo: Path) -> None:
    """Git would allow it, and then show it as untracked (ADR 0026)."""
    (repo / "sub").mkdir()
    error = refused("new", "fix", "--path", "sub/x", "--no-window", cwd=repo)
    assert error["code"] == "path_exists"
    assert "main checkout" in error["message"]
    assert "untracked" in error["message"]
    linked = repos.linked(repo, repo.parent / "linked")
    error = refused("new", "fix", "--path", "x", "--no-window", cwd=linked)
    assert f"inside the worktree {linked}" in error["message"]


def test_global_flags_work_before_and_after_the_verb(repo: Path, sealed: Path) -> None:
    assert done("-C", str(repo), "new", "one", "--no-window", cwd=sealed)
    assert done("new", "two", "--no-window", "-C", str(repo), cwd=sealed)
    before = hqt("--json", "list", "-C", str(repo), cwd=sealed)
    assert len(before.json["worktrees"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("-C", "..", "list", "-C", "{name}"),
        ("list", "-C", "..", "-C", "{name}"),
        ("-C", "{place}/..", "-C", "{name}/deep", "list", "-C", ".."),
        ("-C", "/", "list", "-C", "{place}"),
        ("-C", "..", "-C", "", "list", "-C", "{name}", "-C", ""),
        ("-C", "/", "list", "-C", "~/{name}"),
    ],
    ids=" ".join,
)
def test_a_relative_folder_goes_on_from_the_one_before(repo: Path, words: tuple[str, ...]) -> None:
    """As with git's own -C."""
    (repo / "deep").mkdir()
    filled = [word.format(name=repo.name, place=repo) for word in words]
    assert done(*filled, cwd=repo)["repository"]["root"] == str(repo)


def test_progress_reports_stages_on_stderr(repo: Path) -> None:
    call = hqt("new", "fix", "--no-window", "--progress", "--json", cwd=repo)
    stages = [line.split('"stage": "')[1].split('"')[0] for line in call.err.splitlines()]
    assert stages[0] == "prepare"
    assert stages[-1] == "checkout"
    assert call.json["worktree"]["branch"] == "fix"


REFUSALS = [
    (["-b", "a..b"], "invalid_name"),
    (["."], "invalid_name"),
    ([".."], "invalid_name"),
    (["@1", "-b", "fix"], "invalid_name"),
    (["-b", ""], "invalid_name"),
    (["-b", "-x"], "invalid_name"),
    (["--checkout", "nope"], "no_such_branch"),
    (["--checkout", "a..b"], "invalid_name"),
    (["x", "--from", "nope"], "no_such_revision"),
    (["x", "--from", ""], "no_such_revision"),
    (["x", "--from", "HEAD:file0"], "no_such_revision"),
    (["x", "--from", "HEAD^{tree}"], "no_such_revision"),
    (["main"], "branch_exists"),
    (["main/x"], "branch_exists"),
    (["--checkout", "main"], "branch_in_use"),
    (["x", "--path", "full"], "path_exists"),
    (["x", "--path", "file0"], "path_exists"),
    (["x", "--path", ".git/x"], "path_exists"),
    (["x", "-H", "nonesuch"], "config_invalid"),
    (["x", "-b", "y", "--detach"], "usage"),
    (["x", "--checkout", "main", "--from", "HEAD"], "usage"),
    (["x", "--no-worktree", "--from", "HEAD"], "usage"),
    (["x", "y"], "usage"),
    (["x", "-d", "--switch"], "usage"),
    (["x", "--switch"], "usage"),  # with --no-window there is nothing to switch to
]


@pytest.mark.parametrize(("arguments", "code"), REFUSALS, ids=[" ".join(a) for a, _ in REFUSALS])
def test_bad_input_is_refused_and_leaves_nothing(
    repo: Path, arguments: list[str], code: str
) -> None:
    (repo / "full").mkdir()
    (repo / "full" / "precious").write_text("mine\n")
    before = everything(repo)
    error = refused("new", *arguments, *(() if "-d" in arguments else ("--no-window",)), cwd=repo)
    assert error["code"] == code
    assert everything(repo) == before
    assert done("list", cwd=repo)["sessions"] == []


@pytest.mark.parametrize("name", ["!!!", "...", "@", "#"])
def test_a_name_without_letters_gets_a_branch_that_has_some(repo: Path, name: str) -> None:
    made = done("new", "--no-window", name, cwd=repo)
    assert made["session"]["nickname"] == name
    assert slug(made["worktree"]["branch"]) == made["worktree"]["branch"] != ""
    assert done("inspect", name, cwd=repo)


def test_a_branch_that_is_taken_says_what_works(repo: Path) -> None:
    git(repo, "branch", "free")
    remedy = refused("new", "free", "--no-window", cwd=repo)["remedy"]
    assert "--checkout free" in remedy
    done("new", "--no-window", "--checkout", "free", cwd=repo)
    error = refused("new", "free", "--no-window", cwd=repo)
    assert error["code"] == "branch_exists"
    assert str(repo / ".worktrees" / "free") in error["message"]
    assert "--checkout" not in error["remedy"]
    assert "`hqt open branch:free`" in error["remedy"]
    assert done("inspect", "branch:free", cwd=repo)


def everything(repo: Path) -> tuple[str, str, list[str]]:
    """What a creation could leave behind: refs, configuration, files."""
    files = sorted(
        str(path.relative_to(repo))
        for path in repo.rglob("*")
        if "objects" not in path.parts and "hqt" not in path.parts
    )
    return git(repo, "for-each-ref"), git(repo, "config", "--list", "--local"), files


def test_without_commits(sealed: Path) -> None:
    (sealed / "empty").mkdir()
    git(sealed / "empty", "init", "-q")
    assert refused("new", "x", "--no-window", cwd=sealed / "empty")["code"] == "no_commits"


def test_outside_a_repository(sealed: Path) -> None:
    (sealed / "plain").mkdir()
    for arguments in (["--no-window"], ["-b", "x"], ["--detach"], ["--from", "HEAD"]):
        error = refused("new", "x", *arguments, cwd=sealed / "plain")
        assert error["code"] == "not_a_repository"


def test_without_a_server_nothing_is_made(repo: Path) -> None:
    before = everything(repo)
    assert refused("-L", "nobody", "new", "x", cwd=repo)["code"] == "tmux_unavailable"
    assert everything(repo) == before


def test_a_window_that_cannot_be_made_takes_the_worktree_back(repo: Path, tmux: Server) -> None:
    """tmux refuses the window: a server that is told to forget how to make one."""
    tmux.cmd("set", "-g", "default-shell", "/bin/sh")
    tmux.cmd("set", "-s", "command-alias[0]", "new-window=nonsense")
    before = everything(repo)
    error = refused("-L", tmux.socket, "new", "x", "-d", cwd=repo)
    assert error["code"] == "tmux_unavailable"
    assert everything(repo) == before
    assert done("list", cwd=repo)["sessions"] == []


def test_same_branch_in_two_repositories(sealed: Path, repo: Path, tmux: Server) -> None:
    other = repos.repository(sealed / "other")
    one = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    two = done("-L", tmux.socket, "new", "fix", "-d", cwd=other)
    assert one["window"] != two["window"]
    assert one["worktree"]["id"] != two["worktree"]["id"]
    listed = done("-L", tmux.socket, "list", cwd=repo)
    assert [tree["windows"] for tree in listed["worktrees"]] == [[], [one["window"]]]


def test_a_lock_file_of_git_is_named(repo: Path) -> None:
    lock = repo / ".git" / "refs" / "heads" / "fix.lock"
    lock.touch()
    error = refused("new", "fix", "--no-window", cwd=repo)
    assert error["code"] == "git_failed"
    assert str(lock) in error["message"]
    assert not (repo / ".worktrees" / "fix").exists()
    lock.unlink()
    done("new", "fix", "--no-window", cwd=repo)
