"""The keys that `@hqt-…-key` name: whether tmux knows them, and whether each does one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hqt.options import OPTIONS
from hqt.results import Finding
from hqt.tmux.server import Tmux

_OWN = "#{@hqt_launcher} --key "  # in every binding of hqt.tmux's


def findings(tmux: Tmux, options: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with the keys in `options`, those of a tmux server, as hqt.tmux binds them."""
    users: dict[str, list[str]] = {}
    for name, value in _wanted(options):
        answer = tmux.look(["list-keys", "-T", "prefix", "--", value])
        if answer.err.startswith("invalid key"):
            yield Finding(
                "options",
                "warning",
                f"tmux knows no key {value!r}, so {name} binds none.",
                "Write it as tmux does, such as N, C-n or M-n; none means no key.",
            )
            continue
        users.setdefault(_key(answer.out, value), []).append(name)
        if name not in options and answer.out and _OWN not in answer.out[0]:
            yield Finding(
                "options",
                "note",
                f"{_key(answer.out, value)} is bound to something else, which stays; hqt's default "
                f"for {name} is only an offer.",
                f"Name another key in {name}, or unbind that one and load hqt again.",
            )
    for key, names in users.items():
        if len(names) > 1:
            yield Finding(
                "options",
                "warning",
                f"{' and '.join(names)} name the same key, {key}; it does what the last one says.",
                "Give each a key of its own.",
            )


def _wanted(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every option that names a key, with the key, in the order in which they are bound."""
    for option in OPTIONS:
        name = f"@hqt-{option.name}"
        value = options.get(name, option.default)
        if option.name.endswith("key") and value.lower() not in ("", "none"):
            yield name, value


def _key(bound: list[str], value: str) -> str:
    """The key as tmux calls it where something is bound to it, else as the user does."""
    words = bound[0].partition(" prefix ")[2].split() if bound else []
    return words[0] if words else value
