"""Text in cells: made safe to show, measured, cut and folded. Pure functions.

Names of branches, paths and commits are data of others; `clean` is what stands between them and
the terminal. Widths are those prompt_toolkit draws with (`get_cwidth`, character by character), so
that a line measured here is as wide on the screen.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

HIDDEN = "\N{REPLACEMENT CHARACTER}"

# Without them most screens would import prompt_toolkit before their first paint, only to hear "1".
NARROW = frozenset("⎇❯✓…↑↓←─█░•‹›→·●◆✔○✗▪│" + HIDDEN)


def clean(text: str) -> str:
    """`text` with every character that would act instead of show replaced by `�`, one for one.

    That is: controls (so escape sequences become visible), line and paragraph separators, format
    characters (direction overrides, joiners, invisible ones), variation selectors, bytes that are
    not UTF-8. The length stays, so an index into one is an index into the other.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(HIDDEN if _acts(character) else character for character in text)


def _acts(character: str) -> bool:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return True
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def width_of(text: str) -> int:
    """How many cells cleaned `text` takes."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    if character < "\u0300" or character in NARROW:
        return 1
    from prompt_toolkit.utils import get_cwidth

    return get_cwidth(character)


def head(text: str, cells: int) -> str:
    """The longest beginning of `text` that fits into `cells`."""
    if text.isascii():
        return text[: max(cells, 0)]
    used = 0
    for index, character in enumerate(text):
        used += _cells(character)
        if used > cells:
            return text[:index]
    return text


def tail(text: str, cells: int) -> str:
    """The longest end of `text` that fits into `cells`, never beginning with a combining mark."""
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += _cells(text[index])
        if used > cells:
            kept = text[index + 1 :]
            return kept.lstrip("".join(c for c in kept if not _cells(c))) if kept else ""
    return text


def clip(text: str, cells: int, ellipsis: str = "…", *, keep_end: bool = False) -> str:
    """`text` cut to `cells`, the cut marked; `keep_end` for paths, whose end tells more."""
    if width_of(text) <= cells:
        return text
    room = cells - width_of(ellipsis)
    if room < 0:
        return head(text, cells)
    return ellipsis + tail(text, room) if keep_end else head(text, room) + ellipsis


def paragraph(text: str, cells: int) -> tuple[str, ...]:
    """`text` in lines of at most `cells`, broken between words where that is possible."""
    cells = max(cells, 2)
    lines: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if width_of(joined) <= cells:
            line = joined
            continue
        if line:
            lines.append(line)
        while width_of(word) > cells:
            lines.append(head(word, cells))
            word = word[len(lines[-1]) :]
        line = word
    return (*lines, line) if line else tuple(lines)


@dataclass(frozen=True, slots=True)
class Piece:
    """One line of a folded text: `text[start:end]`."""

    start: int
    end: int


def fold(text: str, cells: int) -> tuple[Piece, ...]:
    """The lines on which `text` is edited, at least one: no character is left out but newlines.

    Lines longer than `cells` are broken behind a space where there is one.
    """
    cells = max(cells, 2)
    pieces: list[Piece] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        while width_of(clean(text[start:end])) > cells:
            cut = start + len(head(clean(text[start:end]), cells))
            cut = text.rfind(" ", start, cut) + 1 or cut
            pieces.append(Piece(start, cut))
            start = cut
        pieces.append(Piece(start, end))
        start = end + 1
    return tuple(pieces)


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of an edited line that is visible."""

    start: int  # index of its first character in the whole text
    text: str  # cleaned
    cursor: int  # cells from its beginning


def scrolled(text: str, cursor: int, cells: int) -> Slice:
    """The part of a one-line `text` to show in `cells`; the cursor stands on one of them."""
    shown = clean(text)
    room = max(cells - 1, 0)
    start = len(shown[:cursor]) - len(tail(shown[:cursor], room))
    return Slice(start, head(shown[start:], max(cells, 0)), width_of(shown[start:cursor]))


def index_at(text: str, cells: int) -> int:
    """The index of the character of cleaned `text` that covers cell `cells`; its length beyond."""
    return len(head(text, cells))


def age(seconds: int | None) -> str:
    """How long ago, in one number and unit: `now`, `5m`, `3h`, `2d`, `6w`, `2y`; "" if unknown."""
    if seconds is None:
        return ""
    if seconds < 60:
        return "now"
    for size, unit, below in ((60, "m", 60), (3600, "h", 24), (86400, "d", 14), (604800, "w", 104)):
        if seconds < size * below:
            return f"{seconds // size}{unit}"
    return f"{seconds // 31536000}y"


def enumerated(items: tuple[str, ...]) -> str:
    """`items` as a sentence lists them: `a, b and c`."""
    *others, last = items or ("",)
    return f"{', '.join(others)} and {last}" if others else last
