"""What a repository may ask for in a fresh worktree, and what it is not given."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import repos
from hqt.errors import Code, HqtError
from hqt.sessions import setup_copy, setup_files
from hqt.sessions.setup_files import Setup, SetupPlan


@pytest.fixture
def worktree(repo: Path) -> Path:
    return repos.linked(repo, repo / ".worktrees" / "topic")


def asks(repo: Path, text: str) -> Setup:
    (repo / ".hqt.toml").write_text(text)
    found = setup_files.read(repo)
    assert found is not None
    return found


def write(file: Path, text: str = "secret\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def planned(repo: Path, worktree: Path, text: str) -> SetupPlan:
    return setup_files.plan(asks(repo, text), repo, worktree)


def made(plan: SetupPlan, worktree: Path) -> list[str]:
    assert setup_copy.carry_out(plan) == ()
    return sorted(str(step.target.relative_to(worktree)) for step in plan.steps)


def test_nothing_happens_by_default(repo: Path) -> None:
    assert setup_files.read(repo) is None


def test_files_are_copied_and_folders_linked(repo: Path, worktree: Path) -> None:
    write(repo / ".env").chmod(0o750)
    os.utime(repo / ".env", (1, 1))
    write(repo / "certs/a.pem")
    write(repo / "certs/b.key")
    write(repo / "node_modules/x/index.js")
    plan = planned(
        repo, worktree, '[setup]\ncopy = [".env", "certs/*.pem"]\nlink = ["node_modules"]\n'
    )
    assert plan.left_out == ()
    assert made(plan, worktree) == [".env", "certs/a.pem", "node_modules"]
    assert (worktree / ".env").read_text() == "secret\n"
    assert (worktree / ".env").stat().st_mode & 0o777 == 0o750
    assert (worktree / ".env").stat().st_mtime == 1
    assert (worktree / "node_modules").readlink() == repo / "node_modules"
    write(worktree / ".env", "changed\n")
    assert (repo / ".env").read_text() == "secret\n"


def test_a_folder_is_copied_whole_with_its_links_as_links(repo: Path, worktree: Path) -> None:
    write(repo / "cache/deep/er/file", "x")
    (repo / "cache/empty").mkdir()
    (repo / "cache/up").symlink_to("../.env")
    (repo / "cache/gone").symlink_to("/nowhere")
    plan = planned(repo, worktree, '[setup]\ncopy = ["cache"]\n')
    made(plan, worktree)
    assert (worktree / "cache/deep/er/file").read_text() == "x"
    assert (worktree / "cache/empty").is_dir()
    assert (worktree / "cache/up").readlink() == Path("../.env")
    assert (worktree / "cache/gone").readlink() == Path("/nowhere")


def test_any_name_may_be_matched(repo: Path, worktree: Path) -> None:
    names = ["a b.env", "-x.env", "#(touch x).env", "new\nline.env", "\udcff.env", "修复.env"]
    for name in names:
        write(repo / name)
    assert made(planned(repo, worktree, '[setup]\ncopy = ["*.env"]\n'), worktree) == sorted(names)


def test_folders_at_any_depth_are_found_but_no_other_checkout(repo: Path, worktree: Path) -> None:
    write(repo / "a/.env")
    write(repo / "a/b/.env")
    repos.repository(repo / "a/nested")
    write(repo / "a/nested/.env")
    write(worktree / ".env")
    plan = planned(repo, worktree, '[setup]\ncopy = ["**/.env", "a"]\n')
    assert set(plan.left_out) == {
        "a/nested: it belongs to another checkout.",
        "a/nested/.env: it belongs to another checkout.",
    }, "of the pool's own worktrees, which only grow in number, nothing is told"
    targets = {str(step.target.relative_to(worktree)) for step in plan.steps}
    assert targets == {"a", "a/.env", "a/b", "a/b/.env"}
    write(worktree / "only here")
    plan = planned(repo, worktree, '[setup]\ncopy = ["**/only here"]\n')
    assert plan.left_out == (f"nothing in {repo} matches **/only here.",)
    plan = planned(repo, worktree, '[setup]\ncopy = ["**/HEAD"]\n')
    assert plan.left_out == (f"nothing in {repo} matches **/HEAD.",)


def test_the_pool_and_git_itself_are_never_brought_along(repo: Path, worktree: Path) -> None:
    plan = planned(repo, worktree, '[setup]\ncopy = [".git", ".git/config", ".worktrees", "*"]\n')
    assert not any(".git" in step.target.relative_to(worktree).parts for step in plan.steps)
    assert not (worktree / ".worktrees").exists()
    assert ".worktrees: the new worktree is in it." in plan.left_out


def test_what_is_there_already_stays(repo: Path, worktree: Path) -> None:
    write(repo / "file0", "changed in main\n")
    write(repo / "dir/new")
    write(repo / "dir/old", "main's")
    write(worktree / "dir/old", "worktree's")
    (worktree / "dangling").symlink_to("nowhere")
    write(repo / "dangling")
    write(repo / "linked/x")
    write(worktree / "linked/y")
    plan = planned(
        repo, worktree, '[setup]\ncopy = ["file0", "dir", "dangling"]\nlink = ["linked"]\n'
    )
    assert set(plan.left_out) == {
        "file0: it is there already.",
        "dir/old: it is there already.",
        "dangling: it is there already.",
        "linked: it is there already.",
    }
    made(plan, worktree)
    assert (worktree / "file0").read_text() == "0\n"
    assert (worktree / "dir/old").read_text() == "worktree's"
    assert (worktree / "dir/new").exists()
    assert not (worktree / "linked").is_symlink()


def test_what_is_not_there_is_said(repo: Path, worktree: Path) -> None:
    plan = planned(repo, worktree, '[setup]\ncopy = [".env"]\n')
    assert plan.steps == ()
    assert plan.left_out == (f"nothing in {repo} matches .env.",)


def test_no_link_leads_out_of_the_repository(sealed: Path, repo: Path, worktree: Path) -> None:
    write(sealed / "outside/id_rsa")
    (repo / "out").symlink_to(sealed / "outside")
    write(repo / "safe/in")
    (repo / "safe/out").symlink_to(sealed / "outside")
    plan = planned(repo, worktree, '[setup]\ncopy = ["out/id_rsa", "out/*", "safe"]\n')
    assert plan.left_out == ("out/id_rsa: a link leads out of the repository.",)
    made(plan, worktree)
    assert (worktree / "safe/out").is_symlink()
    assert not any(file.name == "id_rsa" for file in worktree.rglob("*") if not file.is_symlink())


def test_no_link_leads_out_of_the_worktree(sealed: Path, repo: Path, worktree: Path) -> None:
    (sealed / "outside").mkdir()
    (worktree / "conf").symlink_to(sealed / "outside")
    write(repo / "conf/evil")
    plan = planned(repo, worktree, '[setup]\ncopy = ["conf/*", "conf"]\nlink = ["conf/evil"]\n')
    made(plan, worktree)
    assert list((sealed / "outside").iterdir()) == []
    assert "conf/evil: a link leads out of the worktree." in plan.left_out


def test_what_would_block_is_left_out(repo: Path, worktree: Path) -> None:
    (repo / "d").mkdir()
    os.mkfifo(repo / "d/pipe")
    plan = planned(repo, worktree, '[setup]\ncopy = ["d"]\n')
    assert plan.left_out == ("d/pipe: it is neither a file nor a folder nor a link.",)


def test_a_step_that_fails_is_said_and_the_others_are_made(repo: Path, worktree: Path) -> None:
    for name in ("a", "b", "c"):
        write(repo / name)
    plan = planned(repo, worktree, '[setup]\ncopy = ["a", "b", "c"]\n')
    write(worktree / "a", "meanwhile")
    (repo / "b").unlink()
    seen: list[tuple[int, int]] = []
    failures = setup_copy.carry_out(plan, lambda done, of: seen.append((done, of)))
    assert [failure.split(": ")[0] for failure in failures] == [
        str(worktree / "a"),
        str(worktree / "b"),
    ]
    assert (worktree / "a").read_text() == "meanwhile"
    assert (worktree / "c").exists()
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_half_a_file_never_stays(
    repo: Path, worktree: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise failure

    write(repo / "a")
    plan = planned(repo, worktree, '[setup]\ncopy = ["a"]\n')
    monkeypatch.setattr("shutil.copyfileobj", fail)
    monkeypatch.setattr(setup_copy, "_cloned", lambda *_: False)
    if isinstance(failure, OSError):
        assert "No space left" in setup_copy.carry_out(plan)[0]
    else:
        with pytest.raises(KeyboardInterrupt):
            setup_copy.carry_out(plan)
    assert not (worktree / "a").exists()


def test_the_copy_shares_its_blocks_where_the_file_system_can(
    repo: Path, worktree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def clone(target: int, request: int, source: int) -> int:
        asked.append(request)
        os.write(target, os.pread(source, 100, 0))
        return 0

    monkeypatch.setattr("fcntl.ioctl", clone)
    write(repo / "a")
    made(planned(repo, worktree, '[setup]\ncopy = ["a"]\n'), worktree)
    assert asked == [0x40049409]
    assert (worktree / "a").read_text() == "secret\n"


def test_trust_is_in_the_exact_content(repo: Path) -> None:
    first = asks(repo, '[setup]\ncommand = "make"\n')
    assert first.command == "make"
    assert asks(repo, '[setup]\ncommand = "make"\n').digest == first.digest
    assert asks(repo, '[setup]\ncommand = "make" \n').digest != first.digest


def refused(attempt: Callable[[], object]) -> HqtError:
    with pytest.raises(HqtError) as caught:
        attempt()
    assert caught.value.code is Code.CONFIG_INVALID
    assert caught.value.message.endswith(".")
    assert caught.value.remedy.endswith(".")
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[setup\n", 1, "Expected"),
        ("[install]\n", 1, "install is not known"),
        ("[setup]\nrun = 'x'\n", 2, "setup.run is not known"),
        ("setup = 1\n", 1, "must be a table"),
        ("[setup]\ncopy = '.env'\n", 2, "list of texts"),
        ("[setup]\ncopy = [1]\n", 2, "list of texts"),
        ("[setup]\ncopy = ['/etc/passwd']\n", 2, "not inside the repository"),
        ("[setup]\nlink = ['a', '../x']\n", 2, "not inside the repository"),
        ("[setup]\nlink = ['a/../../x']\n", 2, "not inside the repository"),
        ("[setup]\ncopy = ['']\n", 2, "not inside the repository"),
        ("[setup]\ncopy = ['.']\n", 2, "not a pattern"),
        ("[setup]\ncopy = ['a**b']\n", 2, "not a pattern"),
        ("[setup]\ncopy = ['**/a/**']\n", 2, "not a pattern"),
        ('[setup]\ncopy = ["a\\u0000"]\n', 2, "not inside the repository"),
        ("[setup]\ncommand = ['a']\n", 2, "must be text"),
        ("[setup]\ncommand = ' '\n", 2, "must be text"),
        ('[setup]\ncommand = "rm -rf ~ \\u001b[2K make"\n', 2, "hidden"),
        ('[setup]\ncommand = "make \u202e ekam"\n', 2, "reordered"),
        ('[setup]\ncommand = "evil \\r make"\n', 2, "hidden"),
    ],
)
def test_a_wrong_file_is_named_with_line_and_key(
    repo: Path, text: str, line: int, words: str
) -> None:
    error = refused(lambda: asks(repo, text))
    assert str(repo / ".hqt.toml") in error.message
    assert f"line {line}" in error.message
    assert words in error.message
