"""Every option: its name, its default and what it may be. `scripts/options.sh` holds the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

TRUTH = ("on", "off")


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of design §4."""

    name: str  # without `@hqt-`
    default: str
    allowed: tuple[str, ...] = ()  # empty: `rule` says it
    rule: str = r"[^\0]*"  # a pattern of the whole value
    meaning: str = "text without a NUL"  # the rule in words
    tmux_only: bool = False  # read by the shell before Python runs

    @property
    def field(self) -> str:
        """The name of its field in `Config`."""
        return "from_" if self.name == "from" else self.name.replace("-", "_")

    @property
    def expected(self) -> str:
        """What it may be, in words."""
        return "one of " + ", ".join(self.allowed) if self.allowed else self.meaning

    def accepts(self, value: str) -> bool:
        """Whether it may be `value`."""
        if self.allowed:
            return value in self.allowed
        return re.fullmatch(self.rule, value, re.DOTALL) is not None


_SIZE = r"[1-9][0-9]{0,3}|[1-9][0-9]?%|100%"
_SIZE_MEANING = "a size in cells or percent, such as 80%"


def _size(name: str, default: str) -> Option:
    return Option(name, default, rule=_SIZE, meaning=_SIZE_MEANING, tmux_only=True)


def _key(name: str, default: str = "none") -> Option:
    return Option(name, default, meaning="a key as tmux names it, or none", tmux_only=True)


def _style(name: str) -> Option:
    return Option(f"{name}-style", "", meaning="a style as tmux writes it", tmux_only=True)


OPTIONS: tuple[Option, ...] = (
    Option(
        "worktree-dir",
        "{main}/.worktrees",
        rule=r"(?!\$)(?:[^\0{}]|\{(?:main|checkout|repo)\})+",
        meaning="a folder in which only {main}, {checkout} and {repo} stand in braces, and which "
        "does not begin with $ (~ is your home)",
    ),
    Option("from", "current", ("current", "main")),
    Option(
        "harness",
        "shell",
        rule=r"[a-z0-9][a-z0-9_-]{0,63}",
        meaning="the name of a harness profile",
    ),
    Option("mode", "window", ("window", "session")),
    Option("isolate", "on", TRUTH),
    Option("delete-branch", "merged", ("merged", "never")),
    Option("trash-days", "14", rule=r"[0-9]{1,5}", meaning="a number of days from 0 to 99999"),
    Option("filters", "on", TRUTH),
    Option("git-command", ""),
    Option("icons", "unicode", ("unicode", "ascii")),
    Option("python", "", tmux_only=True),
    Option("warm", "on", TRUTH, tmux_only=True),
    _size("popup-width", "80%"),
    _size("popup-height", "75%"),
    _style("branch"),
    _style("dirty"),
    _style("unique"),
    _style("waiting"),
    _style("error"),
    _style("done"),
    _style("working"),
    _key("key", "W"),
    _key("new-key"),
    _key("switch-key"),
    _key("move-key"),
    _key("remove-key"),
    _key("archive-key"),
    _key("undo-key"),
    _key("git-key"),
    _key("lock-key"),
    _key("jump-key"),
    _key("last-key"),
)
DEFAULTS: Mapping[str, str] = MappingProxyType({o.name: o.default for o in OPTIONS})
BY_NAME: Mapping[str, Option] = MappingProxyType({o.name: o for o in OPTIONS})
