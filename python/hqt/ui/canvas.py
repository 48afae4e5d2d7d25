"""Where prompt_toolkit meets a screen: its only control, its line editors, its keys.

Imported by the shell after the first paint; nothing else imports prompt_toolkit at its top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, Layout, UIContent, Window
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.styles import DEFAULT_ATTRS

from hqt.ui import text
from hqt.ui.events import Field
from hqt.ui.view import DIM, Line, View

R = TypeVar("R")

_DIMS = hasattr(DEFAULT_ATTRS, "dim")  # since prompt_toolkit 3.0.51
_WHEEL = {MouseEventType.SCROLL_UP: -1, MouseEventType.SCROLL_DOWN: 1}


class Canvas(BufferControl):
    """Draws views, and passes for the buffer of whichever text field is in focus.

    prompt_toolkit's editing keys work on the focused control's buffer; so all of them, undo and
    paste included, serve fields that the views draw themselves.
    """

    def __init__(
        self,
        draw: Callable[[int, int], View],
        edited: Callable[[str, str, int], None],
        mouse: Callable[[int, int, int], None],
    ) -> None:
        """`edited(field, text, cursor)`; `mouse(x, y, wheel)` in cells, wheel 0 for a click."""
        self._idle = Buffer(read_only=True)
        super().__init__(self._idle)
        self._draw = draw
        self._tell = edited
        self._point = mouse
        self._editors: dict[str, Buffer] = {}
        self._setting = False
        self._lines: tuple[Line, ...] = ()

    def edit(self, field: Field | None) -> None:
        """Give the line editor to `field`, holding what the core says that it holds."""
        if field is None:
            self.buffer = self._idle
            return
        self.buffer = self._editors.get(field.name) or self._editor(field)
        held = field.text
        if (self.buffer.text, self.buffer.cursor_position) != (held.text, held.cursor):
            self._setting = True
            self.buffer.set_document(Document(held.text, held.cursor))
            self._setting = False

    def _editor(self, field: Field) -> Buffer:
        def changed(buffer: Buffer) -> None:
            if not self._setting:
                self._tell(field.name, buffer.text, buffer.cursor_position)

        editor = Buffer(
            multiline=field.multiline,
            on_text_changed=changed,
            on_cursor_position_changed=changed,
        )
        self._editors[field.name] = editor
        return editor

    def create_content(
        self,
        width: int,
        height: int,
        preview_search: bool = False,  # noqa: ARG002  # the library's signature
    ) -> UIContent:
        """The view at this size, as prompt_toolkit wants it."""
        view = self._draw(width, height)
        self._lines = view.lines
        return UIContent(
            get_line=lambda number: _styled(view.lines[number]),
            line_count=len(view.lines),
            cursor_position=_point(view),
            show_cursor=view.cursor is not None,
        )

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        """Clicks and the wheel, their place turned from characters into cells."""
        kind, place = mouse_event.event_type, mouse_event.position
        wheel = _WHEEL.get(kind, 0)
        pressed = kind == MouseEventType.MOUSE_DOWN and mouse_event.button == MouseButton.LEFT
        if (wheel or pressed) and place.y < len(self._lines):
            characters = "".join(part.text for part in self._lines[place.y])
            self._point(text.width_of(characters[: place.x]), place.y, wheel)


def _styled(line: Line) -> StyleAndTextTuples:
    return [(part.style if _DIMS else part.style.replace(DIM, ""), part.text) for part in line]


def _point(view: View) -> Point | None:
    """The cursor, its column turned from cells into characters."""
    if not view.cursor:
        return None
    characters = "".join(part.text for part in view.lines[view.cursor.y])
    return Point(text.index_at(characters, view.cursor.x), view.cursor.y)


def bindings(
    keys: tuple[str, ...],
    takes: Callable[[str], bool],
    press: Callable[[str], None],
    editing: Callable[[], bool],
) -> KeyBindings:
    """`keys` go to the core when it takes them, and all characters while no field is edited.

    Escape waits for the terminal's timeout, because Alt-Enter begins with it; the others do not
    wait for longer sequences of the line editor's.
    """
    made = KeyBindings()

    def bind(name: str) -> None:
        sequence = ("escape", name[2:]) if name.startswith("m-") else (name,)

        @made.add(*sequence, filter=Condition(lambda: takes(name)), eager=name != "escape")
        def _(_event: KeyPressEvent) -> None:
            press(name)

    for key in keys:
        bind(key)

    @made.add("<any>", filter=~Condition(editing))
    def _(event: KeyPressEvent) -> None:
        if len(event.data) == 1 and event.data.isprintable():
            press("space" if event.data == " " else event.data)

    @made.add("c-z")
    def _(_event: KeyPressEvent) -> None:
        """The library would insert the control character."""

    return made


def application(canvas: Canvas, keys: KeyBindings, input: Input, output: Output) -> Application[R]:
    """A full-screen application that shows nothing but `canvas`."""
    return Application(
        layout=Layout(Window(canvas)),
        key_bindings=keys,
        full_screen=True,
        mouse_support=True,
        input=input,
        output=output,
    )
