"""The bench measures fairly and judges by the design's targets."""

from __future__ import annotations

import pytest

from bench.__main__ import _cells, _table
from bench.measure import Case, Row, Side, Target, measure


@pytest.mark.parametrize(
    ("target", "ours", "reference", "met"),
    [
        (Target(1.5), 42.0, 28.0, True),
        (Target(1.5), 42.1, 28.0, False),
        (Target(3, 150), 240.0, 30.0, True),
        (Target(3, 150), 240.1, 30.0, False),
        (Target(1, 200), 201.0, 1.0, True),
    ],
)
def test_a_target_is_a_factor_and_an_allowance(
    target: Target, ours: float, reference: float, met: bool
) -> None:
    assert target.met(ours, reference) is met
    assert Row("x", "y", target, (ours,), (reference,)).met is met


def test_both_sides_take_turns_and_the_first_round_does_not_count() -> None:
    turns: list[str] = []

    def side(name: str, milliseconds: float) -> Side:
        def run(number: int) -> float:
            turns.append(f"{name}{number}")
            return milliseconds if number else 1e9

        return run

    row = measure(Case("x", "y", lambda: (side("h", 3), side("r", 2))), rounds=2)

    assert turns == ["r0", "h0", "h1", "r1", "r2", "h2"]
    assert row.ours == (3, 3)
    assert row.reference == (2, 2)
    assert row.ratio == 1.5


def test_the_table_says_what_is_missed_and_what_was_not_measured() -> None:
    missed = Row("new", "bare", Target(1.5), (60.0,), (30.0,))
    absent = Row("list", "wt list", Target(0.5), note="skipped: wt is not installed")

    assert _cells(missed) == ("new", "60.0", "30.0", "2.00", "<= 1.5 x", "NO", "bare")
    assert _cells(absent)[1:4] == ("-", "-", "-")
    assert "list, against wt list: skipped: wt is not installed" in _table({}, [missed, absent])
