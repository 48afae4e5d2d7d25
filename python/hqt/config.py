"""Settings: defaults, the user's `config.toml`, tmux's `@hqt-…` options, the project's own table.

From weakest to strongest:

1. the defaults of `options.OPTIONS`;
2. `[options]` in `config.toml`;
3. the tmux option `@hqt-NAME`, where the server has one;
4. `[project."/path/of/the/main/checkout"]` in `config.toml`: what is said of one project beats
   what is said of all.

Keys, the interpreter, the warm start and the size of popups are read by the shell before Python
runs, and can be set in tmux only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hqt import paths, toml_file
from hqt.errors import Code, HqtError
from hqt.models import Repository
from hqt.options import BY_NAME, OPTIONS, Option
from hqt.toml_file import Document

__all__ = ["Config", "Setting", "forgiving", "load", "pool", "settings", "unknown"]

PREFIX = "@hqt-"
_TABLES = ("options", "project", "harness")  # of config.toml


@dataclass(frozen=True, slots=True)
class Config:
    """Every option of design §4, typed. A field is named as its option, `from_` apart."""

    worktree_dir: str
    from_: Literal["current", "main"]
    harness: str
    mode: Literal["window", "session"]
    isolate: bool
    delete_branch: Literal["merged", "never"]
    trash_days: int
    filters: bool
    git_command: str  # "": whichever of lazygit and tig is there, else git status
    icons: Literal["unicode", "ascii"]
    python: str
    warm: bool
    popup_width: str
    popup_height: str
    branch_style: str  # this and the other styles are read by tmux itself
    dirty_style: str
    unique_style: str
    waiting_style: str
    error_style: str
    done_style: str
    working_style: str
    key: str  # this and the other keys: "" where there is no binding
    new_key: str
    switch_key: str
    move_key: str
    remove_key: str
    archive_key: str
    undo_key: str
    git_key: str
    lock_key: str
    jump_key: str
    last_key: str


@dataclass(frozen=True, slots=True)
class Setting:
    """An option's value in force, as text, and where it comes from."""

    option: Option
    value: str
    origin: str  # "default", the tmux option's name, or the file and the keys in it

    @property
    def typed(self) -> str | int | bool:
        """The value as `Config` has it."""
        if self.option.allowed == ("on", "off"):
            return self.value == "on"
        if self.option.name == "trash-days":
            return int(self.value)
        if self.option.name.endswith("key") and self.value.lower() == "none":
            return ""
        return self.value


def _refuse(error: HqtError) -> None:
    raise error


def load(options: Mapping[str, str], repository_root: Path | None) -> Config:
    """The configuration in force.

    `options` are the tmux server's by full name (`@hqt-from`), empty where there is no server;
    `repository_root` is `Repository.root`. Raises `config_invalid`, naming file, line and key or
    the tmux option, and what is allowed.
    """
    return _config(settings(options, repository_root))


def forgiving(options: Mapping[str, str], repository_root: Path | None) -> Config:
    """As `load` for one who has told of every mistake: without the keys that are not known, and
    where a value is wrong nothing but the defaults. Never raises."""
    try:
        found = settings(options, repository_root, lambda _: None)
    except HqtError:
        found = tuple(_defaults().values())
    return _config(found)


def settings(
    options: Mapping[str, str],
    repository_root: Path | None,
    unknown: Callable[[HqtError], None] = _refuse,
) -> tuple[Setting, ...]:
    """As `load`, but each option as text with its origin, for `hqt config`. `unknown` is told of
    each key in the file that means nothing there, and may go on without it."""
    found = _defaults()
    document = toml_file.read(paths.config_file())
    if document:
        for name in document.data:
            if name not in _TABLES:
                unknown(document.unknown((name,), _TABLES))
        found.update(_table(document, ("options",), unknown))
    for option in OPTIONS:
        value = options.get(PREFIX + option.name)
        if value is not None and _says_something(option, value):
            found[option.name] = _from_tmux(option, value)
    if document:
        for folder, keys in _projects(document):
            of_project = _table(document, keys, unknown)  # read in any case: a mistake is a mistake
            if folder == repository_root:
                found.update(of_project)
    return tuple(found.values())


def _config(found: Iterable[Setting]) -> Config:
    values: dict[str, Any] = {one.option.field: one.typed for one in found}
    return Config(**values)


def _defaults() -> dict[str, Setting]:
    return {option.name: Setting(option, option.default, "default") for option in OPTIONS}


def unknown(options: Iterable[str]) -> tuple[str, ...]:
    """The names in `options` that start with `@hqt-` and mean nothing to hqt (for `doctor`)."""
    ours = (name for name in options if name.startswith(PREFIX))
    return tuple(sorted(name for name in ours if name.removeprefix(PREFIX) not in BY_NAME))


def pool(config: Config, repo: Repository) -> Path:
    """The physical directory where new worktrees of `repo` go (design §2); it may not exist yet.

    Raises `unsupported_repository` when the place depends on a main checkout that cannot be
    known, and `config_invalid` for a home directory that does not exist.
    """
    home = _home(repo)
    values = {"main": home, "checkout": repo.checkout or home, "repo": Path(_name(repo))}

    def value(placeholder: re.Match[str]) -> str:
        folder = values[placeholder[1]]
        if folder is None:
            raise _main_unknown(repo, config.worktree_dir)
        return str(folder)

    filled = re.sub(r"\{(main|checkout|repo)\}", value, config.worktree_dir)
    if config.worktree_dir.startswith("~"):
        filled = _expanded(filled)
    if not filled.startswith("/"):
        if home is None:
            raise _main_unknown(repo, config.worktree_dir)
        filled = f"{home}/{filled}"
    return Path(os.path.realpath(filled))


def _expanded(folder: str) -> str:
    try:
        return str(Path(folder).expanduser())
    except RuntimeError as error:
        raise HqtError(
            Code.CONFIG_INVALID,
            f"The worktree directory {folder} names a user who has no home directory. "
            "Nothing was made.",
            "Set @hqt-worktree-dir to a folder that can be found.",
        ) from error


def _home(repo: Repository) -> Path | None:
    """What `{main}` stands for: of a bare repository its directory, or beside a hidden one."""
    if repo.main or not repo.bare:
        return repo.main
    return repo.common_dir.parent if repo.common_dir.name.startswith(".") else repo.common_dir


def _name(repo: Repository) -> str:
    if home := _home(repo):
        return home.name
    directory = repo.common_dir
    return directory.parent.name if directory.name.startswith(".") else directory.name


def _main_unknown(repo: Repository, template: str) -> HqtError:
    return HqtError(
        Code.UNSUPPORTED_REPOSITORY,
        f"The main checkout of {repo.common_dir} cannot be known from here, because its git "
        f"directory lies apart; so {template} names no place. Nothing was made.",
        "Set @hqt-worktree-dir to a folder that does not depend on {main}, such as "
        "~/worktrees/{repo}, or go to the main checkout.",
    )


def _says_something(option: Option, value: str) -> bool:
    """An empty tmux option counts as unset, except where empty is a value of its own."""
    return value != "" or option.default == "" or option.name.endswith("key")


def _from_tmux(option: Option, value: str) -> Setting:
    name = PREFIX + option.name
    if not option.accepts(value):
        raise HqtError(
            Code.CONFIG_INVALID,
            f"The tmux option {name} is {value!r}, but must be {option.expected}. "
            "Nothing was done.",
            f"Correct it in tmux.conf, or unset it with: tmux set -gu {name}.",
            {"option": name, "value": value},
        )
    return Setting(option, value, name)


def _projects(document: Document) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The folder of each `[project."…"]`, and the keys that lead to it."""
    for name in document.table(("project",)):
        folder = name.replace("~", str(Path.home()), 1) if name.startswith("~/") else name
        if not folder.startswith("/"):
            raise document.invalid(
                ("project", name),
                "must be an absolute path or begin with ~/",
                "Name the main checkout, or the git directory of a bare repository.",
            )
        yield Path(os.path.realpath(folder)), ("project", name)


def _table(
    document: Document, keys: tuple[str, ...], unknown: Callable[[HqtError], None]
) -> dict[str, Setting]:
    """The options that the table at `keys` sets; `unknown` is told of what is none there."""
    found = {}
    known = [option.name for option in OPTIONS if not option.tmux_only]
    for name, value in document.table(keys).items():
        if name not in known:
            unknown(_not_here(document, (*keys, name), known))
            continue
        option = BY_NAME[name]
        text = _text(value)
        if text is None or not option.accepts(text):
            problem = f"is {value!r}, but must be {option.expected}"
            raise document.invalid((*keys, name), problem, "Correct the value, or remove it.")
        found[name] = Setting(option, text, f"{document.path}: {'.'.join((*keys, name))}")
    return found


def _not_here(document: Document, keys: tuple[str, ...], known: Sequence[str]) -> HqtError:
    if keys[-1] not in BY_NAME:
        return document.unknown(keys, known)
    remedy = f"Write in tmux.conf: set -g {PREFIX}{keys[-1]} …."
    return document.invalid(keys, "can be set in tmux only", remedy)


def _text(value: object) -> str | None:
    """A TOML value as tmux would write it: true is "on", 14 is "14"."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if isinstance(value, int | str) else None
