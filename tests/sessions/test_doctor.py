"""`hqt doctor`: calm where nothing is wrong, and each thing that is, once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helpers import servers
from helpers.calls import done, hqt, refused
from helpers.harnesses import OWN, write
from helpers.plugin import ROOT, launcher_environment
from helpers.servers import Server
from hqt import paths


def findings(*words: str, cwd: Path) -> dict[str, list[dict[str, str]]]:
    """What doctor finds, by subject."""
    found: dict[str, list[dict[str, str]]] = {}
    for one in done(*words, "doctor", cwd=cwd)["findings"]:
        assert set(one) == {"subject", "level", "message", "remedy"}
        assert one["level"] in {"ok", "note", "warning", "error"}
        assert one["message"].endswith("."), one
        assert one["remedy"] == "" or one["remedy"].endswith("."), one
        found.setdefault(one["subject"], []).append(one)
    return found


@pytest.fixture
def bare(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with git and tmux, and no agent."""
    import shutil

    folder = sealed / "bare"
    folder.mkdir()
    for name in ("git", "tmux", "sh"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("bare")
def test_outside_of_tmux_and_repository_nothing_is_wrong(sealed: Path) -> None:
    found = findings("-L", "nobody", cwd=sealed)
    levels = {one["level"] for ones in found.values() for one in ones}
    assert levels == {"ok", "note"}, found
    said = {subject: ones[0]["message"] for subject, ones in found.items()}
    assert "No tmux server answers" in said["tmux"]
    assert said["options"] == f"Nothing is set: there is no {paths.config_file()}."
    assert said["store"].startswith("0 sessions in ")
    assert said["repository"] == "The current directory is in no repository."
    assert said["agents"] == "No agent that hqt knows is in PATH."


@pytest.mark.usefixtures("bare")
def test_one_of_a_thing_is_not_many(repo: Path) -> None:
    with servers.running(cwd=repo) as server:
        words = ("-L", server.socket)
        found = findings(*words, cwd=repo)
        assert found["tmux"][0]["message"].endswith(", 1 pane.")
        assert found["repository"][0]["message"].endswith(" with 1 checkout.")
        done(*words, "new", "fix", "-d", cwd=repo)
        found = findings(*words, cwd=repo)
    assert found["tmux"][0]["message"].endswith(", 2 panes.")
    assert found["store"][0]["message"].startswith("1 session in ")
    assert found["repository"][0]["message"].endswith(" with 2 checkouts.")


@pytest.mark.parametrize(
    "text", ["x = [", "[options]\nfrom = 'nowhere'\n", "[harness.x]\nprogram = 3\n"]
)
def test_a_broken_configuration_is_said_once(text: str, repo: Path) -> None:
    file = write(paths.config_file(), text)
    answer = hqt("-L", "nobody", "--json", "doctor", cwd=repo)
    assert answer.status == 1
    found: list[dict[str, Any]] = answer.json["findings"]
    assert [str(file) in one["message"] for one in found].count(True) == 1
    assert [one["subject"] for one in found if one["level"] == "error"] == ["options"]


UNKNOWN = "[options]\nfrom = 'main'\nfrmo = 'main'\n[optoins]\n[harness.x]\nprogramm = 'x'\n"


def test_unknown_keys_are_all_named_and_the_rest_is_looked_at(repo: Path) -> None:
    """And nothing follows from them: no other verb goes on."""
    file = write(paths.config_file(), UNKNOWN)
    answer = hqt("-L", "nobody", "--json", "doctor", cwd=repo)
    assert answer.status == 1
    found = {(one["message"], one["remedy"].partition("?")[0]) for one in answer.json["findings"]}
    assert found >= {
        (f"{file}, line 3: options.frmo is not known here.", "Did you mean from"),
        (f"{file}, line 4: optoins is not known here.", "Did you mean options"),
        (f"{file}, line 6: harness.x.programm is not known here.", "Did you mean program"),
        (f"{repo} with 1 checkout.", ""),
    }
    assert hqt("-L", "nobody", "list", cwd=repo).status == 1


def test_with_no_setting_that_can_be_read_the_repository_is_looked_at(repo: Path) -> None:
    write(paths.config_file(), "[options]\nworktree-dir = 3.5\n")
    answer = hqt("-L", "nobody", "--json", "doctor", cwd=repo)
    found = {one["subject"]: one["level"] for one in answer.json["findings"]}
    assert (found["options"], found["repository"]) == ("error", "ok")


def test_config_shows_the_settings_beside_keys_that_are_not_known(repo: Path) -> None:
    file = write(paths.config_file(), UNKNOWN)
    answer = done("-L", "nobody", "config", cwd=repo)
    values = {one["name"]: one["value"] for one in answer["settings"]}
    assert values["from"] == "main", "what is known counts"
    assert sorted(one["message"] for one in answer["mistakes"]) == [
        f"{file}, line 3: options.frmo is not known here.",
        f"{file}, line 4: optoins is not known here.",
        f"{file}, line 6: harness.x.programm is not known here.",
    ]
    said = hqt("-L", "nobody", "config", cwd=repo).out
    assert "line 3: options.frmo is not known here.\n    Did you mean from?" in said
    error = refused("-L", "nobody", "new", "x", "--no-window", cwd=repo)
    assert error["code"] == "config_invalid"
    assert f"{file}, line 4: optoins is not known here." in error["message"]
    assert error["remedy"] == "Did you mean options? Use only options, project, harness."
    file.write_text("[options]\nfrom = 'x'\n")
    error = refused("-L", "nobody", "config", cwd=repo)
    assert error["code"] == "config_invalid"
    assert f"{file}, line 2: options.from is 'x'" in error["message"]


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("claud", "There is no harness called 'claud'."),
        ("claude", "The harness claude needs the program claude, which was not found in PATH."),
    ],
)
def test_a_harness_that_no_new_window_can_have(repo: Path, value: str, message: str) -> None:
    with servers.running(cwd=repo) as server:
        words = ("-L", server.socket)
        file = write(paths.config_file(), f"[project.{str(repo)!r}]\nharness = {value!r}\n")
        for _ in range(2):
            answer = hqt(*words, "--json", "doctor", cwd=repo)
            assert answer.status == 1
            (found,) = [one for one in answer.json["findings"] if one["level"] == "error"]
            assert (found["subject"], found["message"]) == ("options", message)
            assert refused(*words, "new", "fix", cwd=repo)["remedy"] == found["remedy"]
            file.unlink(missing_ok=True)
            server.cmd("set", "-g", "@hqt-harness", value)
        server.cmd("set", "-gu", "@hqt-harness")
        assert [one["level"] for one in findings(*words, cwd=repo)["options"]] == ["ok"]


KEYS = {
    "@hqt-new-key": "Enrer",  # a slip
    "@hqt-move-key": "W",  # the menu's, by default
    "@hqt-undo-key": "U",
    "@hqt-git-key": "c-b",  # as the next
    "@hqt-lock-key": "C-b",
    "@hqt-jump-key": "None",
    "@hqt-last-key": "",
}


def test_keys_that_cannot_be_bound_or_only_once(repo: Path, tmux: Server) -> None:
    words = ("-L", tmux.socket)
    assert [one["level"] for one in findings(*words, cwd=repo)["options"]] == ["ok"]
    for name, value in KEYS.items():
        tmux.cmd("set", "-g", name, value)
    found = findings(*words, cwd=repo)["options"]
    assert [(one["level"], one["message"]) for one in found] == [
        ("warning", "tmux knows no key 'Enrer', so @hqt-new-key binds none."),
        (
            "warning",
            "@hqt-key and @hqt-move-key name the same key, W; it does what the last one says.",
        ),
        (
            "warning",
            "@hqt-git-key and @hqt-lock-key name the same key, C-b; it does what the last one"
            " says.",
        ),
    ]
    inside = {"TMUX": f"{tmux.ask('#{socket_path}')},1,0", "HQT_WARM": "off"}
    env = {**os.environ, **launcher_environment(), **inside}
    subprocess.run([ROOT / "hqt.tmux"], env=env, check=True, timeout=60)
    bound = tmux.cmd("list-keys", "-T", "prefix", "-N")
    notes = dict(line.split(maxsplit=1) for line in bound.splitlines() if "hqt: " in line)
    assert notes == {
        "W": "hqt: move the session",
        "U": "hqt: undo the last removal",
        "C-b": "hqt: lock the worktree",
    }
    assert [one["message"] for one in findings(*words, cwd=repo)["options"]] == [
        one["message"] for one in found
    ]


def test_a_default_key_that_is_the_users_own(repo: Path, tmux: Server) -> None:
    words = ("-L", tmux.socket)
    env = {**os.environ, **launcher_environment(), "HQT_WARM": "off"}
    env["TMUX"] = f"{tmux.ask('#{socket_path}')},1,0"
    for command, level in (("unbind-key", "ok"), ("bind-key", "note")):
        tmux.cmd(command, "W", *(["display-message", "mine"] if level == "note" else []))
        subprocess.run([ROOT / "hqt.tmux"], env=env, check=True, timeout=60)
        (found,) = findings(*words, cwd=repo)["options"]
        assert found["level"] == level, found
    assert found["message"].startswith("W is bound to something else, which stays; ")
    tmux.cmd("set", "-g", "@hqt-key", "W")  # no offer any more: it is taken
    subprocess.run([ROOT / "hqt.tmux"], env=env, check=True, timeout=60)
    assert [one["level"] for one in findings(*words, cwd=repo)["options"]] == ["ok"]


@pytest.mark.usefixtures("programs")
def test_every_installed_agent_is_looked_at(sealed: Path) -> None:
    found = findings("-L", "nobody", cwd=sealed)
    assert [name for name in OWN if f"agent {name}" in found] == list(OWN[1:])
    assert "agents" not in found
    assert found["agent claude"][0]["level"] == "ok"
    assert found["agent codex"][0]["level"] == "note"


def test_agents_in_use_are_looked_at_wherever_they_are(
    repo: Path, tmux: Server, programs: Path
) -> None:
    words = ("-L", tmux.socket)
    done(*words, "new", "fix", "--no-window", "-H", "codex", cwd=repo)
    assert findings(*words, cwd=repo)["agent codex"][0]["level"] == "warning"
    (programs / "codex").unlink()
    gone, silent = findings(*words, cwd=repo)["agent codex"]
    assert gone["level"] == "warning"
    assert gone["message"] == "1 session would run codex, not found in PATH."
    assert "[harness.codex]" in gone["remedy"]
    assert "does not tell hqt its state" in silent["message"]
    done(*words, "archive", "fix", cwd=repo)
    assert "agent codex" not in findings(*words, cwd=repo)
