"""Text on its way into tmux and out of it."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.hostile import NAMES
from helpers.servers import Server, width
from hqt.tmux import formats

# What an argument can hold: any byte but NUL, as Python sees it.
ANY = st.binary(max_size=40).map(
    lambda raw: raw.replace(b"\0", b"").decode(errors="surrogateescape")
)
TEXT = st.text(max_size=40)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("⎇ fix/größe", "⎇ fix/größe"),
        ("#(touch X)", "＃(touch X)"),
        ("a\nb\tc\x7f\x1b[31m", "a�b�c��[31m"),
        ("bad\udcff", "bad�"),
        ("$HOME\\", "＄HOME＼"),
        ("v1.2:3", "v1.2:3"),
        ("", ""),
    ],
)
def test_window_names(text: str, shown: str) -> None:
    assert formats.window_name(text) == shown


@given(TEXT)
def test_a_window_name_holds_nothing_that_is_acted_upon(text: str) -> None:
    name = formats.window_name(text)

    assert not set(name) & set("#\\$\n\r\t\x1b\x7f")
    assert len(name) == len(text)
    assert formats.window_name(name) == name
    name.encode()
    assert not set(formats.plain_window_name(text)) & set(".:#")


@given(ANY)
def test_a_quoted_word_survives_any_number_of_expansions(text: str) -> None:
    assert "#" not in formats.quote(text)
    assert "\n" not in formats.quote(text)


@given(st.lists(ANY, max_size=5))
def test_shell_words_are_what_the_shell_reads(words: list[str]) -> None:
    line = formats.shell(words)

    if "\n" not in line and line.isascii() and line.isprintable():
        import shlex

        assert shlex.split(line) == words


@pytest.mark.parametrize("name", NAMES)
def test_shell_words_by_sh_itself(name: str) -> None:
    line = f"printf '%s|' {formats.shell([name, 'x'])}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)

    assert done.stdout.decode(errors="surrogateescape") == f"{name}|x|"


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("''", ""),
        ("on", "on"),
        ("\\#", "#"),
        ("\\~", "~"),
        ('"a \\"b\\" \\$x \\\\ \\n\\t \\377 é"', 'a "b" $x \\ \n\t \udcff é'),
        ("'a\"b'", 'a"b'),
        ('"it\'s"', "it's"),
        ('"\\\\$HOME"', "$HOME"),  # tmux 3.4
        ('"\\\\\\$HOME"', "\\$HOME"),
    ],
)
def test_what_show_options_prints(printed: str, value: str) -> None:
    assert formats.unquote(printed) == value


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(ANY, min_size=1, max_size=8))
def test_through_tmux_and_back(tmux: Server, values: list[str]) -> None:
    """As arguments, as quoted words, and through the escapes of its output: byte for byte."""
    numbered = list(enumerate(values))
    tmux.tmux.run(*(["set-option", "-s", f"@a{number}", value] for number, value in numbered))
    line = formats.line(["set-option", "-s", f"@b{number}", value] for number, value in numbered)
    tmux.tmux.run(["if-shell", "-F", "1", line])

    shown = dict(
        line.split(" ", 1) for line in tmux.tmux.run(["show-options", "-s"]) if line.startswith("@")
    )
    for number, value in numbered:
        assert formats.unquote(shown[f"@a{number}"]) == value
        assert formats.unquote(shown[f"@b{number}"]) == value


@given(st.text(), st.integers(2, 30))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    cut = formats.cut(text, columns)

    assert width(cut) <= columns
    if width(text) <= columns:
        assert cut == text
    else:
        assert cut.endswith("…")
        assert text.startswith(cut[:-1])
        assert width(cut) >= columns - 1, "no more is cut than has to be"
