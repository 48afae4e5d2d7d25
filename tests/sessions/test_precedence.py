"""Where several codes apply the first of the public list is told (design §4)."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import done, refused
from helpers.repos import git
from helpers.servers import Server
from hqt import paths
from hqt.errors import Checks, Code, HqtError

RANK = {code.value: rank for rank, code in enumerate(Code)}

# What is wrong with a `new`, and how it is called where nothing else is.
PLACES = {"plain": "not_a_repository", "empty": "no_commits", "repo": ""}
WORDS = {
    ("-p", "Hello"): "usage",  # the shell takes none
    ("-H", "nonesuch"): "config_invalid",
    ("--fork", "nonesuch"): "no_such_target",
    ("--fork", "alpha"): "cannot_resume",  # a shell has nothing to go on with
    ("-b", "a..b"): "invalid_name",
    ("-b", "main"): "branch_exists",
    ("--from", "nonesuch"): "no_such_revision",
    ("--checkout", "a..b"): "invalid_name",
    ("--checkout", "nonesuch"): "no_such_branch",
    ("--checkout", "main"): "branch_in_use",
    ("--path", "full"): "path_exists",
    ("-d",): "tmux_unavailable",  # nothing else is wrong; else there is --no-window
}
# A fault that takes the ground from under another: nobody can say whether that is one too.
CLASHES = (
    {"-b", "--checkout"},
    {"--from", "--checkout"},
    {"--fork", "-H"},  # -H says nothing of a fork but that it must be the parent's
    {"-p", "-H"},
)


def possible(place: str, first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    flags = {first[0], second[0]}
    unknown_parent = "nonesuch" in first + second or place != "repo"
    unknown_program = flags == {"-p", "--fork"} and unknown_parent
    return len(flags) == 2 and flags not in CLASHES and not unknown_program


CASES = [
    (place, pair)
    for place in PLACES
    for pair in (
        *((one,) for one in WORDS),
        *(pair for pair in itertools.combinations(WORDS, 2) if possible(place, *pair)),
    )
]


@pytest.fixture
def folders(sealed: Path, repo: Path) -> dict[str, Path]:
    for name in ("plain", "empty"):
        (sealed / name).mkdir()
    git(sealed / "empty", "init", "-q", "-b", "main")
    done("new", "alpha", "--no-window", cwd=repo)
    found = {"plain": sealed / "plain", "empty": sealed / "empty", "repo": repo}
    for folder in found.values():
        (folder / "full").mkdir()
        (folder / "full" / "precious").write_text("mine\n")
    return found


def expected(place: str, pair: tuple[tuple[str, ...], ...]) -> str:
    codes = [WORDS[one] for one in pair] + ([PLACES[place]] if PLACES[place] else [])
    if place != "repo" and ("--fork", "alpha") in pair:  # that session is another repository's
        codes.append("no_such_target")
    return min(codes, key=RANK.__getitem__)


def test_of_two_mistakes_in_new_the_foremost_is_told(folders: dict[str, Path]) -> None:
    wrong: list[Any] = []
    for place, pair in CASES:
        words = [word for one in pair for word in one]
        if place == "plain" and all(one[0] in {"-p", "-H", "--fork", "-d"} for one in pair):
            continue  # a folder without a repository will do
        flags = [] if "-d" in words else ["--no-window"]
        error = refused("-L", "nobody", "new", "q", *words, *flags, cwd=folders[place])
        if error["code"] != expected(place, pair):
            wrong.append((place, words, error["code"], expected(place, pair)))
    assert not wrong
    assert len(done("list", cwd=folders["repo"])["worktrees"]) == 2, "nothing was made"


def test_of_several_targets_the_foremost_mistake_is_told(repo: Path, tmux: Server) -> None:
    """Whatever the order they are named in; nothing is removed or moved."""
    for name in ("one", "two", "clean"):
        done("new", name, "--no-window", cwd=repo)
    git(repo, "branch", "-m", "one", "three")
    git(repo, "branch", "-m", "two", "one")
    dirty = Path(done("new", "dirty", "--no-window", cwd=repo)["worktree"]["path"])
    (dirty / "notes").write_text("mine\n")
    before = done("list", cwd=repo)["worktrees"]
    wrong = {"nonesuch": "no_such_target", "one": "ambiguous_target", ".": "main_checkout"}
    wrong["dirty"] = "dirty"
    for names in itertools.permutations([*wrong, "clean"], 2):
        code = min((wrong[one] for one in names if one in wrong), key=RANK.__getitem__)
        error = refused("remove", *names, cwd=repo)
        assert error["code"] == code, names
        assert error["message"].endswith(" None of the 2 was removed."), names
    for words in (("nonesuch", "--to", "one"), ("one", "--to", "nonesuch")):
        error = refused("-L", tmux.socket, "move", *words, cwd=repo)
        assert error["code"] == "no_such_target", words
    assert done("list", cwd=repo)["worktrees"] == before


def test_an_invalid_setting_is_told_before_what_is_no_repository(repo: Path, tmux: Server) -> None:
    calls = (("list",), ("path", "x"), ("new", "x", "-b", "y"), ("undo",), ("restore", "x"))
    tmux.cmd("set", "-g", "@hqt-from", "zz")
    for cwd, words in itertools.product((Path("/"), repo), calls):
        assert refused("-L", tmux.socket, *words, cwd=cwd)["code"] == "config_invalid", words
    tmux.cmd("set", "-gu", "@hqt-from")
    assert refused("-L", tmux.socket, "list", cwd=Path("/"))["code"] == "not_a_repository"
    paths.config_file().parent.mkdir(parents=True)
    paths.config_file().write_text("[options\n")
    for cwd, words in itertools.product((Path("/"), repo), calls):
        assert refused(*words, cwd=cwd)["code"] == "config_invalid", words


def test_a_session_without_a_worktree_needs_no_commit(sealed: Path, tmux: Server) -> None:
    (sealed / "empty").mkdir()
    git(sealed / "empty", "init", "-q")
    words = ("-L", tmux.socket, "new", "notes", "--no-worktree", "-d")
    assert done(*words, cwd=sealed / "empty")["window"]


def test_where_there_are_commits_a_missing_one_is_no_lack_of_them(repo: Path) -> None:
    """A checkout whose branch is not born yet, in a repository that has commits."""
    git(repo, "checkout", "-q", "--orphan", "fresh")
    assert refused("new", "x", "--no-window", cwd=repo)["code"] == "no_commits"
    error = refused("new", "x", "--from", "nonesuch", "--no-window", cwd=repo)
    assert error["code"] == "no_such_revision"
    assert done("new", "x", "--from", "main", "--no-window", cwd=repo)


def test_a_rename_in_the_middle_of_an_operation(repo: Path) -> None:
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    repos.commit(place, "file0", "theirs\n")
    repos.commit(repo, "file0", "ours\n")
    git(place, "merge", "main", check=False)
    for words, code in {
        ("",): "invalid_name",
        ("x", "-b", "a..b"): "invalid_name",
        ("x", "-b", "main"): "branch_exists",
        ("x", "-b", "y"): "operation_in_progress",
    }.items():
        assert refused("rename", "fix", *words, cwd=repo)["code"] == code


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("vanished", "tmux_unavailable"),
        ("vanished and locked", "locked"),
        ("vanished with its branch", "worktree_and_branch_gone"),
        ("something else there", "identity_mismatch"),
    ],
)
def test_no_server_is_not_told_before_what_comes_first(repo: Path, state: str, code: str) -> None:
    place = Path(done("new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    if state == "vanished and locked":
        git(repo, "worktree", "lock", str(place))
    if state == "vanished with its branch":
        git(repo, "worktree", "remove", str(place))
        git(repo, "branch", "-q", "-D", "fix")
    else:
        shutil.rmtree(place)
    if state == "something else there":
        shutil.rmtree(repo / ".git" / "worktrees" / "fix")
        place.mkdir()
    assert refused("-L", "nobody", "open", "session:fix", cwd=repo)["code"] == code


def test_the_foremost_of_several_checks_is_raised() -> None:
    checks = Checks()
    checks.settle()
    for code in (Code.BUSY, Code.USAGE, Code.LOCKED):
        with checks:
            raise HqtError(code, "No.")
    with pytest.raises(HqtError) as raised:
        checks.settle()
    assert raised.value.code is Code.USAGE
    with pytest.raises(ZeroDivisionError), checks:
        raise ZeroDivisionError
