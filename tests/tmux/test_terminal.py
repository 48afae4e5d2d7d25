"""The end-to-end language itself: it must see what is there, and say so when it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers import terminal
from helpers.servers import until


def test_a_person_types_sees_and_dismisses(sealed: Path) -> None:
    menu = "bind M display-menu -T Title Apple a '' Pear p ''"
    with terminal.opened("set -g mouse on", menu, size=(60, 12), cwd=sealed) as person:
        person.type("echo größe 'a;b' $((40 + 2));")
        person.press("Enter")
        assert "größe a;b 42" in person.see("a;b 42").splitlines()

        person.press("C-b", "M")
        person.see("Title", "Apple", "Pear")
        person.press("p")
        person.dismissed("Title")

        person.press("C-b", "c")
        person.see("1:bash*")
        person.click("0:bash")
        person.see("0:bash*")
        assert person.ask("#{client_width}x#{client_height}") == "60x12"
        person.resize(50, 10)


def test_it_tells_what_it_saw_instead(sealed: Path) -> None:
    with terminal.opened(size=(40, 6), cwd=sealed) as person:
        with pytest.raises(AssertionError, match=r"(?s)'nothing'.*0\.1 s.*│\$"):
            person.see("nothing", timeout=0.1)
        with pytest.raises(AssertionError, match=r"(?s)'\$'.*still there.*│\$"):
            person.dismissed("$", timeout=0.1)


def test_a_popup_is_on_its_own_persons_screen_only(sealed: Path) -> None:
    with (
        terminal.opened("bind P display-popup -E 'echo inside; read x'", cwd=sealed) as first,
        terminal.attached(first.server, size=(70, 20)) as second,
    ):
        second.press("C-b", "P")
        second.see("inside")
        assert "inside" not in first.screen()
        second.press("Enter")
        second.dismissed("inside")
        assert first.client != second.client


def test_nothing_is_left_running(sealed: Path) -> None:
    with terminal.opened(cwd=sealed) as person:
        pids = [person.server.pid, person.outer.pid, int(person.ask("#{client_pid}"))]
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
