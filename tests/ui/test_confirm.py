"""The question before a removal: nothing goes, and nobody is disturbed, by Enter alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hqt.ui import confirm_state, confirm_view, icons
from hqt.ui.confirm_model import (
    ConfirmEvent,
    ConfirmState,
    Loaded,
    Loss,
    Occupant,
    Refusal,
    RemovalAnswer,
    RemovalQuestion,
    Step,
)
from hqt.ui.events import Click, Edited, Key, Outcome, Resized, Wheel
from hqt.ui.view import View, line_width

FILES = Loss("3 uncommitted files", (" M a.py", "M  b.py", "?? c.py"))
ENV = Loss(".env", force=False)
VIM = Occupant("vim in %5", busy=True)
MAKE = Occupant("make in %9 of another window", busy=True, outside=True)
SHELL = Occupant("a shell in %6")
CLEAN = RemovalQuestion(
    "Remove fix-login?",
    ("⎇ fix-login  ~/p/.worktrees/fix-login",),
    stays_with=("The branch stays.", "The trash keeps it until 12 August."),
    closing="Close fix-login?",
    windows=("@2",),
)
PLAIN = replace(CLEAN, title="Remove notes?", closing="Close notes?", targets=(), worktrees=0)
LOCKED = replace(CLEAN, kept=Refusal("It is locked: waits for QA.", "Unlock it first."))
MAIN = replace(CLEAN, refused=Refusal("The main checkout is never removed.", "Choose another."))


def opened(question: RemovalQuestion = CLEAN, *, loading: bool = False) -> ConfirmState:
    return confirm_state.initial(question, icons.UNICODE, loading=loading)


def after(state: ConfirmState, *events: ConfirmEvent | str) -> ConfirmState:
    for event in events:
        state = confirm_state.step(state, Key(event) if isinstance(event, str) else event)
    return state


def answer(state: ConfirmState, *events: ConfirmEvent | str) -> RemovalAnswer | str | None:
    """What was agreed to; None when left; "asks" while the screen still stands."""
    outcome = confirm_state.outcome(after(state, *events))
    return outcome.result if outcome else "asks"


def seen(state: ConfirmState, width: int = 78, height: int = 20) -> View:
    return confirm_view.view(after(state, Resized(width, height)), width, height)


def screen(state: ConfirmState, width: int = 78, height: int = 20) -> str:
    return "\n".join(seen(state, width, height).plain())


class TestCheckbox:
    """'Also remove worktree' is checked only where nothing is at stake."""

    @pytest.mark.parametrize(
        ("question", "checked"),
        [
            (CLEAN, True),
            (replace(CLEAN, occupants=(SHELL, VIM)), True),
            (replace(CLEAN, notes=("Caches.",)), True),
            (replace(CLEAN, losses=(FILES,)), False),
            (replace(CLEAN, losses=(ENV,)), False),
            (replace(CLEAN, others=("Review",)), False),
            (replace(CLEAN, worktrees=0), False),
            (LOCKED, False),
            (MAIN, False),
        ],
    )
    def test_at_first(self, question: RemovalQuestion, checked: bool) -> None:
        assert opened(question).remove is checked

    @pytest.mark.parametrize("turn", ["space", Click("worktree")])
    def test_space_and_a_click_turn_it(self, turn: ConfirmEvent | str) -> None:
        assert not after(opened(), turn).remove
        assert after(opened(), turn, turn).remove

    def test_a_locked_worktree_stays_and_the_remedy_is_told(self) -> None:
        state = after(opened(LOCKED), "space")
        assert not state.remove
        assert "It is locked: waits for QA." in screen(state)
        assert "Unlock it first." in screen(state)
        assert answer(state, "enter") == RemovalAnswer(False)

    def test_without_a_worktree_there_is_none(self) -> None:
        state = opened(replace(CLEAN, worktrees=0))
        assert "worktree (Space)" not in screen(state)
        assert not after(state, "space").remove


class TestSteps:
    """One key, and one screen, for each thing that needs a word."""

    @pytest.mark.parametrize(
        ("question", "keys", "agreed"),
        [
            (CLEAN, ("enter",), RemovalAnswer(True)),
            (CLEAN, ("space", "enter"), RemovalAnswer(False)),
            (replace(CLEAN, losses=(FILES,)), ("enter",), RemovalAnswer(False)),
            (
                replace(CLEAN, losses=(FILES,)),
                ("space", "enter", "y"),
                RemovalAnswer(True, force=True),
            ),
            (replace(CLEAN, losses=(ENV,)), ("space", "enter", "y"), RemovalAnswer(True)),
            (
                replace(CLEAN, losses=(ENV, FILES)),
                ("space", "enter", "Y"),
                RemovalAnswer(True, force=True),
            ),
            (replace(CLEAN, occupants=(SHELL,)), ("enter",), RemovalAnswer(True)),
            (
                replace(CLEAN, occupants=(VIM,)),
                ("enter", "c"),
                RemovalAnswer(True, close=True),
            ),
            (
                replace(CLEAN, occupants=(VIM,)),
                ("space", "enter", "c"),
                RemovalAnswer(False, close=True),
            ),
            (
                replace(CLEAN, occupants=(MAKE,)),
                ("enter", "c"),
                RemovalAnswer(True, close=True),
            ),
            (replace(CLEAN, occupants=(MAKE,)), ("space", "enter"), RemovalAnswer(False)),
            (
                replace(CLEAN, others=("Review",)),
                ("space", "enter", "m"),
                RemovalAnswer(True, evacuate=True),
            ),
            (replace(CLEAN, others=("Review",)), ("enter",), RemovalAnswer(False)),
            (
                replace(CLEAN, losses=(FILES,), others=("Review",), occupants=(VIM, MAKE)),
                ("space", "enter", "y", "m", "c"),
                RemovalAnswer(True, force=True, close=True, evacuate=True),
            ),
        ],
    )
    def test_each_is_agreed_to_by_its_key(
        self, question: RemovalQuestion, keys: tuple[str, ...], agreed: RemovalAnswer
    ) -> None:
        state = opened(question)
        for key in keys:
            assert answer(state) == "asks"
            state = after(state, key)
        assert answer(state) == agreed

    def test_no_other_key_agrees(self) -> None:
        question = replace(CLEAN, losses=(FILES,), others=("Review",), occupants=(VIM,))
        state = after(opened(question), "space", "enter")
        for right in ("y", "m", "c"):
            for wrong in {"y", "m", "c", "enter", "space", "tab", "n", "Y "} - {right}:
                assert after(state, wrong).step is state.step
            state = after(state, right)
        assert state.step is Step.DONE

    @pytest.mark.parametrize("keys", [(), ("space", "enter"), ("space", "enter", "y")])
    @pytest.mark.parametrize("key", ["escape", "c-c"])
    def test_escape_leaves_at_once_from_any_step(self, keys: tuple[str, ...], key: str) -> None:
        question = replace(CLEAN, losses=(FILES,), occupants=(VIM,))
        assert answer(opened(question), *keys, key) is None

    def test_the_checkbox_is_fixed_once_the_steps_begin(self) -> None:
        state = after(opened(replace(CLEAN, losses=(FILES,))), "space", "enter", "space")
        assert state.step is Step.LOSS
        assert state.remove
        assert after(state, Click("worktree")).remove

    def test_a_worktree_without_a_session_has_to_be_chosen(self) -> None:
        state = after(opened(replace(CLEAN, sessions=0, losses=(FILES,))), "enter")
        assert answer(state) == "asks"
        assert "Nothing is chosen" in screen(state)
        assert answer(state, "space", "enter", "y") == RemovalAnswer(True, force=True)


class TestRefusals:
    """What can never be removed."""

    @pytest.mark.parametrize("key", ["enter", "escape", "c-c"])
    def test_only_leaving_is_possible(self, key: str) -> None:
        assert answer(opened(MAIN), "space", "y", "c", "m", "tab") == "asks"
        assert answer(opened(MAIN), key) is None

    def test_the_reason_and_the_remedy_are_told(self) -> None:
        assert "The main checkout is never removed." in screen(opened(MAIN))
        assert "Choose another." in screen(opened(MAIN))
        assert "Also remove" not in screen(opened(MAIN))
        assert "Enter" not in screen(opened(MAIN)), "Escape is said to do what it would do"


class TestLoading:
    """Before everything is known nothing can be agreed to."""

    def test_only_leaving_is_possible(self) -> None:
        state = opened(loading=True)
        assert answer(state, "enter", "space", "y", "enter") == "asks"
        assert answer(state, "escape") is None
        assert "Looking" in screen(state)
        assert "Enter" not in screen(state)

    def test_the_whole_question_decides_about_the_checkbox(self) -> None:
        assert after(opened(loading=True), Loaded(CLEAN)).remove
        dirty = after(opened(loading=True), Loaded(replace(CLEAN, losses=(FILES,))))
        assert not dirty.remove
        assert "Looking" not in screen(dirty)

    def test_a_second_answer_changes_nothing(self) -> None:
        state = after(opened(), Loaded(replace(CLEAN, losses=(FILES,))))
        assert state == opened()

    def test_a_failure_to_find_out_refuses(self) -> None:
        failed = replace(CLEAN, refused=Refusal("Git did not answer.", "Try again."))
        assert answer(opened(loading=True), Loaded(failed), "enter") is None


class TestScreen:
    """Everything that goes is named."""

    def test_the_inventory_in_plain_words(self) -> None:
        question = replace(
            CLEAN,
            losses=(FILES, Loss("2 commits that exist nowhere else", ("3f2 Log in",)), ENV),
            notes=("1,204 ignored cache files",),
            occupants=(VIM, SHELL),
            others=("Review login",),
        )
        told = screen(opened(question), 90, 30)
        assert (
            "Its worktree stays, with 3 uncommitted files, 2 commits that exist nowhere else and\n"
            " .env." in told
        )
        for word in (" M a.py", "3f2 Log in", "vim in %5 (busy)", "a shell in %6", "Review login"):
            assert word in told
        assert "1,204 ignored cache files" in told
        assert "⎇ fix-login" in told

    @pytest.mark.parametrize(
        ("question", "off", "on"),
        [
            (
                CLEAN,
                "closes session and window @2; the worktree stays as it is.",
                "removes session, window @2 and worktree.",
            ),
            (
                replace(CLEAN, windows=()),
                "closes the session; the worktree stays as it is.",
                "removes session and worktree.",
            ),
            (
                replace(CLEAN, losses=(FILES,)),
                "closes session and window @2; the worktree stays as it is.",
                "asks once more, then removes session, window @2 and worktree.",
            ),
            (
                replace(CLEAN, occupants=(MAKE,)),
                "closes session and window @2; the worktree stays as it is.",
                "asks once more, then removes session, window @2 and worktree.",
            ),
            (
                replace(CLEAN, occupants=(VIM,), sessions=2, worktrees=2, windows=("@2", "@3")),
                "asks once more, then closes 2 sessions and 2 windows; the worktrees stay as "
                "they are.",
                "asks once more, then removes 2 sessions, 2 windows and 2 worktrees.",
            ),
            (
                replace(CLEAN, losses=(FILES,), others=("Review",), occupants=(VIM,)),
                "asks once more, then closes session and window @2; the worktree stays as it is.",
                "asks three times more, then removes session, window @2 and worktree.",
            ),
            (
                replace(CLEAN, sessions=0, windows=()),
                "does nothing: Space chooses the worktree.",
                "removes the worktree.",
            ),
        ],
    )
    def test_a_line_under_the_box_says_what_enter_does(
        self, question: RemovalQuestion, off: str, on: str
    ) -> None:
        state = replace(opened(question), remove=False)
        for told in (off, on, off):
            assert f"Enter {told}" in screen(state, 120)
            state = after(state, "space")

    def test_also_beside_why_the_box_stays_off(self) -> None:
        told = screen(after(opened(LOCKED), "space"))
        assert "Unlock it first." in told
        assert "Enter closes session and window @2; the worktree stays" in told

    def test_also_where_there_is_hardly_room(self) -> None:
        question = replace(CLEAN, losses=(FILES,))
        for turns, said in (((), "Enter closes"), (("space",), "Enter asks once more")):
            assert said in screen(after(opened(question), Resized(40, 10), *turns), 40, 10)

    def test_title_and_headline_follow_the_box(self) -> None:
        state = opened(replace(CLEAN, losses=(FILES,)))
        assert "Close fix-login?" in screen(state)
        assert "Its worktree stays, with 3 uncommitted files." in screen(state)
        assert "Enter close" in screen(state)
        state = after(state, "space")
        assert "Remove fix-login?" in screen(state)
        assert "With the worktree would go 3 uncommitted files." in screen(state)
        assert "Enter go on" in screen(state)
        assert "Remove fix-login?" in screen(opened(loading=True)), "it is not known yet"

    def test_without_a_worktree_the_window_is_what_goes(self) -> None:
        state = opened(PLAIN)
        for told in ("Close notes?", "Its window @2 closes; nothing in git changes."):
            assert told in screen(state)
        for told in ("Enter close", "Esc leave"):
            assert told in screen(state)
        assert answer(state, "enter") == RemovalAnswer(False)
        assert answer(state, "escape") is None
        several = replace(PLAIN, sessions=3, windows=("@2", "@5"))
        assert "Their windows @2 and @5 close; nothing in git" in screen(opened(several))
        assert "It has no window; nothing in git" in screen(opened(replace(PLAIN, windows=())))

    def test_what_stays_follows_the_checkbox(self) -> None:
        assert "The trash keeps it until 12 August." in screen(opened())
        assert "until 12 August" not in screen(after(opened(), "space"))

    def test_the_step_names_exactly_what_goes(self) -> None:
        question = replace(CLEAN, losses=(FILES, ENV), occupants=(VIM, SHELL, MAKE))
        state = after(opened(question), "space", "enter")
        told = screen(state)
        assert "3 uncommitted files and .env." in told
        assert "?? c.py" in told
        assert "vim" not in told
        assert "y remove it all" in told
        told = screen(after(state, "y"))
        assert "vim in %5" in told
        assert "make in %9" in told
        assert "shell" not in told
        assert "c close them" in told

    def test_several_targets_are_counted(self) -> None:
        question = replace(CLEAN, sessions=3, worktrees=2, targets=("⎇ a", "⎇ b", "c"))
        assert "[x] Also remove 2 worktrees" in screen(opened(question))
        assert "[x] Remove worktree" in screen(opened(replace(CLEAN, sessions=0)))

    def test_a_long_list_scrolls_under_a_summary_that_stays(self) -> None:
        items = tuple(f"file{n}" for n in range(40))
        question = replace(CLEAN, losses=(Loss("40 uncommitted files", items),))
        state = after(opened(question), Resized(40, 12), "space")
        assert "↓" in screen(state, 40, 12)
        end = after(state, "end")
        assert "file39" in screen(end, 40, 12)
        assert "↑" in screen(end, 40, 12)
        assert "would go 40\n uncommitted files." in screen(end, 40, 12)
        assert after(end, "down").top == end.top
        assert after(end, "home", "up").top == 0
        assert after(state, Wheel(1)).top == 3
        assert after(state, "pagedown", "pageup").top == 0

    def test_names_of_others_do_not_act(self) -> None:
        evil = "x\x1b[2J\u202e\n"
        question = RemovalQuestion(
            evil,
            (evil,),
            losses=(Loss(evil, (evil,)),),
            notes=(evil,),
            occupants=(Occupant(evil, busy=True),),
            others=(evil,),
            stays_with=(evil,),
            closing=evil,
            windows=(evil,),
            kept=Refusal(evil, evil),
        )
        for state in (opened(question), after(opened(question), "enter"), opened(MAIN)):
            assert "\x1b" not in screen(state)
            assert "\u202e" not in screen(state)

    def test_the_keys_can_be_clicked(self) -> None:
        hit = seen(opened()).hit(2, 19)
        assert hit
        assert hit.target == "key:enter"


texts = st.text(st.characters(), max_size=30)
lists = st.lists(texts, max_size=6).map(tuple)
refusals = st.none() | st.builds(Refusal, texts, texts)
questions = st.builds(
    RemovalQuestion,
    texts,
    lists,
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.builds(Loss, texts, lists, st.booleans()), max_size=3).map(tuple),
    lists,
    st.lists(st.builds(Occupant, texts, st.booleans(), st.booleans()), max_size=3).map(tuple),
    lists,
    lists,
    refusals,
    refusals,
    texts,
    lists,
)
events: st.SearchStrategy[ConfirmEvent | str] = st.one_of(
    st.sampled_from([*confirm_state.KEYS, "y", "m", "c", "x"]),
    st.builds(Click, st.sampled_from(["worktree", ""])),
    st.builds(Wheel, st.integers(-9, 9)),
    st.builds(Resized, st.integers(0, 90), st.integers(0, 30)),
    st.builds(Loaded, questions),
    st.just(Edited("none", "", 0)),
)


@settings(max_examples=200, deadline=None)
@given(
    questions,
    st.booleans(),
    st.lists(events, max_size=15),
    st.integers(0, 90),
    st.integers(0, 30),
)
def test_whatever_happens_nothing_is_agreed_to_that_was_not_asked(
    question: RemovalQuestion,
    loading: bool,
    happening: list[ConfirmEvent | str],
    width: int,
    height: int,
) -> None:
    state = opened(question, loading=loading)
    pressed: set[str] = set()
    for event in happening:
        if confirm_state.outcome(state):
            break
        if isinstance(event, str):
            pressed.add(f"{event} at {state.step}")
        state = after(state, event)
        shown = seen(state, width, height)
        assert len(shown.lines) == height
        assert all(line_width(line) == width for line in shown.lines)
    outcome = confirm_state.outcome(state)
    if outcome and outcome != Outcome(None):
        agreed = outcome.result
        assert agreed
        asked = state.question
        assert not state.loading
        assert not asked.refused
        assert not agreed.remove_worktree or not asked.kept
        assert not agreed.remove_worktree or not asked.losses or "y at loss" in pressed
        assert not agreed.evacuate or "m at evacuate" in pressed
        assert not agreed.close or "c at busy" in pressed
        assert agreed.force is (agreed.remove_worktree and any(loss.force for loss in asked.losses))
