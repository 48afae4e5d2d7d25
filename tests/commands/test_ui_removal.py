"""What the question before a removal says, over real repositories."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers import repos
from helpers.calls import done, hqt
from helpers.repos import git
from helpers.servers import Server
from hqt.commands import ui_removal, ui_remove
from hqt.models import Caller
from hqt.ui.confirm_model import RemovalQuestion


def question(repo: Path, *names: str) -> RemovalQuestion:
    """As the screen has it once everything is known."""
    found = ui_remove._found(Caller(repo, socket_name="nobody"), names)
    return ui_removal.whole([ui_remove._going(one) for one in found])


def made(repo: Path, name: str, *flags: str) -> Path:
    return Path(done("new", name, "--no-window", *flags, cwd=repo)["worktree"]["path"])


class TestBranch:
    """Whether it goes too, and why not."""

    def stays(self, repo: Path, name: str) -> str:
        return question(repo, name).stays_with[0]

    def test_one_that_was_there_before_its_worktree(self, repo: Path) -> None:
        git(repo, "branch", "theirs")
        made(repo, "theirs", "--checkout", "theirs")
        assert self.stays(repo, "theirs") == "Branch theirs stays: not made by hqt."

    @pytest.mark.parametrize("again", [False, True])
    def test_one_whose_session_is_gone(self, repo: Path, tmux: Server, again: bool) -> None:
        """Nobody knows any more that hqt made it; so it is not said that it did not."""
        made(repo, "fix")
        done("remove", "fix", "--keep-worktree", cwd=repo)
        if again:
            done("-L", tmux.socket, "open", "fix", cwd=repo)
        assert self.stays(repo, "branch:fix") == "Branch fix stays: not known to be made by hqt."

    def test_one_made_by_hand(self, repo: Path) -> None:
        repos.linked(repo, repo.parent / "hand", "hand")
        assert self.stays(repo, "hand") == "Branch hand stays: not known to be made by hqt."

    def test_several_are_told_of_together_where_they_fare_alike(self, repo: Path) -> None:
        names = [f"big{number}" for number in range(7)]
        for name in names:
            made(repo, name)
        told = question(repo, *names).stays_with
        assert told[0] == (
            "Branches big0, big1, big2, big3 and 3 more are deleted too: they are merged."
        )
        assert len(told) == 2, "and the trash"
        for name in names[:2]:
            repos.commit(repo / ".worktrees" / name, name)
        assert question(repo, *names[:3]).stays_with[:2] == (
            "Branches big0 and big1 stay: not merged.",
            "Branch big2 is deleted too: it is merged.",
        )


class TestTrash:
    """What it keeps, until when, and how it comes back."""

    def test_one(self, repo: Path) -> None:
        place = made(repo, "fix")
        told = question(repo, "fix").stays_with[-1]
        assert re.sub(r"[\d-]{10}", "DATE", told) == (
            "The trash keeps the worktree until DATE; undo brings it back."
        )
        (place / "notes").write_text("mine\n")
        assert question(repo, "fix").stays_with[-1] == (
            "The trash keeps the worktree and all that is in it until you empty it; "
            "undo brings it back."
        )

    def test_several_come_back_one_by_one(self, repo: Path) -> None:
        for name in ("one", "two"):
            made(repo, name)
        told = question(repo, "one", "two").stays_with[-1]
        assert told.endswith("; undo, once for each, brings them back.")
        assert told.startswith("The trash keeps the worktrees until")


class TestIgnored:
    """Ignored files that look precious are at stake where the main checkout has not the same."""

    @pytest.fixture
    def place(self, repo: Path) -> Path:
        """A worktree with the `.env` of the main checkout, as a repository's `copy` makes it."""
        repos.commit(repo, ".gitignore", ".env*\n")
        (repo / ".env").write_text("PORT=1\n")
        place = made(repo, "fix")
        (place / ".env").write_text("PORT=1\n")
        return place

    @pytest.mark.usefixtures("place")
    def test_one_as_there_is_only_told(self, repo: Path) -> None:
        asked = question(repo, "fix")
        assert asked.losses == ()
        assert asked.notes == (".env, as in the main checkout",)
        assert not any("empty it" in said for said in asked.stays_with)

    def test_one_of_its_own_is_at_stake(self, repo: Path, place: Path) -> None:
        (place / ".env.local").write_text("PORT=2\n")
        assert [loss.summary for loss in question(repo, "fix").losses] == [".env.local"]

    def test_one_that_was_changed_is_too(self, repo: Path, place: Path) -> None:
        (place / ".env").write_text("PORT=2\n")
        assert [loss.summary for loss in question(repo, "fix").losses] == [".env"]

    def test_inspect_names_both_and_tells_them_apart(self, repo: Path, place: Path) -> None:
        (place / ".env.local").write_text("PORT=2\n")
        told = hqt("inspect", "fix", cwd=repo).out
        assert "  .env.local\n" in told, "the sentence, which says what would be lost"
        assert "    .env (as in the main checkout)\n    .env.local\n" in told
        assert done("inspect", "fix", cwd=repo)["ignored"]["precious"] == [".env", ".env.local"]

    @pytest.mark.usefixtures("place")
    def test_in_the_main_checkout_itself_it_is_its_own(self, repo: Path) -> None:
        assert "    .env\n" in hqt("inspect", "main", cwd=repo).out
