"""Out of the trash after the repository, the pool, or the folder of both has been moved."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from helpers import trashing
from helpers.portraits import Portrait, differences, portrait
from helpers.repos import git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import passage, recovery, trash, worktrees
from hqt.git.entry import Entry
from hqt.models import TrashEntry


def dirty(tree: Path) -> Path:
    """With something staged, changed and untracked."""
    (tree / "staged").write_text("staged\n")
    git(tree, "add", "staged")
    (tree / "file0").write_text("changed\n")
    (tree / "new").write_text("new\n")
    return tree


@pytest.fixture
def tree(repo: Path) -> Path:
    return dirty(linked(repo, repo / ".worktrees" / "topic"))


def require_back(
    before: Portrait, repo: Path, tree: Path, links: tuple[str, str] = ("", "")
) -> None:
    """Byte for byte, but for the two links, which say `links`; hqt lists it at `tree`, and so does
    git where its link says that.
    """
    after, admin = portrait(tree), Path(git(tree, "rev-parse", "--absolute-git-dir"))
    wanted = links[0] or str(tree / ".git"), links[1] or f"gitdir: {admin}"
    found = (admin / "gitdir").read_text().rstrip("\n"), (tree / ".git").read_text().rstrip("\n")
    assert found == wanted
    for one in (before, after):
        one.admin.pop("gitdir"), one.files.pop(".git")
    if links[0]:
        after.said["listed"] = before.said["listed"]
    assert differences(before, after) == []
    assert admin.parent == repo / ".git" / "worktrees"
    listed = worktrees.list_worktrees(trashing.discover(repo))
    assert [row.path for row in listed if not row.missing] == [repo, tree]
    assert trashing.leftovers(repo) == trashing.pins(repo) == []
    trashing.require_sound(tree)


# The repository


@pytest.mark.parametrize("at_the_old_path", ["nothing", "a link", "another clone", "a copy"])
def test_a_moved_repository(repo: Path, tree: Path, sealed: Path, at_the_old_path: str) -> None:
    """What is there now gets nothing, even if it has an entry of the same id."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    moved = sealed / "moved"
    repo.rename(moved)
    if at_the_old_path == "a link":
        repo.symlink_to(moved)
    if at_the_old_path == "another clone":
        git(sealed, "clone", "-q", str(moved), str(repo))
        (repo / ".worktrees").mkdir()
    if at_the_old_path == "a copy":
        shutil.copytree(moved, repo, symlinks=True)
    back = moved / ".worktrees" / "topic"
    (listed,) = trash.entries(trashing.discover(moved))
    assert listed.path == back
    assert trashing.undo(moved, entry.id).path == back
    theirs = f"{repo}/.worktrees/topic/.git" if at_the_old_path == "a link" else ""
    mine = f"gitdir: {repo}/.git/worktrees/topic" if at_the_old_path == "a link" else ""
    require_back(before, moved, back, (theirs, mine))
    if at_the_old_path == "a copy":
        trashing.undo(repo, entry.id)
        require_back(portrait(back), repo, tree)
    elif at_the_old_path != "a link":
        assert not os.path.lexists(tree)


def test_relative_links_that_still_lead_there_keep_their_bytes(
    repo: Path, tree: Path, sealed: Path
) -> None:
    admin = repo / ".git" / "worktrees" / "topic"
    (admin / "gitdir").write_text(".././../../.worktrees/topic/.git\n")
    (tree / ".git").write_text("gitdir: .././../.git/worktrees/topic\n")
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    repo.rename(sealed / "moved")
    trashing.undo(sealed / "moved", entry.id)
    assert differences(before, portrait(sealed / "moved" / ".worktrees" / "topic")) == []


@pytest.mark.parametrize("old_place", [False, True])
def test_a_moved_repository_to_another_folder(
    repo: Path, tree: Path, sealed: Path, old_place: bool
) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    repo.rename(sealed / "moved")
    back = tree if old_place else sealed / "else" / "where"
    trashing.undo(sealed / "moved", entry.id, to=back)
    require_back(before, sealed / "moved", back)


def test_a_pool_beside_the_repository_stays_where_it_is(repo: Path, sealed: Path) -> None:
    tree = dirty(linked(repo, sealed / "pool" / "topic", "topic"))
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    repo.rename(sealed / "moved")
    trashing.undo(sealed / "moved", entry.id)
    require_back(before, sealed / "moved", tree)


@pytest.mark.parametrize("went", ["both", "both, and a clone came", "the repository"])
def test_the_folder_above_the_repository_and_its_pool(sealed: Path, went: str) -> None:
    above, moved = sealed / "above", sealed / "moved"
    above.mkdir()
    repo = repository(above / "project")
    tree = dirty(linked(repo, above / "project.worktrees" / "topic", "topic"))
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    if went == "the repository":
        moved.mkdir()
        repo.rename(moved / "project")
    else:
        above.rename(moved)
    if "clone" in went:
        git(sealed, "clone", "-q", str(moved / "project"), str(repo))
        tree.parent.mkdir()
    back = tree if went == "the repository" else moved / "project.worktrees" / "topic"
    assert trashing.undo(moved / "project", entry.id).path == back
    require_back(before, moved / "project", back)


def test_worktrees_beside_a_moved_bare_directory(sealed: Path) -> None:
    origin = repository(sealed / "origin")
    (sealed / "above").mkdir()
    git(sealed, "clone", "-q", "--bare", str(origin), str(sealed / "above" / ".bare"))
    tree = dirty(linked(sealed / "above" / ".bare", sealed / "above" / "topic", "topic"))
    before = portrait(tree)
    entry = trashing.remove(sealed / "above" / ".bare", tree)
    (sealed / "above").rename(sealed / "moved")
    back = sealed / "moved" / "topic"
    assert trashing.undo(sealed / "moved" / ".bare", entry.id).path == back
    after = portrait(back)
    for one in (before, after):
        one.admin.pop("gitdir"), one.files.pop(".git")
    assert differences(before, after) == []


def test_a_repository_that_has_become_bare_asks_for_a_place(
    repo: Path, tree: Path, sealed: Path
) -> None:
    """Where its checkout was is nowhere now; nothing moves until somebody says where to."""
    entry = trashing.remove(repo, tree)
    bare = sealed / "project.git"
    (repo / ".git").rename(bare)
    git(bare, "config", "core.bare", "true")
    shutil.rmtree(repo)
    with pytest.raises(HqtError) as refused:
        trashing.undo(bare, entry.id)
    assert refused.value.code is Code.MISSING_WORKTREE
    assert "--to" in refused.value.remedy
    assert [one.id for one in trash.entries(trashing.discover(bare))] == [entry.id]
    assert not repo.exists()
    trashing.undo(bare, entry.id, to=sealed / "topic")
    assert git(sealed / "topic", "diff", "--cached", "--name-only") == "staged"


# The pool


@pytest.mark.parametrize("moved", [False, True])
def test_a_pool_moved_and_linked(repo: Path, tree: Path, sealed: Path, moved: bool) -> None:
    """Its links are kept, as they lead there; hqt lists the physical path."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    (repo / ".worktrees").rename(sealed / "big")
    (repo / ".worktrees").symlink_to(sealed / "big")
    now = sealed / "moved" if moved else repo
    repo.rename(now)
    back = sealed / "big" / "topic"
    assert trashing.undo(now, entry.id).path == back
    require_back(before, now, back, ("", "") if moved else (f"{tree}/.git", ""))
    assert trashing.remove(now, back).path == back, "and again, from the linked pool"


def test_a_pool_linked_to_where_nothing_is_now(repo: Path, tree: Path, sealed: Path) -> None:
    """Its disk may be away: nothing is made in its place."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    (repo / ".worktrees").rename(sealed / "away")
    (repo / ".worktrees").symlink_to(sealed / "big")
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id)
    assert refused.value.code is Code.PATH_EXISTS
    assert "--to" in refused.value.remedy
    assert not (sealed / "big").exists()
    assert trash.entries(trashing.discover(repo)) == (entry,)
    trashing.undo(repo, entry.id, to=sealed / "else" / "where")
    require_back(before, repo, sealed / "else" / "where")


# Cut short


def interrupt(monkeypatch: pytest.MonkeyPatch, where: object, step: str) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(where, step, full)


def removed_and_moved(repo: Path, tree: Path, sealed: Path) -> tuple[Portrait, TrashEntry, Path]:
    """What the tree was, its entry, and where the repository is now."""
    before, entry, now = portrait(tree), trashing.remove(repo, tree), sealed / "moved"
    repo.rename(now)
    return before, entry, now


@pytest.mark.parametrize("step", ["bring_tree", "reattach"])
def test_cut_short_and_taken_back_it_still_knows_where_it_belongs(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before, entry, now = removed_and_moved(repo, tree, sealed)
    with monkeypatch.context() as patched:
        interrupt(patched, passage, step)
        with pytest.raises(HqtError):
            trashing.undo(now, entry.id)
    (listed,) = trash.entries(trashing.discover(now))
    assert listed.path == now / ".worktrees" / "topic"
    trashing.undo(now, entry.id)
    require_back(before, now, now / ".worktrees" / "topic")


def test_one_that_was_left_unfinished_is_listed_and_finished(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, entry, now = removed_and_moved(repo, tree, sealed)
    with monkeypatch.context() as patched:
        interrupt(patched, passage, "bring_tree")
        interrupt(patched, recovery, "take_back")
        with pytest.raises(HqtError):
            trashing.undo(now, entry.id)
    (listed,) = trash.entries(trashing.discover(now))
    assert (listed.id, listed.path) == (entry.id, now / ".worktrees" / "topic")
    (said,) = trash.recover(trashing.discover(now))
    assert "in the trash again" in said
    trashing.undo(now, entry.id)
    require_back(before, now, now / ".worktrees" / "topic")


def test_what_an_older_hqt_could_not_finish_is_finished(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It put the tree at the path of then and registered it, but did not know its own marker."""
    before, entry, now = removed_and_moved(repo, tree, sealed)
    with monkeypatch.context() as patched:
        patched.setattr(Entry, "destination", tree)
        interrupt(patched, passage, "_put")
        with pytest.raises(HqtError):
            trashing.undo(now, entry.id)
    assert (tree / "new").exists()
    (said,) = trash.recover(trashing.discover(now))
    assert said == f"Bringing {tree} back was finished."
    require_back(before, now, tree)


@pytest.mark.parametrize("kind", ["gone", "another's", "a repository"])
def test_a_tree_without_its_marker_stays_in_the_trash(repo: Path, tree: Path, kind: str) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    inside = repo / ".git" / "hqt" / "trash" / entry.id / "tree"
    marker = (inside / ".git").read_text()
    (inside / ".git").unlink()
    if kind == "another's":
        (inside / ".git").write_text(marker.replace(entry.id, "another"))
    if kind == "a repository":
        git(inside, "init", "-q")
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id)
    assert refused.value.code is Code.IDENTITY_MISMATCH
    assert marker.rstrip("\n") in refused.value.remedy
    assert trash.entries(trashing.discover(repo)) == (entry,)
    assert not tree.exists()
    if kind == "a repository":
        shutil.rmtree(inside / ".git")
    (inside / ".git").write_text(marker)
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree)) == []


def leave_half_way(repo: Path, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a crash would, after the tree has gone back and before anything else has."""
    with monkeypatch.context() as patched:
        interrupt(patched, passage, "reattach")
        interrupt(patched, recovery, "take_back")
        with pytest.raises(HqtError):
            trashing.undo(repo, id)


def test_a_copy_made_half_way_leaves_the_originals_tree_alone(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has an entry of the same id, which says that the tree is at that path."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    leave_half_way(repo, entry.id, monkeypatch)
    copy = sealed / "copy"
    shutil.copytree(repo, copy, symlinks=True)
    (said,) = trash.recover(trashing.discover(copy))
    assert "could not be finished" in said
    assert (tree / "new").exists()
    trash.recover(trashing.discover(repo))
    trashing.undo(repo, entry.id)
    require_back(before, repo, tree)


def test_moved_half_way_it_can_be_put_back_by_hand(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the tree is not found, what is said then works."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    leave_half_way(repo, entry.id, monkeypatch)
    now = sealed / "moved"
    repo.rename(now)
    back, inside = now / ".worktrees" / "topic", now / ".git" / "hqt" / "trash" / entry.id / "tree"
    back.rename(sealed / "far")
    (said,) = trash.recover(trashing.discover(now))
    assert "neither in the trash nor at" in said
    (sealed / "far").rename(inside)
    trash.recover(trashing.discover(now))
    trashing.undo(now, entry.id)
    require_back(before, now, back)
