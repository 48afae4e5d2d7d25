"""Which conversations are there, which is ours, and how one follows its session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.harnesses import FOLLOWS, HERE, ID, OWN, keep, profile, refused, run, write
from helpers.stand_in import StandIn
from hqt.errors import Code
from hqt.sessions import harness, transcripts

pytestmark = pytest.mark.usefixtures("programs")


@pytest.mark.parametrize("name", OWN)
def test_following_to_another_directory(name: str, sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    there = Path("/r/app/sub")
    keep(name, sealed, HERE, ID)

    def go() -> None:
        transcripts.follow(profile(name), ID, HERE, there, env)

    if name not in FOLLOWS:
        assert "--fresh" in refused(go, Code.CANNOT_RESUME).remedy
        return
    go()
    if name != "shell":
        there_too = harness.resume(profile(name), ID, directory=there, alone=False, env=env)
        assert there_too is not None


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_capturing_the_id_that_the_program_made_up(name: str, sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    found = profile(name)

    def captured(*claimed: str) -> str | None:
        return transcripts.capture(found, HERE, 2000000000, claimed, env)

    assert captured() is None
    keep(name, sealed, HERE, "before", at=1999999999)
    keep(name, sealed, Path("/r/app"), "elsewhere", at=2000000005)
    assert captured() is None
    keep(name, sealed, HERE, "ours", at=2000000005)
    for file in sealed.rglob("rollout-*"):
        os.utime(file, (2000000005, 2000000005))
    assert captured() == "ours"
    assert captured("ours") is None
    keep(name, sealed, HERE, "second", at=2000000006)
    for file in sealed.rglob("rollout-*"):
        os.utime(file, (2000000006, 2000000006))
    assert captured() is None, "either could be a sibling's"
    assert captured("ours") == "second"


@pytest.mark.parametrize("name", [n for n in OWN if n not in ("codex", "opencode")])
def test_nothing_else_is_ever_captured(name: str, sealed: Path) -> None:
    keep(name, sealed, HERE, ID, at=2000000005)
    assert transcripts.capture(profile(name), HERE, 0, (), {"HOME": str(sealed)}) is None


def test_a_conversation_follows_to_another_directory_and_back(agent: StandIn, sealed: Path) -> None:
    env = dict(os.environ)
    found = profile("stand-in")
    places = [sealed / "one", sealed / "two 💡"]
    for place in places:
        place.mkdir()
    first = harness.start(found, directory=places[0], prompt="in one")
    run(first, places[0])
    id = first.conversation or ""
    for source, target in (places, places[::-1]):
        transcripts.follow(found, id, source, target, env)
        again = harness.resume(found, id, directory=target, alone=True, env=env)
        run(again, target, f"in {target.name}\n")
    kept = transcripts.slug(places[0])
    [file] = (agent.home / "projects" / kept).iterdir()
    said = [json.loads(line)["said"] for line in file.read_text().splitlines()]
    assert said == ["in one", "in two 💡", "in one"]


def test_what_was_said_apart_in_the_target_is_set_aside_and_not_lost(
    agent: StandIn, sealed: Path
) -> None:
    found = profile("stand-in")
    one, two = sealed / "one", sealed / "two"
    write(agent.transcript(one, ID), "a\nb\n")
    write(agent.transcript(two, ID), "other\n")
    transcripts.follow(found, ID, one, two, dict(os.environ))
    texts = {f.read_text() for f in agent.transcript(two, ID).parent.iterdir()}
    assert texts == {"a\nb\n", "other\n"}
    assert agent.transcript(two, ID).read_text() == "a\nb\n"
    assert agent.transcript(one, ID).read_text() == "a\nb\n"


def test_what_lies_beside_a_transcript_follows_too(agent: StandIn, sealed: Path) -> None:
    one, two = sealed / "one", sealed / "two"
    write(agent.transcript(one, ID), "a\n")
    write(agent.transcript(one, ID).with_suffix("") / "subagents" / "x.jsonl", "sub\n")
    transcripts.follow(profile("stand-in"), ID, one, two, dict(os.environ))
    assert (agent.transcript(two, ID).with_suffix("") / "subagents/x.jsonl").exists()


def test_nothing_follows_where_nothing_was_said(agent: StandIn, sealed: Path) -> None:
    transcripts.follow(profile("stand-in"), ID, sealed, sealed / "two", dict(os.environ))
    assert not (agent.home / "projects").exists()


def test_a_conversation_that_cannot_leave_says_so(agent: StandIn, sealed: Path) -> None:
    found = profile("stand-in-rooted")
    write(agent.transcript(sealed, ID))
    refused(
        lambda: transcripts.follow(found, ID, sealed, sealed / "two", dict(os.environ)),
        Code.CANNOT_RESUME,
    )
    transcripts.follow(found, ID, sealed, sealed, dict(os.environ))


def test_a_made_up_id_is_captured_and_its_rotation_after_it(agent: StandIn, sealed: Path) -> None:
    env = dict(os.environ)
    found = profile("stand-in-captured")
    since = time.time()
    run(harness.start(found, directory=sealed, prompt="first"), sealed, "clear\nsecond\n")
    ids = [file.stem for file in (agent.home / "projects").rglob("*.jsonl")]
    first = agent.launches()[0]["conversation"]
    assert transcripts.capture(found, sealed, since, (), env) is None
    second = transcripts.capture(found, sealed, since, (first,), env)
    assert {first, second} == set(ids)
    assert transcripts.capture(found, sealed, since, ids, env) is None
    assert transcripts.capture(found, sealed, time.time() + 5, (), env) is None
    assert f"resumed {second}" in run(
        harness.resume(found, second, directory=sealed / "bin", alone=False, env=env),
        sealed / "bin",
    )


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), max_size=40)


@given(NAMES)
def test_a_slug_counts_as_javascript_does(name: str) -> None:
    expected = "".join(
        c if c.isascii() and c.isalnum() else "-" * (2 if ord(c) > 0xFFFF else 1) for c in name
    )
    assert transcripts.slug(Path("/x" + name)) == "-x" + expected


def test_a_slug_matches_the_javascript_of_the_programs() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    path = "/r/ä💡_x.y/ß-9"
    script = 'process.stdout.write(process.argv[1].replace(/[^a-zA-Z0-9]/g, "-"))'
    done = subprocess.run([node, "-e", script, path], capture_output=True, text=True, check=True)
    assert transcripts.slug(Path(path)) == done.stdout


def test_a_directory_too_long_for_claude_is_found_by_its_beginning(sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    deep = Path("/" + "d" * 250)
    name = transcripts.slug(deep)[:200] + "-1k2j3h"
    write(sealed / f".claude/projects/{name}/{ID}.jsonl")
    found = profile("claude")
    assert transcripts.exists(found, ID, deep, env)
    assert not transcripts.exists(found, ID, Path("/" + "d" * 199), env)
    keep("claude", sealed, HERE, ID)
    refused(lambda: transcripts.follow(found, ID, HERE, deep, env), Code.CANNOT_RESUME)


def test_a_transcript_is_looked_for_where_the_program_was_told_to_keep_it(sealed: Path) -> None:
    write(sealed / f"elsewhere/projects/-r-app/{ID}.jsonl")
    found = profile("claude")
    here = Path("/r/app")
    assert not transcripts.exists(found, ID, here, {"HOME": str(sealed)})
    moved = {"HOME": str(sealed), "CLAUDE_CONFIG_DIR": f"{sealed}/elsewhere"}
    assert transcripts.exists(found, ID, here, moved)


@pytest.mark.parametrize("id", ["*", "../x", "", "[a-z]", "a/b", "?"])
def test_an_id_that_is_a_pattern_finds_nothing(id: str, sealed: Path) -> None:
    keep("claude", sealed, HERE, "x")
    assert not transcripts.exists(profile("claude"), id, HERE, {"HOME": str(sealed)})


@pytest.mark.parametrize("text", ["", "not json\n", "[]\n", "[" * 100_000, '{"payload": 3}\n'])
def test_a_transcript_that_cannot_be_read_is_nobodys(text: str, sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    write(sealed / ".codex/sessions/2026/01/02/rollout-x-y.jsonl", text)
    assert transcripts.capture(profile("codex"), HERE, 0, (), env) is None
    write(sealed / f".gemini/tmp/a/chats/session-t-{ID[:8]}.jsonl", text)
    write(sealed / ".gemini/tmp/a/.project_root", str(HERE))
    assert not transcripts.exists(profile("gemini"), ID, HERE, env)


def test_a_database_that_cannot_be_read_is_nobodys(sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    write(sealed / ".local/share/opencode/opencode.db", "not a database" * 100)
    assert not transcripts.exists(profile("opencode"), ID, HERE, env)
    assert transcripts.capture(profile("opencode"), HERE, 0, (), env) is None


def test_gemini_does_not_find_a_conversation_of_another_directory(sealed: Path) -> None:
    env = {"HOME": str(sealed)}
    keep("gemini", sealed, Path("/elsewhere/fix#it"), ID)
    assert not transcripts.exists(profile("gemini"), ID, HERE, env)
