"""A warm call is a cold one, only sooner: answers, failures, and all that a verb can see."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from helpers.import_law import _imports, _loads, parsed
from helpers.repos import git
from helpers.warming import COLD, Warm, run, usual_words, warm_words
from hqt.warm import imports

PACKAGE = Path(imports.__file__).parents[1]

CALLS = [
    ("--version",),
    ("--help",),
    ("new", "--help"),
    ("list",),
    ("list", "--json"),
    ("list", "--all", "--json"),
    ("inspect", "by-hand", "--json"),
    ("inspect", "by-hand"),
    ("path", "by-hand"),
    ("path", "nothing"),
    ("path", "nothing", "--json"),
    ("path", os.fsdecode(b"\xff\n")),
    ("path",),
    ("nonsense",),
    ("list", "--json", "--nonsense"),
    ("-C", "/nonexistent", "list", "--json"),
    ("-C", "/", "list"),
    ("-L", "nobody", "list", "--json"),
    ("new", "main", "--json"),
    ("remove", "by-hand", "--json"),
    ("remove", ".", "--json"),
    ("config", "--json"),
    ("trash", "list"),
    ("ui", "new"),
    ("new", "", "-b", "a..b", "--json"),
    (),
]


@pytest.fixture
def place(repo: Path) -> Path:
    """A repository with a worktree that holds something."""
    git(repo, "worktree", "add", "-q", "-b", "by-hand", str(repo.parent / "hand"))
    (repo.parent / "hand" / "notes\né").write_text("mine")
    return repo


@pytest.mark.usefixtures("warm")
def test_every_call_says_the_same(place: Path) -> None:
    for arguments in CALLS:
        there = run(warm_words(*arguments), cwd=place)
        assert there.status != COLD, arguments
        assert there == run(usual_words(*arguments), cwd=place, HQT_WARM="off"), arguments


ENVIRONMENTS = [
    {"LC_ALL": "C"},
    {"LC_ALL": "", "LANG": "nonsense"},
    {"NO_COLOR": "1", "COLUMNS": "40"},
    {"HOME": "/nonexistent"},
    {"XDG_CONFIG_HOME": "/tmp/é #(x)"},
    {"TMUX_PANE": "%0", "TZ": "Asia/Tokyo"},
]


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_in_any_environment(place: Path, environment: dict[str, str]) -> None:
    env = {"XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": f"{place.parent}/.local/state"} | environment
    for arguments in (("list",), ("list", "--json"), ("inspect", "by-hand"), ("doctor",)):
        there = run(warm_words(*arguments), cwd=place, **env)
        cold = run(usual_words(*arguments), cwd=place, HQT_WARM="off", **env)
        assert there.status != COLD
        said = (
            [line for line in one.out.splitlines() if "warm: " not in line] for one in (there, cold)
        )
        assert next(said) == next(said)
        assert (there.status, there.err) == (cold.status, cold.err)


HOOK = """#!/bin/sh
exec >"$SEEN"
env | grep -v '^_=' | sort
pwd; umask; nice; ulimit -n; ulimit -Sc
grep -E '^(SigIgn|Groups|Uid)' /proc/$$/status
"""


@pytest.mark.usefixtures("warm")
def test_what_hqt_starts_inherits_the_callers_world(repo: Path) -> None:
    """Seen by git's post-checkout hook, which hqt runs."""
    (repo / ".git/hooks/post-checkout").write_text(HOOK)
    (repo / ".git/hooks/post-checkout").chmod(0o755)
    saw = []
    for words, warmth in ((warm_words, "on"), (usual_words, "off")):
        call = words("new", "-b", "same", "--no-window", "--json", cwd := repo)[:-1]
        shell = 'umask 027; ulimit -n 200; ulimit -Sc 0; trap "" HUP; exec nice -n 5 "$@"'
        done = run(
            ["sh", "-c", shell, "sh", *call],
            cwd=cwd,
            SEEN=str(repo.parent / "seen"),
            HQT_WARM=warmth,
            NEW="a\nb",
        )
        assert done.status == 0, done.err
        text = (repo.parent / "seen").read_text()
        saw.append([line for line in text.splitlines() if not line.startswith("HQT_WARM=")])
        run(usual_words("remove", "same", "--delete-branch", "--json"), cwd=repo, HQT_WARM="off")
    assert "0027" in saw[0]
    assert "200" in saw[0]
    assert saw[0] == saw[1]


@pytest.mark.usefixtures("warm")
def test_from_a_deleted_folder(place: Path) -> None:
    folder = place / "gone"
    folder.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'

    def call(words: list[str], **env: str) -> object:
        folder.mkdir(exist_ok=True)
        return run(["sh", "-c", script, "sh", *words], cwd=folder, **env)

    for arguments in (("list", "--json"), ("-C", str(place), "list", "--json")):
        there = call(warm_words(*arguments))
        assert there == call(usual_words(*arguments), HQT_WARM="off")


@pytest.mark.usefixtures("warm")
def test_standard_streams_are_the_callers(place: Path) -> None:
    call = warm_words("list", "--json")
    into = place.parent / "into"
    with into.open("wb") as file:
        subprocess.run(call, cwd=place, stdout=file, stdin=subprocess.DEVNULL, check=True)
    assert json.loads(into.read_text())["schema_version"] == 1
    for broken, status in (("exec >&-", COLD), ("exec 2>&-", COLD), ("exec <&-", COLD)):
        done = run(["sh", "-c", f'{broken}; exec "$@"', "sh", *call], cwd=place)
        assert done.status == status, broken  # a closed one cannot be handed over
    full = run(["sh", "-c", '"$@" >/dev/full', "sh", *call], cwd=place)
    cold = run(["sh", "-c", '"$@" >/dev/full', "sh", *usual_words("list", "--json")],
               cwd=place, HQT_WARM="off")  # fmt: skip
    assert full.status == cold.status
    assert cold.err.startswith(full.err)  # at its end Python says it once more


@pytest.mark.usefixtures("warm")
def test_a_reader_that_leaves_early(place: Path) -> None:
    for words, env in ((warm_words, "on"), (usual_words, "off")):
        script = '"$@" | true; exit "$?"'
        call = words("list")
        assert run(["sh", "-c", script, "sh", *call], cwd=place, HQT_WARM=env).status == 0


@pytest.mark.usefixtures("warm")
def test_large_requests(place: Path) -> None:
    many = {f"VARIABLE_{number}": "x" * 100_000 for number in range(10)}
    there = run(warm_words("path", "y" * 100_000, "--json"), cwd=place, **many)
    assert there.error["code"] == "no_such_target"


def test_no_call_leaves_anything_to_the_next(warm: Warm, place: Path, sealed: Path) -> None:
    before = warm.pid
    assert run(warm_words("-C", "/", "config"), cwd=place, ONE="1").status == 0
    assert run(warm_words("list"), cwd=place).status == 0
    assert warm.pid == before
    process = Path(f"/proc/{before}")
    assert (process / "cwd").readlink() == Path("/")
    opened = [str(one.readlink()) for one in (process / "fd").iterdir()]
    assert not [path for path in opened if path.startswith((str(place), "/dev/pts", "pipe:"))]
    assert sealed.exists()


def test_everything_that_is_imported_late_is_loaded_before() -> None:
    late: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        module = parsed("hqt.x", path.read_text())
        late |= {name for _, name in _imports(module)} - _loads(module)
    known = {*imports.PACKAGES, "site", "hqt"}
    loaded = {".".join(name.split(".")[:end]) for name in known for end in range(1, 9)}
    import sys

    imports.load()
    missing = {
        name
        for name in late
        if name.split(".")[0] != "hqt" and not ({name, name.rpartition(".")[0]} & set(sys.modules))
    }
    assert missing - loaded == set()
    assert {f"hqt.{one}" for one in ("cli", "git.trash", "ui.form")} <= set(imports.modules())
