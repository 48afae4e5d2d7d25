"""The story of `doctor`: look at everything hqt stands on, change nothing, say what to do."""

from __future__ import annotations

import locale
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Diagnosis, Finding
from hqt.sessions import world as worlds
from hqt.toml_file import UNDONE

_PYTHON = (3, 11)
_GIT = (2, 34)


def diagnose(caller: Caller) -> Diagnosis:
    """Every finding, the good ones too. Never raises: a check that fails is a finding."""
    checks: dict[str, Callable[[Caller], Iterator[Finding]]] = {
        "python": _python,
        "environment": _environment,
        "git": _git,
        "tmux": _tmux,
        "warm": _warm,
        "locale": _locale,
        "options": _options,
        "store": _store,
        "agents": _agents,
        "repository": _repository,
    }
    findings: list[Finding] = []
    for subject, check in checks.items():
        try:
            findings.extend(check(caller))
        except HqtError as error:
            # What stands in the way of several checks is one thing to mend.
            message = error.message.removesuffix(UNDONE)
            if message not in {one.message for one in findings}:
                findings.append(Finding(subject, "error", message, error.remedy))
    return Diagnosis(tuple(findings))


def _python(_: Caller) -> Iterator[Finding]:
    version = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info >= _PYTHON:
        yield Finding("python", "ok", f"{version}.")
    else:
        yield Finding("python", "error", f"{version} is too old.", "hqt needs 3.11 or later.")


def _environment(_: Caller) -> Iterator[Finding]:
    from importlib import metadata

    found, absent = [], []
    for name in ("click", "libtmux", "platformdirs", "prompt_toolkit", "pygit2", "rich"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            absent.append(name)
    if absent:
        remedy = "Run `scripts/setup` of the plugin."
        yield Finding("environment", "error", f"{', '.join(absent)} cannot be found.", remedy)
    yield Finding("environment", "ok", f"{', '.join(found)}.")


def _git(_: Caller) -> Iterator[Finding]:
    from hqt.git.process import git

    said = git("version", cwd=Path("/")).text
    numbers = said.removeprefix("git version ").split(".")
    level, remedy = "ok", ""
    if all(part.isdigit() for part in numbers[:2]) and tuple(map(int, numbers[:2])) < _GIT:
        level, remedy = "warning", "hqt is tested with git 2.34 and later; upgrade git."
    yield Finding("git", level, f"{said}.", remedy)


def _tmux(caller: Caller) -> Iterator[Finding]:
    tmux = worlds.connect(caller)
    snapshot = worlds.glance(caller)
    if snapshot is None:
        yield Finding(
            "tmux",
            "note",
            "No tmux server answers; verbs that need a window wait for one.",
            "Start tmux, and call this from inside.",
        )
        return
    panes = _count(len(snapshot.panes), "pane")
    yield Finding("tmux", "ok", f"tmux {snapshot.version}, {panes}.")
    if "display-popup" not in tmux.run(["list-commands", "-F", "#{command_list_name}"]):
        yield Finding(
            "tmux",
            "warning",
            "This tmux has no popups; hqt's screens open in windows.",
            "tmux 3.2 or later has them.",
        )


def _warm(caller: Caller) -> Iterator[Finding]:
    if caller.process is not None:
        yield Finding("warm", "ok", "This call came by the warm start.")
        return
    yield Finding(
        "warm",
        "note",
        "This call was a cold start: the warm one is for calls from inside tmux, on Linux, where "
        "@hqt-warm is on.",
    )


def _locale(_: Caller) -> Iterator[Finding]:
    encoding = locale.getpreferredencoding(False)
    if encoding.lower().replace("-", "") == "utf8":
        yield Finding("locale", "ok", f"{encoding}.")
    else:
        yield Finding(
            "locale",
            "warning",
            f"The locale's encoding is {encoding}; ⎇ and other characters may show as ?.",
            "Set LANG to a UTF-8 locale, such as C.UTF-8, in the shell that starts tmux.",
        )


def _options(caller: Caller) -> Iterator[Finding]:
    from hqt import config, paths
    from hqt.sessions import harness, keys

    snapshot = worlds.glance(caller)
    wrong: list[HqtError] = []
    for look in (
        lambda: harness.profiles(paths.config_file()),
        lambda: config.settings(snapshot.options if snapshot else {}, None, wrong.append),
        lambda: _require_harness(caller),
    ):
        try:
            look()
        except HqtError as error:
            wrong.append(error)
    for message, remedy in dict.fromkeys((one.message, one.remedy) for one in wrong):
        said = message.removesuffix(UNDONE).removesuffix(" Nothing was made.")
        yield Finding("options", "error", said, remedy)
    for name in config.unknown(snapshot.options if snapshot else {}):
        yield Finding(
            "options", "warning", f"hqt knows no option {name}.", "`hqt config` lists them all."
        )
    told = tuple(keys.findings(worlds.connect(caller), snapshot.options)) if snapshot else ()
    yield from told
    if wrong or told:
        return
    file = paths.config_file()
    sources = [str(file)] if file.exists() else []
    sources += ["the tmux options"] if snapshot else []
    if sources:
        said = f"hqt knows every value in {' and '.join(sources)}."
    else:
        said = f"Nothing is set: there is no {file}."
    yield Finding("options", "ok", said)


def _require_harness(caller: Caller) -> None:
    """Raise `config_invalid` where what new windows run here is not known or not installed."""
    from hqt.sessions import harness, settings

    try:
        found = settings.settings(caller)
    except HqtError as error:
        if error.code is Code.CONFIG_INVALID:
            raise
        return  # what is wrong with the repository is told below
    value = next(one.value for one in found.settings if one.name == "harness")
    harness.find_program(harness.named(value, found.file))


def _store(_: Caller) -> Iterator[Finding]:
    from hqt.sessions import store

    rows = worlds.rows()
    count = len(rows.all())
    yield Finding("store", "ok", f"{_count(count, 'session')} in {rows.path}.")
    if rows.path.exists() and not os.access(rows.path, os.W_OK):
        yield Finding(
            "store", "error", f"{rows.path} cannot be written.", "Make it writable for you."
        )
    for old in store.damaged(rows.path):
        yield Finding(
            "store",
            "warning",
            f"A damaged store was set aside as {old}; its sessions are not listed any more.",
            "`hqt open` gives a worktree a session anew; delete the file when it is of no use.",
        )


def _agents(_: Caller) -> Iterator[Finding]:
    """For each agent that is installed or in use, whether it reports its state to hqt."""
    from hqt import paths
    from hqt.sessions import harness, reporting

    used = Counter(row.harness for row in worlds.rows().all() if not row.archived)
    known = False
    for profile in harness.profiles(paths.config_file()).values():
        if not profile.program:
            continue
        sessions = used[profile.name]
        try:
            harness.find_program(profile)
        except HqtError as error:
            if not sessions:
                continue
            said = f"{_count(sessions, 'session')} would run {profile.program}, not found in PATH."
            yield Finding(f"agent {profile.name}", "warning", said, error.remedy)
        known = True
        yield from reporting.findings(profile, sessions, os.environ)
    if not known:
        yield Finding("agents", "note", "No agent that hqt knows is in PATH.")


def _count(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def _repository(caller: Caller) -> Iterator[Finding]:
    from hqt.git import moved, support, trash

    try:
        world = worlds.look(caller, forgiving=True)  # what is wrong with the settings was told
    except HqtError as error:
        if error.code is not Code.NOT_A_REPOSITORY:
            raise
        yield Finding("repository", "note", "The current directory is in no repository.")
        return
    found = world.repository
    yield Finding(
        "repository", "ok", f"{found.root} with {_count(len(world.worktrees), 'checkout')}."
    )
    checkout = found.checkout or found.main
    if checkout:
        tree = world.home(checkout)
        reasons = support.misjudged(
            checkout, tree.git_dir if tree else found.common_dir, found.common_dir
        )
        for reason in dict.fromkeys((*reasons.status, *reasons.checkout)):
            yield Finding(
                "repository", "note", f"The git command does this part: {reason.rstrip('.')}."
            )
    if remote := trash.mirrored(found):
        yield Finding(
            "repository",
            "warning",
            f"Remote {remote} mirrors every ref, so pins in the trash would be overwritten or "
            "published; hqt refuses to trash what would be lost here.",
            "Give the remote a refspec of its own for branches and tags.",
        )
    for tree in world.worktrees:
        if tree.missing and tree.locked is None:
            now = moved.moved_to(found, tree, worlds.pool(world))
            tell = moved.repair(found, now)
            yield Finding(
                "repository",
                "note",
                f"The directory of {world.sign} {tree.label} is not at {tree.path} any more"
                + (f" but at {now}." if now else "."),
                f"{tell} tells git."
                if now
                else f"If it was moved, {tell} tells git; `hqt restore` makes it anew.",
            )
