"""Text on its way into tmux: for formats, names, menus, tmux's own parser and /bin/sh. Pure.

Almost every text that tmux is given is a format, and a format can run a program: `#(…)`. So a name
never reaches tmux as it is (tmux-facts, "Names are code"): raw text and paths travel in an option
that is read by `#{@option}`, shown names lose their `#`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

# What tmux would run (#), escape when it prints (\ and $), or refuse.
_LOOKALIKE = str.maketrans({"#": "＃", "\\": "＼", "$": "＄"})
_PLAIN = str.maketrans({".": "․", ":": "："})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"#$\\~\udc80-\udcff]')
_OUTPUT_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


def window_name(text: str) -> str:
    """`text` as the name of a window or tmux session, or as a title or menu entry.

    It holds nothing that tmux expands, however often it does (tmux-resurrect, for one, gives names
    back through `rename-window`), nothing that it would escape, and no control character.
    """
    return _CONTROL.sub("�", text.translate(_LOOKALIKE))


def cut(text: str, columns: int) -> str:
    """`text`, shortened to so many columns of a terminal, with a "…" at its end."""
    used, fitting = 0, 0  # columns; characters that leave room for the "…"
    for index, char in enumerate(text):
        used += width(char)
        if used > columns:
            return text[:fitting] + "…" if columns > 1 else ""
        if used < columns:
            fitting = index + 1
    return text


def plain_window_name(text: str) -> str:
    """`window_name` for a tmux that refuses `.` and `:` in names (3.7)."""
    return window_name(text).translate(_PLAIN)


def quote(text: str) -> str:
    """`text` as one word for tmux's command parser (a file to source, a menu's command).

    Whatever that parser or a format before it would act upon is written as an octal number: `#`,
    so that no expansion finds one, however many there are (doubling fails before `[`); newlines,
    since inside quotes tmux swallows the blanks and the comment that follow one; bytes that are not
    UTF-8, since it takes 0xff for the end.
    """
    return '"' + _SPECIAL.sub(lambda match: f"\\{ord(match[0]) & 0xFF:03o}", text) + '"'


def line(commands: Iterable[Sequence[str]]) -> str:
    """Commands as one line for tmux's parser: a failing one stops those after it."""
    return " ; ".join(" ".join(map(quote, command)) for command in commands)


def arguments(commands: Iterable[Sequence[str]]) -> list[str]:
    """Commands as the arguments of one tmux call. A last `;` of an argument would separate."""
    flat: list[str] = []
    for command in commands:
        if flat:
            flat.append(";")
        flat.extend(word[:-1] + "\\;" if word.endswith(";") else word for word in command)
    return flat


def shell(words: Iterable[str]) -> str:
    """Words as a command line for /bin/sh."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def unquote(text: str) -> str:
    """The value behind what `show-options` prints: `''`, `\\#`, `"a \\"b\\""`, `'a"b'`, bare.

    Bytes that are not UTF-8 come back as surrogates. tmux 3.4 escapes a `$` once too often, which
    can be told: it alone puts an even number of backslashes there.
    """
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    if "\\" not in text:
        return text
    text = re.sub(r"(?<!\\)((?:\\\\)+)\$", lambda match: match[1][:-1] + "$", text)
    return _ESCAPED.sub(_unescaped, text.encode(errors="surrogateescape")).decode(
        errors="surrogateescape"
    )


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF])
    char = code.decode("latin-1")
    return _OUTPUT_ESCAPES.get(char, char).encode("latin-1")


def width(text: str) -> int:
    """How many columns of a terminal a line takes, about."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
