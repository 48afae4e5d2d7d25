"""Whether agents report to hqt, from files as the programs and their users write them."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from helpers.harnesses import OWN, profile, write
from helpers.plugin import ROOT
from hqt import paths
from hqt.results import Finding
from hqt.sessions import agent, hook_trust, profiles, reporting

pytestmark = pytest.mark.usefixtures("programs", "called")
REPORTING = tuple(name for name in OWN if name not in {"shell", "claude"})
KEPT = {  # where each program's user tells it, as its own documents say
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/plugins/hqt.js",
    "copilot": ".copilot/hooks/hqt.json",
    "cursor-agent": ".cursor/hooks.json",
    "qwen": ".qwen/settings.json",
    "aider": ".aider.conf.yml",
}


@pytest.fixture
def called(programs: Path) -> Path:
    """The command hqt in PATH, never run."""
    hqt = programs / "hqt"
    hqt.write_text("#!/bin/sh\nexit 99\n")
    hqt.chmod(0o755)
    return hqt


def told(name: str, sessions: int = 0) -> list[Finding]:
    """What doctor finds of one program; every finding is whole sentences."""
    found = list(reporting.findings(profile(name), sessions, os.environ))
    for one in found:
        assert one.subject == f"agent {name}"
        assert one.message.endswith(".")
        assert one.remedy.endswith(".") or (one.level == "ok" and not one.remedy)
    return found


def levels(found: list[Finding]) -> list[str]:
    return [one.level for one in found]


def addition(name: str) -> str:
    """What `instructions --hooks` gives to be added, without the words around it."""
    lines = list(reporting.to_add(profile(name), os.environ))
    first = lines.index("")
    return "\n".join(lines[first + 1 : lines.index("", first + 1)])


def trust(file: Path) -> str:
    """What codex adds to its configuration when its user trusts every hook of `file`."""
    said = ""
    for event, groups in json.loads(file.read_text())["hooks"].items():
        for number, group in enumerate(groups):
            key = f"{file}:{hook_trust._label(event)}:{number}:0"
            hash = hook_trust._hash(event, group, group["hooks"][0])
            said += f'[hooks.state."{key}"]\ntrusted_hash = "{hash}"\n'
    return said


def nested(*events: str, command: str = "hqt agent {}") -> str:
    """Hooks in the scheme of Claude Code."""
    one = {e: [{"hooks": [{"type": "command", "command": command.format(e)}]}] for e in events}
    return json.dumps({"hooks": one})


def test_every_program_that_takes_no_hooks_says_how_it_reports() -> None:
    found = profiles.profiles(paths.config_file())
    assert {name for name, one in found.items() if one.program and not one.hooks} == set(KEPT)
    assert all(found[name].reports for name in KEPT)
    for name in REPORTING:
        reports = found[name].reports
        assert reports
        assert set(reports.events.values()) <= {*agent.EVENTS, "Notification", "SessionStart"}


@pytest.mark.parametrize("name", REPORTING)
def test_what_is_to_be_added_is_what_is_looked_for(name: str, sealed: Path) -> None:
    file = sealed / KEPT[name]
    [missing] = told(name)
    assert missing.level == "note"
    assert f"there is no {file}" in missing.message
    assert f"`hqt instructions --hooks {name}`" in missing.remedy
    assert levels(told(name, sessions=1)) == ["warning"]

    assert str(file) in reporting.to_add(profile(name), os.environ)[0]
    write(file, addition(name))
    if name == "codex":
        assert levels(told(name)) == ["warning"], "it is not trusted yet"
        write(file.with_name("config.toml"), trust(file))
    [found] = told(name)
    assert found.level == "ok"
    assert str(file) in found.message


@pytest.mark.parametrize("name", REPORTING)
def test_nothing_is_ever_written(name: str, sealed: Path) -> None:
    def everything() -> dict[Path, tuple[int, int]]:
        return {
            one: (one.stat().st_mtime_ns, one.stat().st_size)
            for one in sealed.rglob("*")
            if one.is_file()
        }

    write(sealed / KEPT[name], addition(name))
    before = everything()
    told(name)
    addition(name)
    assert everything() == before


@pytest.mark.parametrize(
    ("name", "file", "content", "level", "words"),
    [
        ("claude", "", "", "ok", "at each start"),
        ("claude", ".claude/settings.json", '{"model": "opus"}', "ok", "at each start"),
        ("claude", ".claude/settings.json", '{"disableAllHooks": true}', "warning", "is true in"),
        ("codex", ".codex/hooks.json", '{"hooks": {}}', "note", "nothing in"),
        ("codex", ".codex/hooks.json", nested("Stop", command="notify-send x"), "note", "nothing"),
        ("codex", ".codex/hooks.json", nested("Stop"), "warning", "not for UserPromptSubmit"),
        ("codex", ".codex/hooks.json", '{"Stop": [{"command": "hqt agent Stop"}]}', "note", "noth"),
        (
            "codex",
            ".codex/hooks.json",
            '{"hooks": {"Stop": [{"command": "hqt agent Stop"}]}}',
            "note",
            "nothing in",
        ),
        (
            "codex",
            ".codex/config.toml",
            '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "hqt agent Stop"\n',
            "warning",
            "not for UserPromptSubmit",
        ),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "warning", "is false in"),
        (
            "gemini",
            ".gemini/settings.json",
            '{ // mine\n "theme": "http://x/*", "hooksConfig": {"enabled": false} }',
            "warning",
            "hooksConfig.enabled is false",
        ),
        ("gemini", ".gemini/settings.json", nested("BeforeTool"), "warning", "not for BeforeAgent"),
        ("qwen", ".qwen/settings.json", '{"disableAllHooks": true}', "warning", "is true in"),
        ("qwen", ".qwen/settings.json", "", "note", "nothing in"),
        ("opencode", ".config/opencode/plugin/mine.ts", "export const A = 1", "note", "no "),
        ("opencode", ".config/opencode/plugin/mine.ts", "$`hqt agent done`", "ok", "mine.ts"),
        ("copilot", ".copilot/settings.json", nested("Stop"), "note", "there is no"),
        (
            "copilot",
            ".copilot/hooks/mine.json",
            '{"version": 1, "hooks": {"Stop": [{"command": "hqt agent Stop"}]}}',
            "warning",
            "not for UserPromptSubmit",
        ),
        (
            "cursor-agent",
            ".cursor/hooks.json",
            '{"version": 1, "hooks": {"stop": [{"command": "/no/where/hqt agent stop"}],'
            ' "beforeSubmitPrompt": [{"command": "$MINE/hqt agent beforeSubmitPrompt"}]}}',
            "warning",
            "There is no /no/where/hqt",
        ),
        (
            "cursor-agent",
            ".cursor/hooks.json",
            '{"hooks": {"stop": [{"command": "[ -z $X ] || hqt agent stop; true"}],'
            ' "beforeSubmitPrompt": [{"command": "sh -c \'hqt agent working\'"}]}}',
            "ok",
            "hooks.json",
        ),
        (
            "cursor-agent",
            ".cursor/hooks.json",
            '{"hooks": {"stop": [{"command": "hqt agent stopped"}],'
            ' "beforeSubmitPrompt": [{"command": "hqt agent beforeSubmitPrompt"}]}}',
            "warning",
            "`hqt agent stopped`",
        ),
        ("aider", ".aider.conf.yml", "notifications-command: hqt agent done\n", "note", "nothing"),
        (
            "aider",
            ".aider.conf.yml",
            "model: x\nnotifications: true\nnotifications-command: '/opt/hqt' agent done\n",
            "ok",
            "no more than that it is done",
        ),
    ],
)
def test_files_as_they_are_found(
    name: str, file: str, content: str, level: str, words: str, sealed: Path
) -> None:
    if file:
        write(sealed / file, content)
    found = told(name)
    assert level in levels(found)
    assert any(words in one.message for one in found if one.level == level), found


@pytest.mark.parametrize("name", [*REPORTING, "claude"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "bytes", "nonsense", "list", "deep", "huge"])
def test_a_broken_file_is_a_finding(name: str, kind: str, sealed: Path) -> None:
    file = sealed / KEPT.get(name, ".claude/settings.json")
    text = file.suffix != ".json"
    file.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "folder":
            file.mkdir()
        case "pipe":
            os.mkfifo(file)
        case "bytes":
            file.write_bytes(b'{"hooks": "\xff"}')
        case "nonsense":
            file.write_text('{"hooks": ')
        case "list":
            file.write_text('{"hooks": ["Stop"]}')
        case "deep":
            file.write_text("[" * 100_000)
        case "huge":
            file.write_bytes(b" " * (9 << 20))
    if text and kind in {"nonsense", "list", "deep"}:
        assert levels(told(name)) == ["note"], "to hqt it is any text"
        return
    found = told(name)
    assert found[0].level == "warning"
    assert str(file) in found[0].message
    assert "unknown" in found[0].message
    assert "ok" not in levels(found) or name == "claude"


def test_hooks_may_be_lists_of_anything(sealed: Path) -> None:
    odd: list[object] = [None, 1, "x", {"hooks": 3}, {"hooks": [None, {"command": 3}]}]
    write(sealed / KEPT["codex"], json.dumps({"hooks": {"Stop": odd, "PreToolUse": "x"}}))
    assert levels(told("codex")) == ["note"]


def test_a_program_of_ones_own_says_nothing_of_its_hooks() -> None:
    write(paths.config_file(), '[harness.mine]\nprogram = "codex"\n')
    [found] = told("mine")
    assert found.level == "note"
    assert "unknown" in found.message
    assert "hqt agent waiting" in found.remedy
    assert any("hqt agent waiting" in line for line in reporting.to_add(profile("mine"), {}))


def test_a_program_of_ones_own_can_say_how_it_reports(sealed: Path) -> None:
    write(
        paths.config_file(),
        '[harness.mine]\nprogram = "codex"\n[harness.mine.reports]\nroots = ["~/.mine"]\n'
        'files = ["h.json"]\nevents = ["over=done"]\nentry = { run = "{command}" }\n',
    )
    assert levels(told("mine")) == ["note"]
    write(sealed / ".mine/h.json", addition("mine"))
    assert json.loads(addition("mine")) == {"hooks": {"over": [{"run": "hqt agent done"}]}}
    assert levels(told("mine")) == ["ok"]


def test_a_command_that_is_not_in_path_is_named_once(sealed: Path, called: Path) -> None:
    write(sealed / KEPT["qwen"], addition("qwen"))
    called.unlink()
    [found] = told("qwen")
    assert found.level == "warning"
    assert "hqt is not found in PATH" in found.message
    place = shlex.quote(str(ROOT / "scripts" / "hqt"))
    assert f"{place} agent Stop" in addition("qwen"), "then its place is given"


def test_a_program_looks_where_its_variable_says(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sealed / "real").mkdir()
    (sealed / "link").symlink_to(sealed / "real")
    monkeypatch.setenv("CODEX_HOME", str(sealed / "link"))
    write(sealed / "link/hooks.json", addition("codex"))
    # Codex names the file with its folder resolved.
    write(sealed / "real/config.toml", trust(sealed / "real/hooks.json"))
    assert levels(told("codex")) == ["ok"]


# What `hooks/list` of codex 0.171 gives as the hash of each of these.
@pytest.mark.parametrize(
    ("event", "group", "hash"),
    [
        (
            "PreToolUse",
            {"matcher": "*", "hooks": [{"command": "hqt agent PreToolUse", "timeout": 10}]},
            "e7d4b67f6329fa170843667cd7bfaab3c2fcba98f7f93d944fd62a02a2fbd00f",
        ),
        (
            "PermissionRequest",
            {"hooks": [{"command": "hqt agent PermissionRequest", "timeout": 0}]},
            "468d301363d60949664bfa2495b5f5d05c3565f468b449b61e3e79c88dd8c261",
        ),
        (
            "PostToolUse",
            {"hooks": [{"command": "hqt agent PostToolUse", "statusMessage": "⎇ hqt"}]},
            "675f7beee7106d5a66ba8be422ca3ca3e3f8af4b1a8747d5279f60c1fc23fbf9",
        ),
        (
            "SessionStart",
            {
                "matcher": "startup",
                "hooks": [{"command": "hqt agent SessionStart", "async": True}],
            },
            "165a3d4c50ad4f6d11779205cd1b7e2ccce4fa7f08e7e5adff1c8ecf4ceee190",
        ),
        (
            "UserPromptSubmit",
            {"matcher": "ignored", "hooks": [{"command": "hqt agent UserPromptSubmit"}]},
            "a8b0ea7e0ee78ee783ff5ee055d233c542f79eecf1fbed3383555b366fd3a94c",
        ),
    ],
)
def test_trust_is_what_codex_calls_so(
    event: str, group: dict[str, list[object]], hash: str
) -> None:
    file = Path("/home/x/.codex/hooks.json")
    key = f"{file}:{hook_trust._label(event)}:0:0"

    def standing(**entry: object) -> str:
        [(_, found)] = hook_trust.standings(file, event, [group], {key: entry} if entry else {})
        return found

    assert standing() == "new"
    assert standing(trusted_hash=f"sha256:{hash}") == "trusted"
    assert standing(trusted_hash="sha256:0") == "changed"
    assert standing(trusted_hash=f"sha256:{hash}", enabled=False) == "off"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("", "was not told to trust"),
        ("x = [", "whether codex trusts hqt's hooks is unknown"),
        ("hooks = 1\n", "was not told to trust"),
    ],
)
def test_trust_that_is_not_there_or_unknown(config: str, words: str, sealed: Path) -> None:
    write(sealed / KEPT["codex"], addition("codex"))
    write(sealed / ".codex/config.toml", config)
    [found] = told("codex")
    assert found.level == "warning"
    assert words in found.message


def test_a_hook_that_changed_or_was_switched_off_is_named(sealed: Path) -> None:
    file = write(sealed / KEPT["codex"], addition("codex"))
    trusted = trust(file).replace(
        f'[hooks.state."{file}:stop:0:0"]\n', f'[hooks.state."{file}:stop:0:0"]\nenabled = false\n'
    )
    write(file.with_name("config.toml"), trusted)
    document = json.loads(file.read_text())
    document["hooks"]["PreToolUse"][0]["matcher"] = "Bash"
    file.write_text(json.dumps(document))
    changed, off = told("codex")
    assert "hooks for PreToolUse have changed since" in changed.message
    assert "hooks for Stop are switched off" in off.message
    assert "/hooks" in changed.remedy
