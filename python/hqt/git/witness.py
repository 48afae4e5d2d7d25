"""The second witness: libgit2 is asked what it sees, and may only add a reason to refuse.

Git decides. Where libgit2 sees a change or a commit that git does not, one of them is wrong, and
nobody should find out by losing it. It is asked only where `support` finds nothing that it is known
to misjudge, and only where its answer costs no more than git's (git-facts §1); it looks at the
files while git does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import question, rawindex
from hqt.git.commits import HOLDING
from hqt.git.support import misjudged
from hqt.later import Later
from hqt.models import Dispute, Losses, Repository, Worktree

if TYPE_CHECKING:
    import pygit2

# Index entries up to which it is asked; beyond, its comparison takes twice as long as git's.
LARGEST = 20_000
NAMED = 3


# Given the inventory and the branches that go at the same time: a dispute for each thing that
# libgit2 sees and the inventory does not name, and for an answer that fails where it should not.
Opinion = Callable[[Losses, frozenset[str]], tuple[Dispute, ...]]


def second_opinion(repo: Repository, worktree: Worktree) -> Opinion:
    """Let libgit2 begin to look at `worktree`; call what is returned when git has answered."""
    files = rawindex.size(worktree.git_dir)
    if worktree.missing or files is None or files > LARGEST:
        return lambda _losses, _removing: ()
    looking = Later(lambda: _look(repo, worktree))

    def compare(losses: Losses, removing: frozenset[str]) -> tuple[Dispute, ...]:
        import pygit2

        if not looking.done.wait(question.PATIENCE):
            return _failed(f"took longer than {question.PATIENCE:g} seconds.")
        try:
            seen = looking.answer()
            return tuple(_beyond(seen, losses, removing)) if seen else ()
        except HqtError as error:
            return _failed(f"failed: {error.message}")
        except (pygit2.GitError, KeyError, ValueError, OSError) as error:
            return _failed(f"failed: libgit2 says: {str(error).rstrip('.')}.")

    return compare


def _failed(how: str) -> tuple[Dispute, ...]:
    return (Dispute(Code.DIRTY, f"The second look {how}"),)


class _Seen(NamedTuple):
    opened: pygit2.Repository
    changed: tuple[str, ...]  # empty where its status is not to be trusted
    history: bool  # whether its walk over commits is


def _look(repo: Repository, worktree: Worktree) -> _Seen | None:
    """What libgit2 sees; None where it refuses the repository as a whole."""
    support = misjudged(worktree.path, worktree.git_dir, repo.common_dir)
    if not support.opens:
        return None
    from hqt.git.repository import open_checkout

    opened = open_checkout(worktree.path)
    changed = () if support.status else tuple(_changed(opened))
    return _Seen(opened, changed, not support.history)


def _beyond(seen: _Seen, losses: Losses, removing: frozenset[str]) -> Iterator[Dispute]:
    """What the inventory does not name."""
    import pygit2

    known = {*losses.staged, *losses.modified, *losses.untracked, *losses.conflicted}
    if unknown := sorted(path for path in seen.changed if path not in known):
        more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        files = "a change" if len(unknown) == 1 else f"{len(unknown)} changes"
        names = ", ".join(unknown[:NAMED])
        said = f"libgit2 sees {files} that git status does not show: {names}{more}."
        yield Dispute(Code.DIRTY, said)
    if seen.history and not seen.opened.head_is_unborn:
        tip = seen.opened.head.peel(pygit2.Commit).id
        gone = removing | _branch(seen.opened)
        count = unique(seen.opened, tip, gone, expected=losses.unique_count)
        if count > losses.unique_count:
            commits = "a commit" if count == 1 else f"{count} commits"
            fewer = losses.unique_count or "none"
            said = f"libgit2 sees {commits} that nothing else holds where git sees {fewer}."
            yield Dispute(Code.UNIQUE_COMMITS, said)


def _branch(opened: pygit2.Repository) -> frozenset[str]:
    name = opened.head.name
    return frozenset({name.removeprefix("refs/heads/")} if not opened.head_is_detached else ())


def _changed(opened: pygit2.Repository) -> Iterator[str]:
    """The paths of changed, staged, conflicted and untracked entries as libgit2 sees them."""
    import pygit2
    from pygit2.enums import DiffOption

    index = opened.index
    found = [index.diff_to_workdir(DiffOption.INCLUDE_UNTRACKED | DiffOption.INCLUDE_TYPECHANGE)]
    if not opened.head_is_unborn:
        tree = opened.head.peel(pygit2.Tree)
        found.append(tree.diff_to_index(index, DiffOption.INCLUDE_TYPECHANGE))
    for diff in found:
        for delta in diff.deltas:
            yield os.fsdecode(delta.new_file.raw_path or delta.old_file.raw_path)


def unique(
    opened: pygit2.Repository,
    tip: pygit2.Oid,
    gone: frozenset[str] = frozenset(),
    *,
    expected: int = 0,
) -> int:
    """The commits reachable from `tip` and from no branch outside `gone`, tag or remote-tracking
    ref, walked by libgit2.

    A walk that hides every reference is slow with many of them (git-facts §3). So only those are
    hidden that are not older than the oldest candidate, which may leave too many, as a wrong clock
    can make a reference look too old; only if that is more than `expected`, all are.
    """
    held = {commit.id: commit.commit_time for commit in _holders(opened, gone)}
    if tip in held:
        return 0
    base = {one for one in _usual(opened) if one in held}
    candidates = _walk(opened, tip, base)
    if not candidates:
        return 0
    oldest = min(commit.commit_time for commit in candidates)
    recent = {one for one, time in held.items() if time >= oldest}
    most = len(_walk(opened, tip, base | recent))
    return most if most <= expected else len(_walk(opened, tip, held))


def _holders(opened: pygit2.Repository, gone: frozenset[str]) -> Iterator[pygit2.Commit]:
    import pygit2

    names = {f"refs/heads/{name}" for name in gone}
    for reference in opened.references.iterator():
        if not reference.name.startswith(HOLDING):
            continue
        try:
            final = reference.resolve()
            if final.name not in names:
                yield final.peel(pygit2.Commit)
        except (KeyError, pygit2.InvalidSpecError):
            continue  # it leads nowhere, or to no commit


def _usual(opened: pygit2.Repository) -> Iterator[pygit2.Oid]:
    """Where most of a history is reached from."""
    for name in ("refs/heads/main", "refs/heads/master"):
        found = opened.references.get(name)
        if found is not None and not isinstance(found.target, str):
            yield found.target


def _walk(
    opened: pygit2.Repository, tip: pygit2.Oid, hidden: Iterable[pygit2.Oid]
) -> list[pygit2.Commit]:
    walk = opened.walk(tip)
    for one in hidden:
        walk.hide(one)
    return list(walk)
