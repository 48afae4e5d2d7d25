"""What configuration files mention, held against git's own reading of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hqt.git import configuration, process

WRITTEN = [
    "[a]\n\tk = v\n",
    '[a "Sub"] k = v',
    "[a.sub]\nk\n",
    "[a.Sub.x]\nk = v\n",
    '[a.Sub "X.y"]\nk = v\n',
    "[a] [b] k = v",
    "[a]k=1\n[b]k=2",
    "[a] # \f[b]\n\tk = v\n",
    "[a] ; \u2028[b]\n\tk = v\n",
    "# so \\\n[a]\n\tk = v\n",
    "[a]\n\tk = v # so \\\n[b]\n\tk = v\n",
    "[a]\n\tk = \\\\\n[b]\n\tk = v\n",
    '[a]\n\tk = "v # no \\\n comment" # one\n',
    '[a]\n\tk = one \\\n  two\\n\\t\\"x\\"\n',
    "[a]\r\n\tk = v\\\r\nw\r\n\tl = 2\r\n",
    '[a "x\\"y\\\\z"]\n\tk = v\n',
    '\ufeff[a]\n\tk = "v"w\n',
    "[a]\n\tk = a;b\n\tl =\n\tm = c\x85d\n",
]
PIECES = (
    "[a]",
    '[b "s"]',
    "k",
    "l",
    " = ",
    "v",
    '"',
    "\\",
    "\n",
    "\r\n",
    "#",
    ";",
    " ",
    "\f",
    "\\\\",
)


@pytest.mark.parametrize("text", WRITTEN)
def test_it_says_what_git_says(tmp_path: Path, text: str) -> None:
    said = of_git(tmp_path, text)
    assert said
    assert ours(text) == said


@pytest.mark.parametrize("header", ["[a.x.y]", '[a.x "y"]', '[a "x.y"]'])
def test_a_subsection_is_one_however_it_is_written(header: str) -> None:
    (one,) = configuration.parse(f"{header}\n\tk = v\n")
    assert one == configuration.Setting("a.k", "x.y", "v")


@settings(max_examples=200, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_git_reads_is_mentioned(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    text = f"[a]{text}"
    said = of_git(tmp_path_factory.getbasetemp(), text)
    if said is not None:
        assert ours(text) == said


def of_git(folder: Path, text: str) -> list[tuple[str, str | None]] | None:
    """Name and value of each setting; None where git refuses the file."""
    file = folder / "config"
    file.write_bytes(os.fsencode(text))
    answer = process.ask("config", "--file", str(file), "-z", "--list", cwd=folder)
    if answer.status:
        return None
    pairs = (one.partition("\n") for one in os.fsdecode(answer.out).split("\0")[:-1])
    return [(name, value.strip() if newline else None) for name, newline, value in pairs]


def ours(text: str) -> list[tuple[str, str | None]]:
    return [(_full(one), one.value) for one in configuration.parse(text)]


def _full(one: configuration.Setting) -> str:
    section, _, key = one.name.rpartition(".")
    return f"{section}.{one.subsection}.{key}" if one.subsection else one.name
