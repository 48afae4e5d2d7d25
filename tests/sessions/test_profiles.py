"""What a profile may say, and what is said of one that is wrong."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.harnesses import HERE, ID, OWN, argv, profile, refused, write
from hqt import paths
from hqt.errors import Code
from hqt.sessions import harness, profiles

pytestmark = pytest.mark.usefixtures("programs")


def test_hqt_knows_these_harnesses_and_the_shell_first() -> None:
    assert tuple(profiles.profiles(paths.config_file())) == OWN


def test_a_user_adds_a_harness_and_changes_one_of_hqts(programs: Path, sealed: Path) -> None:
    write(
        paths.config_file(),
        '[harness.mine]\nprogram = "~/mine"\nstart = ["--id", "{conversation}"]\n'
        'conversation = "pinned"\nset = { COLOR = "1" }\ndrop = ["OUTER"]\n'
        '[harness.claude]\nprogram = "codex"\ndrop = ["EXTRA"]\n',
    )
    shutil.copy(programs / "codex", sealed / "mine")
    launch = harness.start(profile("mine"), directory=HERE, conversation=ID)
    assert launch.argv == (str(sealed / "mine"), "--id", ID)
    assert launch.environment == {"COLOR": "1"}
    assert {"OUTER", "EXTRA", "GEMINI_CLI"} <= set(launch.drop)
    changed = profile("claude")
    assert argv(harness.start(changed, directory=HERE, conversation=ID))[0] == "codex"
    assert changed.follow == "transcript"
    assert tuple(profiles.profiles(paths.config_file())) == (*OWN, "mine")


def test_a_harness_that_there_is_not_is_told_with_the_nearest() -> None:
    error = refused(lambda: profile("cluade"), Code.CONFIG_INVALID)
    assert error.remedy.startswith("Did you mean claude? Use one of shell, claude, ")
    assert refused(lambda: profile("xyz"), Code.CONFIG_INVALID).remedy.startswith("Use one of ")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[harness.x]\nstart = []\n", 1, "harness.x says no program"),
        ("[harness.x]\nprogram = 3\n", 2, "harness.x.program must be text"),
        ("[harness.x]\nprogram = 'x'\ncolour = 1\n", 3, "harness.x.colour is not known"),
        ("[harness.x]\nprogram = 'x'\nstart = 'a b'\n", 3, "must be a list of texts"),
        ("[harness.x]\nprogram = 'x'\nstart = [1]\n", 3, "must be a list of texts"),
        ("[harness.x]\nprogram = 'x'\nprompt = ['-p']\n", 3, "does not hold {prompt}"),
        ("[harness.x]\nprogram = 'x'\nprompt = ['{promt}']\n", 3, "holds {promt}"),
        ("[harness.x]\nprogram = 'x'\nresume = ['-r']\n", 3, "does not hold {conversation}"),
        ("[harness.x]\nprogram = 'x'\nconversation = 'pined'\n", 3, "pinned, captured, none"),
        ("[harness.x]\nprogram = 'x'\nconversation = 'pinned'\n", 3, "start does not hold"),
        ("[harness.x]\nprogram = 'x'\nstart = ['{conversation}']\n", 1, 'must be "pinned"'),
        ("[harness.x]\nprogram = 'x'\nresume = ['{conversation}']\n", 1, "needs an id"),
        ("[harness.x]\nprogram = 'x'\nfollow = 'transcript'\n", 3, "transcripts.files"),
        ("[harness.x]\nprogram = 'x'\nfollow = true\n", 3, "harness.x.follow is True"),
        ("[harness.x]\nprogram = 'x'\nset = { A = 1 }\n", 3, "harness.x.set.A must be text"),
        ("[harness.x]\nprogram = 'x'\nset = { 'A=B' = '1' }\n", 3, "not the name of a variable"),
        ("[harness.x]\nprogram = 'x'\n[harness.x.transcripts]\n", 3, "says no roots"),
        (
            "[harness.x]\nprogram = 'x'\n[harness.x.transcripts]\nroots = ['~']\nfiles = '../*'\n",
            5,
            "below its root",
        ),
        ("[harness.x]\nprogram = 'x'\ntranscripts = 1\n", 3, "must be a table"),
        ("[harness.x]\nprogram = 'x'\nreports = 1\n", 3, "must be a table"),
        ("[harness.x]\nprogram = 'x'\nreports = { roots = ['~'] }\n", 3, "says no files"),
        (
            "[harness.x]\nprogram = 'x'\n[harness.x.reports]\nroots = ['~']\nfiles = ['a']\n"
            "lines = ['(']\n",
            6,
            "is no regular expression",
        ),
        (
            "[harness.x]\nprogram = 'x'\n[harness.x.reports]\nroots = ['~']\nfiles = ['a']\n"
            "entry = 'x'\n",
            6,
            "entry must be a table",
        ),
        (
            "[harness.x]\nprogram = 'x'\n[harness.x.reports]\nroots = ['~']\nfiles = ['a']\n"
            "accept = [1]\n",
            6,
            "accept must be a table",
        ),
        ("[harness.'A b']\nprogram = 'x'\n", 1, "lower case"),
        ("harness = 1\n", 1, "must be a table"),
        ("[harness]\nx = 1\n", 2, "must be a table"),
        ('[harness.x]\nprogram = "a\\u0000"\n', 2, "must be text"),
    ],
)
def test_a_wrong_profile_is_named_with_line_and_key(text: str, line: int, words: str) -> None:
    file = write(paths.config_file(), text)
    error = refused(lambda: profile("x"), Code.CONFIG_INVALID)
    assert f"{file}, line {line}: " in error.message, error.message
    assert words in error.message


def test_braces_that_are_no_placeholder_are_left_alone() -> None:
    write(
        paths.config_file(),
        """[harness.x]\nprogram = "codex"\nstart = ["-c", '{"a": {}}']\n""",
    )
    assert argv(harness.start(profile("x"), directory=HERE))[1:] == ["-c", '{"a": {}}']


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    twice = replace(profile("codex"), start=("{directory}",))
    launch = harness.start(twice, directory=Path("/{conversation}/{prompt}"), prompt="{directory}")
    assert argv(launch) == ["codex", "/{conversation}/{prompt}", "--", "{directory}"]
