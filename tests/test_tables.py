"""Tables on terminals of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from hqt import tables

PLACE = "/home/somebody/code/a-project-of-some-length/.worktrees/feature/a-branch-of-some-length"
ROWS = [
    ("*", "⎇ main", "-", "@0 @1", "/home/somebody/code/a-project-of-some-length"),
    (" ", "⎇ feature/a-branch-of-some-length", "~1 ?2", "@4", PLACE),
]
HEADINGS = ("", "BRANCH", "CHANGES", "WINDOWS", "PATH")


def drawn(width: int) -> list[str]:
    out = io.StringIO()
    table = tables.table(HEADINGS, ROWS, shrinking=("BRANCH", "PATH"))
    Console(file=out, width=width, no_color=True).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [200, 120, 100, 80, 60])
def test_only_what_may_be_cut_is_cut_and_shows_it(width: int) -> None:
    heading, first, second = drawn(width)
    assert first.startswith("*")
    assert all(word in heading for word in HEADINGS)
    assert "~1 ?2" in second
    assert "@4" in second
    assert "@0 @1" in first
    for line in (first, second):
        assert line.endswith("…") or line.split()[-1] in {row[-1] for row in ROWS}
    if width == 200:
        assert PLACE in second
