"""TOML that people write: read safely, and errors that name file, line and key."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hqt.errors import Code, HqtError

MAX_BYTES = 1 << 18  # a larger file is not a configuration, and would only cost time
UNDONE = " Nothing was done."  # how a message ends that stops a verb
_MAX_LINES = 500  # of one statement, while a line is looked for


class Document(NamedTuple):
    """A parsed file with its text, so that an error can say where a key stands."""

    path: Path
    text: str
    data: dict[str, Any]

    def line(self, *keys: str) -> int | None:
        """The line where the statement begins that gives `keys` a value; None if none is found.

        `tomllib` keeps no positions, so the statements are parsed one by one: each is the
        shortest run of lines, from the end of the one before, that is TOML by itself.
        """
        import tomllib

        lines = self.text.replace("\r\n", "\n").split("\n")
        table: tuple[str, ...] = ()
        start = 0
        for end in range(1, len(lines) + 1):
            if end - start > _MAX_LINES:
                return None
            chunk = "\n".join(lines[start:end])
            try:
                found: Any = tomllib.loads(chunk)
            except (ValueError, RecursionError):
                continue
            if chunk.lstrip().startswith("["):
                table = _header(found)
            else:
                for key in reversed(table):
                    found = {key: found}
            for key in keys:
                found = found.get(key) if isinstance(found, dict) else None
            if found is not None:
                return start + 1
            start = end
        return None

    def table(self, keys: tuple[str, ...]) -> dict[str, Any]:
        """The table at `keys`, empty where there is none; raises `config_invalid` for a value."""
        found: Any = self.data
        for depth, key in enumerate(keys, 1):
            found = found.get(key, {})
            if not isinstance(found, dict):
                raise self.invalid(keys[:depth], "must be a table", "Write it as [table].")
        return dict(found)

    def require_keys(self, keys: tuple[str, ...], allowed: Iterable[str]) -> None:
        """Raise `config_invalid` if the table at `keys` has a key that is not in `allowed`."""
        known = list(allowed)
        for key in self.table(keys):
            if key not in known:
                raise self.unknown((*keys, key), known)

    def unknown(self, keys: tuple[str, ...], known: Sequence[str]) -> HqtError:
        """`config_invalid` for a key that is none of the `known` ones; the nearest is named."""
        remedy = f"{meant(keys[-1], known)}Use only {', '.join(known)}."
        return self.invalid(keys, "is not known here", remedy)

    def invalid(self, keys: tuple[str, ...], problem: str, remedy: str) -> HqtError:
        """`config_invalid` for the value of `keys`; `problem` completes "<keys> …"."""
        line = next((at for n in range(len(keys), 0, -1) if (at := self.line(*keys[:n]))), None)
        return invalid(self.path, line, f"{'.'.join(keys)} {problem}", remedy)


def meant(name: str, known: Sequence[str]) -> str:
    """A question after the one of the `known` names that is nearest, with a space behind it; ""
    where none is near."""
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"Did you mean {near[0]}? " if near else ""


def invalid(path: Path, line: int | None, problem: str, remedy: str) -> HqtError:
    """`config_invalid` for a place in a file; `problem` comes without its period."""
    where = f"{path}, line {line}" if line else str(path)
    details: dict[str, object] = {"file": str(path), "line": line}
    return HqtError(Code.CONFIG_INVALID, f"{where}: {problem}.{UNDONE}", remedy, details)


def read(path: Path) -> Document | None:
    """The document at `path`, or None where there is none.

    Raises `config_invalid` when it cannot be read, is not a regular file, or is not TOML.
    """
    raw = read_bytes(path)
    return None if raw is None else parse(path, raw)


def read_bytes(path: Path) -> bytes | None:
    """The content of the regular file at `path`, or None where there is none.

    Raises `config_invalid` when it cannot be read, is too large or is not a regular file.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise invalid(path, None, "it is not a regular file", "Put a TOML file there.")
            raw = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
        raise invalid(path, None, problem, "Put a TOML file there that you can read.") from error
    if len(raw) > MAX_BYTES:
        problem = f"it is larger than {MAX_BYTES >> 10} KiB"
        raise invalid(path, None, problem, "Keep only settings in it.")
    return raw


def parse(path: Path, raw: bytes) -> Document:
    """The document that `raw`, the content of `path`, holds; raises `config_invalid`."""
    import tomllib  # 4 ms that nobody without a file should pay

    try:
        text = raw.decode()
        return Document(path, text, tomllib.loads(text))
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise invalid(path, line, "it is not UTF-8", "Save the file as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:  # it says line and column itself
        raise invalid(path, None, str(error).rstrip("."), "Correct the TOML there.") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; 1,000 brackets
        problem = "it holds a number or a nesting beyond reason"
        raise invalid(path, None, problem, "Correct the TOML there.") from error


def _open_at_once(path: str, flags: int) -> int:
    # A named pipe in the file's place would otherwise hang every verb.
    return os.open(path, flags | os.O_NONBLOCK)


def _header(found: Any) -> tuple[str, ...]:
    """The keys of a table's header, from what the header alone parses to."""
    keys = []
    while found:
        if isinstance(found, list):
            found = found[0]
        else:
            ((key, found),) = found.items()
            keys.append(key)
    return tuple(keys)
