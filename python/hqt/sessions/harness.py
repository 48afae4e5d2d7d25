"""Command lines of harnesses: how each is started, resumed and forked.

The program is exec'd in the pane with these arguments; nothing is ever typed into a shell, so a
prompt may hold anything but a NUL.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hqt import paths
from hqt.errors import Code, HqtError
from hqt.sessions import transcripts
from hqt.sessions.profiles import Profile, named, profiles

__all__ = ["Launch", "Profile", "find_program", "fork", "named", "profiles", "resume", "start"]

# Linux takes 128 KiB in one argument, its NUL included (MAX_ARG_STRLEN).
LONGEST_ARGUMENT = (128 << 10) - 1
_WEEK = 7 * 24 * 3600  # seconds


@dataclass(frozen=True, slots=True)
class Launch:
    """A command line for a pane."""

    argv: tuple[str, ...] | None  # None: the user's own shell
    conversation: str | None = None  # its id, where it is known before the program runs
    environment: Mapping[str, str] = field(default_factory=dict)  # to be set in the window
    drop: tuple[str, ...] = ()  # variables of an outer agent, to be unset there
    resumed: bool = False  # False: a fresh conversation


def find_program(profile: Profile, env: Mapping[str, str] | None = None) -> Path | None:
    """Where the profile's program is, None for the user's own shell.

    Raises `config_invalid` if it is not installed; to be asked before anything is made.
    """
    if not profile.program:
        return None
    path = (os.environ if env is None else env).get("PATH", os.defpath)
    program = profile.program
    if program.startswith("~/"):
        program = str(Path(program).expanduser())
    found = shutil.which(program, path=path)
    if found is None:
        raise HqtError(
            Code.CONFIG_INVALID,
            f"The harness {profile.name} needs the program {program}, which was not found in PATH. "
            "Nothing was made.",
            f'Install it, or say where it is: program = "/…" in [harness.{profile.name}] of '
            f"{paths.config_file()}.",
            {"harness": profile.name, "program": program, "path": path},
        )
    return Path(found).absolute()


def start(
    profile: Profile,
    *,
    directory: Path = Path(),
    prompt: str | None = None,
    conversation: str | None = None,
    hooks: Path | None = None,
) -> Launch:
    """The program anew in `directory`, by default the one it is started in.

    `conversation`: the id of one that has no transcript yet, kept if the profile pins ids.
    `hooks`: a file with hqt's hooks, ignored where the program takes none. Raises
    `config_invalid` for a program that is not installed, `usage` for a prompt it cannot take.
    """
    pinned = (conversation or str(uuid.uuid4())) if profile.conversation == "pinned" else None
    values = {"conversation": pinned or "", "directory": str(directory)}
    return _launch(profile, profile.start, values, pinned, prompt=prompt, hooks=hooks)


def resume(
    profile: Profile,
    conversation: str | None,
    *,
    directory: Path,
    alone: bool,
    env: Mapping[str, str],
    hooks: Path | None = None,
) -> Launch | None:
    """The conversation again in `directory`, None if it cannot be had: then start, and say so.

    Exactly, if its transcript exists; else the latest of the directory, if no id was ever known,
    the profile calls that safe, and the session is `alone` there with this harness. `env` is the
    environment in which transcripts are looked for. Raises as `start`.
    """
    values = {"conversation": conversation or "", "directory": str(directory)}
    if not profile.program:  # a shell has nothing to resume, so nothing is lost either
        return _launch(profile, (), values, None, resumed=True)
    if conversation is not None:
        if profile.resume and transcripts.exists(profile, conversation, directory, env):
            words = profile.resume
            return _launch(profile, words, values, conversation, hooks=hooks, resumed=True)
    elif profile.latest is not None and alone:
        return _launch(profile, profile.latest, values, None, hooks=hooks, resumed=True)
    return None


def fork(
    profile: Profile,
    conversation: str | None,
    *,
    source: Path,
    directory: Path,
    env: Mapping[str, str],
    prompt: str | None = None,
    hooks: Path | None = None,
) -> Launch:
    """A new conversation in `directory` that begins with what was said in `conversation`.

    `source` is the directory that the conversation belongs to; where it differs, the transcript
    has to follow (`transcripts.follow`) before the program starts. Raises `cannot_resume` where
    the program cannot, or there is no transcript yet; else as `start`.
    """
    reason = key = ""
    if profile.fork is None:
        reason, key = f"{profile.name} cannot fork one", "fork"
    elif profile.transcripts is None:
        reason = f"the profile of {profile.name} does not say where its transcripts are"
        key = "transcripts"
    elif conversation is None or not transcripts.exists(profile, conversation, source, env):
        reason = "it has nothing written down yet"
    elif source != directory and profile.follow == "never":
        reason, key = f"{profile.name} keeps it to its directory", "follow"
    if reason:
        where = f"; if it can after all, say so with {key} in [harness.{profile.name}]"
        raise HqtError(
            Code.CANNOT_RESUME,
            f"The conversation cannot be forked: {reason}. Nothing was made.",
            f"Create the session without --fork{where if key else ''}.",
            {"harness": profile.name},
        )
    new = str(uuid.uuid4()) if profile.conversation == "pinned" else None
    values = {
        "conversation": conversation or "",
        "new": new or "",
        "directory": str(directory),
    }
    return _launch(profile, profile.fork or (), values, new, prompt=prompt, hooks=hooks)


def _launch(
    profile: Profile,
    words: tuple[str, ...],
    values: Mapping[str, str],
    conversation: str | None,
    *,
    prompt: str | None = None,
    hooks: Path | None = None,
    resumed: bool = False,
) -> Launch:
    program = find_program(profile)
    if prompt and not profile.takes_prompt:
        raise _refused(
            profile, "takes no prompt", "Leave the prompt out, or choose another with -H."
        )
    argv = None
    if program is not None:
        before = _filled(profile.hooks or (), {"hooks": str(hooks)}) if hooks else ()
        argv = (str(program), *before, *_filled(words, values), *_prompted(profile, prompt))
    return Launch(argv, conversation, profile.environment, profile.drop, resumed)


def _filled(words: tuple[str, ...], values: Mapping[str, str]) -> tuple[str, ...]:
    """One pass: what is filled in is never looked at again."""

    def value(found: re.Match[str]) -> str:
        return values[found[1]]

    pattern = "|".join(values)
    return tuple(re.sub(rf"\{{({pattern})\}}", value, word) for word in words)


def _prompted(profile: Profile, prompt: str | None) -> tuple[str, ...]:
    if not prompt or profile.prompt is None:
        return ()
    if "\0" in prompt:
        raise _refused(profile, "takes no prompt with a NUL in it", "Remove the NUL.")
    words = _filled(profile.prompt, {"prompt": prompt})
    longest = max(len(os.fsencode(word)) for word in words)
    if longest <= LONGEST_ARGUMENT:
        return words
    if profile.prompt_file is None:
        problem = f"takes at most 128 KiB of prompt, and this one has {longest >> 10}"
        raise _refused(profile, problem, "Put the text into a file and let the prompt name it.")
    return _filled(profile.prompt_file, {"file": str(_kept(prompt))})


def _kept(prompt: str) -> Path:
    """A file that holds the prompt; those of last week go, their programs have long read them."""
    folder = paths.state_dir() / "prompts"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.stat().st_mtime < time.time() - _WEEK:
            old.unlink(missing_ok=True)
    file = folder / f"{uuid.uuid4()}.txt"
    file.touch(mode=0o600)
    file.write_bytes(os.fsencode(prompt))
    return file


def _refused(profile: Profile, problem: str, remedy: str) -> HqtError:
    return HqtError(
        Code.USAGE,
        f"The harness {profile.name} {problem}. Nothing was made.",
        remedy,
        {"harness": profile.name},
    )
