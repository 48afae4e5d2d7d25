"""The form for a new session, key by key."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hqt.names import slug
from hqt.ui import form, form_state
from hqt.ui.events import Click, Edited, Outcome, Resized, Text, Wheel
from hqt.ui.form_fields import errors, field, fields, suggestions
from hqt.ui.form_model import (
    FormEvent,
    FormResult,
    FormServices,
    FormState,
    Mode,
    Offered,
    Phase,
    Previewed,
    Progressed,
    Resolved,
    Slugged,
    Start,
    SubmitOutcome,
    Submitted,
    Validated,
)
from hqt.ui.view import line_width
from ui.forms import after, at, opened, screen, seen, typed, wrong

ALL = ("nickname", "isolate", "mode", "branch", "folder", "from_", "harness", "prompt")


def test_it_opens_in_the_nickname_with_the_harness_that_is_the_default() -> None:
    state = opened(harness="codex")
    assert state.focus == "nickname"
    assert state.values.harness == "codex"
    assert state.values.isolate
    assert field(state) is not None


def test_an_unknown_default_harness_is_the_first() -> None:
    assert opened(harness="gone").values.harness == "claude"
    assert opened(harnesses=()).values.harness == ""


class TestFields:
    """Which there are, and the ways between them."""

    def test_tab_goes_round_through_all(self) -> None:
        state, visited = opened(), []
        for _ in ALL:
            visited.append(state.focus)
            state = after(state, "tab")
        assert tuple(visited) == ALL
        assert state.focus == "nickname"

    def test_shift_tab_and_up_go_back(self) -> None:
        assert after(opened(), "s-tab").focus == "prompt"
        assert after(opened(), "up").focus == "prompt"
        assert after(opened(), "down", "down", "up").focus == "isolate"

    @pytest.mark.parametrize(
        ("changes", "keys", "there"),
        [
            ({}, (), ALL),
            ({}, ("tab", "space"), ("nickname", "isolate", "harness", "prompt")),
            ({"isolate": False}, (), ("nickname", "isolate", "harness", "prompt")),
            ({"isolate_possible": False}, (), ("nickname", "harness", "prompt")),
            ({"harnesses": ("codex",)}, (), tuple(n for n in ALL if n != "harness")),
            ({"harnesses": ("shell",)}, (), ALL[:-2]),
            ({"harness": "shell"}, (), ALL[:-1]),
            (
                {},
                ("tab", "tab", "right"),
                ("nickname", "isolate", "mode", "existing", "folder", "harness", "prompt"),
            ),
            (
                {},
                ("tab", "tab", "left"),
                ("nickname", "isolate", "mode", "folder", "from_", "harness", "prompt"),
            ),
        ],
    )
    def test_what_cannot_matter_is_hidden(
        self, changes: dict[str, object], keys: tuple[str, ...], there: tuple[str, ...]
    ) -> None:
        assert fields(after(opened(**changes), *keys)) == there

    def test_a_shell_is_given_no_prompt_and_an_agent_again_what_was_typed(self) -> None:
        state = at(typed(at(opened(), "prompt"), "Mend it."), "harness")
        shell = after(state, "left")
        assert (shell.values.harness, shell.values.prompt) == ("shell", "")
        assert "Prompt" not in screen(shell)
        assert after(shell, "tab").focus == "nickname"
        agent = after(shell, "left")
        assert (agent.values.harness, agent.values.prompt) == ("codex", "Mend it.")
        assert "Mend it." in screen(agent)

    def test_outside_a_repository_nothing_is_isolated(self) -> None:
        assert not opened(isolate_possible=False).values.isolate

    @pytest.mark.parametrize(
        ("keys", "mode"),
        [
            (("right",), Mode.EXISTING),
            (("space",), Mode.EXISTING),
            (("right", "right"), Mode.DETACHED),
            (("right", "right", "right"), Mode.NEW),
            (("left",), Mode.DETACHED),
        ],
    )
    def test_radio_buttons_turn_with_space_and_arrows(
        self, keys: tuple[str, ...], mode: Mode
    ) -> None:
        assert after(at(opened(), "mode"), *keys).values.mode is mode

    def test_the_harness_turns_too(self) -> None:
        state = at(opened(), "harness")
        assert after(state, "right").values.harness == "codex"
        assert after(state, "left").values.harness == "shell"
        assert after(state, "space", "space", "space").values.harness == "claude"

    @pytest.mark.parametrize("key", ["left", "right"])
    def test_arrows_do_not_toggle_the_checkbox(self, key: str) -> None:
        assert after(at(opened(), "isolate"), key).values.isolate


class TestFollowing:
    """Branch and folder follow the nickname until they are edited."""

    def test_the_branch_is_the_slug_and_the_folder_is_below_the_pool(self) -> None:
        state = typed(opened(), "Fix Login!")
        assert state.values.branch == "fix-login"
        assert state.folder.text == "~/project/.worktrees/fix-login"
        assert state.values.folder == ""  # as previewed: hqt decides

    def test_an_edited_branch_stays_and_the_folder_follows_it(self) -> None:
        state = typed(at(typed(opened(), "Fix"), "branch"), "/x")
        state = typed(at(state, "nickname"), " Login")
        assert state.values.branch == "fix/x"
        assert state.folder.text == "~/project/.worktrees/fix/x"

    def test_an_edited_folder_stays(self) -> None:
        state = typed(at(typed(opened(), "Fix"), "folder"), "-here")
        state = typed(at(state, "nickname"), " Login")
        assert state.values.folder == "~/project/.worktrees/fix-here"

    @pytest.mark.parametrize("name", ["branch", "folder"])
    def test_an_emptied_field_stays_empty_while_in_it_and_follows_again_when_left(
        self, name: str
    ) -> None:
        state = at(typed(opened(), "Fix"), name)
        emptied = after(state, Edited(name, "", 0))
        assert getattr(emptied, name).text == ""
        left = after(emptied, "tab")
        assert getattr(left, name).text == getattr(state, name).text
        assert typed(at(left, "nickname"), "ed").values.branch == "fixed"

    def test_the_slug_of_an_older_nickname_comes_too_late(self) -> None:
        state = typed(opened(), "new")
        assert after(state, Slugged("old", "old")) == state

    def test_the_folder_of_an_existing_branch_and_of_a_detached_head(self) -> None:
        state = after(at(typed(opened(), "Look at it"), "mode"), "right")
        state = typed(at(state, "existing"), "fix/x")
        assert state.folder.text == "~/project/.worktrees/fix/x"
        state = after(at(state, "mode"), "right")
        assert state.folder.text == "~/project/.worktrees/look-at-it"

    def test_the_preview_overrules_the_guess_unless_it_is_late_or_the_folder_is_edited(
        self,
    ) -> None:
        state = typed(opened(), "Fix")
        answer = Previewed(state.values, "/elsewhere/fix")
        assert after(state, answer).folder.text == "/elsewhere/fix"
        assert after(typed(state, "ed"), answer).folder.text == "~/project/.worktrees/fixed"
        edited = typed(at(state, "folder"), "!")
        assert after(edited, answer).folder.text.endswith("fix!")


class TestStart:
    """The start revision, current and main one key apart."""

    def test_the_key_goes_between_the_alternatives(self) -> None:
        state = opened()
        assert after(state, "c-t").values.from_ == "main"
        assert after(state, "c-t").resolved.answer == "main 77aa001 Second"
        assert after(state, "c-t", "c-t").values.from_ == "HEAD"

    @pytest.mark.parametrize(("known", "asked"), [("", ["main"]), ("main 77aa001 Second", [])])
    def test_what_the_other_one_is_is_asked_unless_it_is_known(
        self, known: str, asked: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        starts = (Start("current", "HEAD"), Start("main", "main", known))
        state = opened(alternatives=starts)
        services = FormServices(
            slug=slug, validate=lambda _: {}, path_preview=lambda _: "", revisions=lambda _: [],
            branches=list, submit=lambda *_: SubmitOutcome(True), cancel=lambda: None,
        )  # fmt: skip
        shown = form._Form(state.defaults, services, "unicode")
        heard: list[str] = []
        monkeypatch.setattr(shown._validation, "ask", lambda _: None)
        monkeypatch.setattr(shown._preview, "ask", lambda _: None)
        monkeypatch.setattr(shown._resolution, "ask", heard.append)
        shown._changed(state, after(state, "c-t"))
        assert heard == asked

    def test_from_anything_else_it_goes_to_the_first(self) -> None:
        assert after(typed(at(opened(), "from_"), "~3"), "c-t").values.from_ == "HEAD"

    def test_it_does_nothing_where_no_start_is_asked(self) -> None:
        assert after(opened(isolate=False), "c-t").values.from_ == "HEAD"
        assert after(opened(alternatives=()), "c-t").values.from_ == "HEAD"
        existing = after(at(opened(), "mode"), "right")
        assert after(existing, "c-t").values.from_ == "HEAD"

    def test_what_it_resolves_to_is_shown_only_for_what_is_typed(self) -> None:
        state = typed(at(opened(), "from_"), "~1")
        assert after(state, Resolved("HEAD", "late")).resolved.answer == "main 3f2a1c9 First"
        assert after(state, Resolved("HEAD~1", "3f2a1c9 Older")).resolved.answer == "3f2a1c9 Older"


class TestCompletion:
    """Branches and revisions on offer."""

    def existing(self) -> FormState:
        state = at(after(at(opened(), "mode"), "right"), "existing")
        return after(state, Offered("existing", "", ("fix/login", "login-page", "main")))

    def test_all_branches_are_offered_until_something_is_typed(self) -> None:
        assert suggestions(self.existing()) == ("fix/login", "login-page", "main")
        assert suggestions(typed(self.existing(), "LOG")) == ("login-page", "fix/login")
        assert suggestions(typed(self.existing(), "nothing")) == ()

    def test_a_whole_name_needs_no_completion(self) -> None:
        assert suggestions(typed(self.existing(), "main")) == ()

    def test_down_picks_and_enter_takes_without_submitting(self) -> None:
        state = after(self.existing(), "down", "down", "enter")
        assert state.phase is Phase.EDITING
        assert state.values.existing == "login-page"
        assert state.folder.text.endswith("/login-page")
        assert state.focus == "existing"

    def test_tab_takes_and_moves_on(self) -> None:
        state = after(self.existing(), "down", "tab")
        assert state.values.existing == "fix/login"
        assert state.focus == "folder"

    def test_up_from_the_first_unpicks_and_then_leaves_the_field(self) -> None:
        state = after(self.existing(), "down", "up")
        assert state.picked is None
        assert state.focus == "existing"
        assert after(state, "up").focus == "mode"

    def test_down_behind_the_last_leaves_the_field(self) -> None:
        state = after(self.existing(), "down", "down", "down", "down")
        assert state.focus == "folder"
        assert state.values.existing == ""

    def test_typing_unpicks(self) -> None:
        assert typed(after(self.existing(), "down"), "l").picked is None

    def test_revisions_are_offered_for_exactly_what_is_typed(self) -> None:
        state = typed(after(at(opened(), "from_"), Edited("from_", "", 0)), "v")
        answered = after(state, Offered("from_", "v", ("v1.0", "v1.1")))
        assert suggestions(answered) == ("v1.0", "v1.1")
        assert suggestions(after(state, Offered("from_", "", ("main",)))) == ()
        assert after(answered, "down", "enter").values.from_ == "v1.0"

    def test_only_so_many_are_offered(self) -> None:
        state = after(self.existing(), Offered("existing", "", tuple(map(str, range(100)))))
        assert len(suggestions(state)) == 6


class TestTyping:
    """What the line editor may do."""

    def test_a_pasted_line_break_becomes_a_space_except_in_the_prompt(self) -> None:
        assert typed(opened(), "one\r\ntwo").nickname.text == "one  two"
        assert typed(at(opened(), "prompt"), "one\ntwo").values.prompt == "one\ntwo"

    @pytest.mark.parametrize("key", ["m-enter", "c-j"])
    def test_alt_enter_breaks_the_line_of_the_prompt_at_the_cursor(self, key: str) -> None:
        state = after(typed(at(opened(), "prompt"), "onetwo"), Edited("prompt", "onetwo", 3), key)
        assert state.prompt == Text("one\ntwo", 4)
        assert state.phase is Phase.EDITING

    @pytest.mark.parametrize("key", ["enter", "m-enter", "c-j"])
    def test_elsewhere_it_submits_like_enter(self, key: str) -> None:
        assert after(opened(), key).phase is Phase.SUBMITTING

    @pytest.mark.parametrize(
        ("focus", "key", "core"),
        [
            ("nickname", "left", False),
            ("nickname", "space", False),
            ("nickname", "up", True),
            ("isolate", "left", True),
            ("isolate", "space", True),
            ("mode", "right", True),
            ("prompt", "tab", True),
            ("prompt", "space", False),
        ],
    )
    def test_the_line_editor_has_only_its_keys(self, focus: str, key: str, core: bool) -> None:
        assert form_state.takes(at(opened(), focus), key) is core

    @pytest.mark.parametrize(("cursor", "up", "down"), [(1, True, False), (6, False, True)])
    def test_arrows_leave_the_prompt_only_from_its_first_and_last_line(
        self, cursor: int, up: bool, down: bool
    ) -> None:
        state = after(at(opened(), "prompt"), Edited("prompt", "one\ntwo", cursor))
        assert form_state.takes(state, "up") is up
        assert form_state.takes(state, "down") is down

    def test_a_moved_cursor_changes_no_value(self) -> None:
        state = typed(opened(), "Fix")
        assert after(state, Edited("nickname", "Fix", 1)).values == state.values


class TestErrors:
    """What is wrong, live and at the end."""

    def test_enter_goes_to_the_first_field_that_is_wrong(self) -> None:
        state = wrong(typed(opened(), "x"), folder="Exists.", branch="Exists, too.")
        assert errors(state) == (("branch", "Exists, too."), ("folder", "Exists."))
        refused = after(state, "enter")
        assert refused.focus == "branch"
        assert refused.phase is Phase.EDITING

    def test_an_answer_about_older_values_is_not_one(self) -> None:
        state = wrong(typed(opened(), "x"), branch="Exists.")
        newer = typed(state, "y")
        assert after(newer, "enter").phase is Phase.SUBMITTING
        assert after(newer, Validated(state.values, ())) == newer

    def test_an_error_of_no_field_on_screen_refuses_too(self) -> None:
        state = wrong(opened(), repository="There is no commit yet.")
        assert after(state, "enter").phase is Phase.EDITING

    def test_a_failure_is_shown_in_its_field_and_keeps_what_was_typed(self) -> None:
        state = after(typed(opened(), "Fix"), "enter")
        failed = after(state, Submitted(SubmitOutcome(False, "No.", "Do.", "folder")))
        assert failed.phase is Phase.EDITING
        assert failed.focus == "folder"
        assert failed.values == state.values
        assert failed.failure == SubmitOutcome(False, "No.", "Do.", "folder")
        assert typed(failed, "2").failure is None

    @pytest.mark.parametrize("name", ["", "existing", "nonsense"])
    def test_a_failure_of_no_field_on_screen_leaves_the_focus(self, name: str) -> None:
        state = after(opened(), "enter", Submitted(SubmitOutcome(False, "No.", "", name)))
        assert state.focus == "nickname"


class TestEnd:
    """Submitting, cancelling, leaving."""

    @pytest.mark.parametrize("key", ["escape", "c-c"])
    @pytest.mark.parametrize("focus", ALL)
    def test_escape_leaves_at_once_from_anywhere(self, key: str, focus: str) -> None:
        state = after(typed(opened(), "Fix"), *(["tab"] * ALL.index(focus)), key)
        assert form_state.outcome(state) == Outcome(None)

    def test_a_success_ends_with_the_values(self) -> None:
        state = after(typed(opened(), "Fix"), "enter")
        assert form_state.outcome(state) is None
        done = after(state, Submitted(SubmitOutcome(True)))
        assert form_state.outcome(done) == Outcome(FormResult(state.values))

    def test_escape_while_working_cancels_and_waits_for_the_rollback(self) -> None:
        state = after(opened(), "enter", "escape")
        assert state.phase is Phase.CANCELLING
        assert form_state.outcome(state) is None
        assert after(state, "escape", "c-c", "enter") == state
        back = after(state, Submitted(SubmitOutcome(False, "Cancelled.")))
        assert back.phase is Phase.EDITING
        assert form_state.outcome(back) is None

    def test_a_cancel_that_came_too_late_is_a_success(self) -> None:
        state = after(opened(), "enter", "escape", Submitted(SubmitOutcome(True)))
        assert form_state.outcome(state) == Outcome(FormResult(state.values))

    def test_nothing_is_edited_while_working(self) -> None:
        state = after(typed(opened(), "Fix"), "enter")
        assert field(state) is None
        assert after(state, "tab", "space", "c-t", Edited("nickname", "x", 1)) == state
        assert after(state, Click("isolate")) == state
        assert form_state.takes(state, "space")

    def test_progress_is_kept_while_working_only(self) -> None:
        told = Progressed("checkout", 1, 2)
        assert after(opened(), "enter", told).progress == told
        assert after(opened(), told).progress is None

    def test_a_stray_end_of_a_submission_means_nothing(self) -> None:
        assert after(opened(), Submitted(SubmitOutcome(True))) == opened()


class TestMouse:
    """Clicks."""

    @pytest.mark.parametrize(
        ("target", "focus"),
        [("nickname:0", "nickname"), ("branch:0", "branch"), ("prompt:0", "prompt")],
    )
    def test_a_click_goes_to_a_field(self, target: str, focus: str) -> None:
        assert after(at(opened(), "harness"), Click(target)).focus == focus

    def test_a_click_puts_the_cursor_under_it(self) -> None:
        state = typed(opened(), "名前 login")
        assert after(state, Click("nickname:0", 4)).nickname.cursor == 2
        assert after(state, Click("nickname:3", 2)).nickname.cursor == 5
        assert after(state, Click("nickname:0", 99)).nickname.cursor == 8

    def test_a_click_turns_what_can_be_turned(self) -> None:
        assert not after(opened(), Click("isolate")).values.isolate
        assert after(opened(), Click("mode:detached")).values.mode is Mode.DETACHED
        assert after(opened(), Click("harness:shell")).values.harness == "shell"

    def test_a_click_takes_a_completion(self) -> None:
        state = at(after(at(opened(), "mode"), "right"), "existing")
        state = after(state, Offered("existing", "", ("main", "fix")), Click("suggestion:1"))
        assert state.values.existing == "fix"

    @pytest.mark.parametrize(
        "target",
        ["", "nowhere", "existing:0", "mode:nonsense", "harness:gone", "suggestion:9", "branch:x"],
    )
    def test_a_click_on_nothing_changes_no_value(self, target: str) -> None:
        assert after(opened(), Click(target)).values == opened().values

    def test_outside_a_repository_the_checkbox_is_dead(self) -> None:
        state = opened(isolate_possible=False)
        assert after(state, Click("isolate")) == state


names = st.sampled_from([*ALL, "existing", "nonsense"])
words = st.text(st.characters(), max_size=12)
keys = st.sampled_from(form_state.KEYS)
events: st.SearchStrategy[FormEvent | str] = st.one_of(
    keys,
    keys,
    st.builds(lambda n, t, c: Edited(n, t, min(c, len(t))), names, words, st.integers(0, 12)),
    st.builds(lambda n, t: Offered(n, t, (t, "main", "v1")), names, words),
    st.builds(
        Click,
        st.one_of(
            st.builds(lambda n, i: f"{n}:{i}", names, st.integers(0, 20)),
            st.sampled_from(["isolate", "mode:existing", "suggestion:0", "harness:codex"]),
        ),
        st.integers(0, 40),
    ),
    st.builds(Wheel, st.integers(-3, 3)),
    st.builds(Resized, st.integers(0, 90), st.integers(0, 30)),
    st.builds(Progressed, words, st.integers(-5, 50), st.integers(-5, 50)),
    st.builds(Resolved, words, words),
    st.builds(Submitted, st.builds(SubmitOutcome, st.just(False), words, words, names)),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(events, max_size=25),
    st.booleans(),
    st.booleans(),
    st.integers(0, 90),
    st.integers(0, 24),
    st.booleans(),
)
def test_whatever_happens_the_form_stands_and_fits(
    happening: list[FormEvent | str],
    isolate: bool,
    possible: bool,
    width: int,
    height: int,
    ascii: bool,
) -> None:
    state = opened(isolate=isolate, isolate_possible=possible)
    for event in happening:
        state = after(state, event)
        assert state.focus in fields(state)
        editing = field(state)
        assert editing is None or 0 <= editing.text.cursor <= len(editing.text.text)
        shown = seen(state, width, height, ascii)
        assert len(shown.lines) == height
        assert all(line_width(line) == width for line in shown.lines)
        if editing and width >= 30 and height >= 8:
            assert shown.cursor, "the cursor is always on screen"
