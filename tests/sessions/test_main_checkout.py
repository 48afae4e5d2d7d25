"""A session without a worktree is shown where it is: in the main checkout, by every verb alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers import repos
from helpers.calls import done, hqt, refused
from helpers.servers import Server


def places(repo: Path, tmux: Server) -> dict[str, Any]:
    """Of each session by nickname the worktree it names, and the one whose row names it."""
    shown = done("-L", tmux.socket, "list", cwd=repo)
    rows = {one: tree["id"] for tree in shown["worktrees"] for one in tree["sessions"]}
    return {one["nickname"]: (one["worktree"], rows.get(one["id"])) for one in shown["sessions"]}


def test_every_document_says_the_same(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    main = done(*here, "list", cwd=repo)["worktrees"][0]["id"]
    answers = [
        done(*here, "new", "notes", "--no-worktree", "-d", cwd=repo),
        done(*here, "open", "notes", cwd=repo),
        done(*here, "open", "main", cwd=repo),
        done(*here, "open", main, cwd=repo),
    ]
    fix = done(*here, "new", "fix", "-d", cwd=repo)
    guest = done(*here, "new", "guest", "-d", cwd=repo)
    answers.append(done(*here, "move", "session:guest", "--to", str(repo), "--close", cwd=repo))
    for answer in answers:
        assert answer["session"]["worktree"] == main
        assert answer["session"]["worktree_path"] is None
        assert answer["worktree"]["id"] == main
        assert answer["session"]["id"] in answer["worktree"]["sessions"]
        assert answer["worktree"]["base_commit"] is None
    assert places(repo, tmux) == {
        "notes": (main, main),
        "main": (main, main),
        "guest": (main, main),
        "fix": (fix["worktree"]["id"], fix["worktree"]["id"]),
    }
    inspected = done(*here, "inspect", "main", cwd=repo)
    assert {one["nickname"] for one in inspected["sessions"]} == {"notes", "main", "guest"}
    assert inspected["refusals"][0]["code"] == "main_checkout"
    renamed = done(*here, "rename", "notes", "ideas", cwd=repo)
    assert renamed["session"]["worktree"] == main
    archived = done(*here, "archive", "ideas", "--close", cwd=repo)
    assert archived["session"]["worktree"] == main
    both = done(*here, "list", "--archived", cwd=repo)["worktrees"][0]["sessions"]
    assert archived["session"]["id"] in both
    [row] = [tree for tree in done(*here, "list", cwd=repo)["worktrees"] if tree["main"]]
    assert archived["session"]["id"] not in row["sessions"]
    assert guest["worktree"]["path"] != str(repo)


def test_people_see_it_in_the_row_of_the_main_checkout(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    said = hqt(*here, "new", "notes", "--no-worktree", "-d", cwd=repo).out.strip()
    assert said.startswith("Created notes in window @")
    assert said.endswith(f": {repo}")
    [_, row] = hqt(*here, "list", cwd=repo).out.splitlines()
    assert "⎇ main" in row
    assert "notes" in row


def test_where_it_is_gives_it_nothing_to_remove(repo: Path, tmux: Server) -> None:
    here = ("-L", tmux.socket)
    made = done(*here, "new", "notes", "--no-worktree", "-d", cwd=repo)
    (repo / "precious").write_text("mine\n")
    assert refused(*here, "remove", "main", "--force", "--close", cwd=repo)["code"] == (
        "main_checkout"
    )
    [gone] = done(*here, "remove", "notes", cwd=repo)["removed"]
    assert (gone["path"], gone["trash"]) == (None, None)
    assert gone["session"] == made["session"]["id"]
    assert (repo / "precious").exists()
    assert places(repo, tmux) == {}


def test_without_a_main_checkout_it_is_nowhere(sealed: Path, repo: Path, tmux: Server) -> None:
    bare = repos.bare_repository(sealed / "bare.git", repo)
    (sealed / "plain").mkdir()
    for folder in (bare, sealed / "plain"):
        made = done("-L", tmux.socket, "new", "notes", "--no-worktree", "-d", cwd=folder)
        assert made["session"]["worktree"] is None
        assert made["worktree"] is None
    assert places(bare, tmux) == {"notes": (None, None)}
