"""Tables for people, built with rich, which is imported only where one is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hqt.names import printable

if TYPE_CHECKING:
    from rich.table import Table


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, shrinking: Sequence[str]
) -> Table:
    """A table of data: rich reads no markup in it. Where the terminal is narrow only the columns
    `shrinking` give way; an id that is cut short could not be typed."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    shown = [[printable(cell) for cell in row] for row in rows]
    for number, heading in enumerate(headings):
        whole = max(map(cell_len, [heading, *(row[number] for row in shown)]))
        least = min(whole, 12) if heading in shrinking else whole
        table.add_column(heading, no_wrap=True, overflow="ellipsis", min_width=least)
    for row in shown:
        table.add_row(*map(Text, row))
    return table
