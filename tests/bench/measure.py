"""Measuring: two sides, turn by turn, so that a busy machine slows both; medians, and a verdict."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Side = Callable[[int], float]  # the number of the round in, milliseconds out


class Skipped(Exception):
    """A case that cannot be measured here; its text says why."""


class Once:
    """A folder that is made when the first case wants it, and is there for the others."""

    def __init__(self, make: Callable[[], Path]) -> None:
        self._make = make
        self._made: Path | None = None

    def __call__(self) -> Path:
        if self._made is None:
            self._made = self._make()
        return self._made


@dataclass(frozen=True, slots=True)
class Target:
    """At most `factor` times the reference, plus `extra` milliseconds (design §7)."""

    factor: float
    extra: float = 0.0

    def met(self, ours: float, reference: float) -> bool:
        return ours <= self.factor * reference + self.extra

    def __str__(self) -> str:
        times = f"{self.factor:g} x" if self.factor != 1 or not self.extra else "reference"
        return f"<= {times} + {self.extra:g} ms" if self.extra else f"<= {times}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Times in milliseconds."""

    what: str
    against: str
    target: Target | None = None
    ours: tuple[float, ...] = ()
    reference: tuple[float, ...] = ()
    note: str = ""  # why there are no figures

    @property
    def measured(self) -> bool:
        return bool(self.ours and self.reference)

    @property
    def ratio(self) -> float:
        return median(self.ours) / median(self.reference)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one or without figures."""
        if self.target is None or not self.measured:
            return None
        return self.target.met(median(self.ours), median(self.reference))


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure. `sides` prepares it and returns ours and the reference."""

    what: str
    against: str
    sides: Callable[[], tuple[Side, Side]]
    target: Target | None = None
    rounds: int | None = None  # at most so many, for what takes long
    needs: tuple[str, ...] = ()  # verbs of hqt


def measure(case: Case, rounds: int) -> Row:
    """Run both sides of a case in turn, after one round that does not count.

    Raises Skipped where the case cannot be measured.
    """
    rounds = min(rounds, case.rounds or rounds)
    ours: list[float] = []
    reference: list[float] = []
    our_side, reference_side = case.sides()
    for number in range(rounds + 1):
        turns = [(ours, our_side), (reference, reference_side)]
        for times, side in turns if number % 2 else reversed(turns):
            times.append(side(number))
    return Row(case.what, case.against, case.target, tuple(ours[1:]), tuple(reference[1:]))


def timed(action: Callable[[], object]) -> float:
    """The milliseconds that `action` takes."""
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000
