"""Names against tables, properties and git itself."""

from __future__ import annotations

import subprocess
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.names import is_branch_name, slug, tmux_session_name

NAMES = """
a a/b a//b /a a/ .a a/.b a. a.lock a.lock/b a..b a~ a^ a: a? a* a[ a] a\\ a@{b @ a@ @/a -a
a/-b HEAD head refs/heads/x fix/#(touch${IFS}x) a;b a|b a&b $(x) `x` 'x' "x" ünïcode 日本 {a} a@{
@{ ..a a.. . .. a.lockb x.LOCK a%b a=b a,b a!b --a a--
""".split()


@pytest.mark.parametrize("name", [*NAMES, "", "a b", "a\tb", "a\x7fb", "a\nb", "\x01"])
def test_is_branch_name_agrees_with_git(name: str) -> None:
    command = ["git", "check-ref-format", "--branch", name]
    assert is_branch_name(name) == (subprocess.run(command, capture_output=True).returncode == 0)


@given(st.text(st.sampled_from("ab/.@{}~^:?*[\\ -lock\x7f\tü#$"), min_size=1, max_size=12))
def test_is_branch_name_agrees_with_git_on_anything(name: str) -> None:
    command = ["git", "check-ref-format", "--branch", name]
    assert is_branch_name(name) == (subprocess.run(command, capture_output=True).returncode == 0)


def test_a_component_fits_a_file_name() -> None:
    assert is_branch_name("a" * 250)
    assert not is_branch_name("a" * 251)
    assert not is_branch_name("x/" + "ü" * 126)
    assert not is_branch_name("a\udcff")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the Login", "fix-the-login"),
        ("  --  ", ""),
        ("Überprüfung №3", "überprüfung-3"),
        ("日本語 タイトル", "日本語-タイトル"),
        ("snake_case", "snake-case"),
        ("a/b", "a-b"),
        ("$(rm -rf ~)", "rm-rf"),
        ("#(touch x)", "touch-x"),
        ("x" * 300, "x" * 250),
    ],
)
def test_slug(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(st.text())
def test_a_slug_is_empty_or_a_branch_name_and_its_own_slug(text: str) -> None:
    made = slug(text)
    assert slug(made) == made
    assert made == "" or is_branch_name(made)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/r/.worktrees/fix", "fix"),
        ("/r/.worktrees/feat/login", "feat-login"),
        ("/r/.worktrees/a/.worktrees/b", "b"),
        ("/r/elsewhere", "elsewhere"),
        ("/r/v1.2:x", "v1-2-x"),
        ("/r/.worktrees", "worktree"),
        ("/r/...", "worktree"),
        ("/", "worktree"),
        ("/r/日本", "日本"),
        ("/r/a_b-c", "a_b-c"),
        ("/r/--a--b--", "a-b"),
    ],
)
def test_tmux_session_name(path: str, expected: str) -> None:
    assert tmux_session_name(PurePath(path)) == expected
