"""What any of git's configuration files says, read without git and without libgit2.

For decisions that must err to one side: conditional includes are followed whatever their condition
(`includeIf` has kinds that libgit2 does not know), so the answer is rather too much than too
little. Never use it for what a setting *is*; only for whether something is *mentioned*.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hqt.git import files

# What may stand between the parts of a file; a comment ends with its line, whatever is in it.
_BETWEEN = re.compile(r"(?:\s|[#;][^\n]*)*")
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*(=?)")
# Up to a comment or the end of its line, which a backslash takes away.
_VALUE = re.compile(r'(?:[^"\\\n#;]|\\(?:.|\n)|"(?:[^"\\\n]|\\(?:.|\n))*")*')
_DEPTH = 10  # git's own limit of includes in includes
_FALSE = {"false", "no", "off", "0", ""}


class Setting(NamedTuple):
    """One assignment, wherever it stands."""

    name: str  # section.key in lower case, the subsection left out: "filter.clean"
    subsection: str
    value: str | None  # None for a key without "=", which git takes for true

    @property
    def on(self) -> bool:
        """Whether git would take it for true; a word that is no boolean counts as true."""
        return self.value is None or self.value.lower() not in _FALSE


def settings(common_dir: Path, git_dir: Path) -> tuple[Setting, ...]:
    """Every assignment in the files that can apply to a checkout with this git directory.

    System, user, repository and worktree files, and all that they include. What cannot be read is
    left out, as git itself would refuse to run on it.
    """
    named = (
        Path("/etc/gitconfig"),
        user_folder() / "config",
        Path.home() / ".gitconfig",
        common_dir / "config",
        common_dir / "config.worktree",
        git_dir / "config.worktree",
    )
    return tuple(setting for file in dict.fromkeys(named) for setting in _read(file, _DEPTH))


def user_folder() -> Path:
    """Where git looks for the user's own files beside `~/.gitconfig`."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git"


def user_path(value: str, base: Path) -> Path:
    """A path as a configuration file spells it: `~` expanded, else relative to `base`."""
    try:
        return base / Path(value).expanduser()
    except RuntimeError:  # ~someone whom this machine does not know
        return base / value


def _read(file: Path, depth: int) -> Iterator[Setting]:
    try:
        text = os.fsdecode(files.read(file))
    except OSError:
        return
    for setting in parse(text):
        yield setting
        included = setting.name in {"include.path", "includeif.path"}
        if included and setting.value and depth:
            yield from _read(user_path(setting.value, file.parent), depth - 1)


def parse(text: str) -> Iterator[Setting]:
    """The settings in a file's text, as git reads them: a line ends with a newline alone, a section
    may share its line with others and with keys. What git would stop at is passed over."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    section = subsection = ""
    at = 0
    while (at := _end(_BETWEEN, text, at)) < len(text):
        if header := _SECTION.match(text, at):
            # `[remote.x]` is an older spelling of `[remote "x"]`
            section, *dotted = header[1].lower().split(".", 1)
            quoted = () if header[2] is None else (re.sub(r"\\(.)", r"\1", header[2]),)
            subsection = ".".join((*dotted, *quoted))
            at = header.end()
        elif key := _KEY.match(text, at):
            at = _end(_VALUE, text, key.end()) if key[2] else key.end()
            value = _value(text[key.end() : at]) if key[2] else None
            if section:
                yield Setting(f"{section}.{key[1].lower()}", subsection, value)
        else:
            at += 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what `pattern` matches at a place ends; it matches nothing too."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _value(raw: str) -> str:
    """Without quotes, escapes and continued lines."""
    out, quoted, escaped = [], False, False
    for char in raw:
        if escaped:
            out.append({"n": "\n", "t": "\t", "b": "\b", "\n": ""}.get(char, char))
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"':
            quoted = not quoted
        else:
            out.append(char)
    return "".join(out).strip()
