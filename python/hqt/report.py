"""The only printer: a result or a failure as text, as JSON, or as a tmux message."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from hqt import documents
from hqt.errors import HqtError
from hqt.models import Caller, Changes
from hqt.names import printable
from hqt.results import (
    Diagnosis,
    Inventory,
    Listing,
    Listings,
    Located,
    LockChanged,
    Opened,
    Removals,
    Reopened,
    TrashListing,
    WorktreeView,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table


def success(result: object, *, as_json: bool, told: Caller | None = None) -> int:
    """Print an answer on standard output, or tell it to the client of a silent key (`told`);
    return the exit status."""
    if told:
        captured = io.StringIO()
        with contextlib.redirect_stdout(captured):
            _text(result)
        _tell(told, "  ".join(captured.getvalue().splitlines()))
    elif as_json:
        _out(json.dumps(documents.document(result)))
    else:
        _text(result)
    return 1 if isinstance(result, Diagnosis) and not result.healthy else 0


def failure(error: HqtError, *, as_json: bool, told: Caller | None = None) -> None:
    """Print a failure on standard error: one JSON line, or a sentence and its remedy; or tell it
    to the client of a silent key."""
    if told:
        _tell(told, f"hqt: {error.message} {error.remedy}")
        return
    if as_json:
        _err(json.dumps(documents.error_document(error)))
        return
    _err(f"hqt: {_block(error.message)}")
    if error.remedy:
        _err(f"     {_block(error.remedy)}")


def progress(stage: str, done: int, total: int) -> None:
    """One line of `--progress` on standard error."""
    _err(json.dumps({"stage": stage, "done": done, "total": total}))


def _tell(caller: Caller, text: str) -> None:
    from hqt.tmux import messages, server

    tmux = server.connect(
        socket_name=caller.socket_name, socket_path=caller.socket_path, environ=os.environ
    )
    with contextlib.suppress(HqtError):
        messages.show(tmux, caller.client, printable(text))


def _out(text: str) -> None:
    _write(sys.stdout, text)


def _err(text: str) -> None:
    _write(sys.stderr, text)


def _write(stream: Any, text: str) -> None:
    """Write a line in whatever encoding the stream has; what it cannot hold becomes "?"."""
    if stream is None:
        return
    encoding = stream.encoding or "ascii"
    print(text.encode(encoding, "replace").decode(encoding), file=stream, flush=True)


def _block(text: str) -> str:
    return "\n     ".join(printable(line) for line in text.splitlines())


@singledispatch
def _text(result: object) -> None:
    raise TypeError(f"{type(result).__name__} has no text form")


@_text.register
def _(result: Listing) -> None:
    _worktrees([result])


@_text.register
def _(result: Listings) -> None:
    _worktrees(result.repositories, titles=True)


def _worktrees(listings: Iterable[Listing], *, titles: bool = False) -> None:
    for listing in listings:
        if titles:
            _out(printable(str(listing.repository.root)))
        nicknames = {view.session.id: view.session.nickname for view in listing.sessions}
        table = _table("", "BRANCH", "CHANGES", "UNIQUE", "STATE", "WINDOWS", "SESSIONS", "PATH")
        for view in listing.worktrees:
            tree = view.worktree
            table.add_row(
                *_cells(
                    "*" if view.current else " ",
                    f"⎇ {tree.label}",
                    changes(view.changes),
                    "?" if view.unique_commits is None else str(view.unique_commits or "-"),
                    _state(view),
                    " ".join(view.windows or ()) or "-",
                    ", ".join(nicknames.get(one, one) for one in view.sessions) or "-",
                    str(tree.path),
                )
            )
        loose = [view for view in listing.sessions if view.worktree is None]
        for session in loose:
            row = session.session
            name, window = row.nickname, session.window or "-"
            table.add_row(*_cells(" ", name, "-", "-", session.state, window, name, "-"))
        _print(table)


def changes(value: Changes | None) -> str:
    """The dirty counts in a few characters: +staged ~modified ?untracked !conflicted."""
    if value is None:
        return "?"
    marks = zip(
        "+~?!", (value.staged, value.modified, value.untracked, value.conflicted), strict=True
    )
    return " ".join(f"{mark}{count}" for mark, count in marks if count) or "-"


def _state(view: WorktreeView) -> str:
    tree = view.worktree
    words = [word for word in ("main" if tree.main else "", tree.operation or "") if word]
    if tree.locked is not None:
        words.append(f"locked ({tree.locked})" if tree.locked else "locked")
    if tree.missing:
        words.append("missing")
    return " ".join(words) or "-"


@_text.register
def _(result: Inventory) -> None:
    tree = result.worktree.worktree
    _out(printable(f"⎇ {tree.label}  {tree.path}"))
    _out(printable(f"  {result.sentence}"))
    groups = {
        "staged": result.losses.staged,
        "modified": result.losses.modified,
        "untracked": result.losses.untracked,
        "conflicted": result.losses.conflicted,
        "hidden edits": result.losses.hidden,
        "unique commits": [f"{one.id[:7]} {one.subject}" for one in result.losses.unique],
        "commits held only here": result.losses.private_refs,
        "submodules": result.losses.submodules,
        "nested repositories": result.losses.nested_repositories,
        "nested worktrees": result.losses.nested_worktrees,
        "mounts": result.losses.mounts,
        "precious ignored files": result.losses.ignored.precious,
        "stashes of the branch (they stay)": result.losses.stashes,
        "could not be checked": result.losses.unsure,
        "in here": result.occupants.busy,
    }
    for title, items in groups.items():
        if items:
            _out(f"  {title}:")
            for item in items:
                _out(f"    {printable(item)}")
    if result.refusals:
        _out("  `hqt remove` would refuse:")
        for refusal in result.refusals:
            _out(printable(f"    {refusal.code}: {refusal.message}"))


@_text.register
def _(result: Opened) -> None:
    label = ""
    if result.worktree:
        label = f"⎇ {result.worktree.worktree.label}"
    elif result.session:
        label = result.session.session.nickname
    where = f" in window {result.window}" if result.window else ""
    place = f": {result.worktree.worktree.path}" if result.worktree else ""
    _out(printable(f"{result.verb.capitalize()} {label}{where}{place}"))
    for note in result.notes:
        _out(printable(note))


@_text.register
def _(result: Reopened) -> None:
    would = "Would open" if result.dry_run else "Opened"
    for opened in result.opened:
        if opened.session:
            _out(printable(f"{would} {opened.session.session.nickname}"))
    if not result.opened:
        _out("Every session has its window.")


@_text.register
def _(result: Removals) -> None:
    for one in result.removed:
        what = f"⎇ {one.branch}" if one.branch else (one.path.name if one.path else one.session)
        _out(printable(f"Removed {what}" + (f": {one.path}" if one.path else "")))
        if one.branch:
            _out(printable(f"Branch {one.branch} {'deleted' if one.branch_deleted else 'kept'}."))
        if one.trash:
            _out(f"In the trash as {one.trash}; `hqt undo` brings it back.")
        for note in one.notes:
            _out(printable(note))


@_text.register
def _(result: TrashListing) -> None:
    if not result.entries:
        _out("Nothing was emptied." if result.emptied else "The trash is empty.")
        return
    table = _table("ID", "BRANCH", "REMOVED", "SIZE", "HOLDS", "PATH")
    for entry in result.entries:
        table.add_row(
            *_cells(
                entry.id,
                entry.branch or "-",
                time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.removed_at)),
                _size(entry.size),
                ", ".join(entry.holds) or "-",
                str(entry.path),
            )
        )
    _print(table)


def _size(size: int | None) -> str:
    if size is None:
        return "?"
    amount = float(size)
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:.0f} {units[0]}"


@_text.register
def _(result: Located) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(os.fsencode(result.path) + b"\n")
    sys.stdout.flush()


@_text.register
def _(result: LockChanged) -> None:
    tree = result.worktree
    if tree.locked is None:
        _out(printable(f"Unlocked ⎇ {tree.label}."))
    else:
        _out(printable(f"Locked ⎇ {tree.label}" + (f": {tree.locked}" if tree.locked else ".")))


@_text.register
def _(result: Diagnosis) -> None:
    for finding in result.findings:
        _out(printable(f"{finding.level:8}{finding.subject}: {finding.message}"))
        if finding.remedy:
            _out(printable(f"        {finding.remedy}"))


def _table(*headings: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    return table


def _cells(*texts: str) -> list[Any]:
    """Cells as data: rich reads no markup in them."""
    from rich.text import Text

    return [Text(printable(text)) for text in texts]


def _print(table: Table) -> None:
    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = None if terminal else 10_000
    plain = not terminal or "NO_COLOR" in os.environ
    console = Console(width=width, highlight=False, no_color=plain)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        _out(line.rstrip())
