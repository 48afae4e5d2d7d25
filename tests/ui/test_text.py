"""Names of others are shown as they are, and never act on the terminal."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from hqt.ui import text

anything = st.text(st.characters(), max_size=40)  # surrogates included
sizes = st.integers(0, 30)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("fix/login", "fix/login"),
        ("größe 名前", "größe 名前"),
        ("a\x1b[31mred", "a�[31mred"),
        ("two\nlines\tand\rmore", "two�lines�and�more"),
        ("\x9b31m", "�31m"),
        ("right\u202eleft", "right�left"),
        ("zero\u200bwidth\u00adhyphen\ufeff", "zero�width�hyphen�"),
        ("line\u2028paragraph\u2029", "line�paragraph�"),
        ("bytes \udcff", "bytes �"),
        ("e\u0301", "e\u0301"),
        ("heart \u2764\ufe0f", "heart \u2764�"),
        ("", ""),
    ],
)
def test_what_would_act_becomes_visible(raw: str, shown: str) -> None:
    assert text.clean(raw) == shown


@given(anything)
def test_cleaned_text_keeps_its_length_and_is_clean(raw: str) -> None:
    cleaned = text.clean(raw)
    assert len(cleaned) == len(raw)
    assert text.clean(cleaned) == cleaned
    assert "\x1b" not in cleaned
    cleaned.encode()  # no surrogate is left


@given(anything)
def test_widths_are_those_that_the_library_draws_with(raw: str) -> None:
    cleaned = text.clean(raw)
    assert text.width_of(cleaned) == get_cwidth(cleaned)


def test_the_shortcuts_for_widths_agree_with_the_library() -> None:
    latin = (chr(code) for code in range(0xA0, 0x300))
    assert all(get_cwidth(c) == 1 for c in text.NARROW)
    assert all(get_cwidth(c) == 1 for c in latin if text.clean(c) == c)


@pytest.mark.parametrize(
    ("whole", "cells", "keep_end", "shown"),
    [
        ("short", 5, False, "short"),
        ("longer", 5, False, "long…"),
        ("longer", 5, True, "…nger"),
        ("名前名前", 5, False, "名前…"),
        ("名前名前", 4, False, "名…"),
        ("名前名前", 4, True, "…前"),
        ("e\u0301e\u0301", 1, True, "…"),
        ("ab", 1, False, "…"),
        ("ab", 0, False, ""),
        ("ab", -3, False, ""),
    ],
)
def test_what_does_not_fit_is_cut_and_the_cut_is_marked(
    whole: str, cells: int, keep_end: bool, shown: str
) -> None:
    assert text.clip(whole, cells, keep_end=keep_end) == shown


def test_where_not_even_the_mark_fits_the_beginning_stands_alone() -> None:
    assert text.clip("abc", 1, "...") == "a"


@given(anything, sizes, st.booleans())
def test_a_cut_text_never_takes_more_than_its_room(raw: str, cells: int, keep_end: bool) -> None:
    cleaned = text.clean(raw)
    assert text.width_of(text.clip(cleaned, cells, keep_end=keep_end)) <= cells
    assert text.width_of(text.head(cleaned, cells)) <= cells
    assert text.width_of(text.tail(cleaned, cells)) <= cells
    assert cleaned.startswith(text.head(cleaned, cells))
    assert cleaned.endswith(text.tail(cleaned, cells))


@given(anything, sizes)
def test_lines_under_edit_hold_every_character_and_fit(raw: str, cells: int) -> None:
    pieces = text.fold(raw, cells)
    assert pieces[0].start == 0
    assert pieces[-1].end == len(raw)
    for one, following in pairwise(pieces):
        assert raw[one.end : following.start] in ("", "\n")
    for piece in pieces:
        assert "\n" not in raw[piece.start : piece.end]
        assert text.width_of(text.clean(raw[piece.start : piece.end])) <= max(cells, 2)


def test_lines_under_edit_break_behind_a_space() -> None:
    shown = [("one two three\nfour"[p.start : p.end]) for p in text.fold("one two three\nfour", 9)]
    assert shown == ["one two ", "three", "four"]


@given(anything, st.integers(0, 40), st.integers(1, 30))
def test_the_cursor_stands_on_a_cell_of_the_visible_part(raw: str, cursor: int, cells: int) -> None:
    cursor = min(cursor, len(raw))
    part = text.scrolled(raw, cursor, cells)
    assert 0 <= part.cursor < cells
    assert text.width_of(part.text) <= cells
    assert text.clean(raw)[part.start :].startswith(part.text)


@pytest.mark.parametrize(
    ("said", "cells", "lines"),
    [
        ("one two three", 7, ("one two", "three")),
        ("unbreakable", 4, ("unbr", "eaka", "ble")),
        ("a unbreakable b", 4, ("a", "unbr", "eaka", "ble", "b")),
        ("", 9, ()),
        ("名前名前", 4, ("名前", "名前")),
    ],
)
def test_sentences_break_between_words(said: str, cells: int, lines: tuple[str, ...]) -> None:
    assert text.paragraph(said, cells) == lines


@given(anything, sizes)
def test_no_line_of_a_sentence_is_too_long(raw: str, cells: int) -> None:
    assert all(
        text.width_of(line) <= max(cells, 2) for line in text.paragraph(text.clean(raw), cells)
    )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""),
        (-5, "now"),
        (0, "now"),
        (59, "now"),
        (60, "1m"),
        (3599, "59m"),
        (3600, "1h"),
        (86399, "23h"),
        (86400, "1d"),
        (14 * 86400 - 1, "13d"),
        (14 * 86400, "2w"),
        (104 * 604800 - 1, "103w"),
        (104 * 604800, "1y"),
        (3 * 31536000, "3y"),
    ],
)
def test_ages_take_one_number_and_a_unit(seconds: int | None, shown: str) -> None:
    assert text.age(seconds) == shown


@pytest.mark.parametrize(
    ("items", "said"),
    [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_lists_read_like_sentences(items: tuple[str, ...], said: str) -> None:
    assert text.enumerated(items) == said
