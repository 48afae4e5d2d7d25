"""What the form for a new session shows."""

from __future__ import annotations

import pytest

from hqt.ui.events import Edited
from hqt.ui.form_model import Offered, Phase, Progressed, Resolved, SubmitOutcome, Submitted
from hqt.ui.view import REVERSE, Cursor, Fragment, Hit
from ui.forms import after, at, opened, screen, seen, typed, wrong


def test_hidden_until_checked() -> None:
    assert "Folder" in screen(opened())
    assert "named after the branch" in screen(opened())
    unchecked = screen(after(opened(), "tab", "space"))
    assert "Nickname     made up" in unchecked, "there is no branch to name it after"
    assert "[ ] Isolate in worktree" in unchecked
    assert "Folder" not in unchecked
    assert "Prompt" in unchecked


@pytest.mark.parametrize("width", [40, 78])
def test_outside_a_repository_the_reason_is_told(width: int) -> None:
    assert "(not a git repo)" in screen(opened(isolate_possible=False), width, 12)


def test_the_start_is_shown_as_what_it_is_with_the_key_for_the_other() -> None:
    assert "HEAD  → main 3f2a1c9 First" in screen(opened())
    assert "^T main" in screen(opened())
    assert "^T current" in screen(after(opened(), "c-t"))
    assert "^T" not in screen(opened(alternatives=()))


@pytest.mark.parametrize("start", ["HEAD", "a-name-of-some-length", "one-of-the-very-long-names"])
@pytest.mark.parametrize("width", [30, 40, 44, 60, 100])
def test_the_key_for_the_other_start_has_its_name_or_is_not_there(width: int, start: str) -> None:
    state = opened(from_=start, resolved="main 3f2a1c9 First")
    [line] = [one for one in screen(state, width).splitlines() if "Start from" in one]
    assert ("^T" in line) is ("^T main" in line or "^T current" in line), line
    assert "^T" in line or width < 60


def test_a_field_that_waits_to_be_filled_in_is_not_wrong_yet() -> None:
    state = after(at(opened(), "mode"), "right")
    waiting = wrong(state, existing="Choose a branch.")
    assert "Choose" not in screen(waiting)
    assert "!" not in screen(waiting)
    refused = after(waiting, "enter")
    assert (refused.phase, refused.focus) == (Phase.EDITING, "existing")
    assert "Choose a branch." in screen(refused)
    again = after(at(refused, "mode"), "right", "left")
    assert "Choose" not in screen(wrong(again, existing="Choose a branch."))


def test_what_is_not_installed_is_marked() -> None:
    told = screen(opened(missing=("codex",)))
    assert "codex (not installed)" in told
    assert "claude (not" not in told


@pytest.mark.parametrize("width", [40, 100])
def test_a_note_about_worktrees_is_there_where_one_is_made(width: int) -> None:
    note = "Setup is skipped until `hqt trust`."
    assert note in screen(opened(note=note), width)
    assert note not in screen(opened(note=note, isolate=False), width)


def test_a_start_that_is_not_resolved_yet_claims_nothing() -> None:
    state = typed(at(opened(), "from_"), "~1")
    assert "→" not in screen(state)
    assert "→ 77aa001 Older" in screen(after(state, Resolved("HEAD~1", "77aa001 Older")))


def test_the_message_is_that_of_the_focused_field_else_the_first() -> None:
    state = wrong(typed(opened(), "x"), branch="Exists already.", folder="Is full.")
    assert "Exists already." in screen(state)
    assert "Is full." in screen(at(state, "folder"))
    assert "!              x" in screen(state)


def test_a_failure_is_told_with_its_remedy() -> None:
    state = after(opened(), "enter", Submitted(SubmitOutcome(False, "It failed.", "Try that.")))
    assert "It failed." in screen(state)
    assert "Try that." in screen(state)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (None, " Working…"),
        (Progressed("prepare", 0, 0), " Prepare…"),
        (Progressed("checkout", 0, 10), " Checkout ░░░░░░░░░░░░░░░░░░░░░░░░ 0/10"),
        (Progressed("checkout", 5, 10), " Checkout ████████████░░░░░░░░░░░░ 5/10"),
        (Progressed("checkout", 99, 10), " Checkout ███████████████████████ 10/10"),
        (Progressed("a\x1b[2J", -3, 0), " A�[2J…"),
    ],
)
def test_progress(told: Progressed | None, shown: str) -> None:
    state = after(opened(), "enter", *([told] if told else []))
    assert seen(state, 40, 12).plain()[-2] == shown
    assert seen(state, 40, 12).plain()[-1] == " Esc cancel"
    assert seen(state, 40, 12).cursor is None


def test_a_cancelled_form_says_that_it_waits() -> None:
    assert "taken back" in screen(after(opened(), "enter", "escape"))


def test_completions_lie_over_the_lines_below() -> None:
    state = at(after(at(opened(), "mode"), "right"), "existing")
    state = after(state, Offered("existing", "", ("fix/\x1b]0;x\x07", "main")), "down")
    lines = seen(state).plain()
    row = next(n for n, line in enumerate(lines) if "fix/" in line)
    assert lines[row].endswith("│fix/�]0;x�")
    assert lines[row + 1].endswith("│main")
    picked = [part for part in seen(state).lines[row] if REVERSE in part.style]
    assert "fix/" in picked[0].text


def test_the_cursor_is_where_the_next_letter_goes() -> None:
    state = typed(opened(), "名前")
    assert seen(state).cursor == Cursor(19, 2)
    assert seen(after(state, Edited("nickname", "名前", 1))).cursor == Cursor(17, 2)
    assert seen(typed(at(state, "prompt"), "one\ntwo")).cursor == Cursor(18, 10)


def test_a_long_prompt_keeps_its_cursor_on_a_small_screen() -> None:
    state = typed(at(opened(), "prompt"), "\n".join(f"line {n}" for n in range(30)))
    lines = screen(state, 40, 12)
    assert "line 29" in lines
    assert "line 0\n" not in lines
    assert lines.startswith(" New session")


def test_where_there_is_no_room_for_a_row_of_buttons_the_chosen_one_is_shown() -> None:
    assert "(•) new  ( ) existing  ( ) detached" in screen(opened())
    assert "‹ new ›  1/3" in screen(opened(), 40, 12)
    assert "< new >  1/3" in screen(opened(), 40, 12, ascii=True)
    row = seen(opened(), 40, 12).lines[3]
    assert any(part == Fragment("‹ ", "dim", "mode:detached") for part in row)
    assert any(part.target == "mode:existing" for part in row)


def test_ascii_screens_are_ascii() -> None:
    state = wrong(typed(opened(), "x" * 80), branch="Too long.")
    assert screen(state, 40, 12, ascii=True).isascii()
    assert screen(after(state, "c-t"), ascii=True).isascii()


def test_names_of_others_do_not_act() -> None:
    evil = "x\x1b[2J\u202e\n"
    state = opened(
        repository=evil,
        title=evil,
        harnesses=(evil, "b"),
        nickname=evil,
        prompt=evil,
        resolved=evil,
    )
    assert "\x1b" not in screen(state)
    assert "\u202e" not in screen(state)


@pytest.mark.parametrize(("x", "y", "hit"), [(20, 2, "nickname:0"), (3, 3, "isolate")])
def test_what_is_drawn_can_be_clicked(x: int, y: int, hit: str) -> None:
    found = seen(opened()).hit(x, y)
    assert isinstance(found, Hit)
    assert found.target == hit


def test_the_footer_can_be_clicked() -> None:
    found = seen(opened()).hit(2, 17)
    assert found
    assert found.target == "key:enter"
