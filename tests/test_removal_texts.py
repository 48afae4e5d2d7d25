"""What is said after a removal."""

from __future__ import annotations

from pathlib import Path

from hqt import texts
from hqt.results import Removals, Removed


def gone(name: str) -> Removed:
    return Removed(Path("/p") / name, name, True, (), f"id-{name}", f"s-{name}", (), name)


def closed(nickname: str, note: str) -> Removed:
    return Removed(None, None, False, ("@3",), None, "s", (note,), nickname)


def whole(*removed: Removed) -> list[str]:
    return [str(part) for part in texts.lines(Removals(removed))]


def brief(*removed: Removed) -> list[str]:
    return list(texts.sentences(Removals(removed)))


def test_one_is_brought_back_by_undo() -> None:
    assert whole(gone("fix")) == [
        "Removed ⎇ fix: /p/fix",
        "Branch fix deleted.",
        "In the trash as id-fix; `hqt undo` brings it back.",
    ]
    assert brief(gone("fix"))[:2] == ["Removed ⎇ fix.", "`hqt undo` brings it back."]


def test_several_one_by_one() -> None:
    told = whole(gone("one"), gone("two"))
    assert told[-1] == "`hqt undo`, once for each, brings them back."
    assert "brings it back" not in " ".join(told)
    assert brief(gone("one"), gone("two"))[:2] == [
        "Removed ⎇ one, ⎇ two.",
        "`hqt undo`, once for each, brings them back.",
    ]


def test_of_several_the_one_that_can_be_is_named() -> None:
    told = brief(gone("one"), closed("notes", "The worktree at /p/notes stays."))
    assert told[:3] == [
        "Removed ⎇ one, session notes.",
        "`hqt undo` brings ⎇ one back.",
        "The worktree at /p/notes stays.",
    ]


def test_a_session_is_called_one() -> None:
    assert whole(closed("main", ""))[0] == "Removed session main"


def test_a_name_may_end_the_sentence() -> None:
    assert brief(closed("Fix login!", ""))[0] == "Removed session Fix login!"
    assert brief(closed("Fix login", ""))[0] == "Removed session Fix login."
