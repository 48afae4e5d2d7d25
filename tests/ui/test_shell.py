"""The screens with real keys: bytes go into a pipe, the result comes out."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers.servers import until
from hqt.errors import Code, HqtError, Interrupted
from hqt.models import Changes
from hqt.names import slug
from hqt.ui import confirm, form, picker
from hqt.ui.events import Key
from hqt.ui.shell import Core, Shell
from hqt.ui.view import page
from ui.forms import DEFAULTS
from ui.pickers import FIX, MAIN, PAY, ROWS, many

ESCAPE, ENTER, TAB, BACKTAB = "\x1b", "\r", "\t", "\x1b[Z"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ALT_ENTER = "\x1b\r"
PATIENCE = 10.0
T = TypeVar("T")


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe:
        yield pipe


class Watched(DummyOutput):
    """Remembers what was drawn; the cells that did not change are not drawn again."""

    def __init__(self, pipe: PipeInput) -> None:
        self.pipe = pipe
        self.drawn = ""

    def write(self, data: str) -> None:
        self.drawn += data

    def when(self, word: str, keys: str) -> None:
        """Press keys once a word has been drawn; if it never is, the terminal goes."""

        def wait() -> None:
            if until(lambda: word in self.drawn):
                self.pipe.send_text(keys)
            else:
                self.pipe.close()

        threading.Thread(target=wait, daemon=True).start()


def keys_left(pipe: PipeInput) -> bool:
    """Whether some keys have not been read yet."""
    return bool(select.select([pipe.fileno()], [], [], 0)[0])


def click(x: int, y: int) -> str:
    """A press and release of the left button at a cell, counted from 0."""
    return f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m"


@dataclass
class Work:
    """Services of a form that do nothing, each of which a test may replace."""

    pipe: PipeInput
    submitted: form.FormValues | None = None

    def __post_init__(self) -> None:
        self.output = Watched(self.pipe)

    def submit(self, values: form.FormValues, progress: form.Progress) -> form.SubmitOutcome:
        progress("checkout", 1, 2)
        self.submitted = values
        return form.SubmitOutcome(True)

    def services(self) -> form.FormServices:
        return form.FormServices(
            slug=slug,
            validate=lambda _: {},
            path_preview=lambda values: f"/pool/{values.branch}",
            revisions=lambda _: [],
            branches=list,
            submit=self.submit,
            cancel=lambda: None,
        )

    def show(self, sent: str = "", **changes: object) -> form.FormResult | None:
        """The form with keys that were pressed before it could read any."""
        self.pipe.send_text(sent)
        services = replace(self.services(), **changes)  # type: ignore[arg-type]  # by name
        return form.run(DEFAULTS, services, input=self.pipe, output=self.output)


@pytest.fixture
def work(keys: PipeInput) -> Work:
    return Work(keys)


class TestForm:
    """Typing, moving, submitting."""

    def test_fast_fingers_get_the_branch_of_what_they_typed(self, work: Work) -> None:
        result = work.show("Fix Login" + ENTER)
        assert result
        assert result.values == work.submitted
        assert result.values.nickname == "Fix Login"
        assert result.values.branch == "fix-login"
        assert result.values.folder == ""

    @pytest.mark.parametrize(
        ("pressed", "nickname"),
        [
            ("ac" + LEFT + "b", "abc"),
            ("bc\x01a", "abc"),  # C-a
            ("abx\x7fc", "abc"),  # backspace
            ("one two\x17", "one"),  # C-w
            ("one\x01\x0b\x19\x19", "oneone"),  # C-k, C-y twice
            ("名前\x02\x02x", "x名前"),  # C-b
            ("a\x1ab", "ab"),  # C-z
            ("\x1b[200~pa\nsted\x1b[201~", "pa sted"),
        ],
    )
    def test_lines_are_edited_as_in_a_shell(self, work: Work, pressed: str, nickname: str) -> None:
        result = work.show(pressed + ENTER)
        assert result
        assert result.values.nickname == nickname

    def test_all_fields_by_keyboard(self, work: Work) -> None:
        result = work.show(
            "Fix" + TAB * 2 + RIGHT * 2 + LEFT * 2  # there and back: a new branch
            + TAB + "-it" + TAB + "\x15/tmp/x" + TAB + "\x15v1" + TAB + " " + TAB
            + "first" + ALT_ENTER + "second" + UP + "!" + ENTER
        )  # fmt: skip
        assert result
        assert result.values == form.FormValues(
            nickname="Fix",
            isolate=True,
            mode=form.Mode.NEW,
            branch="fix-it",
            existing="",
            folder="/tmp/x",
            from_="v1",
            harness="codex",
            prompt="first!\nsecond",
        )

    def test_space_in_a_text_is_a_space_and_on_the_checkbox_a_toggle(self, work: Work) -> None:
        result = work.show("a b" + TAB + " " + BACKTAB + " c" + ENTER)
        assert result
        assert result.values.nickname == "a b c"
        assert not result.values.isolate

    def test_letters_do_nothing_where_there_is_no_text(self, work: Work) -> None:
        result = work.show(TAB + "xyz" + TAB + "abc" + ENTER)
        assert result
        assert result.values == replace(
            result.values, nickname="", isolate=True, mode=form.Mode.NEW
        )

    @pytest.mark.parametrize("key", [ESCAPE, "\x03"])
    def test_leaving_is_immediate_though_every_service_hangs(self, work: Work, key: str) -> None:
        never = threading.Event()

        def hang(_: object) -> str:
            never.wait(PATIENCE)
            return ""

        began = time.monotonic()
        assert work.show("abc" + key, validate=hang, path_preview=hang, resolve=hang) is None
        assert time.monotonic() - began < PATIENCE / 4
        never.set()

    def test_an_arrow_is_no_escape(self, work: Work) -> None:
        assert work.show("ab" + LEFT + RIGHT + UP + DOWN + ENTER)

    def test_what_is_wrong_is_not_submitted(self, work: Work) -> None:
        def validate(values: form.FormValues) -> Mapping[str, str]:
            return {"branch": "Exists."} if values.branch == "bad" else {}

        work.output.when("Exists.", ENTER + "der" + ENTER)
        result = work.show("Bad", validate=validate)
        assert result
        assert result.values.branch == "badder"

    def test_a_failure_keeps_the_form_and_what_was_typed(self, work: Work) -> None:
        seen: list[form.FormValues] = []

        def submit(values: form.FormValues, _: form.Progress) -> form.SubmitOutcome:
            seen.append(values)
            if len(seen) == 1:
                return form.SubmitOutcome(False, "It exists.", "Choose another.", "branch")
            return form.SubmitOutcome(True)

        work.output.when("another.", "2" + ENTER)
        result = work.show("Fix" + ENTER, submit=submit)
        assert result
        assert [values.branch for values in seen] == ["fix", "fix2"]

    def test_a_refusal_is_a_failure_in_the_form(self, work: Work) -> None:
        def submit(_: form.FormValues, __: form.Progress) -> form.SubmitOutcome:
            raise HqtError(Code.BRANCH_EXISTS, "It exists.", "Choose another.")

        work.output.when("another.", ESCAPE)
        assert work.show(ENTER, submit=submit) is None

    def test_escape_cancels_and_waits_for_the_rollback(self, work: Work) -> None:
        cancelled = threading.Event()
        happened: list[str] = []

        def submit(_: form.FormValues, progress: form.Progress) -> form.SubmitOutcome:
            progress("checkout", 1, 100)
            assert cancelled.wait(PATIENCE)
            happened.append("rolled back")
            return form.SubmitOutcome(False, "Nothing was made.", "")

        def cancel() -> None:
            happened.append("cancelled")
            cancelled.set()

        work.output.when("1/100", ESCAPE)
        work.output.when("made.", ESCAPE)  # and now the form may be left
        assert work.show(ENTER, submit=submit, cancel=cancel) is None
        assert happened == ["cancelled", "rolled back"]

    def test_when_the_terminal_goes_what_was_begun_is_rolled_back_first(self, work: Work) -> None:
        cancelled = threading.Event()
        happened: list[str] = []

        def submit(_: form.FormValues, __: form.Progress) -> form.SubmitOutcome:
            work.pipe.close()
            assert cancelled.wait(PATIENCE)
            happened.append("rolled back")
            return form.SubmitOutcome(False)

        with pytest.raises(Interrupted):
            work.show(ENTER, submit=submit, cancel=cancelled.set)
        assert happened == ["rolled back"]

    @pytest.mark.parametrize("service", ["validate", "path_preview", "submit"])
    def test_a_fault_in_a_service_is_raised_and_not_printed(
        self, work: Work, service: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError(service)

        with pytest.raises(ZeroDivisionError, match=service):
            work.show(ENTER if service == "submit" else "x", **{service: fail})
        assert "ZeroDivisionError" not in "".join(capfd.readouterr())

    def test_what_cannot_be_learned_is_left_out(self, work: Work) -> None:
        def refuse(*_: object) -> str:
            raise HqtError(Code.GIT_FAILED, "No.", "")

        result = work.show("Fix" + ENTER, validate=refuse, path_preview=refuse, resolve=refuse)
        assert result

    @pytest.mark.parametrize(
        ("service", "way", "picked", "where"),
        [
            ("branches", TAB * 2 + RIGHT + TAB, "fix/x", "existing"),
            ("revisions", TAB * 5 + "\x15v", "v1", "from_"),
        ],
    )
    def test_completions_are_fetched_and_taken(
        self, work: Work, service: str, way: str, picked: str, where: str
    ) -> None:
        def offer(*_: object) -> list[str]:
            return [picked]

        # Down picks the offer, Enter takes it, Enter submits
        work.output.when(picked, DOWN + ENTER + ENTER)
        result = work.show(way, **{service: offer})
        assert result
        assert getattr(result.values, where) == picked

    def test_the_mouse_turns_the_checkbox_and_submits(self, work: Work) -> None:
        work.output.when("leave", click(4, 3) + click(3, 39))
        result = work.show()
        assert result
        assert not result.values.isolate


def shown(
    pipe: PipeInput,
    options: picker.PickerOptions | None = None,
    *,
    rows: Callable[[picker.Scope], picker.Listing] = lambda _: picker.Listing(ROWS),
    fill: Callable[[picker.PickerRow], picker.PickerRow] = lambda row: row,
    preview: Callable[[picker.PickerRow], tuple[str, ...]] = lambda _: (),
    act: Callable[[picker.Action, tuple[picker.PickerRow, ...]], str] = lambda *_: "",
    output: DummyOutput | None = None,
) -> picker.PickerResult | None:
    services = picker.PickerServices(rows, fill, preview, act)
    return picker.run(services, options, input=pipe, output=output or DummyOutput())


class Once:
    """Sends keys the first time that it is called."""

    def __init__(self, pipe: PipeInput, sent: str) -> None:
        self.pipe, self.sent = pipe, sent
        self.lock = threading.Lock()

    def __call__(self, _: picker.PickerRow) -> tuple[str, ...]:
        with self.lock:
            sent, self.sent = self.sent, ""
        self.pipe.send_text(sent)
        return ()


class TestPicker:
    """Rows come, keys choose."""

    @pytest.mark.parametrize(
        ("pressed", "result"),
        [
            (ENTER, picker.PickerResult(picker.Action.OPEN, (FIX,))),
            (DOWN + ENTER, picker.PickerResult(picker.Action.OPEN, (PAY,))),
            ("pay" + ENTER, picker.PickerResult(picker.Action.OPEN, (PAY,))),
            ("payx\x7f" + ENTER, picker.PickerResult(picker.Action.OPEN, (PAY,))),
            (TAB + TAB + "\x18", picker.PickerResult(picker.Action.REMOVE, (FIX, PAY))),
            ("\x0e", picker.PickerResult(picker.Action.NEW, ())),
            ("\x07", picker.PickerResult(picker.Action.GIT, (FIX,))),
            ("??" + ENTER, picker.PickerResult(picker.Action.OPEN, (FIX,))),
            (ESCAPE, None),
            ("x" + ESCAPE, None),
            ("\x03", None),
        ],
    )
    def test_keys(self, keys: PipeInput, pressed: str, result: picker.PickerResult | None) -> None:
        assert shown(keys, preview=Once(keys, pressed)) == result

    def test_leaving_does_not_wait_for_rows(self, keys: PipeInput) -> None:
        never = threading.Event()

        def hang(_: picker.Scope) -> picker.Listing:
            never.wait(PATIENCE)
            return picker.Listing(())

        keys.send_text(ESCAPE)
        began = time.monotonic()
        assert shown(keys, rows=hang) is None
        assert time.monotonic() - began < PATIENCE / 4
        never.set()

    def test_rows_on_screen_are_filled_first_and_all_in_the_end(self, keys: PipeInput) -> None:
        rows = many(80)
        filled: list[str] = []
        lock = threading.Lock()

        def fill(row: picker.PickerRow) -> picker.PickerRow:
            with lock:
                filled.append(row.label)
                if len(filled) == len(rows):
                    keys.send_text(ESCAPE)
            return replace(row, changes=Changes(1))

        def listing(_: picker.Scope) -> picker.Listing:
            return picker.Listing((*rows[:60], replace(rows[60], current=True), *rows[61:]))

        assert shown(keys, rows=listing, fill=fill) is None
        assert sorted(filled) == sorted(row.label for row in rows)
        first = {f"t{n}" for n in range(35, 80)}  # what a screen of 40 lines shows around t60
        assert set(filled[:20]) <= first

    def test_a_row_that_cannot_be_filled_harms_none(self, keys: PipeInput) -> None:
        def fill(row: picker.PickerRow) -> picker.PickerRow:
            if row == MAIN:
                raise HqtError(Code.GIT_FAILED, "No.", "")
            if row == FIX:
                keys.send_text(ENTER)
            return row

        assert shown(keys, fill=fill) == picker.PickerResult(picker.Action.OPEN, (FIX,))

    def test_an_action_that_stays_is_done_and_the_rows_are_read_again(
        self, keys: PipeInput
    ) -> None:
        read: list[picker.Scope] = []
        done: list[tuple[picker.Action, tuple[picker.PickerRow, ...]]] = []

        def rows(scope: picker.Scope) -> picker.Listing:
            read.append(scope)
            if len(read) == 2:
                keys.send_text(ESCAPE)
            return picker.Listing(ROWS)

        def act(action: picker.Action, chosen: tuple[picker.PickerRow, ...]) -> str:
            done.append((action, chosen))
            return "Locked."

        assert shown(keys, rows=rows, act=act, preview=Once(keys, "\x0c")) is None
        assert done == [(picker.Action.LOCK, (FIX,))]
        assert len(read) == 2

    def test_a_refused_action_stays(self, keys: PipeInput) -> None:
        def act(_: picker.Action, __: tuple[picker.PickerRow, ...]) -> str:
            raise HqtError(Code.BUSY, "vim runs there.", "Quit it.")

        output = Watched(keys)
        output.when("there.", ENTER)
        result = shown(keys, act=act, preview=Once(keys, "\x01"), output=output)
        assert result == picker.PickerResult(picker.Action.OPEN, (FIX,))

    def test_leaving_waits_for_an_action_that_was_begun(self, keys: PipeInput) -> None:
        happened: list[str] = []
        began = threading.Event()

        def act(_: picker.Action, __: tuple[picker.PickerRow, ...]) -> str:
            keys.send_text(ESCAPE)
            began.wait(0.2)  # time enough to leave, if it were allowed
            happened.append("done")
            return ""

        assert shown(keys, act=act, preview=Once(keys, "\x0c")) is None
        assert happened == ["done"]

    def test_rows_that_cannot_be_read_are_told_and_leave_the_picker_open(
        self, keys: PipeInput
    ) -> None:
        def rows(_: picker.Scope) -> picker.Listing:
            keys.send_text("\x0e")
            raise HqtError(Code.GIT_FAILED, "No.", "Try again.")

        assert shown(keys, rows=rows) == picker.PickerResult(picker.Action.NEW, ())

    def test_another_scope_is_read(self, keys: PipeInput) -> None:
        read: list[picker.Scope] = []

        def rows(scope: picker.Scope) -> picker.Listing:
            read.append(scope)
            if len(read) == 3:
                keys.send_text(ESCAPE)
            elif len(read) > 1:
                keys.send_text("\x12")
            return picker.Listing(ROWS)

        assert shown(keys, rows=rows, preview=Once(keys, "\x14")) is None
        assert read == [picker.Scope(), picker.Scope(True), picker.Scope(True, True)]

    @pytest.mark.parametrize("service", ["rows", "fill", "preview", "act"])
    def test_a_fault_in_a_service_is_raised(self, keys: PipeInput, service: str) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError(service)

        calls = {"preview": Once(keys, "\x0c")} if service == "act" else {}
        with pytest.raises(ZeroDivisionError, match=service):
            shown(keys, **{**calls, service: fail})  # type: ignore[arg-type]  # by name


QUESTION = confirm.RemovalQuestion(
    "Remove it?", losses=(confirm.Loss("1 uncommitted file", ("a",)),)
)


class TestConfirm:
    """Enter, and the key of each step."""

    @pytest.mark.parametrize(
        ("pressed", "answer"),
        [
            (" " + ENTER + "y", confirm.RemovalAnswer(True, force=True)),
            (" " + ENTER + ENTER + "n" + "y", confirm.RemovalAnswer(True, force=True)),
            (ENTER, confirm.RemovalAnswer(False)),
            (" " + ENTER + ESCAPE, None),
            ("\x03", None),
        ],
    )
    def test_keys(
        self, keys: PipeInput, pressed: str, answer: confirm.RemovalAnswer | None
    ) -> None:
        keys.send_text(pressed)
        assert confirm.run(QUESTION, input=keys, output=DummyOutput()) == answer

    def test_nothing_is_agreed_to_before_the_inventory_is_there(self, keys: PipeInput) -> None:
        clean = replace(QUESTION, losses=())
        output = Watched(keys)

        def load() -> confirm.RemovalQuestion:
            assert until(lambda: "Looking" in output.drawn)
            keys.send_text(ENTER + "?")  # meant for a clean one, pressed too early
            assert until(lambda: not keys_left(keys))
            return QUESTION

        output.when("uncommitted", " " + ENTER + "y")
        services = confirm.ConfirmServices(load)
        answer = confirm.run(clean, services, input=keys, output=output)
        assert answer == confirm.RemovalAnswer(True, force=True)

    def test_a_failed_inventory_refuses(self, keys: PipeInput) -> None:
        output = Watched(keys)
        output.when("answer.", ENTER)

        def load() -> confirm.RemovalQuestion:
            raise HqtError(Code.TIMEOUT, "Git did not answer.", "Try again.")

        services = confirm.ConfirmServices(load)
        assert confirm.run(QUESTION, services, input=keys, output=output) is None


class Tiny:
    """The smallest screen: `x` ends it. One of its functions fails once a key is pressed."""

    def __init__(self, failing: str) -> None:
        self.failing = failing

    def core(self) -> Core[str, str]:
        return Core(
            step=self.step,
            view=lambda state, width, height: self.may("view", state, page([], width, height)),
            keys=("x", "y", "c-a"),
            takes=lambda state, key: self.may("takes", state or key, True),
            field=lambda state: self.may("field", state, None),
            outcome=lambda state: self.may("outcome", state, None),
        )

    def step(self, state: str, event: object) -> str:
        pressed = event.name if isinstance(event, Key) else ""
        return self.may("step", pressed, state + pressed)

    def changed(self, _: str, after: str) -> None:
        self.may("changed", after, None)

    def may(self, name: str, state: str, answer: T) -> T:
        if state and name == self.failing:
            raise ZeroDivisionError(name)
        return answer


@pytest.mark.parametrize("failing", ["step", "view", "takes", "field", "outcome", "changed"])
def test_a_fault_anywhere_ends_the_screen_and_is_raised(
    keys: PipeInput, failing: str, capfd: pytest.CaptureFixture[str]
) -> None:
    tiny = Tiny(failing)
    shell = Shell(tiny.core(), "", tiny.changed)
    keys.send_text("x")
    with pytest.raises(ZeroDivisionError, match=failing):
        shell.run(lambda: None, input=keys, output=DummyOutput())
    assert "ZeroDivisionError" not in "".join(capfd.readouterr())


def test_screens_follow_each_other_and_keys_typed_ahead_are_kept(keys: PipeInput) -> None:
    chosen = shown(keys, preview=Once(keys, "\x18" + " " + ENTER + "y"))
    assert chosen == picker.PickerResult(picker.Action.REMOVE, (FIX,))
    answer = confirm.run(QUESTION, input=keys, output=DummyOutput())
    assert answer == confirm.RemovalAnswer(True, force=True)


def test_without_a_terminal_the_screen_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}", None)
    with pytest.raises(HqtError) as refused:
        confirm.run(QUESTION)
    assert refused.value.code is Code.USAGE
