"""The trash in a test's hands: a linked worktree goes in and comes back."""

from __future__ import annotations

import os
from pathlib import Path

from helpers.portraits import Portrait, differences, files, untimed
from helpers.repos import commit, git, linked
from helpers.repos import repository as new_repository
from hqt.git import disposal, repository, trash, worktrees
from hqt.git.entry import Entry
from hqt.models import Repository, TrashEntry, Worktree


def discover(repo: Path) -> Repository:
    return repository.discover(repo)


def registered(repo: Path, tree: Path) -> Worktree:
    """The worktree at `tree` as it is listed now."""
    rows = worktrees.list_worktrees(discover(repo))
    return next(row for row in rows if row.path == tree)


def prepare(repo: Path, tree: Path, *holds: str) -> Entry:
    return trash.prepare(
        discover(repo), registered(repo, tree), holds=holds, pool=repo / ".worktrees"
    )


def remove(repo: Path, tree: Path, *holds: str) -> TrashEntry:
    """Into the trash, in one go."""
    return trash.take(prepare(repo, tree, *holds)).entry


def undo(repo: Path, id: str, to: Path | None = None) -> trash.Undone:
    found = discover(repo)
    return trash.undo(found, id, to=to, worktrees=worktrees.list_worktrees(found))


def collect_garbage(repo: Path) -> None:
    """All that git ever would, at once."""
    git(repo, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    git(repo, "gc", "-q", "--prune=now")


def require_sound(checkout: Path) -> None:
    """git finds nothing missing or broken, nor in the index of this checkout."""
    git(checkout, "fsck", "--no-dangling", "--no-progress")


def pins(repo: Path) -> list[str]:
    """The names of all references that belong to the trash."""
    return git(repo, "for-each-ref", "--format=%(refname)", "refs/hqt").splitlines()


def leftovers(repo: Path) -> list[str]:
    """What the trash holds on disk."""
    own = Path(git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir")) / "hqt"
    return sorted(
        f"{kind}/{child.name}"
        for kind in ("trash", "condemned")
        if (own / kind).is_dir()
        for child in (own / kind).iterdir()
    )


class Case:
    """A worktree that is hard to get right, and how to see that it is."""

    def __init__(self, home: Path, pool: Path | None = None) -> None:
        self.repo = new_repository(home / "project")
        pool = pool or self.repo / ".worktrees"
        self.tree = linked(self.repo, pool / "some" / "topic", "some/topic")
        git(self.repo, "config", "branch.some/topic.remote", "origin")
        self.kept = commit(self.tree, "kept")
        git(self.tree, "reset", "-q", "--soft", "HEAD~1")
        (self.tree / "file0").write_text("changed\n")
        (self.tree / "new").mkdir()
        (self.tree / "new" / "work").write_text("work\n")
        (self.tree / "link").symlink_to("./new//work")
        self.admin = self.repo / ".git" / "worktrees" / "topic"
        self.before = self.now()

    def now(self) -> Portrait:
        """A portrait with fewer questions to git, as it is taken hundreds of times."""
        log = self.repo / ".git" / "logs" / "refs" / "heads" / "some" / "topic"
        said = {
            "refs": git(self.repo, "for-each-ref", "refs/heads", "refs/tags"),
            "branches": git(self.repo, "config", "--get-regexp", "^branch", check=False),
            "reflog": log.read_text() if log.exists() else "none",
        }
        return Portrait(files(self.tree), untimed(files(self.admin)), said)

    def remove(self) -> None:
        trash.take(prepare(self.repo, self.tree, "dirty"))

    def delete_branch(self) -> None:
        git(self.repo, "branch", "-q", "-D", "some/topic")

    def undo(self) -> None:
        (removed,) = trash.entries(discover(self.repo))
        undo(self.repo, removed.id)

    def recover(self) -> tuple[str, ...]:
        said = trash.recover(discover(self.repo))
        assert trash.recover(discover(self.repo)) == (), f"once is enough: {said}"
        disposal.sweep(discover(self.repo))
        return said

    def require_whole(self) -> bool:
        """Assert the property; whether the worktree was in its place."""
        removed = trash.entries(discover(self.repo))
        there = os.path.lexists(self.tree)
        assert there == (not removed), (there, removed, "it is in one of two places")
        if removed:
            assert not self.admin.exists()
            assert leftovers(self.repo) == [f"trash/{removed[0].id}"]
            self.undo()
        found = differences(self.before, self.now())
        assert not found, found
        assert pins(self.repo) == leftovers(self.repo) == []
        assert git(self.repo, "cat-file", "-t", self.kept) == "commit"
        return there
