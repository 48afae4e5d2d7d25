"""What libgit2 misjudges is found, and only that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pygit2
import pytest

from helpers import repos
from hqt.git.support import Support, misjudged


def look(repo: Path, commit: str | None = None) -> Support:
    return misjudged(repo, repo / ".git", repo / ".git", commit=commit)


def test_an_ordinary_checkout_is_trusted(repo: Path) -> None:
    repos.commit(repo, ".gitignore", "*.log\nbuild/\n# !not a rule\n")
    repos.commit(repo, ".gitattributes", "*.txt text eol=lf\n*.bin -diff\n")
    repos.commit(repo, "deep/er/.gitignore", "/cache\n")
    assert look(repo) == look(repo, repos.git(repo, "rev-parse", "HEAD")) == Support()


def global_ignore(repo: Path) -> None:
    (Path.home() / "ignore").write_text("*.x\n!a.x\n")
    repos.git(repo, "config", "--global", "core.excludesFile", "~/ignore")


def included(repo: Path) -> None:
    (Path.home() / "more").write_text("[core]\n\tsparseCheckout\n")
    repos.git(repo, "config", "--global", "includeIf.hasconfig:remote.*.url:x.path", "more")


def submodule(repo: Path) -> None:
    other = repos.repository(Path.home() / "other")
    repos.git(repo, "submodule", "--quiet", "add", str(other), "sub")


def gitlink(repo: Path) -> None:
    repos.repository(repo / "inner")
    repos.git(repo, "add", "inner")


def linked_rules(repo: Path) -> None:
    (repo / "rules").write_text("*.log\n")
    (repo / ".gitignore").symlink_to("rules")


def hook(repo: Path) -> None:
    (repo / ".git" / "hooks").mkdir(exist_ok=True)
    (repo / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\n")
    (repo / ".git" / "hooks" / "post-checkout").chmod(0o755)


def rules(name: str, text: str) -> Callable[[Path], None]:
    def write(repo: Path) -> None:
        repos.commit(repo, name, text)

    write.__name__ = f"{name}: {text.split()[-1]}"
    return write


def config(*words: str) -> Callable[[Path], None]:
    def write(repo: Path) -> None:
        repos.git(repo, "config", *words)

    write.__name__ = " ".join(words)
    return write


def git(*words: str) -> Callable[[Path], None]:
    def write(repo: Path) -> None:
        repos.git(repo, *words)

    write.__name__ = " ".join(words)
    return write


def info(name: str, text: str) -> Callable[[Path], None]:
    def write(repo: Path) -> None:
        (repo / ".git" / "info").mkdir(exist_ok=True)
        (repo / ".git" / "info" / name).write_text(text)

    write.__name__ = f"info/{name}"
    return write


def untracked_rules(repo: Path) -> None:
    (repo / ".gitignore").write_text("*\n!a\n")


S, C, H = "status", "checkout", "history"
TABLE: list[tuple[Callable[[Path], None], set[str]]] = [
    (rules(".gitignore", "*.log\n!keep.log\n"), {S}),
    (rules("a/b/.gitignore", "x\n!keep\n"), {S}),
    (rules("x" * 200 + "/" + "y" * 150 + "/.gitignore", "x\n!keep\n"), {S}),
    (untracked_rules, {S}),
    (global_ignore, {S}),
    (info("exclude", "!x\n"), {S}),
    (info("attributes", "*.bin filter=lfs\n"), {S, C}),
    (rules(".gitattributes", "*.bin filter=lfs\n"), {S, C}),
    (rules("a/.gitattributes", "*.txt working-tree-encoding=UTF-16\n"), {S, C}),
    (rules(".gitattributes", "[attr]big filter=lfs\n*.psd big\n"), {S, C}),
    (linked_rules, {S}),
    (git("update-index", "--skip-worktree", "file0"), {S}),
    (git("update-index", "--index-version", "4"), {S}),
    (config("core.sparseCheckout", "true"), {S, C}),
    (included, {S, C}),
    (config("core.splitIndex", "true"), {S, C}),
    (git("update-index", "--split-index"), {S}),
    (config("remote.origin.promisor", "true"), {S, C}),
    (submodule, {S}),
    (gitlink, {S}),
    (config("core.sharedRepository", "group"), {C}),
    (config("core.hooksPath", ".husky/_"), {C}),
    (hook, {C}),
    (git("replace", "--graft", "HEAD"), {H}),
]


@pytest.mark.parametrize(
    ("build", "expected"), TABLE, ids=lambda value: getattr(value, "__name__", "")
)
def test_each_trap_is_named(repo: Path, build: Callable[[Path], None], expected: set[str]) -> None:
    repos.commit(repo, "second")
    build(repo)
    found = look(repo)
    assert {kind for kind in (S, C, H) if getattr(found, kind)} == expected
    assert all(reason.endswith(".") for reason in (*found.status, *found.checkout, *found.history))
    with_commit = look(repo, repos.git(repo, "rev-parse", "HEAD"))
    assert bool(with_commit.checkout) == (C in expected)


def test_the_attributes_of_the_commit_to_be_written_count(repo: Path) -> None:
    repos.git(repo, "switch", "-q", "-c", "with-filter")
    commit = repos.commit(repo, "a/.gitattributes", "*.bin filter=lfs\n")
    repos.git(repo, "switch", "-q", "main")
    assert not look(repo).checkout
    assert look(repo, commit).checkout
    assert look(repo, "f" * 40).checkout


EXTENSIONS = [
    ("noop", "1"), ("worktreeConfig", "true"), ("preciousObjects", "true"), ("partialClone", "x"),
    ("refStorage", "reftable"), ("objectFormat", "sha256"), ("unheardOf", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), EXTENSIONS)
def test_a_repository_libgit2_refuses_does_not_open(repo: Path, name: str, value: str) -> None:
    repos.git(repo, "config", "core.repositoryFormatVersion", "1")
    repos.git(repo, "config", f"extensions.{name}", value)
    try:
        pygit2.Repository(str(repo), pygit2.enums.RepositoryOpenFlag.NO_SEARCH)
        opens = True
    except pygit2.GitError:
        opens = False
    found = look(repo)
    assert found.opens == opens
    assert bool(found.status) == bool(found.checkout) == (not opens)


def test_unreadable_files_are_reasons(repo: Path) -> None:
    (repo / ".git" / "index").unlink()
    (repo / ".git" / "index").mkdir()
    assert look(repo).status
    (repo / ".gitignore").mkdir()
    assert len(look(repo).status) == 2


def test_a_big_index_costs_little(repo: Path) -> None:
    from time import perf_counter

    entry = "100644 " + repos.git(repo, "rev-parse", "HEAD:file0") + "\tdir{}/file{}"
    lines = (entry.format(n % 500, n) for n in range(50_000))
    repos.git(repo, "update-index", "--add", "--index-info", input="\n".join(lines) + "\n")
    began = perf_counter()
    assert look(repo) == Support()
    assert perf_counter() - began < 0.5
    assert (repo / ".git" / "index").stat().st_size > 3_000_000
