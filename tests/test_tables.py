"""Tables on terminals of any width."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from hqt import tables
from hqt.models import Repository, Session, TrashEntry, Worktree
from hqt.results import Listing, SessionView, WorktreeView
from hqt.tables import Table

HOME = Path("/home/somebody")
PROJECT = HOME / "code/a-project-of-some-length"
BRANCHES = ("main", "fix-login", "feature/payments-with-a-card")
WIDTHS = [200, 120, 100, 80, 60, 40]


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(HOME))


def path_of(branch: str) -> Path:
    return PROJECT if branch == "main" else PROJECT / ".worktrees" / branch


def listing() -> Table:
    """Three worktrees, a session in each but the main checkout."""
    repository = Repository(PROJECT / ".git", PROJECT, False, PROJECT)
    trees = [
        Worktree(path_of(one), path_of(one) / ".git", one == "main", "0" * 40, one)
        for one in BRANCHES
    ]
    sessions = [
        Session(f"s{n}", tree.label, "shell", PROJECT, 0, None, tree.path, tree.branch)
        for n, tree in enumerate(trees)
        if not tree.main
    ]
    views = tuple(SessionView(one, "idle", trees[n], f"@{n}") for n, one in enumerate(sessions, 1))
    rows = tuple(
        WorktreeView(
            tree,
            current=tree.main,
            base_commit=None,
            changes=None,
            unique_commits=2,
            windows=(f"@{n}",),
            tmux_session="x",
            tmux_session_exists=False,
            sessions=(f"s{n}",),
        )
        for n, tree in enumerate(trees)
    )
    (table,) = tables.worktrees([Listing(repository, rows, views)])
    assert isinstance(table, Table)
    return table


def drawn(table: Table, width: int | None) -> list[str]:
    lines = list(table.lines(width))
    assert width is None or all(cell_len(line) <= width for line in lines)
    return lines


@pytest.mark.parametrize("width", [100, 80, 60, 40])
def test_branches_and_sessions_have_the_room_first(width: int) -> None:
    _, *rows = drawn(listing(), width)
    for branch, row in zip(BRANCHES, rows, strict=True):
        assert f"⎇ {branch}"[:19] in row
        if width >= 100:
            assert f"⎇ {branch} " in row


def test_a_path_is_cut_where_all_are_the_same() -> None:
    heading, main, fix, payments = drawn(listing(), 126)
    assert "PATH" in heading
    assert main.endswith("  …/a-project-of-some-length")
    assert fix.endswith("  …/.worktrees/fix-login")
    assert payments.endswith("  …/payments-with-a-card")


def test_home_is_short_where_somebody_reads_it() -> None:
    assert drawn(listing(), 200)[1].endswith("  ~/code/a-project-of-some-length")
    assert drawn(listing(), None)[1].endswith(f"  {PROJECT}"), "a program needs all of it"
    other = Table(("PATH",), (("/home/somebodyelse/x",), (str(HOME),)))
    assert drawn(other, 80)[1:] == ["/home/somebodyelse/x", "~"]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_row_of_the_trash_names_branch_and_id(width: int) -> None:
    id = "20261130T094121-0123456789"
    entries = [
        TrashEntry(id, path_of(one), one, "0" * 40, 0, ("dirty", "unique_commits"), 1000)
        for one in BRANCHES
    ]
    _, *rows = drawn(tables.trash(entries), width)
    for branch, row in zip(BRANCHES, rows, strict=True):
        assert row.startswith(f"{id}  {branch[:11]}")
    assert width >= 60 or "REMOVED" not in drawn(tables.trash(entries), width)[0]


@pytest.mark.parametrize("width", range(1, 30, 3))
def test_wide_letters_and_no_room_at_all(width: int) -> None:
    rows = (("漢字漢字漢字漢字", "/漢字/漢字漢字漢字漢字"), ("e\u0301" * 20, "/"))
    drawn(Table(("BRANCH", "PATH"), rows, ("PATH", "BRANCH"), ("PATH",)), width)
