"""Tables for people, built with rich, which is imported only where one is made."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hqt.models import Changes, IgnoredFiles, Session, TrashEntry
from hqt.names import printable
from hqt.results import Listing, SessionView, WorktreeView

if TYPE_CHECKING:
    from rich.table import Table

# What was refused without force, by its code, as the thing that is in there.
_HELD = {
    "operation_in_progress": "an operation in progress",
    "dirty": "uncommitted files",
    "unique_commits": "unique commits",
    "nested": "repositories inside",
    "timeout": "what could not be checked",
    "git_failed": "what could not be checked",
}


def table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, shrinking: Sequence[str]
) -> Table:
    """A table of data: rich reads no markup in it. Where the terminal is narrow only the columns
    `shrinking` give way; an id that is cut short could not be typed."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, heading in enumerate(headings):
        gives = heading in shrinking
        whole = max(cell_len(printable(row[number])) for row in [headings, *rows])
        # rich narrows what may wrap before it touches the others
        table.add_column(heading, no_wrap=not gives, min_width=min(whole, 12 if gives else whole))
    for row in rows:
        table.add_row(*(Text(printable(cell), no_wrap=True, overflow="ellipsis") for cell in row))
    return table


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
                    f"⎇ {tree.label}",
                    changes(view.changes),
                    "?" if view.unique_commits is None else str(view.unique_commits or "-"),
                    _state(view, here),
                    " ".join(view.windows or ()) or "-",
                    ", ".join(map(_called, here)) or "-",
                    str(tree.path),
                )
            )
        for one in listing.sessions:
            if one.worktree is None:
                row = one.session
                branch = f"⎇ {row.worktree_branch}" if row.worktree_branch else "-"
                window = one.window or "-"
                state = "-" if one.state == "archived" else one.state
                rows.append((" ", branch, "-", "-", state, window, _called(one), _place(row)))
        headings = ("", "BRANCH", "CHANGES", "UNIQUE", "STATE", "WINDOWS", "SESSIONS", "PATH")
        yield table(headings, rows, shrinking=("BRANCH", "SESSIONS", "PATH"))


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
    if tree.locked is not None:
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
    headings = ("ID", "BRANCH", "REMOVED", "SIZE", "HOLDS", "PATH")
    return table(headings, rows, shrinking=("BRANCH", "PATH"))


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
