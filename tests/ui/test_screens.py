"""The screens as a person sees them: in a popup of an attached client, with real keys.

The snapshots are plain text; HQT_SNAPSHOTS=write draws them anew, to be looked at and committed.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers import terminal
from helpers.servers import until

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"
WRITE = os.environ.get("HQT_SNAPSHOTS") == "write"  # before the seal takes it away
PATHS = os.pathsep.join((str(HERE.parents[1] / "python"), str(HERE.parent)))


@dataclass(frozen=True, slots=True)
class Popup:
    """A popup with a screen in it; it stays open when the screen ends, and shows its result."""

    person: terminal.Terminal

    def press(self, *keys: str) -> None:
        self.person.press(*keys)

    def type(self, words: str) -> None:
        self.person.type(words)

    def see(self, *words: str) -> None:
        self.person.see(*words)

    def match(self, name: str) -> None:
        """Wait until it looks like the snapshot."""
        path = SNAPSHOTS / f"{name}.txt"
        if WRITE:
            path.write_text(self.settled())
        expected = path.read_text()
        until(lambda: self.text() == expected)
        assert self.text() == expected

    def text(self) -> str:
        lines = self.person.screen().splitlines()
        return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"

    def settled(self) -> str:
        """What is on screen once it stands still."""
        since, seen = time.monotonic(), self.text()
        while time.monotonic() < since + 1:
            if (now := self.text()) != seen:
                since, seen = time.monotonic(), now
        return seen


@contextmanager
def popup(*arguments: str, size: tuple[int, int] = (80, 20)) -> Iterator[Popup]:
    """A screen of `show.py` in a popup of this size, its frame included."""
    command = shlex.join(["env", f"PYTHONPATH={PATHS}", sys.executable, str(HERE / "show.py")])
    width, height = size
    shown = shlex.quote(f"{command} {shlex.join(arguments)}; cat")
    config = (
        "set -g status off",
        "set -s escape-time 0",
        "set -g mouse on",
        f"bind F display-popup -E -w {width} -h {height} {shown}",
    )
    with terminal.opened(*config, size=(width, height)) as person:
        person.press("C-b", "F")
        yield Popup(person)


class TestForm:
    """A new session."""

    def test_typed_completed_and_made(self) -> None:
        with popup("form") as form:
            form.see("Nickname")
            form.type("Fix Login")
            form.match("form-typed")
            form.press("Tab", "Tab", "Right", "Tab")
            form.see("release/1.2")
            form.press("l", "Down")
            form.match("form-existing")
            form.press("Enter", "Enter")
            form.see("ended with FormResult")
            form.see("existing='login-page'")

    def test_a_failure_stays_and_the_mouse_works(self) -> None:
        with popup("form") as form:
            form.see("Nickname")
            form.type("late")
            form.press("Enter")
            form.match("form-failed")
            form.person.click("Isolate in worktree")
            form.match("form-not-isolated")
            form.press("Escape")
            form.see("ended with None")

    def test_small_and_slow(self) -> None:
        with popup("form", "slow", size=(40, 12)) as form:
            form.see("Nickname")
            form.type("taken")
            form.match("form-small-wrong")
            form.press("BSpace", "Enter")
            form.see("Checkout ██")
            form.press("Escape")
            form.see("Cancelled; nothing was made.")
            form.press("Escape")
            form.see("ended with None")

    def test_in_ascii_and_outside_a_repository(self) -> None:
        with popup("form", "plain", "ascii", size=(40, 12)) as form:
            form.match("form-small-ascii")


class TestPicker:
    """Everything at a glance."""

    def test_looked_at_filtered_locked_and_removed(self) -> None:
        with popup("picker") as picker:
            picker.match("picker")
            picker.type("pay")
            picker.see("1/6")
            picker.press("C-l")
            picker.see("rebase locked")
            picker.press("C-a")
            picker.see("vim runs in there; nothing was changed. Quit it first.")
            picker.press("Tab", "C-u", "C-x")
            picker.see("ended with PickerResult(action=<Action.REMOVE")

    def test_wide_with_all_there_is(self) -> None:
        with popup("picker", "many", size=(132, 26)) as picker:
            picker.see("66/66")
            picker.press("C-t", "C-r", "Tab")
            picker.match("picker-wide")

    def test_small_and_its_help(self) -> None:
        with popup("picker", "many", "ascii", size=(40, 12)) as picker:
            picker.match("picker-small-ascii")
            picker.press("?")
            picker.match("picker-small-help")
            picker.press("?", "Escape")
            picker.see("ended with None")

    def test_a_resize_is_followed(self) -> None:
        with popup("picker", size=(80, 20)) as picker:
            picker.see("/home/me/project/.worktrees/fix-login")
            picker.person.resize(60, 12)
            picker.see("? help")
            picker.press("Enter")
            picker.see("ended with")


class TestConfirm:
    """Gone, and nothing lost."""

    def test_step_by_step(self) -> None:
        with popup("confirm", "clean", "slow", size=(80, 22)) as confirm:
            confirm.see("Looking at what is in there")
            confirm.see("[ ] Also remove worktree")
            confirm.match("confirm-review")
            confirm.press("Space", "Enter")
            confirm.match("confirm-loss")
            confirm.press("Enter", "y")
            confirm.see("Review login")
            confirm.press("y", "m")
            confirm.match("confirm-busy")
            confirm.press("c")
            confirm.see("ended with RemovalAnswer", "force=True, close=True")

    def test_small(self) -> None:
        with popup("confirm", "dirty", size=(40, 12)) as confirm:
            confirm.see("Also remove")
            confirm.press("Space", "Down")
            confirm.match("confirm-small")

    def test_what_is_refused(self) -> None:
        with popup("confirm", "main", size=(60, 12)) as confirm:
            confirm.match("confirm-refused")
            confirm.press("Enter")
            confirm.see("ended with None")
