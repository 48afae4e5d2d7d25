"""What the form hands over is what it would have done itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.calls import hqt
from hqt import paths, report
from hqt.commands.ui_new import words
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.sessions.planning import Wish


@pytest.mark.parametrize(
    "wish",
    [
        Wish(),
        Wish(name="-d", branch="-x", start="--all", path="--json", prompt="-\n--pane=%1"),
        Wish(name="fix/#(touch hit)", checkout="origin/fix", harness="claude", prompt="Go; on"),
        Wish(name="a look", detach=True, start="HEAD~1"),
    ],
)
def test_the_words_ask_for_the_same(
    repo: Path, wish: Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Wish] = []

    def create(_caller: Caller, wish: Wish, *_: object, **__: object) -> None:
        heard.append(wish)
        raise HqtError(Code.BUSY, "Heard.")

    monkeypatch.setattr("hqt.sessions.create.create", create)
    assert hqt("new", *words(wish), cwd=repo).status == 1
    [same] = heard
    assert (same.switch, same.window) == (True, True)
    assert same == Wish(**{name: getattr(wish, name) for name in Wish.__slots__} | {"switch": True})


@pytest.mark.parametrize("asked", [("fix",), ("-b", "fix"), ("--checkout", "fix")])
def test_a_failure_after_that_says_whose_it_is_in_few_words(
    repo: Path, asked: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, ...]] = []

    def create(*_: object, **__: object) -> None:
        raise HqtError(Code.GIT_FAILED, "The disk is full; nothing was made.", "Make room.")

    monkeypatch.setattr("hqt.sessions.create.create", create)
    monkeypatch.setattr(report, "_tell", lambda _, *sentences: told.append(sentences))
    assert hqt("--client", "/dev/pts/1", "new", *asked, cwd=repo).status == 1
    assert told == [("hqt: fix was not made: The disk is full.", "Make room.")]
    assert "The disk is full; nothing was made. Make room." in paths.log_file().read_text()
    assert hqt("new", *asked, cwd=repo).err.startswith("hqt: The disk is full; nothing was made.")
