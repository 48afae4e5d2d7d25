"""scripts/hqt: finds the Python without starting anything, and becomes it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from helpers.plugin import ROOT, Plugin, plugin, programs, told, tree


@pytest.fixture
def copy(sealed: Path) -> Plugin:
    return plugin(sealed)


@pytest.fixture
def ready(copy: Plugin) -> Plugin:
    """A copy with an environment, as setup would leave it: here simply the tests' own."""
    lock_id = (copy.root / "requirements.lock").read_text().split()[2]
    stamps = copy.data / "ready"
    stamps.mkdir(parents=True)
    (stamps / lock_id).write_text(f"{sys.executable}\n/found/at:/setup\n\n")
    return copy


def call(copy: Plugin, *arguments: str, script: str = "scripts/hqt", **env: str) -> dict[str, Any]:
    """Call the launcher and return what its Python saw."""
    file = copy.home / "told"
    file.unlink(missing_ok=True)
    done = copy.run(script, *arguments, HQT_TOLD=str(file), **env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hqt was here\n", "and on stderr\n")
    (record,) = told(file)
    return record


def test_arguments_arrive_as_they_are(ready: Plugin) -> None:
    arguments = ["new", "", "it's", "a b", "$HOME", "*", "--", "-C", "é\n"]
    assert call(ready, *arguments)["arguments"] == ["hqt", *arguments]


def test_directory_input_and_status_are_the_callers(ready: Plugin) -> None:
    folder = ready.home / "here"
    folder.mkdir()
    file = ready.home / "told"
    done = subprocess.run(
        [ready.root / "scripts/hqt"],
        cwd=folder,
        env=ready.environment(HQT_TOLD=str(file), HQT_ENDS="7"),
        input="asked",
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 7
    assert told(file)[0]["directory"] == str(folder)
    assert told(file)[0]["input"] == "asked"


def test_nothing_of_the_users_python_leaks_in_and_nothing_of_ours_out(ready: Plugin) -> None:
    trap = ready.home / "trap"
    trap.mkdir()
    for name in ("hqt", "json", "sitecustomize", "usercustomize"):
        (trap / f"{name}.py").write_text("raise SystemExit('trapped')")
    theirs = {
        "PYTHONPATH": str(trap),
        "PYTHONHOME": str(trap),
        "PYTHONSTARTUP": str(trap / "json.py"),
        "VIRTUAL_ENV": str(trap),
        "LC_ALL": "C",
    }
    told_of = call(ready, **theirs)
    assert str(trap) not in told_of["path"]
    assert told_of["utf8"] == 1
    ours = {"PWD", "OLDPWD", "_", "SHLVL", "LC_CTYPE"}  # what a shell and Python itself may set
    before = ready.environment(HQT_TOLD=str(ready.home / "told"), **theirs)
    assert {k: v for k, v in told_of["environment"].items() if k not in ours} == before


def test_bytecode_goes_to_the_data_directory(ready: Plugin) -> None:
    before = tree(ready.root)
    assert call(ready)["cache"] == str(ready.data / "pycache")
    assert tree(ready.root) == before
    assert list((ready.data / "pycache").rglob("__main__*.pyc"))


def test_through_links(ready: Plugin) -> None:
    bin_folder = ready.home / "bin"
    bin_folder.mkdir()
    (bin_folder / "absolute").symlink_to(ready.root / "scripts/hqt")
    (bin_folder / "hqt").symlink_to("absolute")
    (ready.home / "relative").symlink_to(f"{ready.root.name}/scripts/hqt")
    (ready.home / "folder").symlink_to(ready.root)
    for link in (bin_folder / "hqt", ready.home / "relative", ready.home / "folder/scripts/hqt"):
        file = ready.home / "told"
        file.unlink(missing_ok=True)
        subprocess.run([link], env=ready.environment(HQT_TOLD=str(file)), check=True, timeout=20)
        assert len(told(file)) == 1


@pytest.mark.parametrize(
    ("directory", "name"), [(".", "scripts/hqt"), ("scripts", "./hqt"), ("scripts", "hqt")]
)
def test_by_a_relative_name(ready: Plugin, directory: str, name: str) -> None:
    file = ready.home / "told"
    subprocess.run(
        ["sh", name],
        cwd=ready.root / directory,
        env=ready.environment(HQT_TOLD=str(file), CDPATH="/tmp"),
        check=True,
        timeout=20,
    )
    assert len(told(file)) == 1


def test_it_starts_no_other_process(ready: Plugin) -> None:
    """With an empty PATH nothing but the shell's own words and the interpreter can run."""
    path = call(ready, PATH="/nonexistent")["environment"]["PATH"]
    assert path.startswith("/nonexistent:/found/at:/setup:")


def test_a_path_with_git_and_tmux_is_left_alone(ready: Plugin) -> None:
    path = programs(ready.home / "path", "git", "tmux")
    assert call(ready, PATH=path)["environment"]["PATH"] == path


def test_a_named_python_is_taken_at_its_word(copy: Plugin) -> None:
    assert call(copy, HQT_PYTHON=sys.executable)["executable"] == sys.executable
    folder = str(Path(sys.executable).parent.parent)
    assert call(copy, HQT_PYTHON=folder)["prefix"] == sys.prefix


DATA_HOMES = [
    {},
    {"XDG_DATA_HOME": ""},
    {"XDG_DATA_HOME": "/somewhere else"},
    {"XDG_DATA_HOME": "relative"},
]


@pytest.mark.parametrize("env", DATA_HOMES)
def test_the_data_directory_is_that_of_platformdirs(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    script = 'root=$1; . "$1/scripts/lib.sh"; printf %s "$data"'
    said = subprocess.run(
        ["sh", "-c", script, "sh", ROOT], capture_output=True, text=True, check=True
    )
    assert said.stdout == str(platformdirs.user_data_path("hqt"))


def test_a_key_prints_nothing_and_never_fails(ready: Plugin) -> None:
    file = ready.home / "told"
    done = ready.run(
        "scripts/hqt", "--key", "--client", "c", "ui", "menu", HQT_TOLD=str(file), HQT_ENDS="3"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert told(file)[0]["arguments"] == ["hqt", "--client", "c", "ui", "menu"]
    assert told(file)[0]["directory"] == "/"


@pytest.mark.parametrize(("ends", "status"), [("0", 0), ("3", 1)])
def test_a_key_that_reads_the_status_gets_it(ready: Plugin, ends: str, status: int) -> None:
    file = ready.home / "told"
    call = ("scripts/hqt", "--key", "--status", "--client", "c", "ui", "menu")
    done = ready.run(*call, HQT_TOLD=str(file), HQT_ENDS=ends)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
    assert told(file)[0]["arguments"] == ["hqt", "--client", "c", "ui", "menu"]


# Without an environment


@pytest.fixture
def path(copy: Plugin) -> str:
    return programs(copy.home / "path", "git", "tmux")


def test_the_first_call_builds_it_and_goes_on(copy: Plugin, path: str) -> None:
    file = copy.home / "told"
    done = copy.run("scripts/hqt", "list", PATH=path, HQT_TOLD=str(file))
    assert (done.returncode, done.stdout) == (0, "hqt was here\n")
    assert done.stderr == (
        "hqt: preparing the Python environment, which happens once …\nand on stderr\n"
    )
    assert told(file)[0]["arguments"] == ["hqt", "list"]


def test_the_first_call_offline_says_so(copy: Plugin, path: str) -> None:
    done = copy.run("scripts/hqt", "list", PATH=path, HQT_WHEELHOUSE="/nonexistent")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Is this machine offline?" in done.stderr.splitlines()[-1]


def test_the_first_call_offline_says_so_in_json(copy: Plugin, path: str) -> None:
    done = copy.run("scripts/hqt", "list", "--json", PATH=path, HQT_WHEELHOUSE='/no "such" \\')
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    document = json.loads(line)
    assert document["schema_version"] == 1
    assert document["error"]["code"] == "internal"
    assert '/no "such" \\' in document["error"]["message"]
    assert set(document["error"]) == {"code", "message", "remedy", "details"}


def test_a_read_only_data_directory_is_named(copy: Plugin, path: str) -> None:
    (copy.home / "file").write_text("")
    done = copy.run("scripts/hqt", "list", PATH=path, XDG_DATA_HOME=str(copy.home / "file"))
    assert done.returncode == 3
    first, second = done.stderr.splitlines()
    assert first.startswith("hqt: preparing")
    assert second == f"hqt: {copy.home}/file/hqt cannot be written, and nothing was changed."


def test_without_a_home_it_says_so(copy: Plugin) -> None:
    env = copy.environment()
    del env["HOME"]
    done = subprocess.run(
        [copy.root / "scripts/hqt"], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "HOME" in line
    assert "is not set" in line
