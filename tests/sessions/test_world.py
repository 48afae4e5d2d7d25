"""What is bound to what: as by asking each for itself, and without asking each for itself."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.calls import done, refused
from helpers.servers import Server
from hqt import config
from hqt.models import Caller, Pane, Repository, Session, Worktree
from hqt.sessions import sight
from hqt.sessions import world as worlds
from hqt.sessions.world import World
from hqt.tmux.listing import Snapshot
from hqt.tmux.server import Tmux

MAIN = Path("/nowhere/main")
PATHS = st.sampled_from(
    [MAIN, *(MAIN / "w" / name for name in ("a", "a/b", "a/bc", "c", "c/d/e")), Path("/nowhere/x")]
)
BRANCHES = st.sampled_from([None, "one", "two", "three"])


@st.composite
def scenes(draw: st.DrawFn) -> World:
    paths = draw(st.lists(PATHS, min_size=1, max_size=5, unique=True))
    trees = tuple(
        Worktree(path, path, path == MAIN, None, draw(BRANCHES), missing=draw(st.booleans()))
        for path in paths
    )
    ids = [f"{number}" for number in range(draw(st.integers(0, 5)))]
    sessions = tuple(
        Session(
            id, f"n{id}", "shell", MAIN, 0,
            worktree_path=draw(st.none() | PATHS), worktree_branch=draw(BRANCHES),
            owns_worktree=draw(st.booleans()), archived=draw(st.booleans()),
            parent=draw(st.none() | st.sampled_from([*ids, "gone"])),
        )
        for id in ids
    )  # fmt: skip
    marks = st.sampled_from(["", "unknown", *(tree.id for tree in trees)])
    below = st.sampled_from(["", "/src", "/b", "/b/deep"])
    panes = tuple(
        Pane(
            f"%{number}", f"@{draw(st.integers(0, 3))}", "$0", "main", 0,
            draw(st.just("") | st.builds("{}{}".format, PATHS, below)), "sh",
            window_session=draw(st.sampled_from(["", *ids])), window_worktree=draw(marks),
        )
        for number in range(draw(st.integers(0, 6)))
    )  # fmt: skip
    repository = Repository(MAIN / ".git", MAIN, bare=False, checkout=MAIN)
    settings = config.load({}, None)
    return World(Caller(MAIN), repository, trees, sessions, Snapshot(panes), settings)


@pytest.mark.usefixtures("sealed")
class TestBinding:
    @given(world=scenes())
    def test_a_pane_lives_in_the_deepest_match(self, world: World) -> None:
        for pane in world.snapshot.panes if world.snapshot else ():
            path = Path(pane.path)
            inside = [one for one in world.worktrees if pane.path and path.is_relative_to(one.path)]
            deepest = max(inside, key=lambda one: len(one.path.parts), default=None)
            assert world.home_of(pane) == deepest

    @given(world=scenes())
    def test_windows_are_those_of_marks_and_of_panes(self, world: World) -> None:
        assert world.snapshot
        for tree in world.worktrees:
            own = {one.id for one in world.sessions if tree.main and one.worktree_path is None}
            windows = [
                pane.window
                for pane in world.snapshot.panes
                if pane.window_worktree == tree.id
                or pane.window_session in own
                or world.home_of(pane) == tree
            ]
            assert world.windows_of(tree) == tuple(dict.fromkeys(windows))
        assert replace(world, snapshot=None).windows_of(world.worktrees[0]) is None

    @given(world=scenes())
    def test_a_session_lives_where_its_path_or_branch_says(self, world: World) -> None:
        for session in world.sessions:
            assert world.worktree_of(session) == worlds.home_of(session, world.worktrees)
            moved = replace(session, worktree_path=MAIN)  # as it will be, not as it was read
            assert world.worktree_of(moved) == worlds.home_of(moved, world.worktrees)

    @given(world=scenes())
    def test_a_child_shares_the_fate_of_its_parents(self, world: World) -> None:
        rows = {one.id: one for one in world.sessions}
        for session in world.sessions:
            line, one = list[Session](), session
            while not one.owns_worktree and (up := rows.get(one.parent or "")) and up not in line:
                line.append(up)
                one = up
            assert world.parents(session) == tuple(line)
            assert world.is_archived(session) == any(one.archived for one in (session, *line))


def test_each_pane_is_looked_for_once_however_many_worktrees_there_are(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty worktrees with their windows took a fifth of a second."""
    asked = []

    def noted(path: str) -> Path:
        asked.append(path)
        return sight.pane_path(path)

    monkeypatch.setattr(worlds, "pane_path", noted)
    trees = tuple(
        Worktree(MAIN / str(number), MAIN, number == 0, None, None) for number in range(50)
    )
    panes = tuple(
        Pane(f"%{number}", f"@{number}", "$0", "main", 0, str(MAIN / str(number)), "sh")
        for number in range(50)
    )
    repository = Repository(MAIN / ".git", MAIN, bare=False, checkout=MAIN)
    settings = config.load({}, None)
    world = World(Caller(sealed), repository, trees, (), Snapshot(panes), settings)
    assert [world.windows_of(tree) for tree in trees] == [(pane.window,) for pane in panes]
    assert len(asked) == len(panes)


@pytest.mark.parametrize(
    "verb", [["list", "--all"], ["open", "--all"], ["open", "--all", "--dry-run"]]
)
def test_a_server_that_hangs_is_no_empty_answer(
    tmux: Server, repo: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    """Each project was passed over as one that cannot be read."""
    done("new", "one", "--no-window", cwd=repo)
    hurried = Tmux(tmux.socket, timeout=0.1)
    monkeypatch.setattr(sight, "connect", lambda _: hurried)
    monkeypatch.setattr(worlds, "connect", lambda _: hurried)
    os.kill(tmux.pid, signal.SIGSTOP)
    try:
        begun = time.monotonic()
        assert refused("-L", tmux.socket, *verb, cwd=repo)["code"] == "timeout"
        assert time.monotonic() - begun < 2  # not once for each project
    finally:
        os.kill(tmux.pid, signal.SIGCONT)
