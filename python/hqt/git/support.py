"""What libgit2 would get wrong in a checkout, found cheaply (git-facts §4).

No process is started and libgit2 is not loaded: the configuration files, the raw index and the few
attribute and ignore files that the index names are enough. Where in doubt the answer is git's side:
a reason too many costs milliseconds, one too few a false clean.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hqt.git import configuration, files, rawindex
from hqt.git.configuration import Setting

if TYPE_CHECKING:
    import pygit2

# Rule files looked at, and entries of a tree walked, before the answer is "too many to examine".
MOST_FILES = 200
MOST_ENTRIES = 5_000

# What libgit2 1.9 opens; any other extension it refuses.
_EXTENSIONS = {"noop", "objectformat", "worktreeconfig", "preciousobjects", "relativeworktrees"}
_ALTERING = re.compile(rb"filter|working-tree-encoding")
_NEGATION = re.compile(rb"^!", re.MULTILINE)
_HOOKS = ("post-checkout", "reference-transaction", "post-index-change")
_RULES = (".gitattributes", ".gitignore")


class Support(NamedTuple):
    """Where libgit2 can be trusted. Each reason is a sentence; no reasons: trusted."""

    opens: bool = True  # False: libgit2 refuses the repository as a whole
    status: tuple[str, ...] = ()  # why its status of this checkout may be wrong
    checkout: tuple[str, ...] = ()  # why its checkout of a new worktree would be wrong
    history: tuple[str, ...] = ()  # why its walk over commits may be wrong


class Surroundings(NamedTuple):
    """What all checkouts of a repository have in common, read once for many of them."""

    said: tuple[Setting, ...]
    foreign: tuple[str, ...]  # why libgit2 refuses the repository
    attributes: tuple[bytes, ...]  # texts of the attribute files outside of any tree
    ignores: tuple[bytes, ...]
    history: tuple[str, ...]


def surroundings(common_dir: Path, git_dir: Path) -> Surroundings:
    """What misleads libgit2 around a checkout: in its configuration and its common directory."""
    said = configuration.settings(common_dir, git_dir)
    return Surroundings(
        said,
        tuple(f"The repository uses {name}." for name in sorted(_foreign(said))),
        tuple(_text(path) for path in _own_attributes(common_dir, said)),
        tuple(_text(path) for path in _own_ignores(common_dir, said)),
        tuple(_rewritten(common_dir)),
    )


def misjudged(
    checkout: Path,
    git_dir: Path,
    common_dir: Path,
    *,
    commit: str | None = None,
    around: Surroundings | None = None,
) -> Support:
    """What libgit2 would get wrong in the checkout at `checkout`.

    `git_dir` is its admin directory (the common directory for the main checkout). The attributes
    that decide `checkout` are those of the index, or with `commit` (hex) those of its tree: pass
    it where another commit than the one checked out here will be written. `around` saves reading
    the surroundings again; a checkout with a configuration of its own has others. Raises nothing:
    what cannot be read becomes a reason.
    """
    if around is None or (git_dir / "config.worktree").exists():
        around = surroundings(common_dir, git_dir)
    if around.foreign:
        return Support(False, around.foreign, around.foreign, around.foreign)
    both = tuple(_configured(around.said))
    index = rawindex.read(git_dir)
    attributes, ignores, status = _rule_files(checkout, index)
    if any(_ALTERING.search(text) for text in (*around.attributes, *attributes)):
        altering: tuple[str, ...] = ("Attributes name a filter or an encoding.",)
    else:
        altering = ()
    if any(_NEGATION.search(text) for text in (*around.ignores, *ignores)):
        status = (*status, "An ignore file takes a rule back with '!'.")
    if commit is None:
        written = altering
    else:
        written = tuple(_in_tree(common_dir, commit, around.attributes, index))
    return Support(
        True,
        (*both, *_unread(index, git_dir), *altering, *status),
        (*both, *written, *_writing(checkout, common_dir, around.said)),
        around.history,
    )


def _foreign(said: Iterable[Setting]) -> Iterator[str]:
    for setting in said:
        section, _, key = setting.name.partition(".")
        if section == "extensions":
            sha256 = key == "objectformat" and (setting.value or "").lower() != "sha1"
            if key not in _EXTENSIONS or sha256:
                yield f"the extension {key}" + (f" = {setting.value}" if sha256 else "")
        elif setting.name == "core.repositoryformatversion" and setting.value not in {"0", "1"}:
            yield f"repository format {setting.value}"


def _configured(said: Iterable[Setting]) -> Iterator[str]:
    """Settings that make both its status and its checkout differ."""
    on = {setting.name for setting in said if setting.on}
    if "core.sparsecheckout" in on:
        yield "A sparse checkout is configured."
    if {"core.splitindex", "index.sparse"} & on:
        yield "A split or sparse index is configured."
    if "remote.promisor" in on or "remote.partialclonefilter" in on:
        yield "Objects may be missing in this partial clone."


def _writing(checkout: Path, common_dir: Path, said: Iterable[Setting]) -> Iterator[str]:
    """What only a checkout meets: permissions and hooks."""
    shared = {s.value or "" for s in said if s.name == "core.sharedrepository"}
    if shared - {"umask", "false", "0", "no", "off"}:
        yield "core.sharedRepository asks for permissions of its own."
    folders = {common_dir / "hooks"}
    for setting in said:
        if setting.name == "core.hookspath" and setting.value:
            folders.add(configuration.user_path(setting.value, checkout))
            if not Path(setting.value).expanduser().is_absolute():
                yield "core.hooksPath is a folder of the checkout itself."
    for hook in _HOOKS:
        if any(os.access(folder / hook, os.X_OK) for folder in folders):
            yield f"The hook {hook} is installed."


def _rewritten(common_dir: Path) -> Iterator[str]:
    loose, packed = common_dir / "refs" / "replace", common_dir / "packed-refs"
    try:
        with os.scandir(loose) as entries:
            replaced = any(entries)
    except OSError:
        replaced = False
    try:
        replaced = replaced or b" refs/replace/" in files.read(packed)
    except FileNotFoundError:
        pass
    except OSError:
        replaced = True
    if replaced:
        yield "Replace refs rewrite the history."
    if (common_dir / "info" / "grafts").exists():
        yield "Grafts rewrite the history."


def _unread(index: bytes | None, git_dir: Path) -> Iterator[str]:
    """What the raw index says about files that libgit2's status judges otherwise."""
    if index is None:
        yield "The index cannot be read."
        return
    if not rawindex.is_version_2(index):
        yield "The index is not of version 2."
    if rawindex.is_split(git_dir):
        yield "The index is split."
    if rawindex.has_submodules(index):
        yield "There are submodules."


def _rule_files(
    checkout: Path, index: bytes | None
) -> tuple[list[bytes], list[bytes], tuple[str, ...]]:
    """Texts of the attribute files and of the ignore files that the index names, and reasons for
    what was not read.
    """
    attributes: list[bytes] = []
    ignores: list[bytes] = []
    found = {*_RULES, *rawindex.named(index or b"", _RULES)}
    if len(found) > MOST_FILES:
        return attributes, ignores, ("There are too many ignore files to examine.",)
    reasons = set()
    for name in found:
        path = checkout / name
        if path.is_symlink():
            reasons.add("An ignore or attributes file is a symbolic link.")
        text = _text(path)
        (ignores if path.name == ".gitignore" else attributes).append(text)
    return attributes, ignores, tuple(sorted(reasons))


def _own_attributes(common_dir: Path, said: Iterable[Setting]) -> Iterator[Path]:
    """Attribute files outside of any tree."""
    yield Path("/etc/gitattributes")
    yield from _configured_or_default(said, "core.attributesfile", "attributes", common_dir)
    yield common_dir / "info" / "attributes"


def _own_ignores(common_dir: Path, said: Iterable[Setting]) -> Iterator[Path]:
    yield from _configured_or_default(said, "core.excludesfile", "ignore", common_dir)
    yield common_dir / "info" / "exclude"


def _configured_or_default(
    said: Iterable[Setting], name: str, default: str, base: Path
) -> Iterator[Path]:
    yield configuration.user_folder() / default
    for setting in said:
        if setting.name == name and setting.value:
            yield configuration.user_path(setting.value, base)


def _in_tree(
    common_dir: Path, commit: str, own: Iterable[bytes], index: bytes | None
) -> Iterator[str]:
    """Why writing the tree of `commit` differs."""
    if index and rawindex.entries(index) > MOST_ENTRIES:
        yield "There are too many files to examine."
        return
    if any(_ALTERING.search(text) for text in own):
        yield "Attributes name a filter or an encoding."
        return
    import pygit2

    try:
        flags = pygit2.enums.RepositoryOpenFlag.NO_SEARCH
        tree = pygit2.Repository(str(common_dir), flags)[commit].peel(pygit2.Tree)
        yield from sorted(_altered(tree))
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        yield f"libgit2 cannot read the commit: {error}."


def _altered(root: pygit2.Tree) -> set[str]:
    import pygit2

    waiting, seen = [root], 0
    while waiting:
        for item in waiting.pop():
            seen += 1
            if seen > MOST_ENTRIES:
                return {"There are too many files to examine."}
            if isinstance(item, pygit2.Tree):
                waiting.append(item)
            elif item.name == ".gitattributes" and _ALTERING.search(item.read_raw()):
                return {"Attributes name a filter or an encoding."}
    return set()


def _text(path: Path) -> bytes:
    """A rule file's content; empty where there is none. One that cannot be read is as one with
    every rule in it, since git and libgit2 may see different things there.
    """
    try:
        return files.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError:
        return b"!filter"
