"""The bottom of the form: what is wrong, what is going on, and the keys. Pure."""

from __future__ import annotations

from hqt.ui.form_fields import suggestions, told
from hqt.ui.form_model import FormState, Phase
from hqt.ui.icons import Icons
from hqt.ui.text import clean, clip, paragraph, width_of
from hqt.ui.view import BAD, DIM, NOTICE, Fragment, Hint, Line, fit, footer


def status(state: FormState, cells: int, height: int, icons: Icons) -> list[Line]:
    """The lines at the bottom: what is wrong or going on, and the keys."""
    said: list[Line] = []
    if state.phase is not Phase.EDITING:
        said = [_working(state, cells, icons)]
    elif state.failure:
        most = max(height // 3, 1)
        error = paragraph(clean(state.failure.error), cells - 2)
        remedy = paragraph(clean(state.failure.remedy), cells - 2)
        said = [(Fragment(f" {line}", BAD),) for line in error]
        said += [(Fragment(f" {line}"),) for line in remedy]
        said = said[:most]
    elif known := told(state):
        own = [message for name, message in known if name == state.focus]
        message = clean(own[0] if own else known[0][1])
        said = [(Fragment(f" {clip(message, cells - 2, icons.ellipsis)}", BAD),)]
    return [*(said or [()]), fit(_keys(state, cells, icons), cells)]


def _working(state: FormState, cells: int, icons: Icons) -> Line:
    if state.phase is Phase.CANCELLING:
        return (Fragment(f" Cancelling; what was made is taken back{icons.ellipsis}", NOTICE),)
    progress = state.progress
    stage = clean(progress.stage) if progress else "working"
    stage = stage[:1].upper() + stage[1:]
    if not progress or progress.total <= 0:
        return (Fragment(f" {stage}{icons.ellipsis}", NOTICE),)
    done = min(max(progress.done, 0), progress.total)
    count = f" {done}/{progress.total}"
    label = clip(f" {stage} ", max(cells // 3, 1), icons.ellipsis)
    room = max(cells - width_of(label) - len(count) - 1, 0)
    full = room * done // progress.total
    return (
        Fragment(label, NOTICE),
        Fragment(icons.bar_full * full, NOTICE),
        Fragment(icons.bar_empty * (room - full), DIM),
        Fragment(count, DIM),
    )


def _keys(state: FormState, cells: int, icons: Icons) -> Line:
    if state.phase is Phase.CANCELLING:
        return ()
    if state.phase is Phase.SUBMITTING:
        return footer([], Hint("Esc", "cancel", "escape"), cells)
    hints = [Hint("Enter", "create", "enter"), Hint("Tab", "next", "tab")]
    if suggestions(state):
        accept = Hint("Enter", "take it", "enter")
        hints = [accept, *hints[1:]] if state.picked is not None else hints
        hints.insert(1, Hint(f"{icons.down}{icons.up}", "choose", ""))
    elif state.focus == "isolate":
        hints.insert(1, Hint("Space", "toggle", "space"))
    elif state.focus in ("mode", "harness"):
        hints.insert(1, Hint(f"{icons.left}{icons.right}", "choose", ""))
    elif state.focus == "prompt":
        hints.insert(1, Hint("Alt-Enter", "new line", "m-enter"))
    return footer(hints, Hint("Esc", "leave", "escape"), cells)
