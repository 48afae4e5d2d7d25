"""Where things stand in the picker, for a given size. Pure.

Top to bottom: the filter, headings where there is room, the rows, a preview, the keys. On a wide
screen the preview stands beside the rows instead.
"""

from __future__ import annotations

from dataclasses import dataclass

WIDE = 110  # cells from which the preview stands beside the rows
HIGH = 15  # lines from which it stands below them
HEADED = 12  # lines from which the columns have headings


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes in cells and lines; 0 for what has no place."""

    headings: int
    rows: int
    row_width: int
    beside: int  # width of a preview at the right
    below: int  # height of one below, its rule included


def layout(width: int, height: int) -> Layout:
    """The parts of a screen of this size."""
    headings = 1 if height >= HEADED else 0
    room = max(height - 2 - headings, 0)
    if width >= WIDE and height >= HEADED:
        beside = width * 2 // 5
        return Layout(headings, room, width - beside - 1, beside, 0)
    below = min(room * 2 // 5, 14) if height >= HIGH else 0
    return Layout(headings, room - below, width, 0, below)


def list_rows(width: int, height: int) -> int:
    """How many rows are visible at once."""
    return layout(width, height).rows
