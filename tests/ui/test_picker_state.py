"""The picker, key by key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hqt.models import Changes
from hqt.ui import picker_state
from hqt.ui.events import Click, Edited, Outcome, Resized, Text, Wheel
from hqt.ui.picker_layout import list_rows
from hqt.ui.picker_model import (
    Acted,
    Action,
    Filled,
    Listed,
    ListFailed,
    Listing,
    PickerEvent,
    PickerOptions,
    PickerResult,
    PickerRow,
    PickerState,
    Previewed,
    Scope,
)
from hqt.ui.view import line_width
from ui.pickers import (
    ASK,
    FIX,
    MAIN,
    PAY,
    ROWS,
    after,
    filtered,
    labels,
    listing,
    many,
    opened,
    seen,
    under,
)


class TestCursor:
    """Moving about."""

    def test_it_starts_where_the_user_is(self) -> None:
        assert under(opened()) == "fix-login"

    def test_where_the_user_is_nowhere_it_starts_at_the_top(self) -> None:
        assert under(opened(MAIN, PAY)) == "main"

    @pytest.mark.parametrize(
        ("keys", "there"),
        [
            (("down",), "feature/pay"),
            (("up",), "main"),
            (("up", "up", "up"), "main"),
            (("end",), "Ask"),
            (("end", "down"), "Ask"),
            (("home",), "main"),
            (("pagedown",), "Ask"),
            (("end", "pageup"), "main"),
        ],
    )
    def test_keys(self, keys: tuple[str, ...], there: str) -> None:
        assert under(after(opened(), *keys)) == there

    def test_it_is_always_on_screen(self) -> None:
        state = after(opened(*many(60)), Resized(80, 20), *["down"] * 40)
        assert state.top <= 40 < state.top + list_rows(80, 20)
        assert after(state, "home").top == 0

    def test_a_page_is_as_long_as_the_screen(self) -> None:
        state = after(opened(*many(60)), Resized(80, 20), "pagedown")
        assert under(state) == f"t{list_rows(80, 20) - 1}"

    def test_the_wheel_moves_it(self) -> None:
        assert under(after(opened(*many(60)), Wheel(1), Wheel(1), Wheel(-1))) == "t3"

    def test_without_rows_no_key_fails(self) -> None:
        state = picker_state.initial(PickerOptions())
        for key in (*picker_state.KEYS, "x"):
            after(state, key)


class TestFilter:
    """Typing narrows down."""

    def test_it_searches_branch_nickname_and_path(self) -> None:
        assert labels(filtered(opened(), "login")) == ["fix-login"]
        assert labels(filtered(opened(), "payments")) == ["feature/pay"]
        assert labels(filtered(opened(), "ask")) == ["Ask"]
        assert labels(filtered(opened(), "worktrees pay")) == ["feature/pay"]

    def test_the_cursor_goes_to_the_best_and_stays_there_when_it_is_cleared(self) -> None:
        state = filtered(opened(), "pay")
        assert under(state) == "feature/pay"
        assert under(filtered(state, "")) == "feature/pay"

    def test_what_answers_to_nothing_leaves_nothing_to_act_on(self) -> None:
        state = after(filtered(opened(), "zzz"), "enter")
        assert labels(state) == []
        assert picker_state.outcome(state) is None
        assert state.failed
        assert labels(filtered(state, "")) == labels(opened())

    def test_a_pasted_line_break_is_a_space(self) -> None:
        assert filtered(opened(), "a\nb").filter.text == "a b"

    def test_a_moved_cursor_in_the_filter_moves_no_row(self) -> None:
        state = after(filtered(opened(), "p"), "down")
        moved = after(state, Edited("filter", "p", 0))
        assert under(moved) == under(state)
        assert moved.filter == Text("p", 0)


class TestMarks:
    """Several at once."""

    def test_tab_marks_and_goes_on(self) -> None:
        state = after(opened(), "home", "tab", "tab")
        assert state.marks == {MAIN.key, FIX.key}
        assert under(state) == "feature/pay"

    def test_shift_tab_marks_and_goes_back_and_twice_unmarks(self) -> None:
        state = after(opened(), "s-tab", "home", "tab", "home")
        assert state.marks == {FIX.key, MAIN.key}
        assert after(state, "tab").marks == {FIX.key}

    def test_marked_rows_are_removed_together_though_the_filter_hides_them(self) -> None:
        state = after(opened(), "tab", "tab", "c-x")
        assert picker_state.outcome(state) == Outcome(PickerResult(Action.REMOVE, (FIX, PAY)))
        hidden = after(filtered(after(opened(), "tab", "tab"), "ask"), "c-x")
        assert picker_state.outcome(hidden) == picker_state.outcome(state)

    @pytest.mark.parametrize("key", ["enter", "c-g"])
    def test_what_is_for_one_row_is_for_the_one_under_the_cursor(self, key: str) -> None:
        outcome = picker_state.outcome(after(opened(), "tab", key))
        assert outcome
        assert outcome.result
        assert outcome.result.rows == (PAY,)

    def test_a_row_that_is_gone_is_not_marked(self) -> None:
        assert after(opened(), "tab", listing(MAIN, PAY)).marks == frozenset()


class TestActions:
    """What the keys do."""

    @pytest.mark.parametrize(
        ("key", "action", "rows"),
        [
            ("enter", Action.OPEN, (FIX,)),
            ("c-j", Action.OPEN, (FIX,)),
            ("c-n", Action.NEW, ()),
            ("c-x", Action.REMOVE, (FIX,)),
            ("c-g", Action.GIT, (FIX,)),
        ],
    )
    def test_that_leave(self, key: str, action: Action, rows: tuple[PickerRow, ...]) -> None:
        assert picker_state.outcome(after(opened(), key)) == Outcome(PickerResult(action, rows))

    @pytest.mark.parametrize(
        ("key", "action"),
        [("c-a", Action.ARCHIVE), ("c-l", Action.LOCK), ("c-y", Action.COPY)],
    )
    def test_that_stay(self, key: str, action: Action) -> None:
        state = after(opened(), key)
        assert state.pending == PickerResult(action, (FIX,))
        assert picker_state.outcome(state) is None
        done = after(state, Acted("Done."))
        assert done.pending is None
        assert done.message == "Done."
        assert done.reading == state.reading + 1  # the rows are read anew

    def test_enter_does_what_the_picker_was_opened_for(self) -> None:
        state = opened(options=PickerOptions(enter=Action.CHOOSE))
        outcome = picker_state.outcome(after(state, "enter"))
        assert outcome == Outcome(PickerResult(Action.CHOOSE, (FIX,)))

    def test_what_leaves_is_an_option(self) -> None:
        state = opened(options=PickerOptions(staying=frozenset()))
        outcome = picker_state.outcome(after(state, "c-a"))
        assert outcome == Outcome(PickerResult(Action.ARCHIVE, (FIX,)))

    @pytest.mark.parametrize(
        ("row", "key", "message"),
        [
            (MAIN, "c-x", "The main checkout is never removed."),
            (MAIN, "c-l", "The main checkout cannot be locked."),
            (MAIN, "c-a", "No session is here that could be archived."),
            (ASK, "c-l", "This session has no worktree that could be locked."),
            (replace(FIX, archived=True), "c-a", "This session is archived already."),
        ],
    )
    def test_refusals(self, row: PickerRow, key: str, message: str) -> None:
        state = after(opened(row), key)
        assert (state.message, state.failed) == (message, True)
        assert state.pending is None
        assert picker_state.outcome(state) is None
        assert after(state, "down").message == ""

    def test_a_session_in_the_main_checkout_may_be_removed(self) -> None:
        state = after(opened(replace(MAIN, session="s9")), "c-x")
        assert picker_state.outcome(state)

    def test_one_action_at_a_time_and_leaving_waits_for_it(self) -> None:
        state = after(opened(), "c-l", "c-a", "escape")
        assert state.pending == PickerResult(Action.LOCK, (FIX,))
        assert picker_state.outcome(state) is None
        assert picker_state.outcome(after(state, Acted("Done."))) == Outcome(None)

    def test_a_failed_action_keeps_the_marks(self) -> None:
        state = after(opened(), "tab", "c-a")
        assert after(state, Acted("No.", failed=True)).marks == {FIX.key}
        assert after(state, Acted("Yes.")).marks == frozenset()

    def test_a_stray_answer_means_nothing(self) -> None:
        assert after(opened(), Acted("Done.")) == opened()

    @pytest.mark.parametrize("key", ["escape", "c-c"])
    def test_escape_leaves_at_once_filter_or_not(self, key: str) -> None:
        assert picker_state.outcome(after(filtered(opened(), "x"), key)) == Outcome(None)

    def test_help_opens_and_any_key_closes_it(self) -> None:
        for key in ("?", "f1"):
            state = after(opened(), key)
            assert state.help
            assert picker_state.field(state) is None
            for closing in ("escape", "x", "c-x"):
                closed = after(state, closing)
                assert not closed.help
                assert picker_state.outcome(closed) is None
        assert picker_state.outcome(after(opened(), "?", "c-c")) == Outcome(None)


class TestRefreshing:
    """Rows are never lost to an answer that cannot know better."""

    def test_a_whole_answer_replaces_them(self) -> None:
        assert labels(after(opened(), listing(MAIN, PAY))) == ["main", "feature/pay"]

    def test_a_partial_one_removes_none_and_adds_what_is_new(self) -> None:
        new = replace(PAY, worktree="n", session="n", label="new")
        locked = replace(FIX, locked="")
        state = after(opened(), listing(locked, new, complete=False))
        assert labels(state) == ["main", "fix-login", "feature/pay", "Ask", "new"]
        assert state.rows[1].locked == ""

    def test_a_failed_one_removes_none_and_says_why(self) -> None:
        state = after(opened(), "f5", ListFailed(Scope(), "Git did not answer."))
        assert labels(state) == labels(opened())
        assert (state.message, state.failed) == ("Git did not answer.", True)

    def test_a_partial_one_says_why(self) -> None:
        state = after(opened(), Listed(Scope(), Listing((FIX,), False, "One is unreadable.")))
        assert state.message == "One is unreadable."

    def test_the_cursor_stays_on_its_row_and_takes_the_next_one_when_it_is_gone(self) -> None:
        state = after(opened(), "down")
        assert under(after(state, listing(PAY, FIX, MAIN))) == "feature/pay"
        assert under(after(state, listing(MAIN, FIX, ASK))) == "Ask"
        assert under(after(opened(), "end", listing(MAIN, FIX, PAY))) == "feature/pay"
        assert under(after(state, listing())) == ""

    def test_what_was_filled_in_stays_until_it_is_filled_in_again(self) -> None:
        state = after(opened(), Filled(replace(FIX, changes=Changes(1), unique=2, age=3)))
        assert FIX.key in state.filled
        again = after(state, listing(*ROWS))
        row = again.rows[1]
        assert (row.changes, row.unique, row.age) == (Changes(1), 2, 3)
        assert again.filled == frozenset()
        unknown = after(again, Filled(replace(FIX, changes=None)))
        assert unknown.rows[1].changes is None

    def test_a_fill_changes_nothing_but_its_facts(self) -> None:
        locked = after(opened(), listing(MAIN, replace(FIX, locked="now"), PAY, ASK))
        late = after(locked, Filled(replace(FIX, changes=Changes(1), label="old")))
        assert late.rows[1].locked == "now"
        assert late.rows[1].label == "fix-login"
        assert late.rows[1].changes == Changes(1)
        assert late.shown[1] == late.rows[1]

    def test_a_fill_of_a_row_that_is_gone_brings_it_not_back(self) -> None:
        state = after(opened(), listing(MAIN), Filled(FIX))
        assert labels(state) == ["main"]

    @pytest.mark.parametrize(
        ("key", "scope"),
        [("c-t", Scope(all_repositories=True)), ("c-r", Scope(archived=True))],
    )
    def test_another_scope_keeps_the_rows_until_the_answer(self, key: str, scope: Scope) -> None:
        asked = after(opened(), key)
        assert asked.scope == scope
        assert asked.reading == 2
        assert labels(asked) == labels(opened())
        assert labels(after(asked, listing(PAY))) == labels(opened())  # the old scope's, late
        assert labels(after(asked, listing(PAY, scope=scope))) == ["feature/pay"]
        assert after(asked, key).scope == Scope()

    def test_a_failed_change_of_scope_goes_back(self) -> None:
        scope = Scope(archived=True)
        state = after(opened(), "c-r", ListFailed(scope, "No."))
        assert state.scope == Scope()
        assert labels(state) == labels(opened())

    def test_when_the_very_first_answer_fails_it_is_told(self) -> None:
        state = after(picker_state.initial(PickerOptions()), ListFailed(Scope(), "No."))
        assert state.listed == Scope()
        assert state.message == "No."


class TestMouse:
    """Clicks."""

    def test_a_click_chooses_a_row_and_a_second_opens_it(self) -> None:
        state = after(opened(), Click(f"row:{PAY.key}", 3))
        assert under(state) == "feature/pay"
        assert picker_state.outcome(state) is None
        opens = after(state, Click(f"row:{PAY.key}"))
        assert picker_state.outcome(opens) == Outcome(PickerResult(Action.OPEN, (PAY,)))

    def test_a_click_in_the_margin_marks(self) -> None:
        assert after(opened(), Click(f"mark:{PAY.key}")).marks == {PAY.key}

    def test_a_click_puts_the_cursor_in_the_filter(self) -> None:
        assert after(filtered(opened(), "pay"), Click("filter:1", 1)).filter.cursor == 2

    def test_a_click_closes_the_help(self) -> None:
        assert not after(opened(), "?", Click("row:x")).help


def test_a_preview_belongs_to_its_row() -> None:
    state = after(opened(), Previewed(FIX.key, ("one",)), Previewed(PAY.key, ("two",)))
    shown = picker_state.preview(state)
    assert shown
    assert shown.lines == ("one",)
    again = picker_state.preview(after(state, Previewed(FIX.key, ("new",))))
    assert again
    assert again.lines == ("new",)
    assert picker_state.preview(after(opened(), "down")) is None


texts = st.text(st.characters(), max_size=10)
rows = st.builds(
    PickerRow,
    worktree=st.sampled_from([None, "a", "b", "c", "d"]),
    session=st.sampled_from([None, "s", "t"]),
    label=texts,
    nickname=texts,
    path=texts,
    state=st.sampled_from(["", "working", "waiting", "closed", "nonsense"]),
    changes=st.none() | st.builds(Changes, *[st.integers(0, 9999)] * 4),
    unique=st.none() | st.integers(0, 999),
    operation=st.none() | texts,
    locked=st.none() | texts,
    missing=st.booleans(),
    windows=st.none() | st.integers(0, 12),
    age=st.none() | st.integers(-1, 10**10),
    current=st.booleans(),
    main=st.booleans(),
    repository=texts,
    archived=st.booleans(),
)
scopes = st.builds(Scope, st.booleans(), st.booleans())
keys = st.builds(lambda row: row.key, rows)
events: st.SearchStrategy[PickerEvent | str] = st.one_of(
    st.sampled_from([*picker_state.KEYS, "x"]),
    st.builds(lambda t, c: Edited("filter", t, min(c, len(t))), texts, st.integers(0, 9)),
    st.builds(
        Listed,
        scopes,
        st.builds(Listing, st.lists(rows, max_size=9).map(tuple), st.booleans(), texts),
    ),
    st.builds(ListFailed, scopes, texts),
    st.builds(Filled, rows),
    st.builds(Previewed, keys, st.lists(texts, max_size=9).map(tuple)),
    st.builds(Acted, texts, st.booleans()),
    st.builds(
        Click,
        st.builds(lambda kind, key: f"{kind}:{key}", st.sampled_from(["row", "mark"]), keys)
        | st.just("filter:0"),
        st.integers(0, 20),
    ),
    st.builds(Wheel, st.integers(-2, 2)),
    st.builds(Resized, st.integers(0, 150), st.integers(0, 40)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(events, max_size=20), st.integers(0, 150), st.integers(0, 30), st.booleans())
def test_whatever_happens_the_picker_stands_fits_and_loses_no_row(
    happening: list[PickerEvent | str], width: int, height: int, ascii: bool
) -> None:
    state = picker_state.initial(PickerOptions())
    for event in happening:
        before = state
        state = after(state, event)
        _loses_no_row(before, event, state)
        assert (state.cursor in [row.key for row in state.shown]) or not state.shown
        shown = seen(state, width, height, ascii)
        assert len(shown.lines) == height
        assert all(line_width(line) == width for line in shown.lines)


def _loses_no_row(before: PickerState, event: PickerEvent | str, after: PickerState) -> None:
    kept = {row.key for row in before.rows}
    now = {row.key for row in after.rows}
    if isinstance(event, Listed) and event.scope == before.scope:
        if event.listing.complete or before.listed != event.scope:
            kept = set()
        kept |= {row.key for row in event.listing.rows}
    assert kept <= now
    if not after.filter.text.strip():
        assert [row.key for row in after.shown] == [row.key for row in after.rows]
