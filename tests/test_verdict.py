"""The verdict as a table: which losses and occupants refuse, and what lifts them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.errors import Code
from hqt.models import Commit, Dispute, IgnoredFiles, Losses, Occupants
from hqt.verdict import holds, refusals, sentence

ONE = (Commit("a" * 40, "Add a thing"),)
NONE = Losses()
NOBODY = Occupants()

# What is lost, and the codes that force lifts
LIFTED = [
    (Losses(staged=("a",)), ["dirty"]),
    (Losses(modified=("a",)), ["dirty"]),
    (Losses(untracked=("a/",)), ["dirty"]),
    (Losses(conflicted=("a",)), ["dirty"]),
    (Losses(hidden=("a",)), ["dirty"]),
    (Losses(disputed=(Dispute("dirty", "libgit2 sees a change."),)), ["dirty"]),
    (
        Losses(disputed=(Dispute("unique_commits", "libgit2 sees a commit."),)),
        ["unique_commits"],
    ),
    (
        Losses(staged=("a",), disputed=(Dispute("unique_commits", "libgit2 sees a commit."),)),
        ["dirty", "unique_commits"],
    ),
    (Losses(unique=ONE, unique_count=1), ["unique_commits"]),
    (Losses(private_refs=("refs/worktree/x",)), ["unique_commits"]),
    (Losses(operation="rebase"), ["operation_in_progress"]),
    (Losses(submodules=("sub (commits of its own)",)), ["nested"]),
    (Losses(nested_repositories=("inner (commits of its own)",)), ["nested"]),
    (
        Losses(
            modified=("a",), unique=ONE, unique_count=1, operation="am", submodules=("sub",)
        ),
        ["operation_in_progress", "dirty", "unique_commits", "nested"],
    ),
]  # fmt: skip

# What refuses whatever was lifted
FIRM = [
    (Losses(mounts=("m",)), "nested"),
    (Losses(nested_worktrees=("/w",)), "nested"),
    (Losses(unsure=("Files could not be checked: no.",)), "git_failed"),
    (Losses(unsure=("Files could not be checked: no.",), timed_out=True), "timeout"),
]

# What never refuses
HARMLESS = [
    NONE,
    Losses(ignored=IgnoredFiles(precious=(".env",), files=9, size=9, partial=True)),
    Losses(stashes=("stash@{0}: WIP on topic: abc",)),
    Losses(unstarted=True),
    Losses(elsewhere="1 commit is in main as a copy."),
]


def codes(
    losses: Losses,
    who: Occupants = NOBODY,
    *,
    force: bool = False,
    close: bool = False,
    evacuate: bool = False,
) -> list[str]:
    found = refusals(losses, who, force=force, close=close, evacuate=evacuate)
    return [refusal.code for refusal in found]


@pytest.mark.parametrize(("losses", "expected"), LIFTED)
def test_loss_is_lifted_by_force_and_by_nothing_else(losses: Losses, expected: list[str]) -> None:
    assert codes(losses) == codes(losses, close=True, evacuate=True) == expected
    assert holds(losses) == tuple(expected)
    assert codes(losses, force=True) == []


@pytest.mark.parametrize(("losses", "code"), FIRM)
def test_some_refusals_nothing_lifts(losses: Losses, code: str) -> None:
    assert codes(losses) == codes(losses, force=True, close=True, evacuate=True) == [code]


@pytest.mark.parametrize("losses", HARMLESS)
def test_some_things_only_inform(losses: Losses) -> None:
    assert codes(losses) == []
    assert holds(losses) == ()


def test_the_main_checkout_and_a_lock_stand_first() -> None:
    dirty = Losses(modified=("a",))
    found = refusals(dirty, NOBODY, label="topic", main=True, locked="on a stick", force=True)
    assert [one.code for one in found] == ["main_checkout", "locked"]
    assert found[1].message == "topic is locked: on a stick."
    (unexplained,) = refusals(NONE, NOBODY, label="topic", locked="")
    assert unexplained.message == "topic is locked."


BUSY = Occupants(busy=("vim runs in %1",))
SHARED = Occupants(sessions=("abc",))


def test_work_going_on_is_lifted_by_close_only() -> None:
    assert codes(NONE, BUSY) == codes(NONE, BUSY, force=True, evacuate=True) == ["busy"]
    assert codes(NONE, BUSY, close=True) == []


def test_other_sessions_are_lifted_by_evacuate_only() -> None:
    assert codes(NONE, SHARED) == codes(NONE, SHARED, force=True, close=True) == ["busy"]
    assert codes(NONE, SHARED, evacuate=True) == []


def test_a_mount_stays_when_force_lifts_a_repository_beside_it() -> None:
    both = Losses(mounts=("m",), nested_repositories=("inner (commits of its own)",))
    assert codes(both) == codes(both, force=True) == ["nested"]


def test_a_message_names_what_would_go() -> None:
    losses = Losses(
        modified=("a", "b"),
        untracked=("1", "2", "3", "4", "5", "6"),
        unique=ONE,
        unique_count=3,
        elsewhere="3 commits are in main as a squash.",
    )
    dirty, unique = refusals(losses, NOBODY, label="topic")
    assert dirty.message == (
        "topic has 2 modified files (a and b) and 6 untracked files (1, 2, 3, 4 and 2 more)."
    )
    assert unique.message == (
        "topic has 3 commits that exist nowhere else (aaaaaaa Add a thing and 2 more). "
        "3 commits are in main as a squash."
    )


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        (NONE, "nothing would be lost"),
        (
            Losses(
                staged=("a",), modified=("a", "b"), untracked=("c",),
                unique=ONE, unique_count=2, ignored=IgnoredFiles((".env",)),
            ),
            "3 uncommitted files, 2 commits that exist nowhere else, .env",
        ),
        (Losses(untracked=("new/",)), "1 untracked folder"),
        (Losses(hidden=("a", "b"), operation="am"), "2 hidden edits, an am in progress"),
        (Losses(private_refs=("refs/worktree/x",)), "commits that only refs/worktree/x holds"),
        (Losses(unsure=("No.",)), "what could not be checked"),
    ],
)  # fmt: skip
def test_the_loss_in_plain_words(losses: Losses, expected: str) -> None:
    assert sentence(losses) == expected


NAMES = st.lists(st.text(min_size=1, max_size=5), max_size=6).map(tuple)
DISPUTES = st.lists(
    st.builds(Dispute, st.sampled_from(["dirty", "unique_commits"]), st.text(min_size=1))
).map(tuple)
ANYTHING = st.builds(
    Losses,
    staged=NAMES, modified=NAMES, untracked=NAMES, conflicted=NAMES, hidden=NAMES,
    private_refs=NAMES, submodules=NAMES, nested_repositories=NAMES, nested_worktrees=NAMES,
    mounts=NAMES, disputed=DISPUTES, unsure=NAMES, timed_out=st.booleans(),
    unique_count=st.integers(0, 9), operation=st.sampled_from([None, "rebase", "am"]),
)  # fmt: skip
WHO = st.builds(Occupants, busy=NAMES, sessions=NAMES)


@given(ANYTHING, WHO, st.booleans(), st.booleans(), st.booleans())
def test_permits_only_ever_lift(
    losses: Losses, who: Occupants, force: bool, close: bool, evacuate: bool
) -> None:
    every = codes(losses, who)
    some = codes(losses, who, force=force, close=close, evacuate=evacuate)
    assert set(some) <= set(every)
    order = [str(code) for code in Code]
    assert every == sorted(set(every), key=order.index)
    assert holds(losses) == tuple(codes(losses))
    assert all(refusal.message and refusal.remedy for refusal in refusals(losses, who))


@given(ANYTHING)
def test_a_sentence_says_something_whenever_something_is_held(losses: Losses) -> None:
    told = sentence(losses)
    assert (told == "nothing would be lost") <= (not holds(losses))
    assert sentence(replace(losses, unsure=("No.",))) != "nothing would be lost"
