"""What programs keep of their conversations: is it there, which is ours, and how it follows.

Conversations are never changed or deleted; a copy is made where one has to follow its session.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hqt.errors import Code, HqtError
from hqt.sessions.profiles import Profile, Transcripts, root

_FIRST_LINE = 1 << 20  # bytes to look for the end of a transcript's first line
_SLUG = 200  # characters of a directory's slug, after which Claude Code cuts and appends a hash


class Found(NamedTuple):
    """A conversation that a program keeps."""

    id: str
    directory: str
    started: float  # seconds since the epoch


def exists(profile: Profile, conversation: str, directory: Path, env: Mapping[str, str]) -> bool:
    """Whether the program can resume `conversation` when it is started in `directory`.

    `env` is the environment of the program to be (`HOME` and what moves its files). What cannot be
    read is not there: then the session starts afresh, which loses nothing.
    """
    where = profile.transcripts
    if where is None:
        return False
    anywhere = profile.follow == "anywhere"
    if where.database:
        return any(
            one.id == conversation and (anywhere or one.directory == str(directory))
            for one in _rows(where, env)
        )
    return next(_files(where, conversation, directory, env, anywhere=anywhere), None) is not None


def capture(
    profile: Profile,
    directory: Path,
    since: float,
    claimed: Collection[str],
    env: Mapping[str, str],
    current: str | None = None,
) -> str | None:
    """The id of the conversation that the program began in `directory` after `since`.

    It counts only if no session has claimed it. Two that do are one too many: None, because a
    sibling's conversation must never be taken for one's own. Where `current` is known, what began
    later in the same folder (after a `/clear`) has taken its place: then the latest counts.
    """
    where = profile.transcripts
    if where is None or profile.conversation != "captured":
        return None
    found = list(_rows(where, env) if where.database else _heads(where, since, env))
    begun = max((one.started for one in found if one.id == current), default=None)
    ours = {
        one.id: one.started
        for one in found
        if one.started >= since
        and (begun is None or one.started > begun)
        and one.directory == str(directory)
        and one.id not in {*claimed, current}
    }
    if begun is not None and ours:
        return max(ours, key=lambda id: ours[id])
    return next(iter(ours)) if len(ours) == 1 else None


def follow(
    profile: Profile, conversation: str, source: Path, target: Path, env: Mapping[str, str]
) -> None:
    """Copy the transcript, so that the program resumes it in `target` as it did in `source`.

    Does nothing for a program that resumes anywhere, or where there is no transcript yet. An
    older copy in `target` is replaced if it is the beginning of this one, else set aside. Raises
    `cannot_resume` where the conversation cannot follow.
    """
    if profile.follow == "anywhere" or source == target:
        return
    if profile.follow == "never" or profile.transcripts is None:
        raise _cannot(profile, f'{profile.name} keeps one to its directory (follow = "never")')
    original = next(_files(profile.transcripts, conversation, source, env), None)
    if original is not None:
        _bring(profile, profile.transcripts, original, conversation, target, env)


def fetch(profile: Profile, conversation: str, target: Path, env: Mapping[str, str]) -> None:
    """As `follow`, from whichever directory the program has it: the agent may have gone from one
    to another by itself. Does nothing where that cannot be, or there is none."""
    where = profile.transcripts
    if profile.follow == "transcript" and where:
        found = list(_files(where, conversation, None, env))
        if found:
            newest = max(found, key=lambda file: file.stat().st_mtime)
            _bring(profile, where, newest, conversation, target, env)


def _bring(
    profile: Profile,
    where: Transcripts,
    original: Path,
    conversation: str,
    target: Path,
    env: Mapping[str, str],
) -> None:
    copy = root(where.roots, env) / _filled(where.files, conversation, target, wild=False)
    if len(slug(target)) > _SLUG:
        raise _cannot(profile, "the path of the new directory is too long for it")
    try:
        _copy(original, copy)
    except OSError as error:
        raise _cannot(profile, f"its transcript could not be copied ({error.strerror})") from error


def slug(directory: Path) -> str:
    """A directory as the programs name a folder after it: they count in UTF-16, so does this."""
    units = str(directory).encode("utf-16-le", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return "".join(
        chr(low) if not high and chr(low).isascii() and chr(low).isalnum() else "-"
        for low, high in pairs
    )


def _cannot(profile: Profile, reason: str) -> HqtError:
    return HqtError(
        Code.CANNOT_RESUME,
        f"The conversation cannot follow: {reason}. Nothing was moved.",
        "Add --fresh to begin a new conversation there.",
        {"harness": profile.name},
    )


def _filled(pattern: str, conversation: str, directory: Path | None, *, wild: bool) -> str:
    name = slug(directory) if directory else "*"
    if wild and len(name) > _SLUG:
        name = f"{name[:_SLUG]}-*"
    return (
        pattern.replace("{slug}", name)
        .replace("{conversation}", conversation)
        .replace("{short}", conversation[:8])
    )


def _files(
    where: Transcripts,
    conversation: str,
    directory: Path | None,
    env: Mapping[str, str],
    *,
    anywhere: bool = False,
) -> Iterator[Path]:
    """The transcript of `conversation` as the program would find it in `directory` (None: in any
    directory)."""
    if not where.files or not conversation.replace("-", "").replace("_", "").isalnum():
        return  # not an id that any program gives, but perhaps a pattern
    for file in root(where.roots, env).glob(
        _filled(where.files, conversation, directory, wild=True)
    ):
        named = "{conversation}" in where.files
        if (named or _dotted(_head(file), where.id) == conversation) and (
            anywhere or not where.directory_file or _beside(file, where) == str(directory)
        ):
            yield file


def _beside(file: Path, where: Transcripts) -> str | None:
    """The directory that a file beside the transcript names."""
    try:
        text = os.fsdecode((file.parent / where.directory_file).read_bytes())
    except OSError:
        return None
    return text.removesuffix("\n")


def _heads(where: Transcripts, since: float, env: Mapping[str, str]) -> Iterator[Found]:
    """The conversations whose files were written after `since`, by their first lines."""
    if not (where.files and where.id and where.directory):
        return
    pattern = re.sub(r"\{(conversation|short|slug)\}", "*", where.files)
    for file in root(where.roots, env).glob(pattern):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < since:
                continue
            head = _head(file)
            id, directory = _dotted(head, where.id), _dotted(head, where.directory)
            if isinstance(id, str) and isinstance(directory, str):
                yield Found(id, directory, _began(file, head))


def _began(file: Path, head: dict[str, Any]) -> float:
    """When a conversation began: what its first line says, else when its file was last written."""
    from datetime import datetime

    stamp = head.get("timestamp")
    if isinstance(stamp, str):
        with contextlib.suppress(ValueError):
            return datetime.fromisoformat(stamp).timestamp()
    return file.stat().st_mtime


def _head(file: Path) -> dict[str, Any]:
    """The first line of a transcript, or {} where it is not a JSON object."""
    try:
        with file.open("rb") as lines:
            found = json.loads(lines.readline(_FIRST_LINE))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _dotted(value: Any, keys: str) -> object:
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _rows(where: Transcripts, env: Mapping[str, str]) -> list[Found]:
    """The conversations in a program's database, read and never written."""
    import sqlite3
    import urllib.parse

    name = urllib.parse.quote(os.fsencode(root(where.roots, env) / where.database))
    try:
        connection = sqlite3.connect(f"file:{name}?mode=ro", uri=True, timeout=0.5)
        with contextlib.closing(connection):
            rows = connection.execute(where.query).fetchall()
        return [Found(str(id), str(directory), float(at)) for id, directory, at in rows]
    except (sqlite3.Error, ValueError, TypeError):
        return []


def _copy(original: Path, copy: Path) -> None:
    """`original` and the folder of the same stem, complete or not at all."""
    import shutil

    if copy.exists():
        old, new = copy.read_bytes(), original.read_bytes()
        if not new.startswith(old):
            copy.rename(f"{copy}.before-{time.time_ns()}")
    copy.parent.mkdir(parents=True, exist_ok=True)
    folder = original.with_suffix("")
    if folder != original and folder.is_dir():
        shutil.copytree(folder, copy.with_suffix(""), symlinks=True, dirs_exist_ok=True)
    draft = copy.with_name(f".{copy.name}.{os.getpid()}")
    try:
        shutil.copy2(original, draft)
        draft.replace(copy)
    finally:
        draft.unlink(missing_ok=True)
