"""What is typed finds what was meant, the best first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.ui.fuzzy import rank, score


def best_first(typed: str, *names: str) -> list[str]:
    ranked = [(points, name) for name in names if (points := rank(typed, (name,))) is not None]
    return [name for _, name in sorted(ranked, key=lambda pair: -pair[0])]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("login", ["login", "login-page", "fix/login", "relogin", "l-o-g-i-n"]),
        ("fl", ["flow", "fix-login", "awful"]),
        ("v1", ["v1", "v1.0", "release/v1", "dev1"]),
        ("LOGIN", ["Login", "fix/Login"]),
    ],
)
def test_the_better_answer_comes_first(typed: str, names: list[str]) -> None:
    assert best_first(typed, *reversed(names)) == names


@pytest.mark.parametrize(
    ("typed", "text", "found"),
    [
        ("", "anything", True),
        ("fxlgn", "fix/login", True),
        ("nigol", "login", False),
        ("loginn", "login", False),
        ("x", "", False),
        ("aab", "a-ab", True),
        ("ab", "b-a-xb", True),
    ],
)
def test_letters_count_in_their_order_only(typed: str, text: str, found: bool) -> None:
    assert (rank(typed, (text,)) is not None) is found


def test_each_word_must_be_found_but_not_in_the_same_text() -> None:
    texts = ("fix-login", "Payments", "/home/me/project")
    assert rank("login pay", texts) is not None
    assert rank("login nowhere", texts) is None


def test_the_first_text_weighs_most() -> None:
    branch = rank("login", ("login", "x", "y"))
    path = rank("login", ("x", "y", "login"))
    assert branch is not None
    assert path is not None
    assert branch > path


@given(st.text(max_size=12), st.text(max_size=20))
def test_found_means_that_the_letters_are_there_in_order(word: str, text: str) -> None:
    letters = iter(text)
    assert (score(word, text) is not None) is all(letter in letters for letter in word)


@given(st.text(max_size=6), st.text(max_size=6), st.text(max_size=6))
def test_what_is_there_in_one_piece_beats_what_is_scattered(a: str, b: str, word: str) -> None:
    if not word or word in (spread := "\0".join(word)):
        return
    whole, scattered = score(word, a + word + b), score(word, spread)
    assert whole is not None
    assert scattered is not None
    assert whole > scattered
