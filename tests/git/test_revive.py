"""Out of the trash: where it comes back, on which branch, and what is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from helpers import states, trashing
from helpers.portraits import Portrait, differences, portrait
from helpers.repos import commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import links, trash, worktrees
from hqt.git.entry import Entry


@pytest.fixture
def tree(repo: Path) -> Path:
    """A worktree with something staged, changed and untracked in it."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    (tree / "staged").write_text("staged\n")
    git(tree, "add", "staged")
    (tree / "file0").write_text("changed\n")
    (tree / "new").write_text("new\n")
    return tree


def same_work(before: Portrait, after: Portrait) -> bool:
    """Files, index and commit; paths and branch may differ."""
    ours, theirs = dict(before.files), dict(after.files)
    ours.pop(".git"), theirs.pop(".git")
    index = before.admin["index"] == after.admin["index"]
    return index and ours == theirs and before.said["commit"] == after.said["commit"]


# Its path


def test_it_comes_back_where_it_was_with_its_folders_and_session(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "a" / "b" / "topic", "a/b/topic")
    before = portrait(tree)
    one = trash.prepare(
        trashing.discover(repo),
        trashing.registered(repo, tree),
        session={"id": "s1"},
        pool=repo / ".worktrees",
    )
    trash.take(one)
    assert not (repo / ".worktrees" / "a").exists()
    undone = trashing.undo(repo, one.id)
    assert undone == trash.Undone(tree, "a/b/topic", False, None, {"id": "s1"})
    assert differences(before, portrait(tree)) == []


@pytest.mark.parametrize("kind", ["folder", "empty folder", "file", "dangling link"])
def test_a_taken_path_is_left_as_it_is(repo: Path, tree: Path, kind: str, sealed: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    if "folder" in kind:
        tree.mkdir()
    if kind == "folder":
        (tree / "theirs").write_text("theirs\n")
    if kind == "file":
        tree.write_text("theirs\n")
    if kind == "dangling link":
        tree.symlink_to("nowhere")
    was = tree.lstat()
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id)
    assert refused.value.code is Code.PATH_EXISTS
    assert "--to" in refused.value.remedy
    assert tree.lstat() == was
    elsewhere = sealed / "made" / "for" / "it"
    assert trashing.undo(repo, entry.id, to=elsewhere).path == elsewhere
    assert same_work(before, portrait(elsewhere))
    assert git(elsewhere, "symbolic-ref", "--short", "HEAD") == "topic"
    assert f"worktree {elsewhere}\n" in git(repo, "worktree", "list", "--porcelain")
    git(repo, "worktree", "repair")
    git(repo, "worktree", "move", str(elsewhere), str(sealed / "moved"))


def test_never_into_the_repositorys_own_directory(repo: Path, tree: Path) -> None:
    entry = trashing.remove(repo, tree)
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id, to=repo / ".git" / "hqt" / "trash" / "mine")
    assert refused.value.code is Code.PATH_EXISTS


def test_an_unknown_id(repo: Path) -> None:
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, "never")
    assert refused.value.code is Code.NO_SUCH_TARGET


def test_folders_made_for_a_failed_undo_go_again(repo: Path, tree: Path, sealed: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    (repo / ".git" / "worktrees").rmdir()
    (repo / ".git" / "worktrees").write_text("no folder can be made here")
    with pytest.raises(HqtError) as failed:
        trashing.undo(repo, entry.id, to=sealed / "made" / "for" / "it")
    assert failed.value.code is Code.GIT_FAILED
    assert "in the trash as before" in failed.value.message
    assert not (sealed / "made").exists()
    (repo / ".git" / "worktrees").unlink()
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree)) == []


# The name of its admin entry


def test_a_name_that_another_worktree_has_now(repo: Path, tree: Path, sealed: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    other = linked(repo, sealed / "topic", "other")
    theirs = portrait(other)
    trashing.undo(repo, entry.id)
    after = portrait(tree)
    assert same_work(before, after)
    assert before.said["status"] == after.said["status"]
    assert git(tree, "rev-parse", "--git-dir").endswith("/worktrees/topic1")
    assert (theirs.files, theirs.admin) == ((now := portrait(other)).files, now.admin)
    trashing.require_sound(repo)


@pytest.mark.parametrize("how", ["another place", "another name"])
def test_submodules_find_their_git_directories_again(how: str, sealed: Path) -> None:
    repo, tree = states.fresh(sealed)
    inner = repository(sealed / "inner")
    library = repository(sealed / "library")
    git(library, "submodule", "--quiet", "add", str(inner), "deep/inner")
    git(library, "commit", "-q", "-m", "Inner")
    git(tree, "submodule", "--quiet", "add", str(library), "sub/library")
    git(tree, "submodule", "--quiet", "update", "--init", "--recursive")
    git(tree, "commit", "-q", "-m", "Submodule")
    own = commit(tree / "sub" / "library" / "deep" / "inner", "own")
    status = git(tree, "status", "--porcelain")
    entry = trashing.remove(repo, tree)
    if how == "another name":
        linked(repo, sealed / "topic", "other")
    back = tree if how == "another name" else sealed / "some" / "where" / "else"
    trashing.undo(repo, entry.id, to=back)
    assert git(back, "status", "--porcelain") == status
    for folder in ("sub/library", "sub/library/deep/inner"):
        assert git(back / folder, "rev-parse", "--show-toplevel") == str(back / folder)
    assert git(back / "sub/library/deep/inner", "rev-parse", "HEAD") == own


def test_relative_links_stay_relative(repo: Path, tree: Path, sealed: Path) -> None:
    """As `git worktree add --relative-paths` writes them since 2.48."""
    admin = repo / ".git" / "worktrees" / "topic"
    (admin / "gitdir").write_text("../../../.worktrees/topic/.git\n")
    (tree / ".git").write_text("gitdir: ../../.git/worktrees/topic\n")
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree)) == []
    entry = trashing.remove(repo, tree)
    trashing.undo(repo, entry.id, to=sealed / "a" / "b")
    assert (
        sealed / "a" / "b" / ".git"
    ).read_text() == "gitdir: ../../project/.git/worktrees/topic\n"
    assert (admin / "gitdir").read_text() == "../../../../a/b/.git\n"
    assert same_work(before, portrait(sealed / "a" / "b"))


def test_a_worktree_moved_by_hand_is_found_by_its_relative_link(
    repo: Path, tree: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has its name now, and when the link could not be written at once."""
    write, failures = links.write_gitfile, [OSError("no space left")]

    def full_at_first(entry: Entry, tree: Path) -> None:
        if failures:
            raise failures.pop()
        write(entry, tree)

    monkeypatch.setattr(links, "write_gitfile", full_at_first)
    admin = repo / ".git" / "worktrees" / "topic"
    (admin / "gitdir").write_text("../../../.worktrees/topic/.git\n")
    (tree / ".git").write_text("gitdir: ../../.git/worktrees/topic\n")
    status = git(tree, "status", "--porcelain")
    away = sealed / "a" / "b" / "c"
    away.parent.mkdir(parents=True)
    tree.rename(away)
    entry = trashing.remove(repo, tree)
    again = linked(repo, tree, "other")
    away.chmod(0o555)
    trashing.undo(repo, entry.id, to=away)
    assert (away / ".git").read_text() == "gitdir: ../../../project/.git/worktrees/topic1\n"
    assert stat.S_IMODE(away.stat().st_mode) == 0o555
    assert git(away, "status", "--porcelain") == status
    assert git(again, "status", "--porcelain") == ""
    listed = {row.path: row.branch for row in worktrees.list_worktrees(trashing.discover(repo))}
    assert listed == {repo: "main", tree: "other", away: "topic"}
    assert not failures


@pytest.mark.parametrize("link", ["../../.git/worktrees/topic1", "../other/.git", "nowhere", ""])
def test_what_another_relative_link_leads_from_is_left_alone(
    repo: Path, tree: Path, sealed: Path, link: str
) -> None:
    repository(sealed / "other")
    (tree / ".git").write_text("gitdir: ../../.git/worktrees/topic\n")
    away = sealed / "away"
    tree.rename(away)
    entry = trashing.remove(repo, tree)
    (away / ".git").write_text(f"gitdir: {link}\n")
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id, to=away)
    assert refused.value.code is Code.PATH_EXISTS
    assert (away / ".git").read_text() == f"gitdir: {link}\n"


def test_a_moved_worktree_that_leads_to_another_repository_is_left_alone(
    repo: Path, tree: Path, sealed: Path
) -> None:
    """The same words lead there from the new place."""
    link = "gitdir: ../../.git/worktrees/topic\n"
    (tree / ".git").write_text(link)
    other = repository(sealed / "other")
    linked(other, other / ".worktrees" / "topic")
    away = other / ".worktrees" / "mine"
    tree.rename(away)
    entry = trashing.remove(repo, tree)
    with pytest.raises(HqtError) as refused:
        trashing.undo(repo, entry.id, to=away)
    assert refused.value.code is Code.PATH_EXISTS
    assert (away / ".git").read_text() == link


# Its branch


def test_a_branch_that_another_worktree_has_now(repo: Path, tree: Path, sealed: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    git(repo, "worktree", "add", "-q", str(sealed / "other"), "topic")
    undone = trashing.undo(repo, entry.id)
    assert (undone.branch, undone.branch_recreated) == (None, False)
    assert undone.detached_because == (
        f"Branch topic is checked out at {sealed / 'other'} now,"
        " so HEAD is detached at the same commit."
    )
    after = portrait(tree)
    assert same_work(before, after)
    assert before.said["refs"] == after.said["refs"]
    assert git(tree, "symbolic-ref", "-q", "HEAD", check=False) == ""
    assert git(sealed / "other", "status", "--porcelain") == ""


def test_a_branch_that_a_rebase_elsewhere_will_move(repo: Path, tree: Path, sealed: Path) -> None:
    entry = trashing.remove(repo, tree)
    git(repo, "worktree", "add", "-q", str(sealed / "other"), "topic")
    commit(sealed / "other", "one")
    git(sealed / "other", "rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i -e s/^pick/edit/")
    because = trashing.undo(repo, entry.id).detached_because
    assert because is not None
    assert "is being rebased at" in because


def test_a_branch_that_has_moved_on(repo: Path, tree: Path) -> None:
    """HEAD on it would show work as changes that nobody made."""
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    git(repo, "switch", "-q", "topic")
    moved = commit(repo, "elsewhere")
    git(repo, "switch", "-q", "main")
    undone = trashing.undo(repo, entry.id)
    assert undone.detached_because == (
        "Branch topic is at another commit now, so HEAD is detached at the same commit."
    )
    assert same_work(before, portrait(tree))
    assert git(repo, "rev-parse", "topic") == moved


def test_a_branch_in_whose_way_another_stands(repo: Path, tree: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-q", "-D", "topic")
    git(repo, "branch", "-q", "topic/more", "main")
    undone = trashing.undo(repo, entry.id)
    assert undone.detached_because is not None
    assert undone.detached_because.startswith("Branch topic/more stands in the way of topic")
    assert not undone.branch_recreated
    assert same_work(before, portrait(tree))


def test_an_unborn_branch_that_somebody_has_born_meanwhile(repo: Path, sealed: Path) -> None:
    tree = linked(repo, sealed / "tree", "other")
    git(tree, "switch", "-q", "--orphan", "fresh")
    (tree / "first").write_text("first\n")
    git(tree, "add", "first")
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-q", "fresh", "main")
    undone = trashing.undo(repo, entry.id)
    assert undone.branch == "fresh-1"
    assert git(tree, "status", "--porcelain") == "A  first"


def test_a_deleted_branch_comes_back_without_what_it_did_not_have(repo: Path, tree: Path) -> None:
    """No reflog before, no reflog after; and settings made meanwhile are not doubled."""
    (repo / ".git" / "logs" / "refs" / "heads" / "topic").unlink()
    git(repo, "config", "branch.topic.remote", "origin")
    entry = trashing.remove(repo, tree)
    git(repo, "update-ref", "-d", "refs/heads/topic")
    assert trashing.undo(repo, entry.id).branch_recreated
    assert not (repo / ".git" / "logs" / "refs" / "heads" / "topic").exists()
    assert git(repo, "config", "--get-all", "branch.topic.remote") == "origin"


def test_further_branches_can_be_remembered(repo: Path, tree: Path) -> None:
    """The one that the session's row names, when the worktree is on another one."""
    tip = git(repo, "rev-parse", "topic")
    git(tree, "switch", "-q", "-c", "live")
    one = trash.prepare(
        trashing.discover(repo), trashing.registered(repo, tree), branches=("topic",)
    )
    trash.take(one)
    git(repo, "branch", "-q", "-D", "topic", "live")
    trashing.collect_garbage(repo)
    assert trashing.undo(repo, one.id).branch == "live"
    assert git(repo, "rev-parse", "topic") == tip


def test_a_failed_undo_takes_back_the_branch_it_made(repo: Path, tree: Path) -> None:
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    git(repo, "branch", "-q", "-D", "topic")
    (repo / ".git" / "worktrees").rmdir()
    (repo / ".git" / "worktrees").write_text("no folder can be made here")
    with pytest.raises(HqtError):
        trashing.undo(repo, entry.id)
    (repo / ".git" / "worktrees").unlink()
    assert git(repo, "branch", "--list", "topic") == ""
    assert trash.entries(trashing.discover(repo)) == (entry,)
    assert trashing.undo(repo, entry.id).branch_recreated
    assert differences(before, portrait(tree)) == []


# Its permissions


def test_a_directory_that_its_owner_may_not_write(repo: Path, tree: Path) -> None:
    """Root may rename it anyway, so this is done as somebody else where that is possible."""
    tree.chmod(0o555)
    before = portrait(tree)
    if os.geteuid() == 0:
        git(repo, "config", "--global", "--add", "safe.directory", "*")
        for folder, folders, names in os.walk(repo.parent):
            for path in [folder, *(f"{folder}/{name}" for name in (*folders, *names))]:
                os.lchown(path, 65534, 65534)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setgid(65534)
                os.setuid(65534)
                entry = trashing.remove(repo, tree)
                trashing.undo(repo, entry.id)
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    else:
        entry = trashing.remove(repo, tree)
        trashing.undo(repo, entry.id)
    assert stat.S_IMODE(tree.stat().st_mode) == 0o555
    assert differences(before, portrait(tree)) == []


@pytest.mark.parametrize(
    "place",
    [".git/objects/here", ".git/here", "src/here", ".worktrees/other/here", "sub/.git/here"],
)
def test_only_where_a_new_worktree_might_be(repo: Path, tree: Path, place: str) -> None:
    linked(repo, repo / ".worktrees" / "other", "other")
    before = portrait(tree)
    entry = trashing.remove(repo, tree)
    with pytest.raises(HqtError) as caught:
        trashing.undo(repo, entry.id, to=repo / place)
    assert caught.value.code is Code.PATH_EXISTS
    assert not (repo / place).exists()
    trashing.undo(repo, entry.id)
    assert differences(before, portrait(tree)) == []


def test_another_folder_of_the_pool(repo: Path, tree: Path) -> None:
    entry = trashing.remove(repo, tree)
    found = trashing.discover(repo)
    rows = worktrees.list_worktrees(found)
    place = repo / ".worktrees" / "elsewhere"
    trash.undo(found, entry.id, to=place, worktrees=rows, pool=repo / ".worktrees")
    assert (place / "new").exists()
