"""The documents say what is so: verbs, options, examples, decisions, links."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path

import click
import pytest

from hqt.cli import VERBS, cli
from hqt.errors import Code
from hqt.sessions import harness, profiles

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
ADR = ROOT / "docs" / "adr"
RECORDS = sorted(ADR.glob("[0-9]*.md"))
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ADR.glob("*.md")]
CODES = re.findall(r"`([^`\n]+)`", README)
EXAMPLES = sorted({code for code in CODES if re.match(rf"hqt ({'|'.join(VERBS)})\b", code)})


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def options() -> dict[str, str]:
    """The options and defaults of scripts/options.sh."""
    text = (ROOT / "scripts" / "options.sh").read_text().split("'")[1]
    return dict(line.split("\t", 1) for line in text.strip().splitlines())


def test_the_readme_tells_every_verb_and_no_other() -> None:
    told = [verb for cells in rows("Verbs") for verb in quoted(cells[0])]
    assert sorted(told) == sorted(VERBS)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_one_that_hqt_understands(example: str) -> None:
    words = shlex.split(example)[1:]
    command: click.Command = cli
    parent = None
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(click.Context(command), words)
        assert found is not None
        command = found
        parent = click.Context(command, info_name=name, parent=parent)
    command.make_context(command.name, words, parent=parent)  # raises UsageError if it does not


def test_there_are_examples_to_check() -> None:
    assert len(EXAMPLES) > len(VERBS)


def test_the_readme_tells_every_option_and_no_other() -> None:
    told = [name for cells in rows("Options") for name in quoted(cells[0])]
    assert sorted(told) == sorted(f"@hqt-{name}" for name in options())


def test_the_readme_gives_the_defaults_in_force() -> None:
    for names, defaults, *_ in rows("Options"):
        for number, name in enumerate(quoted(names)):
            default = options()[name.removeprefix("@hqt-")]
            given = quoted(defaults)
            assert (given[min(number, len(given) - 1)] if given else "") == default, name


def test_the_readme_names_the_harnesses_that_come_with_hqt() -> None:
    [told] = [cells[2] for cells in rows("Options") if "@hqt-harness" in cells[0]]
    profiles = tomllib.loads((ROOT / "python/hqt/sessions/profiles.toml").read_text())
    assert quoted(told)[: len(profiles)] == list(profiles)


def test_the_profile_in_the_readme_can_do_what_it_says(sealed: Path) -> None:
    [shown] = re.findall(r"```toml\n(\[harness.+?)\n```", README, re.DOTALL)
    (sealed / "my-agent").write_text("")
    (sealed / "my-agent").chmod(0o755)
    config = sealed / "config.toml"
    config.write_text(shown.replace('"my-agent"', f'"{sealed / "my-agent"}"'))
    profile = profiles.named("mine", config)
    (sealed / ".my-agent" / "sessions").mkdir(parents=True)
    (sealed / ".my-agent" / "sessions" / "id.jsonl").write_text("")
    env = {"HOME": str(sealed)}
    here, there = sealed / "here", sealed / "there"
    fork = harness.fork(profile, "id", source=here, directory=there, env=env, prompt="Go")
    assert fork.argv is not None
    assert fork.conversation in fork.argv
    again = harness.resume(profile, "id", directory=there, alone=True, env=env)
    assert again is not None


def test_every_key_of_a_profile_is_documented() -> None:
    text = (ROOT / "docs" / "harnesses.md").read_text()
    tables = [re.findall(r"^\| `(\w+)`", part, re.MULTILINE) for part in text.split("\n## ")]
    known = (
        profiles._KEYS,
        ("roots", *profiles._PATTERNS),
        [one.name for one in fields(profiles.Reports)],
    )
    assert [sorted(table) for table in tables] == [sorted(keys) for keys in known]


def test_the_readme_tells_what_each_agent_calls_and_where() -> None:
    profiles = tomllib.loads((ROOT / "python/hqt/sessions/profiles.toml").read_text())
    told = {cells[0]: cells for cells in rows("Agents and the status line")}
    for name, profile in profiles.items():
        if (reports := profile.get("reports")) and not profile.get("hooks"):
            titles = {"cursor-agent": "Cursor", "qwen": "Qwen Code", "opencode": "OpenCode"}
            _, where, calls = told[titles.get(name, name.title())]
            assert quoted(where) == [f"{reports['roots'][-1]}/{reports['files'][0]}"], name
            if "events" in reports and calls != "the same":
                events = [event.rpartition("=")[2] for event in reports["events"]]
                assert quoted(calls) == [f"hqt agent {event}" for event in events], name


def test_the_readme_shows_what_is_to_be_added_for_codex() -> None:
    profiles = tomllib.loads((ROOT / "python/hqt/sessions/profiles.toml").read_text())
    events = profiles["codex"]["reports"]["events"]
    [shown] = re.findall(r"```json\n(.+?)\n```", README, re.DOTALL)
    hooks = {
        event: [{"hooks": [{"type": "command", "command": f"hqt agent {event}"}]}]
        for event in events
    }
    assert json.loads(shown) == {"hooks": hooks}
    assert profiles["qwen"]["reports"]["events"] == events, "the same"


@pytest.mark.parametrize("name", ["menu", "remove"])
def test_the_readme_shows_the_pictures_that_the_script_makes(name: str) -> None:
    assert f"```\n{(ROOT / 'docs' / 'screens' / f'{name}.txt').read_text()}```" in README


def test_codes_in_the_readme_are_codes_of_hqt() -> None:
    told = {code for cells in rows("When something is wrong") for code in quoted(cells[0])}
    underscored = {code for code in told if "_" in code.strip("_")}
    assert underscored <= set(Code)


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.name)
def test_a_decision_is_whole_and_in_the_index(record: Path) -> None:
    text = record.read_text()
    number = record.name[:4]
    [title] = re.findall(rf"^# {number}\. (.+)$", text, re.MULTILINE)
    [status] = re.findall(r"^Status: (.+)$", text, re.MULTILINE)

    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [one for one in headings if one != "Alternatives"] == [
        "Context",
        "Decision",
        "Consequences",
    ]
    assert "Alternatives" in headings
    index = (ADR / "README.md").read_text()
    assert f"| [{number}]({record.name}) | {title} | {status} |" in index


def test_decisions_are_numbered_without_gap() -> None:
    assert [int(record.name[:4]) for record in RECORDS] == list(range(1, len(RECORDS) + 1))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if "://" not in link:
            assert (document.parent / link).exists(), link
