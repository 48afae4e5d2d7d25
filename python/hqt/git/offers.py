"""What a form can offer: branches and revisions by name, and a commit in a few words."""

from __future__ import annotations

from pathlib import Path

from hqt.git import tracking
from hqt.git.process import git
from hqt.models import Repository

_BRANCHES = ("refs/heads", "refs/remotes")
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


def branches(repo: Repository) -> list[str]:
    """What `--checkout` takes, the most recent first: local branches, and of the remote-tracking
    ones those without a local branch of their name, which would be taken instead or refuse it."""
    full = _names(repo, "%(refname)", *_BRANCHES)
    local = {one.removeprefix(_HEADS) for one in full if one.startswith(_HEADS)}
    mapped = tracking.local_names(repo)
    return [
        one.removeprefix(_HEADS).removeprefix(_REMOTES)
        for one in full
        if one.startswith(_HEADS) or ((name := mapped(one)) and name not in local)
    ]


def revisions(repo: Repository) -> list[str]:
    """Branches and tags by their short names, the most recent first."""
    return _names(repo, "%(refname:short)", *_BRANCHES, "refs/tags")


def described(repo: Repository, commit: str) -> str:
    """A commit (hex) as `3f2a1c9 Subject`. Raises `git_failed`."""
    return git("log", "-1", "--no-show-signature", "--format=%h %s", commit, "--",
               cwd=repo.common_dir).text  # fmt: skip


def _names(repo: Repository, name: str, *prefixes: str) -> list[str]:
    """One reference a line; a symbolic one (`origin/HEAD`) only repeats another."""
    form = f"--format=%(if)%(symref)%(then)%(else){name}%(end)"
    said = git("for-each-ref", "--sort=-creatordate", form, *prefixes, cwd=repo.common_dir).text
    return [line for line in said.splitlines() if line]


def preview(checkout: Path, *, commits: int = 8, changes: int = 20) -> list[str]:
    """The latest commits and the changed files of a checkout, a line each."""
    log = git("log", f"-{commits}", "--no-show-signature", "--format=%h %s", cwd=checkout)
    status = git("status", "--short", "--no-renames", cwd=checkout)
    changed = status.text.splitlines()
    more = [f"… {len(changed) - changes} more"] if len(changed) > changes else []
    return [*log.text.splitlines(), *([""] if changed else []), *changed[:changes], *more]
