"""The files in which programs are told to call hqt: which there are, and which calls they hold.

They are their user's: read with care, never written, and what cannot be read is said to be so.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hqt.sessions.profiles import Reports, root

_LARGEST = 8 << 20  # bytes; nobody writes more by hand, and programs keep their state elsewhere
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


@dataclass(slots=True)
class Looked:
    """What was found in a program's files."""

    documents: dict[Path, Any] = field(default_factory=dict)  # a text, or what JSON or TOML holds
    broken: dict[Path, str] = field(default_factory=dict)  # and why
    calls: dict[str, list[str]] = field(default_factory=dict)  # the commands of each event
    places: list[Path] = field(default_factory=list)  # the files they are in


def look(reports: Reports, env: Mapping[str, str]) -> Looked:
    """Read all of them; never raises."""
    looked = Looked()
    for file in _files(reports, env):
        try:
            looked.documents[file] = document = _read(file, reports)
        except FileNotFoundError:
            continue
        except OSError as error:
            looked.broken[file] = f"cannot be read ({error.strerror or error})"
            continue
        except (ValueError, RecursionError) as error:
            looked.broken[file] = f"cannot be understood ({str(error) or 'it is nested too deep'})"
            continue
        if isinstance(document, str):
            if all(re.search(pattern, document) for pattern in reports.lines):
                looked.places.append(file)
            continue
        found = dict(_calls(reports, document))
        for event, commands in found.items():
            looked.calls.setdefault(event, []).extend(commands)
        if found:
            looked.places.append(file)
    return looked


def _files(reports: Reports, env: Mapping[str, str]) -> list[Path]:
    folder = root(reports.roots, env)
    found: dict[Path, None] = {}
    for pattern in reports.files:
        if any(char in pattern for char in "*?["):
            found.update(dict.fromkeys(sorted(folder.glob(pattern))))
        else:
            found[folder / pattern] = None
    return list(found)


def _read(file: Path, reports: Reports) -> Any:
    """The file's content. Raises OSError, and ValueError or RecursionError if it is not as it
    should be."""
    with open(file, "rb", opener=_at_once) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ValueError("it is no regular file")
        raw = opened.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST >> 20} MiB")
    text = raw.decode()
    if file.suffix == ".toml":
        import tomllib

        return tomllib.loads(text)
    if file.suffix != ".json":
        return text
    if reports.comments:
        text = _COMMENT.sub(lambda match: match[1] or " ", text)
    document = json.loads(text) if text.strip() else {}
    if not isinstance(document, dict) or not isinstance(document.get("hooks", {}), dict):
        raise ValueError('it, or its "hooks", is no object')
    return document


def _at_once(path: str, flags: int) -> int:
    # A named pipe in the file's place would otherwise hang the check.
    return os.open(path, flags | os.O_NONBLOCK)


def _calls(reports: Reports, document: Any) -> Iterator[tuple[str, list[str]]]:
    """The events of a file for which hqt is called, with the commands that do."""
    for event in reports.events:
        entries = at(document, f"hooks.{event}")
        found = [
            command
            for entry in (entries if isinstance(entries, list) else ())
            for form in (reports.entry, *reports.accept)
            for command in _commands(form, entry)
            if call(command)
        ]
        if found:
            yield event, found


def _commands(form: Any, found: Any) -> list[str]:
    """What stands in `found` where `form` has the command; nothing if it has not that form."""
    if form == "{command}":
        return [found] if isinstance(found, str) else []
    if isinstance(form, list) and isinstance(found, list):
        return [command for inner in form for one in found for command in _commands(inner, one)]
    if isinstance(form, dict) and isinstance(found, dict):
        commands = []
        for key, inner in form.items():
            if isinstance(inner, str) and inner != "{command}":
                if found.get(key) != inner:
                    return []
            else:
                commands += _commands(inner, found.get(key))
        return commands
    return []


def call(command: str) -> tuple[str, str] | None:
    """The program and the event of the call of `hqt agent` in a command of the shell."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for program, verb, *rest in (words[number:] for number in range(len(words) - 1)):
        if verb == "agent" and program.rpartition("/")[2] == "hqt":
            return program, rest[0].rstrip(";&|)") if rest else ""
    nested = (call(word) for word in words if word != command and " agent" in word)
    return next((one for one in nested if one), None)


def at(document: Any, keys: str) -> Any:
    """What stands at a dotted key, None where there is nothing."""
    for key in keys.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document
