"""What the form hands over is what it would have done itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers.calls import hqt
from helpers.repos import commit, git, linked
from hqt import paths, report
from hqt.commands import ui_new
from hqt.commands.ui_new import words
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.sessions import world as worlds
from hqt.sessions.planning import Wish
from hqt.ui.form_model import FormServices, FormValues, Mode


@pytest.mark.parametrize(
    "wish",
    [
        Wish(),
        Wish(name="-d", branch="-x", start="--all", path="--json", prompt="-\n--pane=%1"),
        Wish(name="fix/#(touch hit)", checkout="origin/fix", harness="claude", prompt="Go; on"),
        Wish(name="a look", detach=True, start="HEAD~1"),
    ],
)
def test_the_words_ask_for_the_same(
    repo: Path, wish: Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Wish] = []

    def create(_caller: Caller, wish: Wish, *_: object, **__: object) -> None:
        heard.append(wish)
        raise HqtError(Code.BUSY, "Heard.")

    monkeypatch.setattr("hqt.sessions.create.create", create)
    assert hqt("new", *words(wish), cwd=repo).status == 1
    [same] = heard
    assert (same.switch, same.window) == (True, True)
    assert same == Wish(**{name: getattr(wish, name) for name in Wish.__slots__} | {"switch": True})


@pytest.mark.parametrize("asked", [("fix",), ("-b", "fix"), ("--checkout", "fix")])
def test_a_failure_after_that_says_whose_it_is_in_few_words(
    repo: Path, asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, ...]] = []

    def create(*_: object, **__: object) -> None:
        raise HqtError(Code.GIT_FAILED, "The disk is full; nothing was made.", "Make room.")

    monkeypatch.setattr("hqt.sessions.create.create", create)
    monkeypatch.setattr(report, "_tell", lambda _, *sentences: told.append(sentences))
    assert hqt("--client", "/dev/pts/1", "new", *asked, cwd=repo).status == 1
    assert told == [("hqt: fix was not made: The disk is full.", "Make room.")]
    assert "The disk is full; nothing was made. Make room." in paths.log_file().read_text()
    assert hqt("new", *asked, cwd=repo).err.startswith("hqt: The disk is full; nothing was made.")


def wiring(place: Path) -> ui_new._Wiring:
    return ui_new._Wiring(worlds.anywhere(Caller(place)))


def chosen(existing: str) -> FormValues:
    return FormValues("", True, Mode.EXISTING, "", existing, "", "HEAD", "shell", "")


@pytest.fixture
def cloned(repo: Path) -> Path:
    """`main` is checked out, `mine` has no worktree; `origin` has both, `topic`, and `taken`, which
    is checked out in a worktree here."""
    for name in ("topic", "mine", "taken"):
        git(repo, "branch", name)
    place = repo.parent / "clone"
    git(repo.parent, "clone", "-q", str(repo), str(place))
    git(place, "branch", "-q", "mine", "origin/mine")
    git(place, "worktree", "add", "-q", "-b", "taken", str(repo.parent / "taken"), "origin/taken")
    return place


def test_only_what_can_be_chosen_is_offered(cloned: Path) -> None:
    services = wiring(cloned).services()
    assert sorted(services.branches()) == ["mine", "origin/topic"]
    for one in services.branches():
        assert services.validate(chosen(one)) == {}


def test_a_branch_that_will_be_rebased_is_not_offered(repo: Path) -> None:
    git(repo, "branch", "other")
    tree = linked(repo, repo.parent / "tree")
    commit(tree, "theirs.txt")
    git(tree, "-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "main")
    assert wiring(repo).services().branches() == ["other"]


def test_the_folder_is_the_one_that_will_be_made(cloned: Path) -> None:
    services = wiring(cloned).services()
    assert services.path_preview(chosen("origin/topic")) == str(cloned / ".worktrees" / "topic")
    assert services.path_preview(chosen("mine")) == str(cloned / ".worktrees" / "mine")
    assert services.path_preview(chosen("nonesuch")) == str(cloned / ".worktrees" / "nonesuch")
    assert hqt("new", "--checkout", "origin/topic", "--no-window", cwd=cloned).status == 0
    assert (cloned / ".worktrees" / "topic" / ".git").exists()


def test_nothing_chosen_is_no_name(repo: Path) -> None:
    services: FormServices = wiring(repo).services()
    assert services.validate(chosen("")) == {"existing": "Choose a branch."}


def test_starts_have_short_names_unless_a_tag_has_them_too(repo: Path) -> None:
    def starts() -> list[str]:
        return [one.revision for one in wiring(repo).defaults().alternatives]

    assert starts() == ["HEAD", "main"]
    git(repo, "tag", "main")
    assert starts() == ["HEAD", "refs/heads/main"]


def test_what_is_not_installed_is_told(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = repo.parent / "bin"
    there.mkdir()
    (there / "codex").write_text("#!/bin/sh\n")
    (there / "codex").chmod(0o755)
    ready = wiring(repo)
    git_itself = shutil.which("git")
    assert git_itself
    (there / "git").symlink_to(git_itself)
    monkeypatch.setenv("PATH", str(there))
    missing = ready.defaults().missing
    assert "claude" in missing
    assert not {"codex", "shell"} & set(missing)


def test_a_setup_command_that_nobody_has_judged_is_told(repo: Path) -> None:
    assert wiring(repo).defaults().note == ""
    (repo / ".hqt.toml").write_text('[setup]\ncommand = "make"\n')
    assert "`hqt trust`" in wiring(repo).defaults().note
    assert hqt("trust", "--yes", cwd=repo).status == 0
    assert wiring(repo).defaults().note == ""
