"""Tables for people, as wide as the terminal. Nothing is printed here."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hqt.models import Changes, IgnoredFiles, Session, TrashEntry
from hqt.names import printable
from hqt.results import Listing, SessionView, WorktreeView

PATH = "PATH"  # the column whose cells are cut at their beginning, which all of them share
GAP = 2  # cells between columns
LEAST = {"BRANCH": 20, PATH: 16}  # cells in which such a column can still be read; else 12

# What was refused without force, by its code, as the thing that is in there.
_HELD = {
    "operation_in_progress": "an operation in progress",
    "dirty": "uncommitted files",
    "unique_commits": "unique commits",
    "nested": "repositories inside",
    "timeout": "what could not be checked",
    "git_failed": "what could not be checked",
}


class Table(NamedTuple):
    """Rows of data below headings, drawn as wide as there is room.

    Where that is little, the columns `giving` are cut, the one named first before the others; then
    those `leaving` are left out. An id that is cut short could not be typed.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    giving: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()

    def lines(self, room: int | None) -> Iterator[str]:
        """The headings, then each row, in `room` cells; None: whole, with nothing made short."""
        from rich.cells import cell_len, set_cell_size

        rows = [tuple(map(printable, row)) for row in self.rows]
        if room is not None:
            rows = [self._homely(row) for row in rows]
        rows.insert(0, self.headings)
        whole = [max(cell_len(row[number]) for row in rows) for number in range(len(rows[0]))]
        widths = whole if room is None else self._widths(whole, room)
        for row in rows:
            cells = [
                set_cell_size(_cut(cell, width, heading == PATH), width)
                for cell, width, heading in zip(row, widths, self.headings, strict=True)
                if width
            ]
            line = (" " * GAP).join(cells)
            yield (line if room is None else _cut(line, room)).rstrip()

    def _homely(self, row: tuple[str, ...]) -> tuple[str, ...]:
        """A row with the user's home folder as `~`."""
        home = str(Path.home())
        return tuple(
            f"~{cell.removeprefix(home)}"
            if heading == PATH and (cell == home or cell.startswith(f"{home}/"))
            else cell
            for cell, heading in zip(row, self.headings, strict=True)
        )

    def _widths(self, whole: Sequence[int], room: int) -> list[int]:
        """The width of each column; 0 for one that is left out."""
        least = [
            min(width, LEAST.get(heading, 12)) if heading in self.giving else width
            for heading, width in zip(self.headings, whole, strict=True)
        ]
        for heading in self.leaving:
            if _sum(least) <= room:
                break
            least[self.headings.index(heading)] = 0
        for number in map(self.headings.index, self.giving):  # no room at all
            least[number] -= min(max(_sum(least) - room, 0), max(least[number] - 1, 0))
        left = max(room - _sum(least), 0)
        for heading in reversed(self.giving):
            number = self.headings.index(heading)
            more = min(left, whole[number] - least[number]) if least[number] else 0
            least[number] += more
            left -= more
        return least


def _sum(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (sum(map(bool, widths)) - 1)


def _cut(text: str, cells: int, from_left: bool = False) -> str:
    """`text` in so many cells; a path keeps its end, from a slash on if one is there."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= cells:
        return text
    if not from_left:
        return f"{set_cell_size(text, cells - 1)}…"
    end = set_cell_size(text[::-1], cells - 1)[::-1]
    slash = end.find("/")
    return f"…{end[slash:] if slash >= 0 else end}"


def worktrees(listings: Iterable[Listing], *, titles: bool = False) -> Iterator[str | Table]:
    """Every repository's worktrees and sessions as a table, with the repository as its title."""
    for listing in listings:
        if titles:
            yield printable(str(listing.repository.root))
        known = {view.session.id: view for view in listing.sessions}
        rows = []
        for view in listing.worktrees:
            tree = view.worktree
            here = [known[one] for one in view.sessions if one in known]
            rows.append(
                (
                    "*" if view.current else " ",
                    f"{view.sign} {tree.label}",
                    *_counts(view),
                    _state(view, here),
                    " ".join(view.windows or ()) or "-",
                    ", ".join(map(_called, here)) or "-",
                    str(tree.path),
                )
            )
        for one in listing.sessions:
            if one.worktree is None:
                row = one.session
                branch = f"{listing.sign} {row.worktree_branch}" if row.worktree_branch else "-"
                window = one.window or "-"
                state = "-" if one.state == "archived" else one.state
                rows.append((" ", branch, "-", "-", state, window, _called(one), _place(row)))
        headings = ("", "BRANCH", "CHANGES", "UNIQUE", "STATE", "WINDOWS", "SESSIONS", PATH)
        yield Table(
            headings,
            tuple(rows),
            giving=(PATH, "SESSIONS", "BRANCH"),
            leaving=(PATH, "UNIQUE", "WINDOWS", "SESSIONS", "STATE", "CHANGES"),
        )
        for view in listing.worktrees:
            if view.interrupted:
                called = printable(f"{view.sign} {view.worktree.label}")
                yield (
                    f"The creation of {called} was interrupted. "
                    "The next hqt command here that changes something takes back what it left."
                )


def _counts(view: WorktreeView) -> tuple[str, str]:
    """Its changes and its unique commits; of one that is being made there are none to tell."""
    if view.worktree.being_made:
        return "-", "-"
    unique = "?" if view.unique_commits is None else str(view.unique_commits or "-")
    return changes(view.changes), unique


def changes(value: Changes | None) -> str:
    """The dirty counts in a few characters: +staged ~modified ?untracked !conflicted."""
    if value is None:
        return "?"
    marks = zip(
        "+~?!", (value.staged, value.modified, value.untracked, value.conflicted), strict=True
    )
    return " ".join(f"{mark}{count}" for mark, count in marks if count) or "-"


def _called(view: SessionView) -> str:
    """A session's name. One that was put aside says so there: it is no state of its checkout."""
    return view.session.nickname + (" (archived)" if view.state == "archived" else "")


def _place(session: Session) -> str:
    """Where a session was that is in no worktree; a folder that is not there is no place to go."""
    path = session.worktree_path
    if path is None:
        return str(session.project)
    return str(path) if os.path.lexists(path) else f"{path} (gone)"


def _state(view: WorktreeView, sessions: Iterable[SessionView]) -> str:
    """What a worktree is in the middle of, and what those who live in it do."""
    tree = view.worktree
    words = [word for word in ("main" if tree.main else "", tree.operation or "") if word]
    if tree.being_made:
        words.append("creation interrupted" if view.interrupted else "being created")
    elif tree.locked is not None:
        words.append(f"locked ({tree.locked})" if tree.locked else "locked")
    if tree.missing:
        words.append("missing")
    states = (one.state for one in sessions)
    words += dict.fromkeys(one for one in states if one not in {"closed", "archived"})
    return " ".join(words) or "-"


def held(entry: TrashEntry) -> str:
    """What a removed worktree holds that is nowhere else, in words; "" where there is nothing."""
    return ", ".join(_HELD.get(one, one.replace("_", " ")) for one in entry.holds)


def trash(entries: Iterable[TrashEntry]) -> Table:
    """What is in the trash."""
    rows = [
        (
            entry.id,
            entry.branch or "-",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.removed_at)),
            size(entry.size),
            held(entry) or "-",
            str(entry.path),
        )
        for entry in entries
    ]
    return Table(
        ("ID", "BRANCH", "REMOVED", "SIZE", "HOLDS", PATH),
        tuple(rows),
        giving=(PATH, "HOLDS", "BRANCH"),
        leaving=("SIZE", "REMOVED", PATH, "HOLDS"),
    )


def size(number: int | None) -> str:
    """So many bytes, for people."""
    if number is None:
        return "?"
    amount, units = float(number), ["B", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:.0f} {units[0]}"


def precious(found: IgnoredFiles) -> list[str]:
    """The ignored files that look precious, those told apart that are not only here."""
    also = " (as in the main checkout)"
    return [f"{name}{also if name in found.in_main else ''}" for name in found.precious]


def others_ignored(found: IgnoredFiles) -> str:
    """The ignored files that are not named, in a few words; empty where there are none."""
    if not found.files and not found.partial:
        return ""
    files = "1 other ignored file" if found.files == 1 else f"{found.files} other ignored files"
    return f"{'at least ' if found.partial else ''}{files}, {size(found.size)}"
