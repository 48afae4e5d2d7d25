"""How the form for a new session looks. Pure: (state, width, height) → View."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hqt.ui.form_fields import fields, held, suggestions, told
from hqt.ui.form_model import FormState, Mode, Phase
from hqt.ui.form_status import status
from hqt.ui.icons import Icons
from hqt.ui.text import clean, clip, fold, scrolled, width_of
from hqt.ui.view import (
    BAD,
    BOLD,
    DIM,
    NOTICE,
    REVERSE,
    Cursor,
    Fragment,
    Line,
    View,
    line_width,
    page,
    scroll,
    spread,
)

LABEL = 13  # cells before a field's value
PROMPT_LINES = 6
NAMED = 12  # cells for what the start is; with less it is not said
SPACIOUS = 14  # lines from which one stays empty below the title

_LABELS = {
    "nickname": "Nickname",
    "mode": "Branch",
    "branch": "",
    "existing": "",
    "folder": "Folder",
    "from_": "Start from",
    "harness": "Harness",
    "prompt": "Prompt",
}
_PLACEHOLDERS = {
    "nickname": "named after the branch",
    "branch": "name of the new branch",
    "existing": "name of a branch",
    "folder": "named after the branch",
    "from_": "HEAD",
    "prompt": "optional",
}
_MODES = tuple((str(mode), str(mode)) for mode in Mode)


@dataclass(frozen=True, slots=True)
class _Body:
    """The fields as drawn: their lines, which of them has the focus, and the cursor among them."""

    lines: tuple[Line, ...]
    first: int  # of the focused field's lines
    last: int
    cursor: Cursor | None


def view(state: FormState, width: int, height: int, icons: Icons) -> View:
    """The whole form; where it does not fit, the part around the focused field."""
    below = status(state, width, height, icons)
    room = max(height - 1 - len(below), 1)
    spaced = height >= SPACIOUS
    room -= spaced
    body = _body(state, width, room, icons)
    top = scroll(scroll(0, body.last, room, len(body.lines)), body.first, room, len(body.lines))
    shown = list(body.lines[top : top + room])
    lines = [_title(state, width, icons), *([()] if spaced else []), *shown]
    lines += [()] * (height - len(below) - len(lines))
    cursor = body.cursor
    if cursor:
        cursor = Cursor(cursor.x, cursor.y - top + 1 + spaced)
        if state.phase is not Phase.EDITING or cursor.y >= height - len(below):
            cursor = None
    return page([*lines[: height - len(below)], *below], width, height, cursor)


def _title(state: FormState, cells: int, icons: Icons) -> Line:
    place = clip(clean(state.defaults.repository), max(cells // 2, 1), icons.ellipsis)
    return spread(
        [Fragment(f" {clean(state.defaults.title)}", BOLD)], [Fragment(f"{place} ", DIM)], cells
    )


def _body(state: FormState, cells: int, room: int, icons: Icons) -> _Body:
    lines: list[Line] = []
    first = last = 0
    cursor: Cursor | None = None
    names = list(fields(state))
    if state.defaults.named_only:
        names.append("folder")
    elif "isolate" not in names:
        names.insert(1, "isolate")
    for name in names:
        drawn, at = _field(state, name, cells, room, icons)
        if name == state.focus:
            first, last = len(lines), len(lines) + len(drawn) - 1
            cursor = at and Cursor(at.x, at.y + len(lines))
        lines += drawn
    if state.isolate and state.defaults.note:
        note = clip(clean(state.defaults.note), max(cells - 3, 1), icons.ellipsis)
        lines.append((Fragment("  "), Fragment(note, NOTICE)))
    offered = _dropdown(state, cells, icons)
    for number, line in enumerate(offered, start=last + 1):
        lines[number : number + 1] = [line]
    return _Body(tuple(lines), first, last + len(offered), cursor)


def _field(
    state: FormState, name: str, cells: int, room: int, icons: Icons
) -> tuple[list[Line], Cursor | None]:
    """A field's lines and the cursor in it, from its first line."""
    start = LABEL + 2
    space = max(cells - start - 1, 2)
    if name == "isolate":
        return [_isolate(state, cells, icons)], None
    label = _label(state, name, icons)
    if name == "mode":
        return [(*label, *_choice(name, _MODES, state.mode, space, icons))], None
    if name == "harness":
        names = tuple((item, _harness(state, item)) for item in state.defaults.harnesses)
        return [(*label, *_choice(name, names, state.harness, space, icons))], None
    if name == "prompt":
        return _prompt(state, label, space, min(PROMPT_LINES, room))
    value, at = _value(state, name, space, icons)
    line: Line = (*label, *value)
    if name == "from_":
        line = _with_start(state, line, cells, icons)
    return [line], Cursor(start + at, 0) if name == state.focus else None


def _harness(state: FormState, name: str) -> str:
    return clean(name) + (" (not installed)" if name in state.defaults.missing else "")


def _label(state: FormState, name: str, icons: Icons) -> Line:
    focused = state.focus == name and state.phase is Phase.EDITING
    wrong = any(field == name for field, _ in told(state))
    inside = name in ("mode", "branch", "existing", "folder", "from_")
    text = ("  " if inside else "") + _LABELS[name]
    target = f"{name}:0" if name not in ("mode", "harness") else name
    sign = icons.cursor if focused else "!" if wrong else " "
    return (
        Fragment(f"{sign} ", BAD if wrong else NOTICE),
        Fragment(text.ljust(LABEL), BOLD if focused else DIM, target),
    )


def _isolate(state: FormState, cells: int, icons: Icons) -> Line:
    possible = state.defaults.isolate_possible
    focused = state.focus == "isolate" and state.phase is Phase.EDITING
    box = icons.checked if state.isolate else icons.unchecked
    style = BOLD if focused else "" if possible else DIM
    line = [
        Fragment(f"{icons.cursor if focused else ' '} ", NOTICE),
        Fragment(f"{box} Isolate in worktree", style, "isolate" if possible else ""),
    ]
    reason = "" if possible else " (not a git repo)"
    if line_width(line) + len(reason) > cells:
        line[1] = replace(line[1], text=f"{box} Isolate")
    return (*line, Fragment(reason, DIM))


def _choice(
    name: str, items: tuple[tuple[str, str], ...], chosen: str, space: int, icons: Icons
) -> Line:
    """Radio buttons in a row; where there is no room for all, the chosen one between arrows."""
    row: list[Fragment] = []
    for item, shown in items:
        sign = icons.chosen if item == chosen else icons.unchosen
        row += [Fragment(f"{sign} {shown}", "", f"{name}:{item}"), Fragment("  ")]
    if line_width(row[:-1]) <= space:
        return tuple(row[:-1])
    place = [item for item, _ in items].index(chosen)
    after = items[(place + 1) % len(items)][0]
    count = f"  {place + 1}/{len(items)}"
    label = clip(items[place][1], max(space - len(count) - 4, 1), icons.ellipsis)
    return (
        Fragment(f"{icons.previous} ", DIM, f"{name}:{items[place - 1][0]}"),
        Fragment(label, "", f"{name}:{after}"),
        Fragment(f" {icons.next}", DIM, f"{name}:{after}"),
        Fragment(count, DIM),
    )


def _value(state: FormState, name: str, space: int, icons: Icons) -> tuple[Line, int]:
    """A one-line text and where the cursor stands in it; the end of a long one when not edited."""
    text = held(state, name)
    focused = state.focus == name
    if not text.text:
        return (Fragment(_placeholder(state, name), DIM, f"{name}:0"),), 0
    follows = (name == "folder" and not state.folder_edited) or (
        name == "branch" and not state.branch_edited
    )
    style = DIM if follows and not focused else ""
    if not focused:
        shown = clip(clean(text.text), space, icons.ellipsis, keep_end=name == "folder")
        return (Fragment(shown, style, f"{name}:0"),), 0
    part = scrolled(text.text, text.cursor, space)
    return (Fragment(part.text, style, f"{name}:{part.start}"),), part.cursor


def _placeholder(state: FormState, name: str) -> str:
    """What an empty field will be; without a branch of its own nothing gives a session its name."""
    if name == "nickname" and (not state.isolate or state.mode is Mode.DETACHED):
        return "made up"
    return _PLACEHOLDERS[name]


def _with_start(state: FormState, line: Line, cells: int, icons: Icons) -> Line:
    """The start revision with what it is, and the key for the other one on offer."""
    typed = state.from_.text.strip()
    known = state.resolved.answer if state.resolved.revision == typed else ""
    line = (*line, Fragment(" ", "", "from_:0"))
    key: Line = ()
    names = [start.name for start in state.defaults.alternatives]
    revisions = [start.revision for start in state.defaults.alternatives]
    if names:
        place = revisions.index(typed) + 1 if typed in revisions else 0
        other = clean(names[place % len(names)])
        key = (Fragment("^T", BOLD, "key:c-t"), Fragment(f" {other} ", DIM, "key:c-t"))
    if line_width(line) + line_width(key) + 1 > cells:
        key = ()  # without its name nobody would know what it does
    room = cells - line_width(line) - line_width(key) - 4
    if known and room >= NAMED:
        answer = clip(clean(known), room, icons.ellipsis)
        line = (*line, Fragment(f" {icons.arrow} {answer}", DIM, "from_:0"))
    return spread(line, key, cells)


def _prompt(
    state: FormState, label: Line, space: int, most: int
) -> tuple[list[Line], Cursor | None]:
    text, focused = state.prompt, state.focus == "prompt"
    if not text.text:
        line = (*label, Fragment(_PLACEHOLDERS["prompt"], DIM, "prompt:0"))
        return [line], Cursor(LABEL + 2, 0) if focused else None
    pieces = fold(text.text, space)
    at = max(n for n, piece in enumerate(pieces) if n == 0 or piece.start <= text.cursor)
    top = scroll(0, at, most, len(pieces))
    lines: list[Line] = []
    for number, piece in enumerate(pieces[top : top + most]):
        before = label if number == 0 else (Fragment(" " * (LABEL + 2)),)
        shown = clean(text.text[piece.start : piece.end])
        lines.append((*before, Fragment(shown, "", f"prompt:{piece.start}")))
    if not focused:
        return lines, None
    x = width_of(clean(text.text[pieces[at].start : text.cursor]))
    return lines, Cursor(LABEL + 2 + x, at - top)


def _dropdown(state: FormState, cells: int, icons: Icons) -> list[Line]:
    """Completions, laid over the lines below the field."""
    offered = suggestions(state)
    space = max(cells - LABEL - 4, 2)
    widest = min(max((width_of(clean(item)) for item in offered), default=0), space)
    lines: list[Line] = []
    for number, item in enumerate(offered):
        shown = clip(clean(item), widest, icons.ellipsis)
        shown += " " * (widest - width_of(shown))
        style = REVERSE if number == state.picked else ""
        bar = Fragment(icons.wall, DIM)
        lines.append(
            (
                Fragment(" " * (LABEL + 1)),
                bar,
                Fragment(f"{shown} ", style, f"suggestion:{number}"),
            )
        )
    return lines
