"""Whether agents report their states to hqt: what their users' own files say, and what to add.

A program that takes hqt's hooks by an argument needs nothing (`hooks`). For the others the profile
says which files are looked at and what a hook in them looks like. They are read, never written.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from hqt import plugin
from hqt.results import Finding
from hqt.sessions import agent, hook_files, hook_trust
from hqt.sessions.profiles import Profile, Reports, root

_BY_PAYLOAD = ("Notification", "SessionStart")  # events whose state their payload tells
_UNTRUSTED = {
    "new": "{name} was not told to trust hqt's hooks for {events}, so it skips them silently.",
    "changed": "hqt's hooks for {events} have changed since {name} was told to trust them, so it "
    "skips them silently.",
    "off": "hqt's hooks for {events} are switched off in {name}.",
}
_ANY = "`hqt agent working`, `hqt agent waiting`, `hqt agent done` or `hqt agent error`"


def findings(profile: Profile, sessions: int, env: Mapping[str, str]) -> Iterator[Finding]:
    """How the program of `profile` reports to hqt; `sessions` use it, `env` is its environment."""
    subject, name = f"agent {profile.name}", profile.name
    reports = profile.reports
    looked = hook_files.look(reports, env) if reports else hook_files.Looked()
    for file, reason in looked.broken.items():
        trust = reports is not None and file.name == reports.trust
        unknown = f"whether {name} trusts hqt's hooks" if trust else f"what it says to {name}"
        yield Finding(
            subject,
            "warning",
            f"{file} {reason}, so {unknown} is unknown.",
            "Correct it, or make it readable for you.",
        )
    off = list(_switched_off(reports, looked)) if reports else []
    for what in off:
        yield Finding(
            subject,
            "warning",
            f"{what}, so {name} runs none of these hooks.",
            "Take that out of the file.",
        )
    if profile.hooks is not None:
        if not off:
            yield Finding(subject, "ok", f"hqt passes its hooks to {name} at each start.")
    elif reports is None:
        yield Finding(
            subject,
            "note",
            f"How {name} can report its state is unknown to hqt.",
            f"Whatever it can call may call {_ANY}.",
        )
    else:
        worse = list(_wrong(profile, reports, looked, sessions, env))
        yield from worse
        if not (worse or off or looked.broken):
            places = " and ".join(map(str, looked.places))
            trusted = ", which it trusts" if reports.trust else ""
            note = f" {reports.note}" if reports.note else ""
            yield Finding(subject, "ok", f"{name} tells hqt its state by {places}{trusted}.{note}")


def to_add(profile: Profile, env: Mapping[str, str]) -> tuple[str, ...]:
    """What the user adds, line by line, so that the program reports to hqt."""
    reports = profile.reports
    if not profile.program:
        return ("A shell reports nothing, and needs no hooks.",)
    if profile.hooks is not None:
        return (f"Nothing is to be added: hqt passes its hooks to {profile.name} at each start.",)
    if reports is None:
        return (f"hqt does not know the hooks of {profile.name}.", f"It may call {_ANY}.")
    file = root(reports.roots, env) / reports.files[0]
    told = [*([reports.then] if reports.then else []), *([reports.note] if reports.note else [])]
    return (f"Add to {file}, which is yours to write:", "", *_addition(reports, env), "", *told)


def _addition(reports: Reports, env: Mapping[str, str]) -> list[str]:
    hqt = "hqt" if shutil.which("hqt", path=_path(env)) else shlex.quote(str(plugin.LAUNCHER))
    if reports.text:
        return reports.text.replace("{hqt}", hqt).splitlines()
    head = [f'  "{key}": {json.dumps(value)},' for key, value in reports.head.items()]
    events = [
        f'    "{event}": {json.dumps([_filled(reports.entry, f"{hqt} agent {word}")])}'
        for event, word in reports.events.items()
    ]
    return ["{", *head, '  "hooks": {', *",\n".join(events).splitlines(), "  }", "}"]


def _filled(form: Any, command: str) -> Any:
    if isinstance(form, dict):
        return {key: _filled(value, command) for key, value in form.items()}
    if isinstance(form, list):
        return [_filled(one, command) for one in form]
    return command if form == "{command}" else form


def _wrong(
    profile: Profile,
    reports: Reports,
    looked: hook_files.Looked,
    sessions: int,
    env: Mapping[str, str],
) -> Iterator[Finding]:
    """Everything that keeps hqt from hearing of the program, as far as its files tell."""
    subject, name = f"agent {profile.name}", profile.name
    add = f"`hqt instructions --hooks {name}` prints what to add; README tells more."
    missing = [event for event in reports.events if event not in looked.calls]
    if not looked.places:
        first = root(reports.roots, env) / reports.files[0]
        there = first in looked.documents
        why = f"nothing in {first} calls `hqt agent`" if there else f"there is no {first}"
        if first not in looked.broken:
            level = "warning" if sessions else "note"
            yield Finding(subject, level, f"{name} does not tell hqt its state: {why}.", add)
        return
    if missing:
        said = f"{name} calls hqt, but not for {', '.join(missing)}: its state will often be wrong."
        yield Finding(subject, "warning", said, add)
    calls = [
        call for found in looked.calls.values() for call in map(hook_files.call, found) if call
    ]
    for program in dict.fromkeys(program for program, _ in calls):
        yield from _absent(subject, program, env)
    for event in dict.fromkeys(event for _, event in calls):
        if event not in agent.EVENTS and event not in _BY_PAYLOAD:
            said = f"`hqt agent {event}`, which {name} calls, says nothing to hqt."
            yield Finding(subject, "warning", said, f"Name the event as it is, or call {_ANY}.")
    if reports.trust:
        yield from _distrusted(profile, reports, looked, env)


def _absent(subject: str, program: str, env: Mapping[str, str]) -> Iterator[Finding]:
    where = os.path.expanduser(program)  # noqa: PTH111 - a bare name must stay one
    if "$" in where or shutil.which(where, path=_path(env)):
        return
    said = f"There is no {program}" if "/" in where else f"{program} is not found in PATH"
    remedy = f"`hqt install --link DIR`, DIR a folder of your PATH, or name {plugin.LAUNCHER}."
    yield Finding(subject, "warning", f"{said}, which its hooks call.", remedy)


def _distrusted(
    profile: Profile, reports: Reports, looked: hook_files.Looked, env: Mapping[str, str]
) -> Iterator[Finding]:
    """What the program does not trust of what calls hqt."""
    subject, name = f"agent {profile.name}", profile.name
    keeper = root(reports.roots, env) / reports.trust
    if keeper in looked.broken:
        return  # said already
    state = hook_files.at(looked.documents.get(keeper), "hooks.state")
    found: dict[str, list[str]] = {}
    for file, document in looked.documents.items():
        for event in reports.events:
            groups = hook_files.at(document, f"hooks.{event}")
            table = state if isinstance(state, dict) else {}
            for command, standing in hook_trust.standings(file, event, groups, table):
                if hook_files.call(command):
                    found.setdefault(standing, []).append(event)
    for untrusted, said in _UNTRUSTED.items():
        if events := ", ".join(dict.fromkeys(found.get(untrusted, ()))):
            remedy = f"Start {name} and type `/hooks`: there they are trusted and switched on."
            yield Finding(subject, "warning", said.format(name=name, events=events), remedy)


def _switched_off(reports: Reports, looked: hook_files.Looked) -> Iterator[str]:
    for file, document in looked.documents.items():
        for keys, value in reports.off.items():
            if hook_files.at(document, keys) is value:
                yield f"{keys} is {json.dumps(value)} in {file}"


def _path(env: Mapping[str, str]) -> str:
    return env.get("PATH", os.defpath)
