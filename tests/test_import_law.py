"""The import law of design §3: first that the checker sees, then that hqt keeps the law."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.import_law import (
    LOADERS,
    LONGEST,
    PRINTERS,
    SPAWNERS,
    Module,
    Rule,
    heavy_loads,
    parsed,
    violations,
)

PACKAGE = Path(__file__).parent.parent / "python" / "hqt"

UNLAWFUL = [
    (Rule.UNKNOWN, "hqt.misc", "", "misc"),
    (Rule.UNKNOWN, "hqt.cli", "from hqt import misc", "hqt.misc"),
    (Rule.UPWARDS, "hqt.git.trash", "from hqt.sessions import store", "hqt.sessions.store"),
    (Rule.UPWARDS, "hqt.git.trash", "def f():\n import hqt.report", "hqt.report"),
    (Rule.UPWARDS, "hqt.git.trash", "from ..commands import new", "hqt.commands.new"),
    (Rule.UPWARDS, "hqt.errors", "from hqt import models", "hqt.models"),
    (Rule.UPWARDS, "hqt.sessions.create", "import hqt.cli", "hqt.cli"),
    (
        Rule.UPWARDS,
        "hqt.git",
        "from importlib import import_module as i\nimport importlib\n"
        "def f(): importlib.import_module('hqt.cli')",
        "hqt.cli",
    ),
    (Rule.SIDEWAYS, "hqt.git.trash", "from hqt.tmux import server", "hqt.tmux.server"),
    (Rule.SIDEWAYS, "hqt.tmux.windows", "def f():\n from hqt.git import lock", "hqt.git.lock"),
    (Rule.SIDEWAYS, "hqt.ui.form", "from hqt.sessions.create import create", "sessions.create"),
    (Rule.OWNER, "hqt.sessions.world", "def f():\n import pygit2", "pygit2"),
    (Rule.OWNER, "hqt.git.refs", "def f():\n from libtmux.server import Server", "libtmux"),
    (Rule.OWNER, "hqt.config", "import platformdirs", "platformdirs"),
    (Rule.OWNER, "hqt.commands.new", "def f():\n __import__('prompt_toolkit')", "prompt_toolkit"),
    (Rule.HEAVY, "hqt.git.refs", "import pygit2", "pygit2"),
    (Rule.HEAVY, "hqt.git.refs", "try:\n from pygit2 import enums\nfinally: pass", "pygit2.enums"),
    (Rule.HEAVY, "hqt.git.refs", "class A:\n import pygit2", "pygit2"),
    (Rule.HEAVY, "hqt.report", "import rich.table", "rich.table"),
    (Rule.HEAVY, "hqt.sessions.create", "import click", "click"),
    (Rule.HEAVY, "hqt.ui.form", "from prompt_toolkit.layout import Window", "prompt_toolkit"),
    (Rule.SPAWN, "hqt.sessions.harness", "def f():\n import subprocess", "subprocess"),
    (Rule.SPAWN, "hqt.git.trash", "from subprocess import run", "subprocess.run"),
    (Rule.SPAWN, "hqt.git.trash", "import os\ndef f(): os.posix_spawn('/bin/x', [], {})", "os."),
    (Rule.SPAWN, "hqt.git.trash", "from os import execvp", "os.execvp"),
    (Rule.SPAWN, "hqt.ui.form", "from asyncio import create_subprocess_exec", "asyncio."),
    (Rule.COMMAND, "hqt.sessions.create", "run(['git', 'status'])", "git"),
    (Rule.COMMAND, "hqt.git.process", "run(['tmux', 'ls'])", "tmux"),
    (Rule.LOADER, "hqt.commands.new", "import importlib\nimportlib.import_module(name)", "import"),
    (Rule.PRINT, "hqt.commands.list", "print('x')", "print"),
    (Rule.PRINT, "hqt.cli", "import click\nclick.echo('x')", "click.echo"),
    (Rule.PRINT, "hqt.cli", "import sys\nsys.stderr.write('x')", "sys.stderr"),
    (Rule.PRINT, "hqt.cli", "from sys import stdout", "sys.stdout"),
    (Rule.IMPURE, "hqt.verdict", "def f():\n import shutil", "shutil"),
    (Rule.IMPURE, "hqt.names", "def f(): return open('x')", "open"),
    (Rule.STATE, "hqt.git.refs", "seen = []", "seen"),
    (Rule.STATE, "hqt.git.refs", "seen: dict[str, int] = {}", "seen"),
    (Rule.STATE, "hqt.git.refs", "if True:\n seen = set()", "seen"),
    (Rule.STATE, "hqt.git.refs", "class A:\n seen = {x for x in ()}", "seen"),
    (Rule.STATE, "hqt.git.refs", "import threading\nLOCK = threading.Lock()", "LOCK"),
    (Rule.STATE, "hqt.git.refs", "SEEN = {}\ndef f(): SEEN['x'] = 1", "SEEN is changed"),
    (Rule.STATE, "hqt.git.refs", "SEEN = []\ndef f(): SEEN.append(1)", "SEEN is changed"),
    (Rule.GLOBAL, "hqt.git.refs", "n = 0\ndef f():\n global n", "n"),
    (Rule.CACHE, "hqt.git.refs", "import functools\n@functools.cache\ndef f(): ...", "f"),
    (Rule.CACHE, "hqt.git.refs", "from functools import *\n@lru_cache(9)\ndef f(): ...", "f"),
    (Rule.LENGTH, "hqt.git.refs", "\n" * (LONGEST + 1), "321 lines"),
]

LAWFUL = [
    ("hqt.__main__", "from hqt import __version__, cli, report"),
    ("hqt.commands.new", "import click\nfrom hqt.sessions import create\nfrom hqt.git import lock"),
    ("hqt.sessions.world", "from hqt.git import worktrees\nfrom hqt.tmux import windows"),
    ("hqt.sessions.remove", "from hqt.sessions.world import read\nfrom .store import Store"),
    ("hqt.git.trash", "from .process import git\nfrom ..models import Worktree\nimport os"),
    ("hqt.git.changes", "def f():\n import pygit2\n from pygit2.enums import FileStatus"),
    ("hqt.git.changes", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n import pygit2"),
    ("hqt.git.process", "import subprocess\ndef f(): subprocess.Popen(['git', 'x'])"),
    ("hqt.tmux.server", "def f():\n import libtmux\n run(['tmux', '-V'])"),
    ("hqt.config", "from hqt import paths"),
    ("hqt.paths", "import platformdirs"),
    (
        "hqt.ui.canvas",
        "import asyncio\nfrom prompt_toolkit.layout import Window\nimport hqt.ui.view",
    ),
    ("hqt.commands.ui", "from hqt.ui import form"),
    ("hqt.report", "import sys\ndef f():\n import rich\n print('x', file=sys.stderr)"),
    ("hqt.verdict", "from hqt import models, names\nfrom hqt.errors import Code"),
    (
        "hqt.git.support",
        "RULES = {'a': 1}\n_NAMES: list[str] = ['b']\ndef f():\n x = []\n x.append(1)",
    ),
    ("hqt.cli", "import importlib\ndef f(n): return importlib.import_module(f'hqt.commands.{n}')"),
    (
        "hqt.models",
        "from functools import cached_property\nclass A:\n @cached_property\n def f(self): ...",
    ),
    ("hqt.names", "\n" * LONGEST),
]


@pytest.mark.parametrize(("rule", "module", "source", "what"), UNLAWFUL)
def test_the_checker_finds_each_kind_of_breach(
    rule: Rule, module: str, source: str, what: str
) -> None:
    found = violations(module, source)
    assert [breach.rule for breach in found] == [rule], [str(breach) for breach in found]
    assert what in found[0].what


def test_every_rule_has_a_sample_that_breaks_it() -> None:
    assert {rule for rule, *_ in UNLAWFUL} == set(Rule)


@pytest.mark.parametrize(("module", "source"), LAWFUL)
def test_the_checker_lets_the_lawful_be(module: str, source: str) -> None:
    assert [str(breach) for breach in violations(module, source)] == []


def test_a_relative_import_in_a_package_counts_from_the_package() -> None:
    assert violations("hqt.git", "from .process import ask", package=True) == []
    [breach] = violations("hqt.git", "from ..cli import main", package=True)
    assert breach.rule is Rule.UPWARDS


def test_what_is_loaded_by_way_of_another_counts() -> None:
    sources = {
        "hqt.commands.a": "from hqt.ui import shell",
        "hqt.commands.b": "def f():\n from hqt.ui import shell",
        "hqt.commands.c": "from hqt.ui.view import View",
        "hqt.ui": "",
        "hqt.ui.shell": "from hqt.ui.canvas import Canvas",
        "hqt.ui.canvas": "import prompt_toolkit",
        "hqt.ui.view": "def f():\n from hqt.ui import canvas",
    }
    found = heavy_loads({name: parsed(name, text) for name, text in sources.items()})
    assert {breach.module for breach in found} == {"hqt.commands.a", "hqt.ui.shell"}


def _modules() -> dict[str, Path]:
    """Every module of hqt by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("hqt", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = _modules()


@pytest.mark.parametrize("module", MODULES)
def test_hqt_keeps_the_law(module: str) -> None:
    path = MODULES[module]
    found = violations(module, path.read_text(), package=path.name == "__init__.py")
    assert not found, "\n" + "\n".join(map(str, found))


def test_loading_a_module_loads_nothing_heavy_by_way_of_another() -> None:
    found = list(heavy_loads({name: _parsed(name) for name in MODULES}))
    assert not found, "\n" + "\n".join(map(str, found))


def _parsed(name: str) -> Module:
    path = MODULES[name]
    return parsed(name, path.read_text(), package=path.name == "__init__.py")


@pytest.mark.parametrize(
    ("exceptions", "module"),
    [(table, module) for table in (SPAWNERS, LOADERS, PRINTERS) for module in table],
)
def test_every_exception_is_needed(
    monkeypatch: pytest.MonkeyPatch, exceptions: dict[str, str], module: str
) -> None:
    source = MODULES[module].read_text()
    monkeypatch.delitem(exceptions, module)
    assert violations(module, source)
