"""Native menus: entries as data, paged to the client's height, shown at once by the server.

tmux draws no menu that is larger than the client, without a word; from 3.8 on it draws one in the
window, for all who look at it, and cuts what is larger. It expands the text of an entry as a format
and takes one that begins with `-` for disabled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hqt.models import Client
from hqt.tmux import formats, popups

_FRAME = 2  # rows, and columns, that the border takes
_STATUS = 1  # row of the client that no window has
_MARGIN = 4  # further columns: blanks around a label
_KEY = 4  # columns of ` (k)`
_LEAST_ROWS = 3  # a page needs room for one entry, back and more


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a menu. Its label is shown as it is; its command is one tmux command, word by word.

    Formats in the command (`#{@hqt_launcher}`) are left to the command itself.
    """

    label: str
    key: str = ""
    command: tuple[str, ...] | None = None  # None: a line that cannot be chosen


RULE = Entry("")  # a line between groups


def commands(
    entries: Sequence[Entry], *, client: Client, pane: str | None = None, title: str = ""
) -> dict[str, list[str]]:
    """The menu as what `popups` keeps for `client`, the first page first; empty when the client has
    no room for one.

    What does not fit in the client's height is on further pages.
    """
    rows = client.height - _FRAME - _STATUS
    if client.control or rows < _LEAST_ROWS or client.width < 12:
        return {}
    pages = paged(entries, rows)
    menu = {}
    for number, page in enumerate(pages):
        words = ["display-menu", "-c", client.name, *(["-t", pane] if pane else [])]
        words += [
            "-x",
            "C",
            "-y",
            "C",
            "-T",
            formats.cut(formats.window_name(title), client.width - 8),
        ]
        if number > 0:
            words += _words(_turn("Back", "<", client, number - 1), client.width)
        for entry in page:
            words += _words(entry, client.width)
        if number + 1 < len(pages):
            words += _words(_turn("More", ">", client, number + 1), client.width)
        menu[f"menu{number}"] = words
    return menu


def paged(entries: Sequence[Entry], rows: int) -> list[list[Entry]]:
    """Entries in pages of at most `rows` lines, where a page gives a line to each neighbour."""
    pages: list[list[Entry]] = [[]]
    for number, entry in enumerate(entries):
        page = pages[-1]
        last = number == len(entries) - 1
        room = rows - (len(pages) > 1) - (not last)
        if len(page) >= room:
            page = []
            pages.append(page)
        if page or entry != RULE:  # no page begins with a rule
            page.append(entry)
    return pages


def _turn(label: str, key: str, client: Client, number: int) -> Entry:
    return Entry(f"{label}…", key, tuple(popups.reopen(client.name, f"menu{number}")))


def _words(entry: Entry, width: int) -> list[str]:
    """An entry as the words of display-menu."""
    if entry == RULE:
        return [""]
    label = formats.cut(formats.window_name(entry.label), width - _FRAME - _MARGIN - _KEY)
    if entry.command is None:
        return ["-" + label, "", ""]
    if label.startswith("-"):
        label = "‐" + label[1:]  # a hyphen that tmux does not read
    return [label, entry.key, formats.line([entry.command])]
