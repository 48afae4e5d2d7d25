"""Names for sessions that were given none."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.names import is_branch_name, slug
from hqt.sessions.generated import ADJECTIVES, NOUNS, generate


def first(words: Sequence[str]) -> str:
    return words[0]


def test_a_name_is_two_short_words() -> None:
    assert generate(()) != ""
    for _ in range(200):
        adjective, noun = generate(()).split("-")
        assert adjective in ADJECTIVES
        assert noun in NOUNS


def test_no_word_is_there_twice_or_hard_to_type() -> None:
    assert len(set(ADJECTIVES)) == len(ADJECTIVES) >= 64
    assert len(set(NOUNS)) == len(NOUNS) >= 64
    for word in ADJECTIVES + NOUNS:
        assert word.isascii()
        assert word.islower()
        assert 3 <= len(word) <= 7


def test_the_same_source_of_chance_gives_the_same_name() -> None:
    assert generate((), random.Random(7).choice) == generate((), random.Random(7).choice)


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ((), "agile-acorn"),
        (("other",), "agile-acorn"),
        (("agile-acorn",), "agile-agile-acorn"),
        (("Agile-Acorn",), "agile-agile-acorn"),
        (("agile-acorn/x",), "agile-agile-acorn"),
        (("x/agile-acorn",), "agile-acorn"),
        (("agile-acorn", "agile-agile-acorn"), "agile-agile-agile-acorn"),
    ],
)
def test_a_collision_makes_it_longer(taken: tuple[str, ...], name: str) -> None:
    assert generate(taken, first) == name


@given(st.integers(), st.integers(min_value=0, max_value=50))
def test_a_name_is_always_free_and_a_valid_slug_and_branch(seed: int, used: int) -> None:
    choose = random.Random(seed).choice
    taken = {generate((), choose) for _ in range(used)}
    name = generate(taken, choose)
    assert name not in taken
    assert slug(name) == name
    assert is_branch_name(name)
