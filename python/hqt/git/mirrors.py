"""Remotes that mirror every reference: a push would publish the pins of the trash, a fetch with
pruning would delete them.
"""

from __future__ import annotations

from hqt.git import configuration
from hqt.models import Repository

_PIN = "refs/hqt/trash/entry/keep"


def mirrored(repo: Repository) -> str | None:
    """The name of a remote whose mirroring would reach the trash; None when there is none.

    Every configuration file that may apply counts, so the answer errs towards a name.
    """
    excluded: dict[str, set[str]] = {}
    reached: dict[str, set[str]] = {}
    for setting in configuration.settings(repo.common_dir, repo.common_dir):
        if setting.name == "remote.mirror" and setting.on:
            return setting.subsection
        if setting.name not in {"remote.fetch", "remote.push"} or not setting.value:
            continue
        source, _, target = setting.value.lstrip("+").partition(":")
        fetching = setting.name == "remote.fetch"
        if source.startswith("^"):
            if _matches(source[1:]):
                excluded.setdefault(setting.name, set()).add(setting.subsection)
        elif _matches(target if fetching else source):
            reached.setdefault(setting.name, set()).add(setting.subsection)
    names = {name for kind, found in reached.items() for name in found - excluded.get(kind, set())}
    return min(names, default=None)


def _matches(pattern: str) -> bool:
    """Whether a refspec's side takes in the pins: a full name, or one with one `*`."""
    before, star, after = pattern.partition("*")
    return bool(star) and _PIN.startswith(before) and _PIN.endswith(after)
