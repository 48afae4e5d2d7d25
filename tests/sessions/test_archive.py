"""`hqt archive`, as a user meets it: what is put aside, what of it goes, and what stays why."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers import repos, terminal, warming
from helpers.calls import PYTHON, done, hqt, refused, spawn
from helpers.plugin import launcher_environment
from helpers.repos import git
from helpers.servers import Server, until
from hqt import paths
from hqt.errors import Code, HqtError
from hqt.models import Caller, Cleanup
from hqt.sessions import archive, reclaim
from hqt.sessions import world as worlds


def made(repo: Path, name: str = "fix", *flags: str) -> Path:
    return Path(done("new", name, "--no-window", *flags, cwd=repo)["worktree"]["path"])


def cleanup(answer: dict[str, Any]) -> tuple[int, str, str | None]:
    found = answer["session"]["cleanup"]
    assert set(found) == {"revision", "status", "reason"}
    return found["revision"], found["status"], found["reason"]


def settled(repo: Path, name: str = "fix") -> tuple[int, str, str | None]:
    """How an attempt in the background has ended."""

    def look() -> tuple[int, str, str | None] | None:
        now = cleanup(done("archive", "--status", name, cwd=repo))
        return None if now[1] == "scheduled" else now

    found = until(look)
    assert found, "it never came to an end"
    return found


def archived(repo: Path, name: str = "fix") -> tuple[int, str, str | None]:
    return cleanup(done("archive", name, "--wait", cwd=repo))


def test_a_clean_worktree_of_its_own_goes_and_its_branch_stays(repo: Path) -> None:
    place = made(repo)
    tip = repos.commit(place, "only-here")
    assert archived(repo) == (1, "removed", None)
    assert not place.exists()
    assert git(repo, "rev-parse", "refs/heads/fix") == tip, "unique commits are on the branch"

    assert done("list", cwd=repo)["sessions"] == []
    [row] = done("list", "--archived", cwd=repo)["sessions"]
    assert (row["nickname"], row["state"], row["worktree"]) == ("fix", "archived", None)
    assert row["worktree_path"] == str(place)
    [entry] = done("trash", "list", cwd=repo)["entries"]
    assert entry["path"] == str(place)
    assert entry["holds"] == [], "what stays on the branch is not lost"


def test_it_happens_behind_the_users_back(repo: Path) -> None:
    place = made(repo)
    answer = done("archive", "fix", cwd=repo)
    assert cleanup(answer) == (1, "scheduled", None)
    assert answer["session"]["state"] == "archived"
    assert settled(repo) == (1, "removed", None)
    assert not place.exists()


def test_open_brings_it_back(repo: Path, tmux: Server) -> None:
    place = made(repo)
    tip = repos.commit(place, "only-here")
    archived(repo)
    back = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert back["session"]["state"] == "idle"
    assert back["session"]["cleanup"] is None
    assert "gone with the archive" in back["notes"][0]
    assert git(place, "rev-parse", "HEAD") == tip
    [row] = done("-L", tmux.socket, "list", "--archived", cwd=repo)["sessions"]
    assert row["state"] == "idle"
    tmux.cmd("kill-window", "-t", back["window"])
    assert archived(repo) == (2, "removed", None), "numbers never begin anew"


def test_open_brings_it_back_out_of_the_trash(repo: Path, tmux: Server) -> None:
    """With what no branch has, and so that nothing older of it can come between later."""
    repos.commit(repo, ".gitignore", ".env\n")
    place = made(repo)
    (place / ".env").write_text("mine\n")
    assert archived(repo)[1] == "removed"
    back = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert (place / ".env").read_text() == "mine\n"
    assert (back["worktree"]["branch"], back["branch_recreated"]) == ("fix", False)
    assert back["notes"] == [
        "The worktree had gone with the archive and came back from the trash, ignored files and "
        f"all, to {place}."
    ]
    assert done("trash", "list", cwd=repo)["entries"] == []
    [row] = done("list", cwd=repo)["sessions"]
    assert (row["nickname"], row["worktree_path"]) == ("fix", str(place))


def moved_on(repo: Path) -> None:
    git(repo, "switch", "-q", "fix")
    repos.commit(repo, "later")
    git(repo, "switch", "-q", "main")


def broken(repo: Path) -> None:
    [entry] = (repo / ".git" / "hqt" / "trash").iterdir()
    (entry / "tree" / ".git").write_text("gitdir: nowhere\n")


@pytest.mark.parametrize("why", [moved_on, broken])
def test_what_is_in_the_trash_is_no_reason_not_to_open(
    repo: Path, tmux: Server, why: Callable[[Path], None]
) -> None:
    place = made(repo)
    archived(repo)
    why(repo)
    back = done("-L", tmux.socket, "open", "fix", cwd=repo)
    assert back["worktree"]["branch"] == "fix"
    assert git(place, "rev-parse", "HEAD") == git(repo, "rev-parse", "fix")
    assert "checked out again" in back["notes"][0]
    assert len(done("trash", "list", cwd=repo)["entries"]) == 1


def opened_again(repo: Path, tmux: Server, place: Path) -> str:
    moved_on(repo)  # so that the copy in the trash stays there
    done("-L", tmux.socket, "open", "fix", cwd=repo)
    return str(place)


def moved_by_git(repo: Path, tmux: Server, place: Path) -> str:
    opened_again(repo, tmux, place)
    git(repo, "worktree", "move", str(place), str(repo.parent / "away"))
    return str(repo.parent / "away")


def moved_to_main(repo: Path, tmux: Server, place: Path) -> str:
    opened_again(repo, tmux, place)
    done("-L", tmux.socket, "move", "fix", "--to", "main", cwd=repo)
    return str(repo)


@pytest.mark.parametrize("how", [opened_again, moved_by_git, moved_to_main])
def test_undo_takes_no_session_away_from_where_it_lives(
    repo: Path, tmux: Server, how: Callable[[Path, Server, Path], str]
) -> None:
    place = made(repo)
    archived(repo)
    home = how(repo, tmux, place)
    before = done("-L", tmux.socket, "list", cwd=repo)["sessions"]
    back = done("-L", tmux.socket, "undo", "--to", repo.parent / "else", cwd=repo)
    assert back["session"] is None
    assert back["worktree"]["path"] == str(repo.parent / "else")
    assert back["notes"][-1] == (
        f"It came back without a session: fix lives in {home} now and stays there."
    )
    assert done("-L", tmux.socket, "list", cwd=repo)["sessions"] == before


def test_where_undo_is_blocked_the_older_ones_are_named(repo: Path, tmux: Server) -> None:
    made(repo, "old")
    done("remove", "old", cwd=repo)
    place = made(repo)
    archived(repo)
    opened_again(repo, tmux, place)
    error = refused("undo", cwd=repo)
    assert error["code"] == "path_exists"
    assert "`hqt trash list`" in error["remedy"]
    assert "`hqt trash restore ID`" in error["remedy"]


def test_undo_brings_it_back_too(repo: Path) -> None:
    repos.commit(repo, ".gitignore", "cache\n")
    place = made(repo)
    (place / "cache").write_text("x")
    assert archived(repo)[1] == "removed", "ignored files do not retain"
    back = done("undo", cwd=repo)
    assert back["session"]["state"] == "closed"
    assert (place / "cache").read_text() == "x"
    assert [one["nickname"] for one in done("list", cwd=repo)["sessions"]] == ["fix"]


def dirty(place: Path) -> None:
    (place / "notes").write_text("mine\n")


def in_progress(place: Path) -> None:
    git(place, "bisect", "start")


def locked(place: Path) -> None:
    git(place, "worktree", "lock", str(place))


def detached(place: Path) -> None:
    git(place, "switch", "-q", "--detach")
    repos.commit(place, "only-here")


def nested(place: Path) -> None:
    repos.repository(place / "inner")
    git(place.parents[1], "config", "core.excludesFile", str(place / "none"))
    with (place.parents[1] / ".git" / "info" / "exclude").open("a") as file:
        file.write("inner\n")


def away(place: Path) -> None:
    place.rename(place.parents[2] / "away")


@pytest.mark.parametrize(
    ("reason", "spoil"),
    [
        ("dirty", dirty),
        ("operation_in_progress", in_progress),
        ("locked", locked),
        ("unique_commits", detached),
        ("nested", nested),
        ("missing", away),
    ],
)
def test_what_would_be_lost_retains(repo: Path, reason: str, spoil: Callable[[Path], None]) -> None:
    place = made(repo)
    spoil(place)
    before = sorted(place.rglob("*"))
    assert archived(repo) == (1, "retained", reason)
    assert sorted(place.rglob("*")) == before
    listed = done("list", "--archived", cwd=repo)
    assert listed["worktrees"][1]["sessions"] == [one["id"] for one in listed["sessions"]]
    assert listed["worktrees"][1]["base_commit"] == git(repo, "rev-parse", "main")
    assert done("list", cwd=repo)["worktrees"][1]["sessions"] == []
    [row] = listed["sessions"]
    assert row["worktree"] is not None, "it is still there"
    assert done("list", cwd=repo)["worktrees"][1]["sessions"] == []
    assert done("trash", "list", cwd=repo)["entries"] == []


def test_a_detached_head_without_commits_of_its_own_goes(repo: Path) -> None:
    place = made(repo, "spike", "--detach")
    assert archived(repo, "spike") == (1, "removed", None)
    assert not place.exists()


def test_someone_in_there_retains(repo: Path, tmux: Server) -> None:
    """Somebody else's idle shell, which `remove` would close, is not what was put aside."""
    here = ("-L", tmux.socket)
    place = made(repo)
    visitor = tmux.cmd("new-window", "-dP", "-F", "#{pane_id}", "-c", str(place))
    assert until(lambda: tmux.ask("#{pane_current_path}", visitor) == str(place))
    assert cleanup(done(*here, "archive", "fix", "--wait", cwd=repo)) == (1, "retained", "busy")
    assert visitor in tmux.cmd("list-panes", "-a", "-F", "#{pane_id}")
    tmux.cmd("send-keys", "-t", visitor, "cd /", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_path}", visitor) == "/")
    done(*here, "archive", "fix", cwd=repo)
    assert settled(repo) == (2, "removed", None)


def test_what_a_session_does_not_own_stays(repo: Path, tmux: Server) -> None:
    place = repos.linked(repo, repo.parent / "hand", "hand")
    opened = done("-L", tmux.socket, "open", "hand", cwd=repo)
    answer = done("-L", tmux.socket, "archive", "hand", "--wait", cwd=repo)
    assert cleanup(answer) == (1, "retained", "not_owned")
    assert answer["windows_closed"] == [opened["window"]]
    assert place.exists()


def test_a_worktree_on_the_same_branch_elsewhere_is_not_its_own(repo: Path) -> None:
    place = made(repo)
    git(repo, "worktree", "remove", str(place))
    other = repo.parent / "other"
    git(repo, "worktree", "add", "-q", str(other), "fix")
    assert archived(repo) == (1, "retained", "not_owned")
    assert other.exists()


@pytest.mark.parametrize("how", ["{} handmade", "-b other {}", "--detach {}"])
def test_another_worktree_at_its_path_is_not_its_own(repo: Path, how: str) -> None:
    place = made(repo)
    git(repo, "branch", "handmade")
    git(repo, "worktree", "remove", str(place))
    git(repo, "worktree", "add", "-q", *how.format(place).split())
    assert archived(repo) == (1, "retained", "not_owned")
    assert place.exists()


def test_another_session_that_lives_there_retains(repo: Path) -> None:
    place = made(repo)
    fork(repo, "fix", "second", parent=None)
    assert archived(repo) == (1, "retained", "referenced")
    assert place.exists()
    assert [one["nickname"] for one in done("list", cwd=repo)["sessions"]] == ["second"]


def fork(repo: Path, name: str, nickname: str, *, parent: str | None) -> str:
    """A session in the worktree of another, as a fork leaves it: it owns nothing."""
    rows = worlds.rows()
    [row] = [one for one in rows.all() if one.nickname == name]
    id = f"{nickname}-id"
    rows.add(
        replace(
            row,
            id=id,
            nickname=nickname,
            owns_worktree=False,
            owns_branch=False,
            parent=row.id if parent else None,
        )
    )
    assert done("path", nickname, cwd=repo)["path"] == str(row.worktree_path)
    return id


def test_a_child_counts_as_archived_with_its_parent(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    place = made(repo)
    child = fork(repo, "fix", "child", parent="fix")
    window = done(*here, "open", "child", cwd=repo)["window"]
    answer = done(*here, "archive", "fix", "--wait", cwd=repo)
    assert cleanup(answer) == (1, "removed", None)
    assert answer["windows_closed"] == [window]
    assert not place.exists()
    assert done("list", cwd=repo)["sessions"] == []
    states = {row["id"]: row["state"] for row in done("list", "--archived", cwd=repo)["sessions"]}
    assert states[child] == "archived"
    assert len(states) == 2

    done(*here, "open", "child", cwd=repo)
    assert place.exists()
    assert len(done(*here, "list", cwd=repo)["sessions"]) == 2, "they come back together"


def test_a_fork_owns_nothing_of_its_parents(repo: Path) -> None:
    place = made(repo)
    fork(repo, "fix", "child", parent="fix")
    assert archived(repo, "child") == (1, "retained", "not_owned")
    assert place.exists()
    assert [one["nickname"] for one in done("list", cwd=repo)["sessions"]] == ["fix"]


def test_a_session_without_a_worktree_has_nothing_to_reclaim(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    window = done(*here, "new", "notes", "--no-worktree", "-d", cwd=repo)["window"]
    answer = done(*here, "archive", "notes", cwd=repo)
    assert answer["session"]["cleanup"] is None
    assert answer["session"]["state"] == "archived"
    assert answer["windows_closed"] == [window]
    assert window not in tmux.windows()


def test_its_window_closes_and_a_program_in_it_refuses(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    window = done(*here, "new", "fix", "-d", cwd=repo)["window"]
    tmux.cmd("send-keys", "-t", window, "sleep 1000", "Enter")
    assert until(lambda: tmux.ask("#{pane_current_command}", window) == "sleep")
    assert refused(*here, "archive", "fix", cwd=repo)["code"] == "busy"
    assert done("archive", "--status", "fix", cwd=repo)["session"]["cleanup"] is None
    assert window in tmux.windows()
    answer = done(*here, "archive", "fix", "--close", "--wait", cwd=repo)
    assert cleanup(answer) == (1, "removed", None)
    assert answer["windows_closed"] == [window]
    assert window not in tmux.windows()


@pytest.mark.parametrize("wait", ["", "--wait"])
def test_archived_from_inside_its_own_window(
    repo: Path, tmux: Server, sealed: Path, wait: str
) -> None:
    answer = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    window, place = answer["window"], Path(answer["worktree"]["path"])
    out = sealed / "answer"
    command = (
        f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt archive . {wait} --json > {out} 2>&1"
    )
    tmux.cmd("send-keys", "-t", window, command, "Enter")
    assert until(lambda: window not in tmux.windows())
    assert '"cleanup"' in out.read_text()
    assert settled(repo) == (1, "removed", None)
    assert not place.exists()


def test_each_attempt_has_a_number_and_only_archive_begins_one(repo: Path) -> None:
    place = made(repo)
    (place / "notes").write_text("mine\n")
    assert archived(repo) == (1, "retained", "dirty")
    (place / "notes").unlink()
    assert archived(repo) == (1, "retained", "dirty"), "waiting begins none"
    assert cleanup(done("archive", "--status", "fix", cwd=repo)) == (1, "retained", "dirty")
    assert place.exists()
    assert cleanup(done("archive", "fix", cwd=repo)) == (2, "scheduled", None)
    assert archived(repo) == (2, "removed", None), "it waits for the one under way"
    assert cleanup(done("archive", "fix", cwd=repo)) == (2, "removed", None), "nothing is left"


def test_an_attempt_that_was_killed_is_taken_up_again(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made(repo)
    [row] = worlds.rows().all()
    worlds.rows().update(row.id, archived=True, cleanup=Cleanup("scheduled", 3))
    monkeypatch.setattr(archive, "PATIENCE", 0.1)
    assert refused("archive", "fix", "--wait", cwd=repo)["code"] == "timeout"
    assert place.exists()
    assert cleanup(done("archive", "fix", cwd=repo)) == (3, "scheduled", None)
    assert settled(repo) == (3, "removed", None)


def test_a_session_that_is_back_is_left_alone(repo: Path, tmux: Server) -> None:
    """An attempt that comes late finds that it is not wanted any more."""
    place = made(repo)
    [row] = worlds.rows().all()
    worlds.rows().update(row.id, archived=True, cleanup=Cleanup("scheduled", 1))
    done("-L", tmux.socket, "open", "fix", cwd=repo)
    reclaim.reclaim(Caller(repo), row.id, 1)
    assert place.exists()
    worlds.rows().update(row.id, archived=True, cleanup=Cleanup("scheduled", 2))
    reclaim.reclaim(Caller(repo), row.id, 1)
    assert place.exists()


def test_a_check_that_fails_is_no_permission(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hqt.git import losses

    place = made(repo)

    def late(*_: object, **__: object) -> None:
        raise HqtError(Code.TIMEOUT, "git did not answer.", "")

    monkeypatch.setattr(losses, "losses", late)
    assert archived(repo) == (1, "failed", "timeout")
    assert place.exists()
    assert "git did not answer." in paths.log_file().read_text()


def test_a_fault_in_hqt_settles_the_attempt(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = made(repo)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("hqt.git.trash.prepare", broken)
    assert refused("archive", "fix", "--wait", cwd=repo)["code"] == "internal"
    assert settled(repo) == (1, "failed", "internal")
    assert place.exists()


def test_work_that_begins_meanwhile_retains(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second judgement, at the point of no return, counts like the first."""
    from hqt.git import trash

    place = made(repo)
    prepare = trash.prepare

    def and_meanwhile(*arguments: Any, **named: Any) -> Any:
        (place / "notes").write_text("mine\n")
        return prepare(*arguments, **named)

    monkeypatch.setattr(trash, "prepare", and_meanwhile)
    assert archived(repo) == (1, "retained", "dirty")
    assert (place / "notes").exists()
    assert done("trash", "list", cwd=repo)["entries"] == []


def test_it_is_told_when_it_begins_and_when_it_ends(repo: Path, tmux: Server) -> None:
    made(repo)
    [row] = worlds.rows().all()
    done("-L", tmux.socket, "archive", "fix", "--wait", cwd=repo)
    lines = [line for line in paths.log_file().read_text().splitlines() if "cleanup" in line]
    assert [line.split(" cleanup ")[1] for line in lines] == [
        f"{row.id} 1 scheduled",
        f"{row.id} 1 removed",
    ]
    assert tmux.option("@hqt_cleanup", "-g") == f"{row.id} 1 removed"


def test_what_archive_means(repo: Path) -> None:
    place = repos.linked(repo, repo.parent / "hand", "hand")
    assert refused("archive", "hand", cwd=repo)["code"] == "no_such_target"
    assert refused("archive", "nope", cwd=repo)["code"] == "no_such_target"
    assert refused("archive", "hand", "--status", "--wait", cwd=repo)["code"] == "usage"
    assert place.exists()
    made(repo)
    fork(repo, "fix", "second", parent=None)
    error = refused("archive", "branch:fix", cwd=repo)
    assert error["code"] == "ambiguous_target"
    assert len(error["details"]["candidates"]) == 2
    assert done("archive", "second", "--wait", cwd=repo)["session"]["nickname"] == "second"
    assert done("archive", "branch:fix", "--wait", cwd=repo)["session"]["nickname"] == "fix"


def test_two_at_once_are_one(repo: Path) -> None:
    place = made(repo)
    calls = [spawn("archive", "fix", "--wait", "--json", cwd=repo) for _ in range(2)]
    for call in calls:
        out, err = call.communicate(timeout=30)
        assert call.returncode == 0, err
        assert b'"status": "removed"' in out
    assert not place.exists()
    assert len(done("trash", "list", cwd=repo)["entries"]) == 1


def test_people_see_in_a_list_which_were_put_aside(repo: Path, tmux: Server) -> None:
    """One whose worktree stays, one whose is gone, one that had none; nothing of them without
    `--archived`, and the others beside them with it."""
    here = ("-L", tmux.socket)
    for name in ("kept", "gone", "live"):
        made(repo, name)
    done(*here, "new", "plain", "--no-worktree", "-d", cwd=repo)
    dirty(repo / ".worktrees" / "kept")
    for name in ("kept", "gone", "plain"):
        done(*here, "archive", name, "--wait", cwd=repo)

    def rows(*flags: str) -> dict[str, str]:
        """What each row says between its branch and its path, by its path."""
        lines = hqt(*here, "list", *flags, cwd=repo).out.splitlines()[1:]
        return {line.split()[-1]: " ".join(line.split()[:-1]) for line in lines}

    places = {name: str(repo / ".worktrees" / name) for name in ("kept", "gone", "live")}
    plain, archived = rows(), rows("--archived")
    assert not any("archived" in row for row in plain.values())
    assert set(plain) == {str(repo), places["kept"], places["live"]}
    assert plain[places["live"]].endswith(" live")
    assert plain[places["kept"]].endswith(" -")
    assert archived[str(repo)].endswith(" plain (archived)")
    assert archived[places["kept"]].endswith(" kept (archived)")
    assert archived["(gone)"].endswith(f" gone (archived) {places['gone']}")
    assert archived[places["live"]].endswith(" live")
    assert all(row.count("archived") <= 1 for row in archived.values())


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (dirty, "it has changes that are not committed"),
        (detached, "it has commits that exist nowhere else"),
        (in_progress, "a rebase, a merge or the like is not finished in it"),
    ],
)
def test_people_read_a_sentence(repo: Path, spoil: Callable[[Path], None], why: str) -> None:
    place = made(repo)
    spoil(place)
    said = hqt("archive", "fix", "--wait", cwd=repo)
    [row] = worlds.rows().all()
    assert said.out.splitlines() == [
        "fix is archived.",
        f"Its worktree stays: {why}.",
        f"`hqt archive {row.id}` tries again, `hqt inspect {row.id}` shows what is in it.",
    ]
    assert hqt("archive", "--status", "fix", cwd=repo).out == said.out
    assert place.exists()


def test_no_reason_is_told_as_a_code(repo: Path) -> None:
    """Those that an attempt gives by itself, and every code of an error."""
    made(repo)
    [row] = worlds.rows().all()
    known = {*reclaim.RETAINING.values(), "not_owned", "referenced", "moved"}
    ends = [Cleanup("retained", 1, reason) for reason in known]
    ends += [Cleanup("failed", 1, one.value) for one in Code]
    for end in ends:
        worlds.rows().update(row.id, archived=True, cleanup=end)
        said = hqt("archive", "--status", "fix", cwd=repo).out.splitlines()
        assert "_" not in said[1], end
        assert end.status == "failed" or len(said[1].split()) > 5, "a sentence"
        assert said[2].endswith(".")


def test_the_answer_says_what_will_happen_and_what_did(repo: Path) -> None:
    made(repo)
    said = hqt("archive", "fix", cwd=repo).out.splitlines()
    [row] = worlds.rows().all()
    assert said == [
        "fix is archived.",
        "Its worktree is removed in the background if it is clean and its own; "
        f"`hqt archive --status {row.id}` tells.",
    ]
    assert settled(repo) == (1, "removed", None)
    assert hqt("archive", "--status", row.id, cwd=repo).out.splitlines() == [
        "fix is archived.",
        f"Its worktree was removed; `hqt open {row.id}` brings it back.",
    ]


def test_by_a_key(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    with terminal.opened("set -g @hqt-archive-key A", cwd=repo) as person:
        warming.load(person.server)
        made = done("-L", person.server.socket, "new", "fix", "-d", cwd=repo)
        person.press("C-b", "n")
        assert until(lambda: person.ask("#{window_id}") == made["window"])
        person.press("C-b", "A")
        person.see("Archive fix? (y/n)")
        person.press("y")
        person.see("fix is archived.")
        assert until(lambda: person.ask("#{window_id}") == "@0")
        assert settled(repo) == (1, "removed", None)
        assert not Path(made["worktree"]["path"]).exists()
        assert person.attached
