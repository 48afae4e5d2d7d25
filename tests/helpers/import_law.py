"""The law of design §3 as a pure function over source text: who may import, start and print what.

`violations(module, source)` reads one module with `ast` and never imports it. Imports inside
functions count like those at the top, except where the law is about the cost of loading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

# A unit is a module or package right below hqt. Higher rows may import lower ones, never upwards.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("warm",),
    ("cli",),
    ("commands",),
    ("sessions", "ui", "report"),
    ("git", "tmux", "processes", "config", "paths", "faults"),
    ("toml_file", "options", "signals", "streams", "texts", "itself", "plugin", "later", "ending"),
    ("tables", "removal_texts"),
    ("documents",),
    ("results",),
    ("verdict",),
    ("names",),
    ("models",),
    ("errors",),
)
PURE = frozenset({"documents", "results", "verdict", "names", "models", "errors"})

# Inside one row units do not know each other, with these exceptions.
SIDEWAYS: Mapping[tuple[str, str], str] = {
    ("config", "paths"): "the settings have to be found",
    ("faults", "paths"): "so has the log",
}

# Third-party packages that belong to one unit; everywhere else they do not exist.
OWNERS: Mapping[str, str] = {
    "pygit2": "git",
    "libtmux": "tmux",
    "platformdirs": "paths",
    "prompt_toolkit": "ui",
}
# Packages whose import costs more than a verb may pay that does not use them, and the modules and
# packages that may import them when they are loaded, because they are loaded only when needed.
HEAVY: Mapping[str, tuple[str, ...]] = {
    "pygit2": (),
    "libtmux": (),
    "prompt_toolkit": ("hqt.ui.canvas",),
    "rich": (),
    "click": ("hqt.cli", "hqt.commands", "hqt.warm.child", "hqt.warm.server"),
}

# Who may start a process, and which.
SPAWNERS: Mapping[str, str] = {
    "hqt.git.process": "git, the only place",
    "hqt.git.hooks": "the user's post-checkout hook: git 2.34 has no `git hook run`",
    "hqt.tmux.server": "tmux, the only place",
    "hqt.tmux.client": "tmux, for its reads: importing libtmux takes longer than ten of them",
    "hqt.tmux.quick": "tmux, for an agent's hook: libtmux would take three times as long",
    "hqt.processes": "ps, where there is no /proc",
    "hqt.commands.background": "hqt itself, for work that outlives a popup",
    "hqt.cli": "becomes the git program that the user has named",
    "hqt.warm.client": "and so does who stands for such a call",
    "hqt.warm.starting": "hqt itself, as the server that outlives this call",
    "hqt.warm.server": "forks a child for each call",
    "hqt.warm.spare": "and one for the next",
}
_SPAWNING_MODULES = frozenset({"subprocess", "multiprocessing", "pty"})
_SPAWNING_CALLS = re.compile(
    r"os\.(exec\w+|spawn\w+|posix_spawnp?|fork|forkpty|system|popen)"
    r"|asyncio\.(subprocess|create_subprocess_\w+)"
)

# Who may load modules by a computed name.
LOADERS: Mapping[str, str] = {
    "hqt.cli": "a verb's module is loaded when the verb is called",
    "hqt.warm.imports": "every module of hqt, before the first call",
}

# Who may use the standard streams.
PRINTERS: Mapping[str, str] = {
    "hqt.report": "the answer of a verb, and its story on standard error",
    "hqt.ui.terminal": "draws a screen, on a terminal only",
    "hqt.commands.ui": "asks whether it is on a terminal, and flushes before it leaves",
    "hqt.ending": "flushes before a process ends",
}
_PRINTING = re.compile(r"print|(click\.)?s?echo|rich\.print|(rich\.console\.)?Console")

_IMPURE = frozenset({"subprocess", "socket", "sqlite3", "shutil", "tempfile", "io", "logging"})
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*|__\w+__")
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MUTABLE_TYPES = frozenset(
    "list dict set bytearray defaultdict OrderedDict Counter deque ChainMap".split()
)
_STATEFUL_TYPES = frozenset("local Lock RLock ContextVar Event Queue WeakValueDictionary".split())
_MUTATORS = frozenset(
    "append extend insert remove pop popitem clear update setdefault add discard sort".split()
)
LONGEST = 320  # lines in a module


class Rule(StrEnum):
    """What can be broken."""

    UNKNOWN = "is in no layer"
    UPWARDS = "imports upwards"
    SIDEWAYS = "imports sideways"
    OWNER = "imports what belongs to another"
    HEAVY = "imports something heavy at module level"
    SPAWN = "starts a process"
    COMMAND = "names the command of another"
    LOADER = "loads a module by a computed name"
    PRINT = "prints"
    IMPURE = "is pure, but does I/O"
    STATE = "keeps state at module level"
    GLOBAL = "uses `global`"
    CACHE = "caches beyond a call"
    LENGTH = "is too long"


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of the law."""

    module: str
    line: int
    rule: Rule
    what: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.rule}: {self.what}"


@dataclass(frozen=True, slots=True)
class Module:
    """One module, parsed."""

    name: str
    source: str
    tree: ast.Module
    package: bool

    @property
    def unit(self) -> str:
        return unit_of(self.name)


Breach = tuple[ast.AST | None, Rule, str]


def unit_of(name: str) -> str:
    """`git` for `hqt.git.trash`; "" for the package itself."""
    return [*name.split("."), ""][1]


def parsed(name: str, source: str, *, package: bool = False) -> Module:
    """A module of dotted name `name`; `package` if it is an `__init__`."""
    return Module(name, source, ast.parse(source), package)


def violations(name: str, source: str, *, package: bool = False) -> list[Violation]:
    """Every breach in one module, taken by itself."""
    module = parsed(name, source, package=package)
    return [
        Violation(name, getattr(node, "lineno", 1), rule, what)
        for check in CHECKS
        for node, rule, what in check(module)
    ]


def heavy_loads(modules: Mapping[str, Module]) -> Iterator[Violation]:
    """What is heavy and loaded with a module by way of another, which `violations` cannot see."""
    loads = {name: _loads(module) for name, module in modules.items()}
    for name in modules:
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            here = waiting.pop()
            for imported in loads[here]:
                top = imported.partition(".")[0]
                if top in HEAVY and not _within(name, HEAVY[top]):
                    yield Violation(name, 1, Rule.HEAVY, f"{top}, by way of {here}")
                parts = imported.split(".")
                known = {".".join(parts[: end + 1]) for end in range(len(parts))} & set(modules)
                waiting.extend(known - seen)
                seen |= known


def check_module(module: Module) -> Iterator[Breach]:
    """Its place and its length."""
    if module.unit and _rank(module.unit) is None:
        yield None, Rule.UNKNOWN, module.unit
    if (length := len(module.source.splitlines())) > LONGEST:
        yield None, Rule.LENGTH, f"{length} lines, at most {LONGEST}"


def check_imports(module: Module) -> Iterator[Breach]:
    """Layers, owners, and what may be imported while a module is loaded."""
    loading = set(_at_load(module.tree))
    for node, name in _imports(module):
        top = name.partition(".")[0]
        if top == "hqt" and (rule := _direction(module.unit, unit_of(name))):
            yield node, rule, name
        if OWNERS.get(top, module.unit) != module.unit:
            yield node, Rule.OWNER, name
        if node in loading and top in HEAVY and not _within(module.name, HEAVY[top]):
            yield node, Rule.HEAVY, name
        starts = top in _SPAWNING_MODULES or _SPAWNING_CALLS.fullmatch(name)
        if starts and module.name not in SPAWNERS:
            yield node, Rule.SPAWN, name
        if top in _IMPURE and module.unit in PURE:
            yield node, Rule.IMPURE, name
        if name in {"sys.stdout", "sys.stderr"} and module.name not in PRINTERS:
            yield node, Rule.PRINT, name


def check_calls(module: Module) -> Iterator[Breach]:
    """Processes, printing, and what the pure modules must not do."""
    for node in ast.walk(module.tree):
        name = _dotted(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            if _SPAWNING_CALLS.fullmatch(name) and module.name not in SPAWNERS:
                yield node, Rule.SPAWN, name
            if re.fullmatch(r"sys\.(__)?std(out|err)(__)?", name) and module.name not in PRINTERS:
                yield node, Rule.PRINT, name
        elif isinstance(node, ast.List) and node.elts:
            first = node.elts[0]
            if isinstance(first, ast.Constant) and first.value in {"git", "tmux"} - {module.unit}:
                yield node, Rule.COMMAND, str(first.value)
        elif isinstance(node, ast.Call):
            name = _dotted(node.func)
            if _PRINTING.fullmatch(name) and module.name not in PRINTERS:
                yield node, Rule.PRINT, name
            if name == "open" and module.unit in PURE:
                yield node, Rule.IMPURE, name
            if (
                name.rpartition(".")[2] in {"import_module", "__import__"}
                and not _constant_argument(node)
                and module.name not in LOADERS
            ):
                yield node, Rule.LOADER, name


def check_state(module: Module) -> Iterator[Breach]:
    """Nothing may outlive a call: it may run in a fresh process or in a forked warm one."""
    shared = set()
    for node in _at_load(module.tree):
        for name, value in _assigned(node):
            made = _dotted(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
            mutable = isinstance(value, _MUTABLE) or made in _MUTABLE_TYPES
            if mutable:
                shared.add(name)
            if made in _STATEFUL_TYPES or (mutable and not _CONSTANT.fullmatch(name)):
                yield node, Rule.STATE, name
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Global):
            yield node, Rule.GLOBAL, ", ".join(node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if _dotted(called).rpartition(".")[2] in {"cache", "lru_cache"}:
                    yield decorator, Rule.CACHE, node.name
        elif (name := _changed(node)) in shared:
            yield node, Rule.STATE, f"{name} is changed"


CHECKS: tuple[Callable[[Module], Iterator[Breach]], ...] = (
    check_module,
    check_imports,
    check_calls,
    check_state,
)


def _within(name: str, places: tuple[str, ...]) -> bool:
    """Whether a module is one of `places`, or in one of them."""
    return any(name == place or name.startswith(f"{place}.") for place in places)


def _rank(unit: str) -> int | None:
    """The row of a unit, counted from the top; None if it has none."""
    return next((rank for rank, row in enumerate(LAYERS) if unit in row), None)


def _direction(importer: str, imported: str) -> Rule | None:
    """What is wrong with one unit importing another. The package itself is below all of them."""
    here, there = _rank(importer), _rank(imported)
    if importer == imported or not imported:
        return None
    if there is None:
        return Rule.UNKNOWN
    if here is None or here > there:
        return Rule.UPWARDS
    if here == there and (importer, imported) not in SIDEWAYS:
        return Rule.SIDEWAYS
    return None


def _imports(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Each import with the dotted name of what it names, relative ones resolved."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = node.level - module.package
                parts = module.name.split(".")
                base = ".".join([*parts[: len(parts) - up], *([base] if base else [])])
            for alias in node.names:
                # `from hqt import git` names a unit, `from hqt import __version__` does not
                below = alias.name if base != "hqt" or not alias.name.startswith("__") else ""
                yield node, f"{base}.{below}".rstrip(".")
        elif isinstance(node, ast.Call):
            called = _dotted(node.func).rpartition(".")[2]
            if called in {"import_module", "__import__"} and (name := _constant_argument(node)):
                yield node, name


def _loads(module: Module) -> set[str]:
    """What is imported together with a module."""
    loading = set(_at_load(module.tree))
    return {name for node, name in _imports(module) if node in loading}


def _at_load(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: no function bodies, no type-checking part."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _dotted(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting.extend(node.decorator_list)
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives a value, with it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield _dotted(target), node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield _dotted(node.target), node.value


def _changed(node: ast.AST) -> str:
    """The name whose content a node changes: an item set or deleted, or a changing method."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return _dotted(node.value)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _MUTATORS
    ):
        return _dotted(node.func.value)
    return ""


def _constant_argument(call: ast.Call) -> str:
    """The first argument of a call if it is a literal string, else ""."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _dotted(node: ast.AST) -> str:
    """`a.b.c` for a name or a chain of attributes, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := _dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""
