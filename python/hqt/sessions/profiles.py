"""Harness profiles: what hqt must know of a program to start, resume and fork it.

hqt's own are in `profiles.toml`, where each key is explained; a user's are in `config.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from hqt import toml_file
from hqt.errors import Code, HqtError
from hqt.toml_file import Document

Words = tuple[str, ...]


class Transcripts(NamedTuple):
    """Where a program keeps its conversations."""

    roots: Words
    files: str = ""
    id: str = ""
    directory: str = ""
    directory_file: str = ""
    database: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class Reports:
    """How a program is told to report to hqt, in files of its user's own."""

    roots: Words
    files: Words
    events: Mapping[str, str] = field(default_factory=dict)  # with what hqt calls each
    entry: Mapping[str, Any] = field(default_factory=dict)
    accept: tuple[Mapping[str, Any], ...] = ()
    head: Mapping[str, Any] = field(default_factory=dict)
    comments: bool = False
    lines: Words = ()
    text: str = ""
    off: Mapping[str, Any] = field(default_factory=dict)
    trust: str = ""
    then: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """A harness. None for arguments means that the program cannot do it."""

    name: str
    program: str  # "": the user's own shell
    start: Words = ()
    prompt: Words | None = None
    prompt_file: Words | None = None
    hooks: Words | None = None
    resume: Words | None = None
    latest: Words | None = None
    fork: Words | None = None
    conversation: Literal["pinned", "captured", "none"] = "none"
    follow: Literal["anywhere", "transcript", "never"] = "never"
    drop: Words = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # `set` in TOML
    transcripts: Transcripts | None = None
    reports: Reports | None = None

    @property
    def takes_prompt(self) -> bool:
        """Whether it can be started with a prompt; a shell would have to be typed to."""
        return bool(self.program) and self.prompt is not None


_OWN = Path(__file__).with_name("profiles.toml")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")

# What each list of arguments may hold; the first must be in it.
_PLACEHOLDERS: Mapping[str, Words] = MappingProxyType(
    {
        "start": ("", "conversation", "directory"),
        "prompt": ("prompt",),
        "prompt_file": ("file",),
        "hooks": ("hooks",),
        "resume": ("conversation", "directory"),
        "latest": ("", "directory"),
        "fork": ("conversation", "new", "directory"),
    }
)
_CHOICES: Mapping[str, Words] = MappingProxyType(
    {
        "conversation": ("pinned", "captured", "none"),
        "follow": ("anywhere", "transcript", "never"),
    }
)
_KEYS = ("program", *_PLACEHOLDERS, *_CHOICES, "drop", "set", "transcripts", "reports")
_REPORTS_WORDS = ("files", "events", "lines")
_REPORTS_TABLES = ("entry", "head", "off")
_REPORTS_TEXTS = ("text", "trust", "then", "note")
_PATTERNS = ("files", "id", "directory", "directory_file", "database", "query")


def named(name: str, config_file: Path) -> Profile:
    """The profile called `name`; raises `config_invalid` where there is none or it is wrong."""
    found = profiles(config_file)
    if name not in found:
        near = toml_file.meant(name, list(found))
        raise HqtError(
            Code.CONFIG_INVALID,
            f"There is no harness called {name!r}. Nothing was made.",
            f"{near}Use one of {', '.join(found)}, or describe it in {config_file} as "
            f"[harness.{name}].",
            {"harness": name, "known": list(found)},
        )
    return found[name]


def profiles(config_file: Path) -> dict[str, Profile]:
    """Every profile by name, hqt's own first; raises `config_invalid` naming file, line and key."""
    own = toml_file.parse(_OWN, _OWN.read_bytes())
    found = {name: _profile(own, (name,), name, {}) for name in own.data}
    if users := toml_file.read(config_file):
        for name in users.table(("harness",)):
            keys = ("harness", name)
            if not _NAME.fullmatch(name):
                problem = "must be lower case letters, digits, - and _"
                raise users.invalid(keys, problem, "Give the harness another name.")
            found[name] = _profile(users, keys, name, own.data.get(name, {}))
    # The outer agent may be any of them, whatever is started inside it.
    drop = tuple(sorted({name for profile in found.values() for name in profile.drop}))
    return {name: replace(profile, drop=drop) for name, profile in found.items()}


def root(roots: Words, env: Mapping[str, str]) -> Path:
    """The first of a program's roots whose variable is set; "~" is its own HOME, not hqt's."""
    for one in roots:
        name, _, rest = one.partition("/")
        if not name.startswith("$"):
            return Path(one.replace("~", env.get("HOME", ""), 1) if name == "~" else one)
        if value := env.get(name[1:]):
            return Path(value, rest)
    return Path(roots[-1])


def _profile(document: Document, keys: Words, name: str, base: Mapping[str, Any]) -> Profile:
    """The profile that the table at `keys` describes, on top of hqt's own of that name."""
    document.require_keys(keys, _KEYS)
    table = {**base, **document.table(keys)}
    values: dict[str, Any] = {"program": _text(document, keys, table, "program")}
    if values["program"] is None:
        raise document.invalid(
            keys, "says no program", 'Add program = "…"; "" is the user\'s shell.'
        )
    for key, placeholders in _PLACEHOLDERS.items():
        words = _words(document, keys, table, key)
        if words is not None:
            _require_placeholders(document, (*keys, key), words, placeholders)
            values[key] = words
    for key, allowed in _CHOICES.items():
        if key in table:
            values[key] = _choice(document, (*keys, key), table[key], allowed)
    values["drop"] = _words(document, keys, table, "drop") or ()
    values["environment"] = _variables(document, keys, table)
    if "transcripts" in table:
        values["transcripts"] = _transcripts(document, keys, table)
    if "reports" in table:
        values["reports"] = _reports(document, keys, table)
    profile = Profile(name, **values)
    _require_sense(document, keys, profile)
    return profile


def _require_sense(document: Document, keys: Words, profile: Profile) -> None:
    """Refuse what is right key by key and wrong together."""
    problem = ""
    starts = "{conversation}" in " ".join(profile.start)
    if profile.conversation == "pinned" and not starts:
        problem = 'is pinned, but start does not hold "{conversation}"'
    elif profile.conversation != "pinned" and starts:
        problem = 'must be "pinned", because start holds "{conversation}"'
    elif profile.conversation == "none" and (profile.resume or profile.fork):
        problem = 'is "none", but resume or fork needs an id'
    if problem:
        raise document.invalid((*keys, "conversation"), problem, "Make the two agree.")
    if profile.follow == "transcript" and not (profile.transcripts and profile.transcripts.files):
        problem = 'is "transcript", but transcripts.files does not say where it is'
        raise document.invalid((*keys, "follow"), problem, "Add it, or use another value.")


def _require_placeholders(document: Document, keys: Words, words: Words, allowed: Words) -> None:
    found = set(_PLACEHOLDER.findall(" ".join(words)))
    if unknown := sorted(found - set(allowed)):
        known = ", ".join(f"{{{name}}}" for name in allowed if name)
        problem = f"holds {{{unknown[0]}}}, which is not known here"
        raise document.invalid(keys, problem, f"Use only {known}.")
    if allowed[0] and allowed[0] not in found:
        problem = f"does not hold {{{allowed[0]}}}"
        raise document.invalid(keys, problem, "Say where it goes among the arguments.")


def _transcripts(document: Document, keys: Words, table: Mapping[str, Any]) -> Transcripts:
    inner = (*keys, "transcripts")
    found, roots = _rooted(document, inner, table["transcripts"], _PATTERNS)
    texts = {key: _text(document, inner, found, key) or "" for key in _PATTERNS}
    if texts["files"].startswith("/") or ".." in texts["files"].split("/"):
        problem = "must lie below its root"
        raise document.invalid((*inner, "files"), problem, "Begin it without / and without ...")
    return Transcripts(roots, **texts)


def _reports(document: Document, keys: Words, table: Mapping[str, Any]) -> Reports:
    inner = (*keys, "reports")
    known = (*_REPORTS_WORDS, *_REPORTS_TABLES, *_REPORTS_TEXTS, "accept", "comments")
    found, roots = _rooted(document, inner, table["reports"], known)
    values: dict[str, Any] = {
        key: _words(document, inner, found, key) or () for key in _REPORTS_WORDS
    }
    if not values["files"]:
        raise document.invalid(inner, "says no files", "Add the file where its hooks are.")
    events = (event.partition("=") for event in values["events"])
    values["events"] = MappingProxyType({event: word or event for event, _, word in events})
    for key in _REPORTS_TABLES:
        values[key] = _table(document, (*inner, key), found.get(key, {}))
    for key in _REPORTS_TEXTS:
        values[key] = _text(document, inner, found, key) or ""
    for pattern in values["lines"]:
        try:
            re.compile(pattern)
        except re.error as error:
            problem = f"is no regular expression: {error}"
            raise document.invalid((*inner, "lines"), problem, "Correct it.") from error
    accept = found.get("accept", [])
    if not isinstance(accept, list):
        raise document.invalid((*inner, "accept"), "must be a list of tables", "Write it as [{…}].")
    values["accept"] = tuple(_table(document, (*inner, "accept"), one) for one in accept)
    return Reports(roots, comments=found.get("comments") is True, **values)


def _rooted(
    document: Document, keys: Words, found: object, known: Words
) -> tuple[dict[str, Any], Words]:
    """The table that says where files of the program's are, with its roots."""
    table = _table(document, keys, found)
    for key in table:
        if key not in ("roots", *known):
            raise document.unknown((*keys, key), ("roots", *known))
    roots = _words(document, keys, table, "roots")
    if not roots:
        raise document.invalid(keys, "says no roots", 'Add roots = ["~/…"].')
    return table, roots


def _table(document: Document, keys: Words, found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise document.invalid(keys, "must be a table", "Write it as [table].")
    return found


def _text(document: Document, keys: Words, table: Mapping[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is not None and (not isinstance(value, str) or "\0" in value):
        raise document.invalid((*keys, key), "must be text", "Write it in quotes.")
    return value


def _words(document: Document, keys: Words, table: Mapping[str, Any], key: str) -> Words | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(w, str) and "\0" not in w for w in value):
        problem = "must be a list of texts"
        raise document.invalid((*keys, key), problem, 'Write it as ["…", "…"].')
    return tuple(value)


def _choice(document: Document, keys: Words, value: object, allowed: Words) -> str:
    if not isinstance(value, str) or value not in allowed:
        problem = f"is {value!r}, but must be one of {', '.join(allowed)}"
        raise document.invalid(keys, problem, "Correct the value, or remove it.")
    return value


def _variables(document: Document, keys: Words, table: Mapping[str, Any]) -> Mapping[str, str]:
    value = _table(document, (*keys, "set"), table.get("set", {}))
    for name in value:
        text = _text(document, (*keys, "set"), value, name)
        if text is None or not _VARIABLE.fullmatch(name):
            problem = "is not the name of a variable"
            raise document.invalid((*keys, "set", name), problem, "Rename it.")
    return MappingProxyType(dict(value))
