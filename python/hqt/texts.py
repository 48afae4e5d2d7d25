"""Results as people read them. Nothing is printed here: `report` does that."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from functools import singledispatch
from typing import TYPE_CHECKING

from hqt import removal_texts, tables
from hqt.names import printable, sentence
from hqt.results import (
    Archived,
    Diagnosis,
    Installed,
    Instructions,
    Inventory,
    Jumped,
    Listing,
    Listings,
    Located,
    LockChanged,
    Opened,
    Removals,
    Reopened,
    Settings,
    Status,
    TrashListing,
    Trust,
    Uninstalled,
)

if TYPE_CHECKING:
    from hqt.models import Cleanup

    Part = str | bytes | tables.Table

_TRY_AGAIN = "`hqt archive {id}` tries again, `hqt inspect {id}` shows what is in it."
_REMOVE = "`hqt remove {id}` takes it away, if that is what you want."
# Why an archived session's worktree is still there, by the reason in its row; and what to do.
_STAYS = {
    "dirty": ("it has changes that are not committed", _TRY_AGAIN),
    "operation_in_progress": ("a rebase, a merge or the like is not finished in it", _TRY_AGAIN),
    "locked": ("it is locked", "`hqt unlock {id}` lifts that; `hqt archive {id}` tries again."),
    "unique_commits": ("it has commits that exist nowhere else", _TRY_AGAIN),
    "nested": ("something of its own is inside: a repository, a worktree or a mount", _TRY_AGAIN),
    "busy": ("a program or a pane is in it", _TRY_AGAIN),
    "referenced": ("another session lives in it", _TRY_AGAIN),
    "not_owned": ("it was not made for this session", _REMOVE),
    "policy": ("hqt never removes such a checkout", "`hqt inspect {id}` shows what it is."),
    "missing": (
        "its folder is gone, but git still lists it",
        "`hqt restore {id}` makes it anew, `hqt remove {id}` forgets it.",
    ),
    "moved": (
        "its folder was moved, and git looks for it at its old place",
        "`hqt doctor` says how to tell git; then `hqt archive {id}` tries again.",
    ),
    "identity_mismatch": (
        "what is at its place is not a worktree that git lists there",
        _TRY_AGAIN,
    ),
    "repository_locked": ("another call of hqt was at work in the repository", _TRY_AGAIN),
    "timeout": ("git took too long", _TRY_AGAIN),
    "git_failed": ("git could not do it; the log says why", _TRY_AGAIN),
    "not_a_repository": ("its repository is not where it was", _TRY_AGAIN),
    "project_missing": ("its repository is not where it was", _TRY_AGAIN),
    "internal": ("there was a fault in hqt; the log says which", _TRY_AGAIN),
}


@singledispatch
def lines(result: object) -> Iterator[Part]:
    """A verb's answer for people, line by line; names in it are made printable.

    Besides lines there are tables, which `report` draws, and bytes, which it passes on as they are.
    """
    raise TypeError(f"{type(result).__name__} has no text form")


def sentences(result: object) -> Iterator[str]:
    """The answer for one line, of which perhaps only the first sentences are seen."""
    brief = removal_texts.brief(result) if isinstance(result, Removals) else lines(result)
    yield from (sentence(part) for part in brief if isinstance(part, str))


@lines.register(Listing)
def _(result: Listing) -> Iterator[Part]:
    yield from tables.worktrees([result])


@lines.register(Listings)
def _(result: Listings) -> Iterator[Part]:
    yield from tables.worktrees(result.repositories, titles=True)


@lines.register(Inventory)
def _(result: Inventory) -> Iterator[Part]:
    tree = result.worktree.worktree
    yield printable(f"{result.worktree.sign} {tree.label}  {tree.path}")
    yield printable(f"  {result.sentence}")
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
        "precious ignored files": tables.precious(result.losses.ignored),
        "stashes of the branch (they stay)": result.losses.stashes,
        "could not be checked": result.losses.unsure,
        "at work in here": result.occupants.busy,
        "panes in here": [
            f"{pane.id} in window {pane.window} {pane.window_name} ({pane.command})"
            for pane in result.occupants.panes
        ],
        "other sessions in here": [
            view.session.nickname
            for view in result.sessions
            if view.session.id in result.occupants.sessions
        ],
    }
    for title, items in groups.items():
        if items:
            yield f"  {title}:"
            for item in items:
                yield f"    {printable(item)}"
    if others := tables.others_ignored(result.losses.ignored):
        yield f"  {others} (the trash keeps them)"
    if result.refusals:
        yield "  `hqt remove` would refuse:"
        for refusal in result.refusals:
            yield printable(f"    {refusal.message}")


@lines.register(Opened)
def _(result: Opened) -> Iterator[Part]:
    label, place = "", None
    if result.session:
        row = result.session.session
        label, place = row.nickname, row.worktree_path or row.project
    if result.worktree:
        tree, moved = result.worktree.worktree, result.verb == "moved"
        place = tree.path
        if moved or not tree.main or label in {"", tree.label}:  # else the session is what counts
            label = f"{f'{label} to ' if moved else ''}{result.worktree.sign} {tree.label}"
    if result.renamed:
        label = ", ".join(f"{old} to {new}" for old, new in result.renamed)
    where = f" in window {result.window}" if result.window else ""
    yield printable(f"{result.verb.capitalize()} {label}{where}" + (f": {place}" if place else ""))
    for note in result.notes:
        yield printable(note)
    if result.verb == "restored" and result.worktree:
        tree = result.worktree.worktree
        name = shlex.quote(tree.branch or str(tree.path))
        yield printable(f"`hqt open {name}` goes there.")


@lines.register(Reopened)
def _(result: Reopened) -> Iterator[Part]:
    would = "Would open" if result.dry_run else "Opened"
    for opened in result.opened:
        if opened.session:
            row = opened.session.session
            yield printable(f"{would} {row.nickname}: {row.worktree_path or row.project}")
            for note in opened.notes:
                yield printable(f"  {note}")
    for failed in result.failed:
        yield printable(f"Could not open {failed.session.nickname}: {failed.message}")
        yield printable(f"  {failed.remedy}")
    if not result.opened and not result.failed:
        yield "Every session has its window."


@lines.register(Removals)
def _(result: Removals) -> Iterator[Part]:
    yield from removal_texts.lines(result)


@lines.register(Archived)
def _(result: Archived) -> Iterator[Part]:
    row = result.session.session
    yield printable(f"{row.nickname} is {'archived' if row.archived else result.session.state}.")
    if row.archived and row.cleanup:
        yield from map(printable, _cleanup(row.id, row.cleanup))


def _cleanup(id: str, cleanup: Cleanup) -> Iterator[str]:
    """What became of an archived session's worktree, why, and what to do about that."""
    reason = cleanup.reason or ""
    why, remedy = _STAYS.get(reason, (reason.replace("_", " "), _TRY_AGAIN))
    match cleanup.status:
        case "scheduled":
            yield (
                "Its worktree is removed in the background if it is clean and its own; "
                f"`hqt archive --status {id}` tells."
            )
        case "removed":
            yield f"Its worktree was removed; `hqt open {id}` brings it back."
        case "retained":
            yield f"Its worktree stays: {why}."
            yield remedy.format(id=id)
        case "failed":
            yield f"Its worktree could not be removed: {why}."
            yield remedy.format(id=id)


@lines.register(TrashListing)
def _(result: TrashListing) -> Iterator[Part]:
    if not result.entries:
        yield "Nothing was emptied." if result.emptied else "The trash is empty."
        return
    if result.emptied:
        yield "Deleted for good:"
        yield from entries(result)
        return
    yield tables.trash(result.entries)


def entries(listing: TrashListing) -> Iterator[str]:
    """A line for each entry of the trash, with what is in it."""
    for one in listing.entries:
        what = f"{listing.sign} {one.branch}" if one.branch else one.path.name
        older = "an older copy of " if one.id in listing.living else ""
        holds = f" (held: {tables.held(one)})" if one.holds else ""
        yield printable(f"  {older}{what}{holds}  {one.path}")


@lines.register(Located)
def _(result: Located) -> Iterator[Part]:
    yield os.fsencode(result.path)


@lines.register(LockChanged)
def _(result: LockChanged) -> Iterator[Part]:
    tree = result.worktree
    called = f"{result.sign} {tree.label}"
    if tree.locked is None:
        yield printable(f"Unlocked {called}.")
    else:
        yield printable(f"Locked {called}" + (f": {tree.locked}" if tree.locked else "."))


@lines.register(Instructions)
@lines.register(Installed)
@lines.register(Uninstalled)
def _(result: Instructions | Installed | Uninstalled) -> Iterator[Part]:
    yield from map(printable, result.sentences)


@lines.register(Trust)
def _(result: Trust) -> Iterator[Part]:
    yield from _said(result)


def setup_question(asked: Trust) -> Iterator[str]:
    """What the user is asked before a repository's command may run, or may not any more."""
    if asked.trusted is None:
        yield printable(f"{asked.path} asks to run this in every new worktree:")
        yield from _command(asked)
        yield "It can do whatever you can. Run it, as long as the file stays exactly as it is?"
    else:
        yield from _said(asked)
        yield "Withdraw that?" if asked.trusted else "Trust it after all?"


def _said(asked: Trust) -> Iterator[str]:
    said = {True: "It is trusted.", False: "It is refused.", None: "It is not trusted."}
    yield printable(f"{asked.path} asks for a setup command:")
    yield from _command(asked)
    yield said[asked.trusted]


def _command(asked: Trust) -> Iterator[str]:
    for line in asked.command.splitlines():
        yield printable(f"    {line}")


@lines.register(Status)
def _(result: Status) -> Iterator[Part]:
    yield printable(result.text)


@lines.register(Jumped)
def _(result: Jumped) -> Iterator[Part]:
    state = f" ({result.state})" if result.state else ""
    yield printable(f"In window {result.window} {result.label}{state}.")


@lines.register(Settings)
def _(result: Settings) -> Iterator[Part]:
    rows = [(f"@hqt-{one.name}", one.value or "-", one.origin) for one in result.settings]
    yield tables.Table(("OPTION", "VALUE", "FROM"), tuple(rows), giving=("FROM", "VALUE"))
    for name in result.unknown:
        yield printable(f"{name} is set in tmux, but hqt knows no such option.")
    for one in result.mistakes:
        yield printable(one.message)
        yield printable(f"    {one.remedy}")
    if result.mistakes:
        yield "Until that is mended, other verbs that need the settings refuse."


@lines.register(Diagnosis)
def _(result: Diagnosis) -> Iterator[Part]:
    for finding in result.findings:
        yield printable(f"{finding.level:8}{finding.subject}: {finding.message}")
        if finding.remedy:
            yield printable(f"        {finding.remedy}")
