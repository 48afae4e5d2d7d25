"""The inventory: everything that would go with a worktree (design §5).

Git's plumbing decides. Its questions are sealed (`question`) and run side by side, while the tree
is looked through here. One that fails, warns or takes too long becomes a doubt; a doubt refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from hqt.errors import Code, HqtError
from hqt.git import commits, exclude, hidden, history, ignored, nested, question, status
from hqt.git.commits import Ref
from hqt.git.history import Past
from hqt.git.mounts import mounts_below
from hqt.git.nested import Nested
from hqt.git.operations import operation_in_progress
from hqt.git.question import Place
from hqt.git.status import Entry
from hqt.models import IgnoredFiles, Losses, Repository, Worktree

T = TypeVar("T")
_ASKED = re.compile(r"^git [\w-]+ failed: ")

# Each side of a rename is named, no submodule is passed over, whatever the configuration says
_STATUS = (*status.COMMAND, "--no-renames", status.ALONE, "--ignored=traditional")


def losses(
    repo: Repository,
    worktree: Worktree,
    *,
    recorded_branch: str | None = None,
    base_commit: str | None = None,
    removing: frozenset[str] = frozenset(),
    others: Sequence[Path] = (),
) -> Losses:
    """What would go with `worktree`, as it is now.

    `recorded_branch` is the branch its session was made for, judged beside the one that is checked
    out; `base_commit` (hex) is where that began. `removing` are branches that go at the same time,
    `others` the paths of all other worktrees. Of a missing worktree only what git still has is
    judged. Never raises for a check that failed: that becomes a sentence in `unsure`.
    """
    doubts = _Doubts()
    place = Place(worktree.git_dir, None if worktree.missing else worktree.path)
    with ExitStack() as stack:
        refs = _begun(stack, place, *commits.LISTING)
        files = _files_later(stack, place, doubts)
        inside = _Inside() if worktree.missing else _inside(worktree, others, doubts)
        listed: tuple[Ref, ...] = doubts.settle("References", lambda: commits.parse(refs()), ())
        past = doubts.settle(
            "Commits",
            lambda: history.judge(
                repo,
                place,
                listed,
                history.tips(place, listed, recorded_branch),
                base=base_commit,
                removing=removing,
            ),
            Past(),
        )
        found = files()
        unasked: tuple[str, ...] = doubts.settle(
            "Ignored files",
            lambda: exclude.hidden(
                repo, worktree.path, _paths(found.entries, lambda entry: entry.ignored), others
            ),
            (),
        )
    return Losses(
        staged=_paths(found.entries, lambda entry: entry.staged),
        modified=_modified(found.entries, inside.nested),
        untracked=(*_paths(found.entries, lambda entry: entry.untracked), *unasked),
        conflicted=_paths(found.entries, lambda entry: entry.conflicted),
        hidden=found.hidden,
        unique=past.unique,
        unique_count=past.unique_count,
        private_refs=past.private_refs,
        operation=doubts.settle(
            "Operations", lambda: operation_in_progress(worktree.git_dir), worktree.operation
        ),
        submodules=_submodules(inside.nested, found.entries),
        nested_repositories=inside.nested.repositories,
        nested_worktrees=inside.worktrees,
        mounts=inside.mounts,
        ignored=_ignored(
            worktree,
            [entry for entry in found.entries if entry.path not in unasked],
            inside,
            main=None if worktree.main else repo.main,
        ),
        stashes=past.stashes,
        elsewhere=past.elsewhere,
        unstarted=past.unstarted,
        unsure=tuple(doubts.sentences),
        timed_out=doubts.late,
    )


@dataclass(slots=True)
class _Doubts:
    """The checks that failed."""

    whys: dict[str, list[str]] = field(default_factory=dict)  # what for each reason
    late: bool = False

    def settle(self, what: str, answer: Callable[[], T], instead: T) -> T:
        """The answer, or `instead` and a doubt."""
        try:
            return answer()
        except HqtError as error:
            why = _ASKED.sub("git says: ", error.message)
            self.late |= error.code is Code.TIMEOUT
        except (OSError, ValueError) as error:
            why = f"{str(error).rstrip('.')}."
        self.whys.setdefault(why, []).append(what)
        return instead

    @property
    def sentences(self) -> Iterator[str]:
        """One for each reason."""
        for why, what in self.whys.items():
            *most, last = what
            yield f"{', '.join(most)}{' and ' if most else ''}{last} could not be checked: {why}"


class _Files(NamedTuple):
    entries: tuple[Entry, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Inside:
    nested: Nested = field(default_factory=Nested)
    worktrees: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()


def _begun(stack: ExitStack, place: Place, *arguments: str) -> Callable[[], bytes]:
    """A question that git works on until `stack` ends; a start that fails is told when asked."""
    try:
        return stack.enter_context(question.begun(place, *arguments))
    except HqtError as error:
        failure = error

        def fail() -> bytes:
            raise failure

        return fail


def _files_later(stack: ExitStack, place: Place, doubts: _Doubts) -> Callable[[], _Files]:
    """Begin to compare files; what is returned waits for the result."""
    if place.work_tree is None:
        return lambda: _Files(doubts.settle("The index", lambda: _index_alone(place), ()))
    compared = _begun(stack, place, *_STATUS)
    listing = _begun(stack, place, *hidden.LISTING)

    def files() -> _Files:
        edits: tuple[str, ...] = doubts.settle(
            "Hidden edits", lambda: hidden.edits(place, hidden.flagged(listing())), ()
        )
        return _Files(doubts.settle("Files", lambda: status.parse(compared()), ()), edits)

    return files


def _index_alone(place: Place) -> tuple[Entry, ...]:
    """What a missing worktree's index holds beyond HEAD."""
    if not (place.git_dir / "index").exists():
        return ()
    if question.ask(place, "rev-parse", "--revs-only", "HEAD"):
        out = question.ask(place, "diff-index", "--cached", "--name-only", "-z", "HEAD")
    else:
        out = question.ask(place, "ls-files", "-z")
    return tuple(Entry(path, staged=True) for path in status.names(out))


def _inside(worktree: Worktree, others: Sequence[Path], doubts: _Doubts) -> _Inside:
    """What lies in the tree without being the worktree's own."""
    root = worktree.path
    registered = sorted(path for path in others if path != root and path.is_relative_to(root))
    points: tuple[Path, ...] = doubts.settle("Mounts", lambda: mounts_below(root), ())
    judged = doubts.settle(
        "Nested repositories",
        lambda: nested.judge(
            root, worktree.git_dir, nested.find(root, without=[*points, *registered])
        ),
        Nested(),
    )
    return _Inside(
        judged,
        worktrees=(*map(str, registered), *(str(root / path) for path in judged.worktrees)),
        mounts=tuple(str(point.relative_to(root)) for point in points),
    )


def _paths(entries: Sequence[Entry], wanted: Callable[[Entry], bool]) -> tuple[str, ...]:
    return tuple(entry.path for entry in entries if wanted(entry))


def _modified(entries: Sequence[Entry], inside: Nested) -> tuple[str, ...]:
    """As `git status` shows them, which looks into submodules."""
    seen = _paths(entries, lambda entry: entry.modified)
    return (*seen, *(path for path in inside.edited if path not in seen))


def _submodules(inside: Nested, entries: Sequence[Entry]) -> tuple[str, ...]:
    """Those with commits or edits of their own, and those that `git status` calls changed."""
    known = {line.rpartition(" (")[0] for line in inside.submodules}
    changed = (entry.path for entry in entries if entry.submodule and entry.path not in known)
    return tuple(sorted([*inside.submodules, *(f"{path} (changed)" for path in changed)]))


def _ignored(
    worktree: Worktree, entries: Sequence[Entry], inside: _Inside, *, main: Path | None
) -> IgnoredFiles:
    """The ignored files, except what belongs to other worktrees inside; against those of `main`."""
    seen = _paths(entries, lambda entry: entry.ignored)
    folders = tuple(name for name in (*seen, *inside.nested.ignored) if name.endswith("/"))
    deeper = [one for one in inside.nested.ignored if not one.rstrip("/").startswith(folders)]
    names = [
        name
        for name in (*seen, *deeper)
        if not any(Path(one).is_relative_to(worktree.path / name) for one in inside.worktrees)
    ]
    return ignored.survey(worktree.path, names, main) if names else IgnoredFiles()
