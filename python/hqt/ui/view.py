"""What a screen shows, as data: lines of styled fragments, and where the cursor stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hqt.ui import text

# Styles are words that prompt_toolkit and `ansi` both know. The terminal's own colours are the
# ground everywhere, so that light and dark themes both stay readable.
PLAIN = ""
BOLD = "bold"
DIM = "dim"
REVERSE = "reverse"
GOOD = "ansigreen"
BAD = "ansired"
NOTICE = "ansimagenta"

_SGR = {
    "bold": "1",
    "dim": "2",
    "underline": "4",
    "reverse": "7",
    "ansired": "31",
    "ansigreen": "32",
    "ansimagenta": "35",
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text in one style.

    `target` names what a click on it means: a target of the screen's own, or `key:NAME` for what
    pressing that key does.
    """

    text: str
    style: str = PLAIN
    target: str = ""


Line = tuple[Fragment, ...]


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the terminal's cursor stands, in cells from the top left."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Hit:
    """What lies under a click: a target, and how many cells from its beginning."""

    target: str
    offset: int


@dataclass(frozen=True, slots=True)
class View:
    """A whole screen: exactly as many lines as it is high, each exactly as wide as it is."""

    lines: tuple[Line, ...]
    cursor: Cursor | None = None

    def hit(self, x: int, y: int) -> Hit | None:
        """The target at a cell, or None."""
        if not 0 <= y < len(self.lines):
            return None
        start = 0
        for fragment in self.lines[y]:
            end = start + text.width_of(fragment.text)
            if start <= x < end:
                return Hit(fragment.target, x - start) if fragment.target else None
            start = end
        return None

    def plain(self) -> tuple[str, ...]:
        """The characters alone, ends trimmed."""
        return tuple("".join(part.text for part in line).rstrip() for line in self.lines)


def line_width(line: Iterable[Fragment]) -> int:
    """How many cells a line takes."""
    return sum(text.width_of(fragment.text) for fragment in line)


def fit(line: Iterable[Fragment], cells: int) -> Line:
    """`line` cut or filled to exactly `cells`; the filling takes on the last fragment's target."""
    fitted: list[Fragment] = []
    left = cells
    last = Fragment("")
    for last in line:
        shown = text.head(last.text, left)
        left -= text.width_of(shown)
        if shown:
            fitted.append(replace(last, text=shown))
        if shown != last.text:
            break
    if left > 0:
        style = REVERSE if REVERSE in last.style.split() else PLAIN
        fitted.append(Fragment(" " * left, style, last.target))
    return tuple(fitted)


def spread(left: Iterable[Fragment], right: Iterable[Fragment], cells: int) -> Line:
    """`left` at the left and `right` at the right; where both do not fit, `right` gives way."""
    left, right = tuple(left), tuple(right)
    gap = cells - line_width(left) - line_width(right)
    return fit((*left, Fragment(" " * gap), *right) if gap > 0 else left, cells)


def restyled(line: Iterable[Fragment], style: str) -> Line:
    """`line` all in one style, targets kept."""
    return tuple(replace(fragment, style=style) for fragment in line)


def targeted(line: Iterable[Fragment], target: str) -> Line:
    """`line` with `target` on every fragment that has none."""
    return tuple(replace(part, target=part.target or target) for part in line)


def page(lines: Iterable[Line], width: int, height: int, cursor: Cursor | None = None) -> View:
    """A view of exactly `width` × `height`; a cursor outside of it is hidden."""
    kept = [fit(line, width) for line in list(lines)[:height]]
    kept += [fit((), width)] * (height - len(kept))
    if cursor and not (0 <= cursor.x < width and 0 <= cursor.y < height):
        cursor = None
    return View(tuple(kept), cursor)


@dataclass(frozen=True, slots=True)
class Hint:
    """A key in a footer, what it does, and what it is called when clicked."""

    key: str  # as shown
    does: str
    name: str  # as pressed; "" where a click means nothing


def footer(hints: Iterable[Hint], last: Hint, cells: int) -> Line:
    """One line of hints, those left out for which there is no room; `last` is always there."""
    chosen: list[Hint] = []
    left = cells - 2 - _hint_width(last)
    for hint in hints:
        if _hint_width(hint) + 2 <= left:
            left -= _hint_width(hint) + 2
            chosen.append(hint)
    parts = [Fragment(" ")]
    for hint in (*chosen, last):
        target = f"key:{hint.name}" if hint.name else ""
        parts += [Fragment(hint.key, BOLD, target), Fragment(f" {hint.does}", DIM, target)]
        parts.append(Fragment("  "))
    return tuple(parts[:-1])


def _hint_width(hint: Hint) -> int:
    return text.width_of(hint.key) + 1 + text.width_of(hint.does)


def scroll(top: int, cursor: int, rows: int, count: int) -> int:
    """The first visible of `count` rows, moved from `top` no more than showing `cursor` takes."""
    if cursor < top:
        top = cursor
    elif cursor >= top + rows:
        top = cursor - rows + 1
    return max(0, min(top, count - rows))


def ansi(view: View, *, colour: bool = True) -> str:
    """The view as bytes for a terminal, drawn from its top left corner, the cursor placed."""
    parts = ["\x1b[?25l"]
    for number, line in enumerate(view.lines, start=1):
        parts.append(f"\x1b[{number};1H")
        parts += [_dressed(fragment, colour) for fragment in line]
    if view.cursor:
        parts.append(f"\x1b[{view.cursor.y + 1};{view.cursor.x + 1}H\x1b[?25h")
    return "".join(parts)


def _dressed(fragment: Fragment, colour: bool) -> str:
    words = [word for word in fragment.style.split() if colour or not word.startswith("ansi")]
    if not words:
        return fragment.text
    return f"\x1b[{';'.join(_SGR[word] for word in words)}m{fragment.text}\x1b[0m"
