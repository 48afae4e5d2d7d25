"""A view is exactly as large as its screen, and a click finds what was drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.ui import text, view
from hqt.ui.view import Cursor, Fragment, Hint, Hit, View

lines = st.lists(
    st.tuples(st.text(max_size=12).map(text.clean), st.sampled_from(["", "dim", "reverse"])),
    max_size=5,
).map(lambda parts: tuple(Fragment(said, style) for said, style in parts))


@given(lines, st.integers(0, 30))
def test_a_fitted_line_is_exactly_as_wide(line: view.Line, cells: int) -> None:
    assert view.line_width(view.fit(line, cells)) == cells


@given(lines, lines, st.integers(0, 30))
def test_a_spread_line_is_exactly_as_wide(left: view.Line, right: view.Line, cells: int) -> None:
    assert view.line_width(view.spread(left, right, cells)) == cells


@given(st.lists(lines, max_size=8), st.integers(0, 20), st.integers(0, 6))
def test_a_page_is_exactly_as_large(content: list[view.Line], width: int, height: int) -> None:
    made = view.page(content, width, height, Cursor(3, 3))
    assert len(made.lines) == height
    assert all(view.line_width(line) == width for line in made.lines)
    assert made.cursor == (Cursor(3, 3) if width > 3 and height > 3 else None)


def test_the_right_side_gives_way_where_both_do_not_fit() -> None:
    left, right = [Fragment("name")], [Fragment("key")]
    assert View((view.spread(left, right, 9),)).plain() == ("name  key",)
    assert View((view.spread(left, right, 7),)).plain() == ("name",)


def test_the_filling_of_a_reversed_line_is_reversed_and_clickable() -> None:
    filled = view.fit([Fragment("row", "reverse", "row:1")], 6)
    assert filled[-1] == Fragment("   ", "reverse", "row:1")


def test_a_click_finds_its_target_and_how_far_into_it() -> None:
    shown = View(((Fragment("名前"), Fragment("button", "", "key:enter")),))
    assert shown.hit(4, 0) == Hit("key:enter", 0)
    assert shown.hit(9, 0) == Hit("key:enter", 5)
    assert shown.hit(3, 0) is None
    assert shown.hit(10, 0) is None
    assert shown.hit(4, 1) is None
    assert shown.hit(4, -1) is None


HINTS = (Hint("Enter", "open", "enter"), Hint("^X", "remove it now", "c-x"), Hint("F5", "read", ""))


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (60, " Enter open  ^X remove it now  F5 read  ? help"),
        (47, " Enter open  ^X remove it now  F5 read  ? help"),
        (46, " Enter open  ^X remove it now  ? help"),
        (30, " Enter open  F5 read  ? help"),
        (8, " ? help"),
    ],
)
def test_a_footer_leaves_out_what_does_not_fit_but_never_the_last(cells: int, shown: str) -> None:
    line = view.footer(HINTS, Hint("?", "help", "?"), cells)
    assert View((line,)).plain() == (shown,)


@given(st.integers(-5, 50), st.integers(0, 40), st.integers(1, 20), st.integers(1, 41))
def test_scrolling_shows_the_cursor_and_never_leaves_the_rows(
    top: int, cursor: int, rows: int, count: int
) -> None:
    cursor = min(cursor, count - 1)
    first = view.scroll(top, cursor, rows, count)
    assert 0 <= first <= max(count - rows, 0)
    assert first <= cursor < first + rows


def test_scrolling_moves_no_more_than_it_must() -> None:
    assert view.scroll(5, 7, 4, 20) == 5
    assert view.scroll(5, 9, 4, 20) == 6
    assert view.scroll(5, 4, 4, 20) == 4


def test_the_first_paint_is_the_same_view_in_escape_sequences() -> None:
    shown = view.page([(Fragment("ab", "bold ansired"), Fragment("c")), ()], 4, 2, Cursor(1, 1))
    assert view.ansi(shown) == (
        "\x1b[?25l\x1b[1;1H\x1b[1;31mab\x1b[0mc \x1b[2;1H    \x1b[2;2H\x1b[?25h"
    )
    assert "31" not in view.ansi(shown, colour=False)


def test_without_a_cursor_the_terminals_is_hidden() -> None:
    assert view.ansi(view.page([], 2, 1)).startswith("\x1b[?25l")
    assert "?25h" not in view.ansi(view.page([], 2, 1))


def test_every_style_of_the_screens_has_its_sequence() -> None:
    styles = (view.BOLD, view.DIM, view.REVERSE, view.GOOD, view.BAD, view.NOTICE)
    for style in styles:
        assert "\x1b[" in view.ansi(View(((Fragment("x", style),),))).partition("H")[2]
