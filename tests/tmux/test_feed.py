"""A pane that shows what this process writes, and each side sees the other's end."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from helpers.servers import Server, until
from hqt.tmux import windows
from hqt.tmux.feed import Feed
from hqt.tmux.windows import Window


@pytest.fixture
def feed(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Feed]:
    """Its folder is the only one in `scratch`."""
    (sealed / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(sealed / "scratch"))
    made = Feed(Path("/"))
    yield made
    made.close()


def shown(tmux: Server, feed: Feed) -> Window:
    return windows.open_window(
        tmux.tmux, session="$0", cwd=Path("/"), label="fed", command=feed.words
    )


def screen(tmux: Server, window: Window) -> str:
    return tmux.cmd("capture-pane", "-p", "-t", window.pane).rstrip("\n")


def left(sealed: Path) -> list[Path]:
    return list((sealed / "scratch").iterdir())


def test_the_last_line_stands_and_nothing_lies_about(
    tmux: Server, feed: Feed, sealed: Path
) -> None:
    [folder] = left(sealed)
    assert folder.stat().st_mode & 0o777 == 0o700
    window = shown(tmux, feed)
    feed.say("#(touch hit) %s \\n ⎇ first, and longer")
    assert until(lambda: screen(tmux, window) == "#(touch hit) %s \\n ⎇ first, and longer")
    feed.say("second")
    assert until(lambda: screen(tmux, window) == "second")
    assert left(sealed) == []
    feed.say("wide " * 100)
    assert until(lambda: screen(tmux, window).startswith("wide"))
    feed.say("third")
    assert until(lambda: screen(tmux, window) == "third"), "it had not wrapped"
    tmux.cmd("send-keys", "-t", window.pane, "typed", "Enter")
    feed.say("fourth")
    assert until(lambda: "fourth" in screen(tmux, window))
    assert "typed" not in screen(tmux, window)
    feed.close()
    assert until(lambda: not windows.is_there(tmux.tmux, window.pane))


def test_of_several_lines_the_first_that_fits(tmux: Server, feed: Feed) -> None:
    lines = ("wide " * 20 + ".", "⎇ 双 " * 6 + ".", "narrow")
    window = shown(tmux, feed)

    def is_shown(line: str) -> bool:
        feed.say(*lines)  # again: tmux takes its time to tell the pane of its size
        return screen(tmux, window) == line

    for columns, line in ((101, lines[0]), (100, lines[1]), (37, lines[1]), (30, lines[2])):
        tmux.cmd("resize-window", "-t", window.id, "-x", str(columns), "-y", "5")
        assert until(partial(is_shown, line)), screen(tmux, window)
    feed.say("x" * 2000, "short")
    assert until(lambda: screen(tmux, window) == "short")


def test_the_next_program_finds_the_pane_as_new(tmux: Server, feed: Feed) -> None:
    window = shown(tmux, feed)
    feed.say("first")
    assert until(lambda: screen(tmux, window) == "first")
    assert tmux.ask("#{wrap_flag}#{cursor_flag}", window.pane) == "00"
    windows.respawn(tmux.tmux, window.pane, cwd=Path("/"), command=("cat",))
    feed.close()
    assert until(lambda: tmux.ask("#{wrap_flag}#{cursor_flag}", window.pane) == "11")
    assert tmux.ask("#{pane_current_command}", window.pane) == "cat"
    assert screen(tmux, window) == ""


def test_who_closes_the_pane_is_heard_at_once(tmux: Server, feed: Feed) -> None:
    window, gone = shown(tmux, feed), threading.Event()
    feed.watch(lambda: windows.is_there(tmux.tmux, window.pane), gone.set)
    feed.say("first")
    assert until(lambda: screen(tmux, window) == "first")
    assert not gone.is_set()
    windows.close_pane(tmux.tmux, window.pane)
    assert gone.wait(5)
    assert feed.closed
    feed.say("nobody hears that")


def test_a_pane_that_is_ended_after_the_watch_is_no_alarm(tmux: Server, feed: Feed) -> None:
    window, gone = shown(tmux, feed), threading.Event()
    feed.watch(lambda: windows.is_there(tmux.tmux, window.pane), gone.set)
    feed.say("first")
    assert until(lambda: screen(tmux, window) == "first")
    feed.stop()
    windows.close_pane(tmux.tmux, window.pane)
    feed.close()
    assert (gone.is_set(), feed.closed, feed.opened) == (False, False, True)


def test_a_pane_that_cannot_open_the_pipe_was_closed_by_nobody(feed: Feed) -> None:
    asked, gone = threading.Event(), threading.Event()

    def alive() -> bool:
        asked.set()
        return False

    feed.watch(alive, gone.set)
    assert asked.wait(5)
    feed.say("first")
    feed.stop()
    assert (gone.is_set(), feed.closed, feed.opened) == (False, False, False)


def test_a_writer_that_died_before_the_pane_began(tmux: Server, feed: Feed, sealed: Path) -> None:
    """Its pipe is still there, and nobody will ever write into it."""
    [folder] = left(sealed)
    words = feed.words
    feed.close()
    folder.mkdir()
    os.mkfifo(folder / "progress")
    window = windows.open_window(tmux.tmux, session="$0", cwd=Path("/"), label="fed", command=words)
    assert until(lambda: not windows.is_there(tmux.tmux, window.pane))
    assert left(sealed) == []
