"""What `--checkout NAME` means: a local branch, or the one remote-tracking branch of that name.

The rule is that of `git checkout NAME`, extended to the way `git branch -r` spells them. A remote
is one that is configured; `user/feature` has nothing to do with a remote `user` that is not.
Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from hqt.errors import Code, HqtError
from hqt.git import gitconfig, process, refs
from hqt.models import Repository
from hqt.names import is_branch_name

_SETTINGS = r"^(remote\..*\.fetch|checkout\.defaultremote)$"


class Upstream(NamedTuple):
    """What a local branch follows."""

    remote: str
    branch: str  # its short name there
    ref: str  # the remote-tracking reference, full name


class Choice(NamedTuple):
    """A branch to check out."""

    branch: str
    commit: str  # hex
    create: bool = False  # it is a remote-tracking one; the local branch has to be made
    upstream: Upstream | None = None


class _Refspec(NamedTuple):
    remote: str
    source: str
    target: str

    def target_of(self, source: str) -> str | None:
        return _mapped(self.source, self.target, source)

    def source_of(self, target: str) -> str | None:
        return _mapped(self.target, self.source, target)


def choose(repo: Repository, name: str) -> Choice:
    """The branch that `name`, a valid one, means. A local one comes first; nothing is made here.

    Raises `no_such_branch`, `ambiguous_target` with `candidates` when several
    remotes have it, and `branch_exists` when `name` spells a remote-tracking branch (`origin/x`)
    whose local name is taken by a branch that does not follow it.
    """
    if commit := refs.commit_of(repo.common_dir, f"refs/heads/{name}"):
        return Choice(name, commit)
    entries = gitconfig.matching(repo, _SETTINGS)
    default = next((e.value for e in entries if e.key == "checkout.defaultremote"), None)
    specs = [spec for e in entries if (spec := _parse(e.key, e.value))]
    found = _existing(repo, dict.fromkeys(_candidates(specs, name)))
    preferred = [one for one in found if one.remote == default and one.branch == name]
    chosen = preferred or found
    if not chosen:
        raise HqtError(
            Code.NO_SUCH_BRANCH,
            f"There is no branch {name!r} here, nor in any remote as it was last fetched.",
            "Run `git fetch` if it is newer; `git branch --all` lists what is known.",
            {"branch": name},
        )
    if len(chosen) > 1:
        raise HqtError(
            Code.AMBIGUOUS_TARGET,
            f"Several remotes have a branch {name!r}; nothing was made.",
            "Name the remote too, or set checkout.defaultRemote.",
            {"candidates": [one.ref.removeprefix("refs/remotes/") for one in chosen]},
        )
    return _local(repo, chosen[0])


def local_names(repo: Repository) -> Callable[[str], str | None]:
    """What tells the local name of a remote-tracking branch (a full one), as `choose` would have
    it; None for one of no remote that is configured."""
    entries = gitconfig.matching(repo, _SETTINGS)
    specs = [spec for e in entries if (spec := _parse(e.key, e.value)) and spec.target]

    def local_name(ref: str) -> str | None:
        sources = (spec.source_of(ref) for spec in specs)
        found = next((one for one in sources if one and one.startswith("refs/heads/")), None)
        return found and found.removeprefix("refs/heads/")

    return local_name


def _local(repo: Repository, upstream: Upstream) -> Choice:
    name = upstream.branch
    there = refs.commit_of(repo.common_dir, upstream.ref)
    assert there is not None
    here = refs.commit_of(repo.common_dir, f"refs/heads/{name}")
    if here is None:
        return Choice(name, there, create=True, upstream=upstream)
    query = ("for-each-ref", "--format=%(upstream)", f"refs/heads/{name}")
    follows = process.git(f"--git-dir={repo.common_dir}", *query, cwd=repo.common_dir).text
    if follows == upstream.ref:
        return Choice(name, here)
    raise HqtError(
        Code.BRANCH_EXISTS,
        f"A local branch {name!r} exists and does not follow {upstream.remote}'s; both were left"
        " as they are.",
        f"Take the local one with --checkout {name}, or make another with -b and --from.",
        {"branch": name, "existing": name},
    )


def _parse(key: str, value: str) -> _Refspec | None:
    if not key.startswith("remote."):
        return None
    source, colon, target = value.removeprefix("+").partition(":")
    if value.startswith("^"):
        source, target = value[1:], ""
    elif not colon or not target:
        return None
    return _Refspec(key.removeprefix("remote.").removesuffix(".fetch"), source, target)


def _candidates(specs: list[_Refspec], name: str) -> Iterator[Upstream]:
    for spec in specs:
        if not spec.target:
            continue
        wanted = (f"refs/heads/{name}", spec.source_of(f"refs/remotes/{name}"))
        for source in wanted:
            if source is None or not source.startswith("refs/heads/"):
                continue
            branch, ref = source.removeprefix("refs/heads/"), spec.target_of(source)
            if ref and is_branch_name(branch) and not _excluded(specs, spec.remote, source):
                yield Upstream(spec.remote, branch, ref)


def _excluded(specs: list[_Refspec], remote: str, source: str) -> bool:
    """Whether a negative refspec (`^refs/heads/x*`) keeps the remote's branch out."""
    negative = (s for s in specs if s.remote == remote and not s.target)
    return any(_mapped(spec.source, spec.source, source) is not None for spec in negative)


def _existing(repo: Repository, wanted: dict[Upstream, None]) -> list[Upstream]:
    return [one for one in wanted if refs.commit_of(repo.common_dir, one.ref)]


def _mapped(pattern: str, onto: str, name: str) -> str | None:
    """`name` carried from one side of a refspec to the other; None when it does not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return onto if name == pattern else None
    long_enough = len(name) >= len(before) + len(after)
    if not long_enough or not name.startswith(before) or not name.endswith(after):
        return None
    return onto.replace("*", name[len(before) : len(name) - len(after)], 1)
