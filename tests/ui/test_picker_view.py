"""What the picker shows, and what it leaves out where there is no room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hqt.models import Changes
from hqt.ui import icons, picker_state
from hqt.ui.picker_columns import changes
from hqt.ui.picker_model import (
    Acted,
    Action,
    Filled,
    ListFailed,
    PickerOptions,
    PickerRow,
    PickerState,
    Previewed,
    Scope,
)
from hqt.ui.view import REVERSE, View
from ui.pickers import ASK, FIX, MAIN, PAY, after, filtered, listing, many, opened, screen, seen

FULL = replace(
    FIX,
    changes=Changes(1, 2, 3, 4),
    unique=5,
    operation="rebase",
    locked="",
    missing=True,
    windows=2,
    age=7200,
)


def line(state: PickerState, word: str, width: int = 78) -> str:
    return next(line for line in seen(state, width).plain() if word in line)


@pytest.mark.parametrize(
    ("counted", "shown"),
    [
        (Changes(), ""),
        (Changes(staged=1), "+1"),
        (Changes(1, 2, 3, 4), "+1 ~2 ?3 !4"),
        (Changes(untracked=12), "?12"),
    ],
)
def test_changes_read_like_git_status(counted: Changes, shown: str) -> None:
    assert View((changes(counted),)).plain() == (shown,)


def test_a_row_says_all_there_is_to_say() -> None:
    said = line(opened(FULL), "fix-login", 100)
    assert said == (
        " * ● working  ⎇ fix-login  Login         "
        "+1 ~2 ?3 !4      ↑5  rebase locked missing  2 windows   2h"
    )


@pytest.mark.parametrize("width", [40, 64, 78, 100, 130])
@pytest.mark.parametrize("counted", [Changes(), Changes(0, 2, 3), None])
def test_nothing_moves_while_counts_arrive(width: int, counted: Changes | None) -> None:
    """Neither a column's place nor whether it is there."""
    state = opened(*(replace(row, windows=1, age=60) for row in (MAIN, FIX, PAY)))
    before = seen(state, width).plain()
    for row in (PAY, MAIN, FIX):
        state = after(state, Filled(replace(row, changes=counted, unique=3, age=60)))
        now = seen(state, width).plain()
        assert now[1] == before[1], "the headings"
        for line in now[2:5]:
            assert line.find("1 window") == before[2].find("1 window")


def test_windows_are_counted_not_numbered() -> None:
    assert "1 window" in line(opened(replace(FIX, windows=1)), "fix-login", 100)
    assert "window" not in line(opened(replace(FIX, windows=0)), "fix-login", 100)


def test_columns_go_from_the_right_where_there_is_no_room() -> None:
    def columns(width: int) -> list[str]:
        whole = screen(opened(FULL), width)
        return [w for w in ("+1 ~2", "↑5", "rebase", "2h", "working") if w in whole]

    assert columns(100) == ["+1 ~2", "↑5", "rebase", "2h", "working"]
    assert columns(78) == ["+1 ~2", "↑5", "rebase", "working"]
    assert columns(64) == ["+1 ~2", "↑5", "rebase"]
    assert columns(40) == ["+1 ~2", "↑5"]
    assert columns(24) == []
    assert "⎇ fix-login" in screen(opened(FULL), 24)


def test_a_long_label_is_cut_by_its_width_in_cells() -> None:
    said = screen(opened(replace(FIX, label="名" * 60, changes=Changes(1))), 40)
    assert "名…" in said
    assert "+1" in said


@pytest.mark.parametrize(
    ("row", "sign"),
    [(FIX, "…"), (replace(FIX, changes=Changes(), unique=0), ""), (MAIN, "…"), (ASK, "")],
)
def test_what_is_not_known_yet_shows_that(row: PickerRow, sign: str) -> None:
    assert ("…" in line(opened(row), row.label or row.nickname)) is bool(sign)


def test_what_could_not_be_known_shows_that_too() -> None:
    said = line(after(opened(FIX), Filled(FIX)), "fix-login")
    assert "?" in said
    assert "…" not in said


def test_nothing_is_counted_for_a_missing_directory() -> None:
    assert line(opened(replace(PAY, missing=True)), "pay").split() == [
        "◆", "waiting", "⎇", "feature/pay", "Payments", "missing",
    ]  # fmt: skip


@pytest.mark.parametrize("counted", [None, Changes(1, 2, 3, 4)])
def test_nothing_is_counted_of_what_is_being_made(counted: Changes | None) -> None:
    half = replace(PAY, locked="hqt: creating c7e318e11684", changes=counted)
    assert line(after(opened(half), Filled(half)), "pay").split() == [
        "◆", "waiting", "⎇", "feature/pay", "Payments", "being", "created",
    ]  # fmt: skip


def test_a_creation_that_was_killed_is_told_from_one_that_goes_on() -> None:
    half = replace(PAY, locked="hqt: creating c7e318e11684", interrupted=True)
    assert line(opened(half), "pay").split()[-1] == "interrupted"


def test_the_row_under_the_cursor_stands_out_from_edge_to_edge() -> None:
    shown = seen(opened())
    bars = [line for line in shown.lines if all(REVERSE in part.style for part in line)]
    assert len(bars) == 1
    assert "fix-login" in "".join(part.text for part in bars[0])


def test_marks_and_scope_are_told_above() -> None:
    options = PickerOptions(scope=Scope(True, True))
    state = after(opened(options=options), "tab")
    top = screen(state).splitlines()[0]
    assert "1 marked  all repositories  archived too  4/4" in top
    assert "✓* ● working" in screen(state)


def test_the_title_is_there_until_something_is_typed() -> None:
    state = opened(options=PickerOptions(title="Remove which?", enter=Action.CHOOSE))
    assert "❯ Remove which?" in screen(state)
    assert "Enter choose" in screen(state)
    assert "❯ x" in screen(filtered(state, "x"))


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (picker_state.initial(PickerOptions()), "Reading…"),
        (after(picker_state.initial(PickerOptions()), listing()), "Nothing is here yet"),
        (filtered(opened(), "zzz"), "Nothing answers to that."),
    ],
)
def test_an_empty_list_says_why(state: PickerState, told: str) -> None:
    assert told in screen(state)


def test_messages_take_the_place_of_the_keys() -> None:
    assert screen(after(opened(), "c-l")).splitlines()[-1] == " Lock/unlock…"
    state = after(opened(), "c-l", Acted("Locked fix-login."))
    assert screen(state).splitlines()[-1] == " Locked fix-login."
    assert "Enter open" in screen(after(state, "down")).splitlines()[-1]
    failed = after(opened(), ListFailed(Scope(), "Git did\nnot answer."))
    assert screen(failed).splitlines()[-1] == " Git did�not answer."


@pytest.mark.parametrize(
    ("width", "height", "place"),
    [(78, 18, "below"), (130, 20, "beside"), (78, 12, ""), (40, 12, "")],
)
def test_the_preview_stands_where_there_is_room(width: int, height: int, place: str) -> None:
    state = after(opened(), Previewed(FIX.key, ("3f2a1c9 Log in\tnow", "\x1b[31mevil")))
    shown = seen(state, width, height).plain()
    assert any("3f2a1c9 Log in" in line for line in shown) is bool(place)
    if place:
        assert any("�[31mevil" in line for line in shown)
        assert any("/p/.worktrees/fix-login" in line for line in shown)
        beside = any("│" in line and "Log in" in line for line in shown)
        assert beside is (place == "beside")


def test_headings_go_first_where_the_screen_is_low() -> None:
    assert "branch" in screen(opened(), 78, 12)
    assert "branch" not in screen(opened(), 78, 11)
    assert "fix-login" in screen(opened(), 78, 4)


def test_rows_scroll_with_the_cursor() -> None:
    state = after(opened(*many(50)), "end")
    assert "t49" in screen(state, 78, 10)
    assert "t0 " not in screen(state, 78, 10)


@pytest.mark.parametrize(("width", "height"), [(78, 18), (40, 12)])
def test_the_help_names_every_key(width: int, height: int) -> None:
    told = screen(after(opened(), "?"), width, height)
    for key in ("Enter", "Tab", "^N", "^X", "^A", "^L", "^G", "^Y", "^T", "^R", "F5", "Esc"):
        assert key in told
    assert "…" not in told


@pytest.mark.parametrize(("width", "height"), [(78, 18), (100, 30), (64, 18)])
@pytest.mark.parametrize("ascii", [False, True])
def test_the_help_explains_every_sign(width: int, height: int, ascii: bool) -> None:
    told = screen(after(opened(), "?"), width, height, ascii)
    signs = icons.named("ascii" if ascii else "unicode")
    for sign in (signs.mark, signs.unique, "*", "+~?!", *(sign for _, sign in signs.states)):
        assert f" {sign} " in told, sign
    assert ("staged, modified" in told) is (width == 100)


def test_all_repositories_are_told_apart() -> None:
    rows = (replace(FIX, repository="app"), replace(PAY, repository="lib"))
    assert "app" in line(opened(*rows), "fix-login")


def test_ascii_screens_are_ascii() -> None:
    state = after(opened(FULL, *many(40)), "tab", "tab", Filled(PAY))
    assert screen(state, ascii=True).isascii()
    assert screen(state, 40, 12, ascii=True).isascii()
    assert screen(state, 130, 20, ascii=True).isascii()
    assert screen(after(state, "?"), ascii=True).isascii()


def test_names_of_others_do_not_act() -> None:
    evil = "x\x1b[2J\u202e\n"
    row = replace(FULL, label=evil, nickname=evil, path=evil, operation=evil, repository=evil)
    state = opened(row, options=PickerOptions(title=evil))
    assert "\x1b" not in screen(state, 130, 20)
    assert "\u202e" not in screen(state, 130, 20)


def test_the_footer_and_the_rows_can_be_clicked() -> None:
    shown = seen(opened())
    found = shown.hit(2, 17), shown.hit(0, 3), shown.hit(20, 3)
    assert [hit.target if hit else "" for hit in found] == [
        "key:enter", f"mark:{FIX.key}", f"row:{FIX.key}",
    ]  # fmt: skip
