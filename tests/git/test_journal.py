"""What a killed creation leaves, at each point it can be killed at, and that it is taken back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.calls import done, hqt, spawn
from helpers.repos import commit, git
from helpers.servers import Server, until
from hqt import paths
from hqt.git import branches, journal, repository, retraction
from hqt.git.journal import Note
from hqt.git.lock import repository_lock


def refs(repo: Path) -> str:
    return git(repo, "for-each-ref")


def test_a_note_lives_as_long_as_the_creation(repo: Path) -> None:
    found = repository.discover(repo)
    with journal.noted(found, repo / ".worktrees" / "x", "0" * 40, "x", None):
        assert journal.pending(found)
    assert not journal.pending(found)
    assert retraction.take_back(found, lambda _: False) == ()


def test_a_note_that_cannot_be_read_is_dropped(repo: Path) -> None:
    found = repository.discover(repo)
    with journal.noted(found, repo / ".worktrees" / "x", "0" * 40, "x", None):
        file = next((repo / ".git" / "hqt").glob("creating*"))
    file.write_text("{")
    assert retraction.take_back(found, lambda _: False) == ()
    assert not journal.pending(found)


def killed(repo: Path, place: Path, branch: str | None = "fix") -> Note:
    """The note of a creation, as one that was killed leaves it."""
    found = repository.discover(repo)
    with journal.noted(
        found, place, git(repo, "rev-parse", "HEAD"), branch, repo / ".worktrees"
    ) as note:
        assert note.file
        kept = note.file.read_bytes()
    note.file.write_bytes(kept)
    return note


def created(repo: Path, note: Note, stage: int) -> None:
    """What a creation has made by then: the steps of git-facts §2, stopped after each."""
    found = repository.discover(repo)
    place, entry = Path(note.path), repo / ".git" / "worktrees" / "fix"
    if stage > 0:
        assert note.branch
        branches.create(found, note.branch, note.commit, mark=f"hqt {note.mark}")
    if stage > 1:
        entry.mkdir(parents=True)
        (entry / "locked").write_text(f"hqt: creating {note.mark}\n")
    if stage > 2:
        place.mkdir(parents=True)
    if stage > 3:
        (entry / "gitdir").write_text(f"{place}/.git\n")
        (entry / "commondir").write_text("../..\n")
        (entry / "HEAD").write_text("ref: refs/heads/fix\n")
        (place / ".git").write_text(f"gitdir: {entry}\n")
    if stage > 4:
        git(place, "reset", "-q", "--hard")


def taken_back(repo: Path) -> str:
    (said,) = retraction.take_back(repository.discover(repo), lambda _: False)
    assert not journal.pending(repository.discover(repo))
    return said


@pytest.mark.parametrize("stage", range(6))
def test_what_was_made_goes_again(repo: Path, stage: int) -> None:
    before = refs(repo)
    place = repo / ".worktrees" / "fix"
    created(repo, killed(repo, place), stage)
    assert "Left behind" not in taken_back(repo)
    assert refs(repo) == before
    assert not place.exists()
    assert not (repo / ".git" / "worktrees" / "fix").exists()
    assert git(repo, "worktree", "list", "--porcelain").count("worktree ") == 1


@pytest.mark.parametrize("stage", range(3))
@pytest.mark.parametrize("logs", ["true", "false"])
def test_what_somebody_has_made_there_meanwhile_stays(repo: Path, stage: int, logs: str) -> None:
    """Their commit is in their reflogs alone."""
    git(repo, "config", "core.logAllRefUpdates", logs)
    place = repo / ".worktrees" / "fix"
    created(repo, killed(repo, place), stage)
    name = ("-b", "fix", str(place)) if stage == 0 else (str(place), "fix")
    git(repo, "worktree", "add", "-q", *name)
    own = commit(place, "work")
    git(place, "reset", "-q", "--hard", "HEAD~1")
    before = refs(repo), git(place, "log", "-g", "--format=%H"), git(repo, "log", "-g", "fix", "--")
    said = taken_back(repo)
    assert str(place) in said
    assert "the branch fix" in said
    now = refs(repo), git(place, "log", "-g", "--format=%H"), git(repo, "log", "-g", "fix", "--")
    assert now == before
    if logs == "true":
        assert own in now[1]
    assert git(place, "status", "--porcelain") == ""


def test_a_branch_of_the_same_name_stays(repo: Path) -> None:
    killed(repo, repo / ".worktrees" / "fix")
    git(repo, "branch", "fix")
    assert "Left behind: the branch fix" in taken_back(repo)
    assert git(repo, "branch", "--list", "fix")


def test_a_branch_without_a_reflog(repo: Path) -> None:
    git(repo, "config", "core.logAllRefUpdates", "false")
    before = refs(repo)
    note = killed(repo, repo / ".worktrees" / "fix")
    created(repo, note, 1)
    note.branch_made(repository.discover(repo), "fix")
    assert "Left behind" not in taken_back(repo)
    assert refs(repo) == before


def test_commits_that_only_a_reflog_knows_keep_the_worktree(repo: Path) -> None:
    place = repo / ".worktrees" / "fix"
    created(repo, killed(repo, place), 5)
    own = commit(place, "work")
    git(place, "reset", "-q", "--hard", "HEAD~1")
    assert "Left behind" in taken_back(repo)
    assert own in git(place, "log", "-g", "--format=%H")
    assert git(repo, "branch", "--list", "fix")


def test_one_that_was_moved_away_stays(repo: Path, sealed: Path) -> None:
    created(repo, killed(repo, repo / ".worktrees" / "fix"), 5)
    git(repo, "worktree", "move", "-f", "-f", ".worktrees/fix", str(sealed / "mine"))
    taken_back(repo)
    assert git(sealed / "mine", "status", "--porcelain") == ""


def test_what_was_taken_back_is_said(repo: Path) -> None:
    created(repo, killed(repo, repo / ".worktrees" / "fix"), 5)
    notes = done("new", "fix", "--no-window", cwd=repo)["notes"]
    place = repo / ".worktrees" / "fix"
    assert notes == [f"A creation that was killed at {place} was taken back."]
    assert notes[0] in paths.log_file().read_text()


@pytest.mark.parametrize("verb", ["remove other", "open other", "move other --to main"])
def test_by_whichever_verb_comes_next(repo: Path, tmux: Server, verb: str) -> None:
    done("-L", tmux.socket, "new", "other", "-d", cwd=repo)
    created(repo, killed(repo, repo / ".worktrees" / "fix"), 5)
    call = hqt("-L", tmux.socket, *verb.split(), cwd=repo)
    assert call.status == 0, call.err
    assert "was killed" in call.out


def test_one_that_somebody_has_used_stays(repo: Path) -> None:
    place = repo / ".worktrees" / "fix"
    created(repo, killed(repo, place), 5)
    (place / "mine").write_text("mine\n")
    assert "Left behind" in taken_back(repo)
    assert (place / "mine").read_text() == "mine\n"
    assert git(place, "branch", "--show-current") == "fix"


def test_one_that_is_finished_stays(repo: Path) -> None:
    created(repo, killed(repo, repo / ".worktrees" / "fix"), 5)
    found = repository.discover(repo)
    assert retraction.take_back(found, lambda _: True) == ()
    assert not journal.pending(found)
    assert git(repo / ".worktrees" / "fix", "branch", "--show-current") == "fix"
    assert "locked" not in git(repo, "worktree", "list", "--porcelain")


def test_half_a_link_is_the_creations_own(repo: Path) -> None:
    place = repo / ".worktrees" / "fix"
    for half in ("", "gitdir: /", f"gitdir: {repo}/.git/worktrees/fix"):
        before = refs(repo)
        created(repo, killed(repo, place), 4)
        (place / ".git").write_text(half)
        assert "Left behind" not in taken_back(repo)
        assert refs(repo) == before
        assert not place.exists()


@pytest.mark.parametrize("other", ["gitdir: elsewhere\n", "gitd\n"])
def test_another_link_is_not(repo: Path, other: str) -> None:
    place = repo / ".worktrees" / "fix"
    created(repo, killed(repo, place), 4)
    (place / ".git").write_text(other)
    assert "Left behind" in taken_back(repo)
    assert (place / ".git").read_text() == other


def test_locks_of_a_git_that_was_killed_with_it(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retraction, "_PATIENCE", 0.1)
    before = refs(repo)
    created(repo, killed(repo, repo / ".worktrees" / "fix"), 5)
    (repo / ".git" / "refs" / "heads" / "fix.lock").write_text("")
    (repo / ".git" / "worktrees" / "fix" / "HEAD.lock").write_text("")
    assert "Left behind" not in taken_back(repo)
    assert refs(repo) == before
    assert not (repo / ".git" / "refs" / "heads" / "fix.lock").exists()


def test_the_lock_on_somebody_elses_branch_stays(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retraction, "_PATIENCE", 0.1)
    killed(repo, repo / ".worktrees" / "fix")
    git(repo, "branch", "fix")
    lock = repo / ".git" / "refs" / "heads" / "fix.lock"
    lock.write_text("")
    taken_back(repo)
    assert lock.exists()


def test_a_restoring_that_was_killed_is_taken_back(repo: Path) -> None:
    """Though a row has told of the worktree all along."""
    done("new", "fix", "--no-window", cwd=repo)
    place = repo / ".worktrees" / "fix"
    shutil.rmtree(place)
    git(repo, "worktree", "prune")
    found = repository.discover(repo)
    with journal.noted(
        found, place, git(repo, "rev-parse", "HEAD"), None, repo / ".worktrees", by_row=False
    ) as note:
        assert note.file
        kept = note.file.read_bytes()
    note.file.write_bytes(kept)
    (repo / ".git" / "worktrees" / "fix").mkdir(parents=True)
    (repo / ".git" / "worktrees" / "fix" / "locked").write_text(f"hqt: creating {note.mark}\n")
    place.mkdir()
    assert "taken back" in done("restore", "fix", cwd=repo)["notes"][0]
    assert git(place, "status", "--porcelain") == ""
    assert "locked" not in git(repo, "worktree", "list", "--porcelain")


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4])
def test_killed_at_any_moment(repo: Path, moment: float) -> None:
    """kill -9 after a while; then the same command again works, or says that it had worked."""
    call = spawn("new", "fix", "--no-window", cwd=repo)
    until(lambda: call.poll() is not None, moment)
    if call.poll() is None:
        os.kill(call.pid, signal.SIGKILL)
    call.wait(10)
    require_all_or_nothing(repo)


STEPS = ("noted", "branch", "entry", "linked", "filled", "set up", "row", "settled")
STEPS_BACK = ("aside", "emptied", "dropped")  # of a creation that has failed


@pytest.mark.parametrize("step", [*STEPS, *STEPS_BACK])
def test_killed_after_each_step(repo: Path, step: str) -> None:
    """The process itself ends at once after the step, with no handler run."""
    kill_after(repo, step)
    require_all_or_nothing(repo)


def test_a_list_tells_a_killed_creation_from_one_that_goes_on(repo: Path) -> None:
    kill_after(repo, "linked")
    with repository_lock(repository.discover(repo), "new"):
        going_on = hqt("list", cwd=repo).out
    assert "being created" in going_on
    assert "interrupted" not in going_on
    _, main, fix, said = hqt("list", cwd=repo).out.splitlines()
    assert "interrupted" not in main
    assert "creation interrupted" in fix
    assert said.startswith("The creation of ⎇ fix was interrupted. The next hqt command here that")
    of_main, of_fix = done("list", cwd=repo)["worktrees"]
    assert set(of_main) == set(of_fix)
    done("new", "other", "--no-window", cwd=repo)
    assert [one["branch"] for one in done("list", cwd=repo)["worktrees"]] == ["main", "other"]


def kill_after(repo: Path, step: str) -> None:
    kill = KILLED.replace("STEP", step)
    env = {**os.environ, "PYTHONPATH": PYTHON}
    call = subprocess.run([sys.executable, "-c", kill], cwd=repo, env=env, check=False)
    assert call.returncode == 9


PYTHON = str(Path(__file__).resolve().parents[2] / "python")
KILLED = """
import os
from hqt.cli import run
from hqt.git import aside, branches, checkout, journal, registration, retraction, sighting
from hqt.sessions import setup
from hqt.sessions.store import Store

def dead(*_, **__):
    os._exit(9)

def after(place, name):
    real = getattr(place, name)
    def call(*a, **k):
        real(*a, **k)
        dead()
    setattr(place, name, call)

def fail(*_, **__):
    raise OSError("the setup failed")

if "STEP" in ("aside", "emptied", "dropped"):
    setup.prepare = fail

where = {
    "aside": (aside, "take", None),
    "emptied": (sighting, "delete", None),
    "dropped": (aside, "drop", None),
    "noted": (branches, "create", dead),
    "branch": (branches, "create", None),
    "entry": (registration, "_make_tree", dead),
    "linked": (registration, "register", None),
    "filled": (checkout, "fill", None),
    "set up": (setup, "prepare", None),
    "row": (Store, "add", None),
    "settled": (journal.admin, "replace_lock", None),
}
place, name, instead = where["STEP"]
setattr(place, name, instead) if instead else after(place, name)
run(["new", "fix", "--no-window"])
raise SystemExit("it went on to its end")
"""


def require_all_or_nothing(repo: Path) -> None:
    """The same command again works, or says that it had worked; and then all of it goes."""
    again = hqt("new", "fix", "--no-window", "--json", cwd=repo)
    assert not list((repo / ".git" / "hqt").glob("unmade*"))
    if again.status:
        assert again.error["code"] == "branch_exists"
    listed = done("list", cwd=repo)
    assert len(listed["sessions"]) == 1
    assert [tree["locked"] for tree in listed["worktrees"]] == [None, None]
    assert done("remove", "fix", cwd=repo)["removed"][0]["branch_deleted"] is True
    assert len(done("list", cwd=repo)["worktrees"]) == 1
    fsck = subprocess.run(["git", "fsck"], cwd=repo, capture_output=True, text=True, check=False)
    assert fsck.returncode == 0, fsck.stderr
