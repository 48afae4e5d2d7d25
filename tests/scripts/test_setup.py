"""scripts/setup: the environment, from nothing, under every misfortune."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.plugin import (
    BASE,
    ROOT,
    Plugin,
    interpreter_without,
    plugin,
    programs,
    told,
    tree,
    uv,
    write_lock,
)
from helpers.servers import until


@pytest.fixture
def copy(sealed: Path) -> Plugin:
    return plugin(sealed)


@pytest.fixture
def path(sealed: Path) -> str:
    """A PATH with git, tmux, Python and the fastest installer there is."""
    folder = programs(sealed / "path", "git", "tmux")
    if installer := uv():
        (Path(folder) / "uv").symlink_to(installer)
    return folder


def built(copy: Plugin, path: str, **env: str) -> Path:
    """Set up, and return the interpreter that the launcher then runs."""
    done = copy.run("scripts/setup", PATH=path, **env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("hqt: the Python environment is ready.\n")
    told_in = copy.home / "told"
    told_in.unlink(missing_ok=True)
    call = copy.run("scripts/hqt", PATH=path, HQT_TOLD=str(told_in))
    assert (call.returncode, call.stderr) == (0, "and on stderr\n")
    return Path(told(told_in)[0]["executable"])


def refused(copy: Plugin, *arguments: str, **env: str) -> str:
    """Set up in vain: one sentence, and nothing half-built is left."""
    before = copy.environments
    done = copy.run("scripts/setup", *arguments, **env)
    assert done.returncode == 1
    assert copy.environments == before
    assert not (copy.data / "setup.progress").exists()
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("hqt")
    return lines[0]


def test_with_uv_nothing_is_written_in_the_plugin(copy: Plugin, path: str) -> None:
    if not uv():
        pytest.skip("no uv on this machine")
    before = tree(copy.root)
    python = built(copy, path)
    assert python.is_relative_to(copy.data / "envs")
    assert tree(copy.root) == before
    assert not (python.parent / "pip").exists()


def test_with_the_systems_pip(copy: Plugin, sealed: Path) -> None:
    """A distribution's Python without ensurepip, as Debian's without python3-venv."""
    base = interpreter_without(sealed / "base", "ensurepip")
    before = tree(copy.root)
    python = built(copy, programs(sealed / "path", "git", "tmux", python=base))
    assert python.is_relative_to(copy.data / "envs")
    assert tree(copy.root) == before


def test_with_ensurepip_alone(copy: Plugin, sealed: Path) -> None:
    base = interpreter_without(sealed / "base", "site-packages", "dist-packages")
    path = programs(sealed / "path", "git", "tmux", python=base)
    assert built(copy, path).is_relative_to(copy.data / "envs")


@pytest.mark.parametrize("lacking", ["venv", "ensurepip"])
def test_neither_pip_nor_venv(copy: Plugin, sealed: Path, lacking: str) -> None:
    base = interpreter_without(sealed / "base", "site-packages", "dist-packages", lacking)
    path = programs(sealed / "path", "git", "tmux", python=base, scripts={"apt-get": "exit 1"})
    sentence = refused(copy, PATH=path)
    assert "no venv module with pip, and there is no uv" in sentence
    assert sentence.endswith("apt-get install -y python3-venv")


def test_again_does_nothing(copy: Plugin, path: str) -> None:
    built(copy, path)
    before = tree(copy.data / "envs")
    built(copy, path)
    assert tree(copy.data / "envs") == before


def test_two_at_once_build_one(copy: Plugin, path: str) -> None:
    calls = [
        subprocess.Popen(
            [copy.root / "scripts/setup", "--wait"],
            env=copy.environment(PATH=path),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [call.communicate(timeout=60)[0] for call in calls]
    assert [call.returncode for call in calls] == [0, 0]
    assert sum("1 of 3" in output for output in outputs) == 1
    assert len(copy.environments) == 1


def test_another_at_work_is_named(copy: Plugin, path: str) -> None:
    copy.data.mkdir(parents=True)
    with (copy.data / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "Another setup is at work" in refused(copy, PATH=path)


def test_what_a_killed_setup_left_is_no_obstacle(copy: Plugin, path: str) -> None:
    """Its lock file, its progress and half an environment."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    half = copy.data / "envs" / "half.abcdef"
    (half / "bin").mkdir(parents=True)
    (copy.data / "setup.lock").write_text(f"{gone.pid}\n")
    (copy.data / "setup.progress").write_text(f"{gone.pid}\n2 of 3: installing\n")
    built(copy, path)
    assert not half.exists()
    assert not (copy.data / "setup.progress").exists()


def test_interrupted_it_leaves_nothing(copy: Plugin, sealed: Path) -> None:
    waiting = '[ "$1" = --version ] || { : >"$HOME/at work"; sleep 30 & wait; }'
    path = programs(
        sealed / "path", "git", "tmux", scripts={"uv": f"trap 'kill $!; exit 1' TERM\n{waiting}"}
    )
    call = subprocess.Popen(
        [copy.root / "scripts/setup"],
        env=copy.environment(PATH=path),
        stdout=subprocess.DEVNULL,
        process_group=0,
    )
    assert until((sealed / "at work").exists)
    subprocess.run(["kill", "-TERM", "--", f"-{call.pid}"], check=True)
    assert call.wait(timeout=20) == 130
    assert copy.environments == []
    assert not (copy.data / "setup.progress").exists()


def test_offline(copy: Plugin, path: str, sealed: Path) -> None:
    """The packages cannot be had: one sentence, and the environment that was there stays."""
    python = built(copy, path)
    copy.change_lock("another")
    (sealed / "empty").mkdir()
    sentence = refused(copy, PATH=path, HQT_WHEELHOUSE=str(sealed / "empty"))
    assert "Is this machine offline?" in sentence
    assert "HQT_WHEELHOUSE" in sentence
    assert "@hqt-python" in sentence
    assert python.exists()
    assert (copy.data / "setup.failed").read_text() == f"{sentence}\n"
    built(copy, path)
    assert not (copy.data / "setup.failed").exists()


def test_relative_names_are_the_callers(copy: Plugin, path: str, sealed: Path) -> None:
    done = subprocess.run(
        [copy.root / "scripts/setup"],
        cwd=sealed,
        env=copy.environment(PATH=path, HQT_WHEELHOUSE="wheels", HQT_PYTHON="path/python3"),
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert len(copy.environments) == 1


def test_a_package_with_another_hash_is_refused(copy: Plugin, path: str) -> None:
    write_lock(copy.root / "requirements.lock", f"hqt-stand-in==1.0 --hash=sha256:{'0' * 64}\n")
    assert "could not be had" in refused(copy, PATH=path)


MANAGERS = {
    "apt-get": "apt-get install -y git tmux",
    "dnf": "dnf install -y git tmux",
    "pacman": "pacman -S git tmux",
    "apk": "apk add git tmux",
    "zypper": "zypper install -y git tmux",
    "brew": "brew install git tmux",
}


@pytest.mark.parametrize("manager", MANAGERS)
def test_missing_programs_are_named_with_their_line(
    copy: Plugin, sealed: Path, manager: str
) -> None:
    path = programs(sealed / "path", scripts={manager: "exit 1", "id": "echo 0"})
    assert refused(copy, PATH=path) == (
        f"hqt: missing here: git and tmux. Install with: {MANAGERS[manager]}"
    )


def test_an_ordinary_user_is_told_of_sudo(copy: Plugin, sealed: Path) -> None:
    scripts = {"apt-get": "exit 1", "sudo": "exit 1", "id": "echo 1000"}
    sentence = refused(copy, PATH=programs(sealed / "path", "git", scripts=scripts))
    assert sentence == "hqt: missing here: tmux. Install with: sudo apt-get install -y tmux"


@pytest.mark.parametrize("old", ["", "exit 1"], ids=["none", "too old"])
def test_no_python(copy: Plugin, sealed: Path, old: str) -> None:
    scripts = {"apt-get": "exit 1", "id": "echo 0"} | ({"python3": old} if old else {})
    path = programs(sealed / "path", "git", "tmux", python=None, scripts=scripts)
    sentence = refused(copy, PATH=path)
    assert sentence.startswith("hqt: missing here: Python 3.11 or newer.")
    assert "apt-get install -y python3 python3-venv" in sentence


def test_a_newer_python_beside_an_old_one(copy: Plugin, sealed: Path) -> None:
    path = programs(sealed / "path", "git", "tmux", python=None, scripts={"python3": "exit 1"})
    (Path(path) / "python3.12").symlink_to(BASE)
    assert built(copy, path).resolve() == BASE


@pytest.mark.parametrize("named", ["python", "folder"])
def test_an_environment_of_the_users_own(copy: Plugin, path: str, sealed: Path, named: str) -> None:
    """It is used as it is, and left as it is."""
    own = sealed / "own one"
    python = built(copy, path)
    subprocess.run([BASE, "-m", "venv", "--without-pip", own], check=True)
    packages = next(python.parent.parent.glob("lib/python*/site-packages"))
    shutil.copytree(packages, own / packages.relative_to(python.parents[1]), dirs_exist_ok=True)
    before = tree(own)
    name = str(own if named == "folder" else own / "bin/python")
    done = copy.run("scripts/setup", PATH=path, HQT_PYTHON=name, HQT_WHEELHOUSE="/none")
    assert (done.returncode, done.stderr) == (0, "")
    call = copy.run("scripts/hqt", PATH=path, HQT_TOLD=str(sealed / "own"))
    assert call.returncode == 0
    assert told(sealed / "own")[0]["executable"] == str(own / "bin/python")
    assert tree(own) == before


def test_a_named_interpreter_without_the_packages_gets_an_environment(
    copy: Plugin, path: str
) -> None:
    python = built(copy, path, HQT_PYTHON=str(BASE))
    assert python.is_relative_to(copy.data / "envs")
    assert python.resolve() == BASE


def test_a_named_interpreter_that_does_not_run(copy: Plugin, path: str) -> None:
    sentence = refused(copy, PATH=path, HQT_PYTHON="/no/such")
    assert sentence.startswith("hqt: /no/such, named by HQT_PYTHON or @hqt-python, is no Python")


def test_a_new_lock_leads_to_a_new_environment_and_the_old_one_goes(
    copy: Plugin, path: str
) -> None:
    old = built(copy, path)
    copy.change_lock("another")
    assert built(copy, path) != old
    assert not old.exists()
    assert len(copy.environments) == len(list((copy.data / "ready").iterdir())) == 1


def test_an_environment_in_use_stays_until_the_next_time(copy: Plugin, path: str) -> None:
    old = built(copy, path)
    copy.change_lock("another")
    with subprocess.Popen([old, "-c", "input()"], stdin=subprocess.PIPE) as user:
        built(copy, path)
        assert old.exists()
        user.communicate(b"\n", timeout=20)
    copy.change_lock("yet another")
    built(copy, path)
    assert not old.exists()


def test_the_interpreter_went_with_an_upgrade(copy: Plugin, path: str, sealed: Path) -> None:
    base = interpreter_without(sealed / "base")
    link = Path(path) / "python3"
    link.unlink()
    link.symlink_to(base)
    old = built(copy, path)
    base.unlink()
    link.unlink()
    link.symlink_to(BASE)
    assert built(copy, path) != old


def test_another_copy_of_the_plugin_keeps_its_environment(
    copy: Plugin, path: str, sealed: Path
) -> None:
    other = plugin(sealed, "other")
    other.change_lock("of the other")
    mine, theirs = built(copy, path), built(other, path)
    assert mine != theirs
    assert built(copy, path) == mine


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_the_first_line_of_a_lock_file_is_the_hash_of_the_rest(name: str, sealed: Path) -> None:
    written = (ROOT / name).read_text()
    write_lock(sealed / "lock", written.split("\n", 1)[1])
    told_hash = written.split()[2]
    assert told_hash == (sealed / "lock").read_text().split()[2], "run scripts/lock"


def test_what_setup_tries_to_import_is_what_hqt_depends_on() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {line.split(">")[0] for line in project["dependencies"]}
    script = (ROOT / "scripts/setup").read_text()
    tried = script.split("modules='")[1].split("'")[0].split(", ")
    assert {module.split(".")[0] for module in tried} == named
