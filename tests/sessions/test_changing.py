"""Whoever has to wait for another call's changes is told so, where a person reads it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from helpers import terminal
from helpers.calls import PYTHON
from helpers.servers import until
from hqt import report
from hqt.commands import shared
from hqt.git.lock import repository_lock
from hqt.git.repository import discover
from hqt.models import Caller

HQT = f"PYTHONPATH={shlex.quote(str(PYTHON))} {shlex.quote(sys.executable)} -m hqt"


def test_at_a_terminal(repo: Path) -> None:
    with terminal.opened(cwd=repo) as person:
        with repository_lock(discover(repo), "remove"):
            person.type(f"{HQT} new fix --no-window\n")
            person.see("hqt: Waiting for hqt remove (process ")
        person.see("Created ⎇ fix")


def test_in_the_form_and_escape_ends_it(repo: Path) -> None:
    with terminal.opened(cwd=repo) as person:
        with repository_lock(discover(repo), "remove"):
            person.type(f"{HQT} ui new\n")
            person.see("Isolate in worktree")
            person.type("fix")
            person.press("Enter")
            person.see("Waiting for hqt remove (process ")
            person.press("Escape")
            person.see("Cancelled: ⎇ fix was not made; nothing was kept.")
            person.press("Enter")
            person.see("Waiting for hqt remove (process ")
        person.dismissed("Isolate in worktree")
        assert until(lambda: "⎇ fix" in person.server.windows("#{window_name}"))


@pytest.mark.parametrize(
    ("settings", "on_screen", "said"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"json": True}, False, False),
        ({"client": "/dev/pts/1"}, True, True),
        ({"client": "/dev/pts/1", "json": True}, False, False),
    ],
)
def test_once_and_never_beside_json_or_on_a_screen(
    settings: dict[str, object], on_screen: bool, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, bool]] = []

    def meanwhile(sentence: str, *, told: Caller | None = None) -> None:
        heard.append((sentence, told is not None))

    monkeypatch.setattr(report, "meanwhile", meanwhile)
    tell = shared._telling(settings, on_screen)
    tell("Waiting.")
    tell("Waiting.")
    assert heard == ([("Waiting.", "client" in settings)] if said else [])
