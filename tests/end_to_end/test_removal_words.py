"""Whatever `remove` refuses without force, the question names: else nobody could agree to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hqt import verdict
from hqt.commands import ui_removal
from hqt.models import Commit, Dispute, IgnoredFiles, Losses

NONE = Losses()
LOST = {
    "staged": replace(NONE, staged=("a",)),
    "modified": replace(NONE, modified=("a",)),
    "untracked": replace(NONE, untracked=("a", "b/")),
    "conflicted": replace(NONE, conflicted=("a",)),
    "hidden": replace(NONE, hidden=("a",)),
    "unique": replace(NONE, unique=(Commit("1" * 40, "One"),), unique_count=1),
    "more unique": replace(NONE, unique=(Commit("1" * 40, "One"),), unique_count=30),
    "private": replace(NONE, private_refs=("refs/worktree/x",)),
    "operation": replace(NONE, operation="rebase"),
    "submodule": replace(NONE, submodules=("sub (dirty)",)),
    "nested": replace(NONE, nested_repositories=("inner (commits)",)),
    "disputed": replace(NONE, disputed=(Dispute("dirty", "libgit2 sees a change in a."),)),
}


@pytest.mark.parametrize("name", LOST)
def test_what_force_lifts_is_named(name: str) -> None:
    lost = LOST[name]
    assert verdict.holds(lost)
    found = ui_removal._losses(lost)
    assert any(loss.force for loss in found)
    assert all(loss.summary and not loss.summary.startswith("0") for loss in found)


def test_nothing_lost_nothing_named() -> None:
    assert ui_removal._losses(NONE) == []


def test_ignored_files_are_named_and_ask_for_no_force() -> None:
    few = replace(NONE, ignored=IgnoredFiles(precious=(".env", "dev.db")))
    [loss] = ui_removal._losses(few)
    assert (loss.summary, loss.force) == (".env, dev.db", False)
    many = replace(NONE, ignored=IgnoredFiles(precious=tuple(f"{n}.key" for n in range(9))))
    [loss] = ui_removal._losses(many)
    assert loss.summary == "9 ignored files that look precious"
    assert len(loss.items) == 9


def test_counts_agree_with_their_nouns() -> None:
    one = ui_removal._losses(LOST["unique"])[0]
    assert one.summary == "1 commit that exists nowhere else"
    more = ui_removal._losses(LOST["more unique"])[0]
    assert more.summary == "30 commits that exist nowhere else"
    assert more.items[-1] == "… and 29 more"
