"""Random histories for differential tests, written in one go by `git fast-import`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from helpers.repos import git

START = 1_700_000_000


@dataclass(frozen=True)
class History:
    """A repository with branches, tags, remote-tracking refs, symbolic refs, detached worktrees."""

    path: Path
    branches: tuple[str, ...]
    detached: tuple[str, ...]  # commits that worktrees have checked out, detached
    aliases: tuple[tuple[str, str], ...]  # symbolic branches and what they lead to

    def tip(self, branch: str) -> str:
        return git(self.path, "rev-parse", f"refs/heads/{branch}")

    def _others(self, branch: str | None) -> list[str]:
        own = {branch, *(name for name, target in self.aliases if target == branch)}
        return [name for name in own if name is not None]

    def by_git(self, tip: str, branch: str | None) -> int:
        """The exact form of git-facts §3."""
        exclude = [f"--exclude={name}" for name in self._others(branch)]
        words = ["--no-replace-objects", "rev-list", "--count", tip, "--not", *exclude]
        return int(git(self.path, *words, "--branches", "--tags", "--remotes"))

    def unique(self, tip: str, branch: str | None) -> frozenset[str]:
        """By walking the whole graph, clocks and shortcuts left aside."""
        words = ["--no-replace-objects", "rev-list", "--parents", "--all", "--reflog", tip]
        listed = git(self.path, *words).splitlines()
        parents = {line.split()[0]: line.split()[1:] for line in listed}
        form = "--format=%(refname) %(objectname) %(*objectname)"
        held: set[str] = set()
        own = {f"refs/heads/{name}" for name in self._others(branch)}
        spaces = ("refs/heads", "refs/tags", "refs/remotes")
        for line in git(self.path, "for-each-ref", form, *spaces).splitlines():
            name, *ids = line.split()
            if name not in own:
                held |= _reach(parents, ids[-1])
        return frozenset(_reach(parents, tip) - held)


def _reach(parents: dict[str, list[str]], tip: str) -> set[str]:
    waiting, seen = [tip], set[str]()
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += parents[one]
    return seen


def build(path: Path, rng: random.Random, *, skew: bool = False) -> History:
    """A repository at `path`; everything about it follows from `rng`."""
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    number = rng.randint(3, 25)
    script = ["feature done\n"]
    for mark in range(1, number + 1):
        age = rng.randint(-50_000, 50_000) if skew else mark * 60
        script.append(f"commit refs/scratch/{mark}\nmark :{mark}\n")
        script.append(f"committer T <t@example.invalid> {START + age} +0000\ndata 2\nc\n")
        count = min(mark - 1, rng.choice([0, 1, 1, 1, 1, 1, 2, 2, 3]) if mark > 1 else 0)
        older = rng.sample(range(max(1, mark - 6), mark), min(count, min(6, mark - 1)))
        script += [f"{'from' if n == 0 else 'merge'} :{one}\n" for n, one in enumerate(older)]
        script.append("\n")
    marks = [f":{mark}" for mark in range(1, number + 1)]
    branches = ["main", *(f"b{n}" for n in range(rng.randint(1, 6)))]
    if rng.random() < 0.3:
        branches.append("b0/deep") if "b0" not in branches else branches.append("c/deep")
    names = [f"refs/heads/{name}" for name in branches]
    names += [f"refs/remotes/origin/{n}" for n in range(rng.randint(0, 2))]
    names += [f"refs/tags/light{n}" for n in range(rng.randint(0, 2))]
    names += [f"refs/{other}/x" for other in ("stash", "prefetch", "hqt") if rng.random() < 0.3]
    for name in names:
        script.append(f"reset {name}\nfrom {rng.choice(marks[-8:])}\n\n")
    for n in range(rng.randint(0, 2)):
        script.append(f"tag annotated{n}\nfrom {rng.choice(marks)}\n")
        script.append(f"tagger T <t@example.invalid> {START} +0000\ndata 1\nt\n")
    script.append("done\n")
    git(
        path,
        "fast-import",
        "--quiet",
        f"--export-marks={path / '.git' / 'marks'}",
        input="".join(script),
    )
    lines = (path / ".git" / "marks").read_text().split("\n")[:-1]
    commits = [line.split()[1] for line in lines]
    scratch = git(path, "for-each-ref", "--format=delete %(refname)", "refs/scratch")
    git(path, "update-ref", "--stdin", input=scratch + "\n")
    aliases: list[tuple[str, str]] = []
    if rng.random() < 0.5:
        git(path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/0")
    if rng.random() < 0.3:
        aliases.append(("alias", rng.choice(branches)))
        git(path, "symbolic-ref", "refs/heads/alias", f"refs/heads/{aliases[0][1]}")
    if rng.random() < 0.5:
        git(path, "pack-refs", "--all")
        if rng.random() < 0.5:
            git(path, "update-ref", f"refs/heads/{rng.choice(branches)}", rng.choice(commits))
    if rng.random() < 0.3 and number > 3:
        git(path, "replace", "--graft", commits[-1], rng.choice(commits[:-1]), check=False)
    detached = tuple(rng.sample(commits, rng.randint(0, 2)))
    for n, one in enumerate(detached):
        git(path, "worktree", "add", "-q", "--detach", "--no-checkout", f"{path}-{n}", one)
    return History(path, tuple(branches), detached, tuple(aliases))
