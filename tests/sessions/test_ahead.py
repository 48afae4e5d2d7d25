"""The window of a big repository is there before its files, and becomes what it was opened for."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers import big, interrupting, repos, servers, terminal
from helpers.big import Big, everything
from helpers.calls import PYTHON, done, hqt, spawn
from helpers.repos import git
from helpers.servers import Server, until
from helpers.stand_in import StandIn
from hqt import processes

MARKS = "@hqt_session @hqt_worktree @hqt_branch".split()
LONG = "one-of-the-long-names-of-this-world"
NAME = "fix/#(touch${IFS}hit)"


FILES = big.FEWER + 2


@pytest.fixture
def held(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Big:
    """Big by a lower measure than the real one: that is met in the first test and by the keys."""
    monkeypatch.setattr(*big.LOWERED)
    return big.make(sealed / "project", files=big.FEWER)


@pytest.fixture
def real(sealed: Path) -> Big:
    return big.make(sealed / "project")


@pytest.fixture(autouse=True)
def scratch(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever happens, nothing is left in the folder for temporary files."""
    folder = sealed / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield
    assert list(folder.glob("hqt*")) == []


def begin(
    held: Big,
    tmux: Server,
    *words: str,
    name: str = "fix",
    below: str = "d3",
    code: str = big.LOWER,
) -> tuple[subprocess.Popen[bytes], str]:
    """A creation whose checkout waits, and its window."""
    cwd = held.repo / below
    call = spawn("-L", tmux.socket, "new", name, "--json", *words, cwd=cwd, code=code)
    held.wait()
    [window] = until(lambda: labelled(tmux))
    return call, window


def labelled(tmux: Server) -> list[str]:
    return [line.split(" ")[0] for line in tmux.windows("#{window_id} #W") if "⎇" in line]


def ended(call: subprocess.Popen[bytes]) -> dict[str, object]:
    """The error of a creation that has failed."""
    out, err = call.communicate(timeout=20)
    assert (call.returncode, out) == (130, b""), err
    error: dict[str, object] = json.loads(err)["error"]
    return error


def marks(tmux: Server, window: str) -> list[str | None]:
    return [tmux.option(name, "-w", "-t", window) for name in MARKS]


def screen(tmux: Server, window: str) -> str:
    return tmux.cmd("capture-pane", "-p", "-t", window)


def test_before_its_files_and_then_the_shell(real: Big, tmux: Server) -> None:
    call, window = begin(real, tmux, "-d", name=NAME, code="")
    assert tmux.ask("#{window_name}", window) == "⎇ fix/＃(touch＄{IFS}hit)"
    assert marks(tmux, window) == [None, None, NAME]
    assert tmux.ask("#{window_id}") != window, "-d leaves the user where they were"
    line = f"6002 files of {NAME}"
    assert until(lambda: line in screen(tmux, window))
    assert until(lambda: "█" in screen(tmux, window))
    assert not (real.repo / ".worktrees" / NAME / big.LAST).exists()
    listed = done("-L", tmux.socket, "list", cwd=real.repo)
    [tree] = [tree for tree in listed["worktrees"] if not tree["main"]]
    assert tree["locked"].startswith("hqt: creating ")
    assert (tree["windows"], listed["sessions"]) == ([], [])
    assert (tree["changes"], tree["unique_commits"]) == (None, None)
    row = next(
        line
        for line in hqt("-L", tmux.socket, "list", cwd=real.repo).out.splitlines()
        if NAME in line
    )
    assert re.search(r" -  +-  +being created ", row), row
    before = tmux.ask("#{pane_id} #{window_width} #{window_height}", window)

    real.go()
    out, err = call.communicate(timeout=20)
    assert call.returncode == 0, err
    made = json.loads(out)
    assert made["window"] == window
    assert tmux.ask("#{pane_id} #{window_width} #{window_height}", window) == before
    assert made["worktree"]["windows"] == [window]
    assert marks(tmux, window) == [made["session"]["id"], made["worktree"]["id"], NAME]
    assert tmux.ask("#{automatic-rename} #{remain-on-exit}", window) == "0 off"
    assert tmux.option("remain-on-exit", "-w", "-t", window) is None
    place = real.repo / ".worktrees" / NAME
    assert git(place, "status", "--porcelain") == ""
    tmux.cmd("send-keys", "-t", window, "pwd > $HQT_SESSION", "Enter")
    told = place / "d3" / made["session"]["id"]
    assert until(lambda: told.exists() and told.read_text() == f"{told.parent}\n")
    assert "files of" not in screen(tmux, window)
    assert not list(real.repo.parent.rglob("hit"))


def test_progress_is_told_as_ever(held: Big, tmux: Server) -> None:
    call, _ = begin(held, tmux, "-d", "--progress")
    held.go()
    _, err = call.communicate(timeout=20)
    said = [json.loads(line) for line in err.splitlines()]
    assert [said[0]["stage"], said[1]] == [
        "prepare",
        {"stage": "checkout", "done": 0, "total": FILES},
    ]
    assert (said[-1]["done"], said[-1]["total"]) == (FILES, FILES)


def test_in_ascii(held: Big, tmux: Server) -> None:
    tmux.cmd("set-option", "-g", "@hqt-icons", "ascii")
    call, window = begin(held, tmux, "-d")
    assert until(lambda: "###" in screen(tmux, window))
    assert screen(tmux, window).isascii()
    held.go()
    assert call.wait(20) == 0


def test_a_harness_takes_over(held: Big, tmux: Server, agent: StandIn) -> None:
    call, window = begin(held, tmux, "-d", "-H", "stand-in", "-p", "Go; on #{pid}")
    assert agent.launches() == []
    held.go()
    assert call.wait(20) == 0
    assert until(agent.launches)
    [launch] = agent.launches()
    assert launch["argv"][-2:] == ["--", "Go; on #{pid}"]
    assert launch["cwd"] == str(held.repo / ".worktrees" / "fix" / "d3")
    assert window in tmux.windows()


def test_the_default_command_takes_over(sealed: Path, held: Big) -> None:
    command = 'set -g default-command "exec env MINE=1 sh"'
    with servers.running(command, cwd=sealed) as tmux:
        call, window = begin(held, tmux, "-d")
        held.go()
        assert call.wait(20) == 0
        tmux.cmd("send-keys", "-t", window, "echo mine=$MINE.", "Enter")
        assert until(lambda: "mine=1." in screen(tmux, window))


@pytest.mark.parametrize(
    "shell", [one for one in ("fish", "zsh", "dash", "nu") if servers.has(one)]
)
def test_the_default_shell_takes_over_as_a_login_shell(sealed: Path, held: Big, shell: str) -> None:
    (sealed / ".zshrc").touch()  # else it asks
    program = shutil.which(shell)
    with servers.running(f"set -g default-shell {program}", cwd=sealed) as tmux:
        call, window = begin(held, tmux, "-d")
        held.go()
        assert call.wait(20) == 0
        assert until(lambda: tmux.ask("#{pane_current_command}", window) == shell)
        pid = int(tmux.ask("#{pane_pid}", window))
        assert processes.words(pid) == (program, "-l")
        place = str(held.repo / ".worktrees" / "fix" / "d3")
        assert until(lambda: tmux.ask("#{pane_current_path}", window) == place)


@pytest.mark.parametrize(
    "close",
    [
        lambda tmux, window: tmux.cmd("kill-window", "-t", window),
        lambda tmux, window: tmux.cmd("kill-pane", "-t", window),
        lambda tmux, window: tmux.cmd("send-keys", "-t", window, "C-c"),
    ],
    ids=["window", "pane", "interrupt"],
)
def test_closing_it_cancels(
    held: Big, tmux: Server, close: Callable[[Server, str], object]
) -> None:
    before = everything(held.repo)
    call, window = begin(held, tmux, "-d")
    assert until(lambda: "files of fix" in screen(tmux, window))
    close(tmux, window)
    error = ended(call)
    assert error["code"] == "interrupted"
    assert error["message"] == "Cancelled: ⎇ fix was not made; nothing was kept."
    assert (len(tmux.windows()), everything(held.repo)) == (1, before)
    assert done("-L", tmux.socket, "list", cwd=held.repo)["sessions"] == []
    assert not git(held.repo, "status", "--porcelain")


def test_work_in_it_outlives_a_cancel(held: Big, tmux: Server) -> None:
    call, window = begin(held, tmux, "-d")
    place = held.repo / ".worktrees" / "fix"
    (place / "notes").write_text("mine\n")
    tmux.cmd("kill-window", "-t", window)
    error = ended(call)
    assert str(place) in str(error["message"])
    assert "nothing was kept" not in str(error["message"])
    assert (place / "notes").read_text() == "mine\n"


def test_pressed_where_it_was_called_it_cancels_too(held: Big, tmux: Server) -> None:
    call, _ = begin(held, tmux, "-d")
    call.send_signal(signal.SIGINT)
    assert ended(call)["message"] == "Cancelled: ⎇ fix was not made; nothing was kept."
    assert len(tmux.windows()) == 1


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (110, f"{'█' * 29}░  99%  N of {FILES} files of {LONG}  Ctrl-C cancels"),
        (90, f"{'█' * 9}░  99%  N of {FILES} files of {LONG}  Ctrl-C cancels"),
        (60, f"{'█' * 9}░  99%  N of {FILES} files  Ctrl-C cancels"),
        (40, f" 99%  N/{FILES}  Ctrl-C cancels"),
        (20, f" 99%  N/{FILES}"),
    ],
)
def test_the_line_fits_its_pane(held: Big, columns: int, line: str) -> None:
    tmux = servers.start(cwd=held.repo, size=(columns, 10))
    try:
        call, window = begin(held, tmux, "-d", name=LONG)

        def is_there() -> bool:
            return re.sub(rf"\d+(?=( of |/){FILES})", "N", screen(tmux, window).rstrip()) == line

        assert until(is_there), screen(tmux, window)
        held.go()
        assert call.wait(20) == 0
    finally:
        servers.end(tmux)


def test_a_signal_takes_the_window_along(held: Big, tmux: Server) -> None:
    before = everything(held.repo)
    call, _ = begin(held, tmux, "-d")
    call.send_signal(signal.SIGTERM)
    assert "Interrupted by SIGTERM" in str(ended(call)["message"])
    assert (len(tmux.windows()), everything(held.repo)) == (1, before)


def test_a_failure_leaves_no_window(held: Big, tmux: Server) -> None:
    before = everything(held.repo)
    (held.repo.parent / "wait.sh").write_text("#!/bin/sh\necho 'no key' >&2\nexit 1\n")
    git(held.repo, "config", "filter.wait.required", "true")
    tmux.cmd("set-hook", "-g", "after-new-window", "set -g @opened 1")
    call = spawn("-L", tmux.socket, "new", "fix", "-d", "--json", cwd=held.repo, code=big.LOWER)
    _, err = call.communicate(timeout=20)
    assert call.returncode == 1
    assert json.loads(err)["error"]["code"] == "git_failed"
    assert tmux.option("@opened", "-g") == "1"
    assert (len(tmux.windows()), everything(held.repo)) == (1, before)


def test_what_was_split_off_it_stays(held: Big, tmux: Server) -> None:
    call, window = begin(held, tmux, "-d")
    tmux.cmd("split-window", "-d", "-t", window)
    call.send_signal(signal.SIGTERM)
    ended(call)
    assert tmux.ask("#{window_panes}", window) == "1"
    assert is_nobodys(tmux, window)


def test_what_the_user_runs_in_its_place_stays(held: Big, tmux: Server) -> None:
    """A program of their own in its pane is no progress any more; it cancels, and goes on."""
    call, window = begin(held, tmux, "-d")
    assert until(lambda: "files of fix" in screen(tmux, window))
    tmux.cmd("respawn-pane", "-k", "-t", window, "sleep 1000")
    assert ended(call)["message"] == "Cancelled: ⎇ fix was not made; nothing was kept."
    assert tmux.ask("#{pane_start_command}", window).strip('"') == "sleep 1000"
    assert is_nobodys(tmux, window)


def is_nobodys(tmux: Server, window: str) -> bool:
    """Whether nothing of hqt's is left on a window: tmux names it again."""
    names = (*MARKS, "remain-on-exit", "automatic-rename", "allow-rename")
    left = [tmux.option(name, "-w", "-t", window) for name in names]
    return not any(left) and until(lambda: "⎇" not in tmux.ask("#{window_name}", window))


def test_killed_its_window_goes_and_the_next_call_takes_it_back(held: Big, tmux: Server) -> None:
    tmux.cmd("set-option", "-g", "remain-on-exit", "on")
    before = everything(held.repo)
    call, window = begin(held, tmux, "-d")
    assert until(lambda: "files of fix" in screen(tmux, window))
    call.kill()
    call.wait(10)
    assert until(lambda: window not in tmux.windows())
    held.go()
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=held.repo)
    assert git(Path(made["worktree"]["path"]), "status", "--porcelain") == ""
    tmux.cmd("kill-window", "-t", made["window"])
    done("-L", tmux.socket, "remove", "fix", cwd=held.repo)
    refs = [line for line in everything(held.repo)[0].splitlines() if "hqt/trash" not in line]
    assert refs == before[0].splitlines()


@pytest.mark.parametrize("words", [("--no-window",), ("-d",)], ids=["no window", "few files"])
def test_otherwise_nothing_is_shown_before(
    sealed: Path, tmux: Server, words: tuple[str, ...]
) -> None:
    held = big.make(sealed / "other", files=6_000 if words == ("--no-window",) else 20)
    call = spawn("-L", tmux.socket, "new", "fix", "--json", *words, cwd=held.repo)
    held.wait()
    assert len(tmux.windows()) == 1
    held.go()
    assert call.wait(20) == 0


def test_of_a_bare_repository_git_tells_how_many(sealed: Path, held: Big, tmux: Server) -> None:
    bare = repos.bare_repository(sealed / "bare.git", held.repo)
    for key in ("smudge", "clean"):
        git(bare, "config", f"filter.wait.{key}", git(held.repo, "config", f"filter.wait.{key}"))
    call, window = begin(Big(bare), tmux, "-d", below=".")
    assert until(lambda: f"of {FILES} files of fix" in screen(tmux, window))
    held.go()
    assert call.wait(20) == 0
    assert len(tmux.windows()) == 2


def test_the_client_goes_there_and_comes_back(held: Big) -> None:
    with terminal.opened(cwd=held.repo) as person:
        tmux = person.server
        call, window = begin(held, tmux, "--switch", "--client", person.client)
        assert person.ask("#{window_id}") == window
        person.see(f"of {FILES} files of fix")
        call.send_signal(signal.SIGTERM)
        ended(call)
        assert person.ask("#{window_id}") == "@0"
        held.go()
        again = done("-L", tmux.socket, "--client", person.client, "new", "fix", "--switch",
                     cwd=held.repo)  # fmt: skip
        assert person.ask("#{window_id}") == again["window"]
        person.see("$")


def test_in_session_mode_nobody_is_thrown_out(held: Big) -> None:
    with terminal.opened("set -g @hqt-mode session", cwd=held.repo) as person:
        tmux = person.server
        call, _ = begin(held, tmux, "--switch", "--client", person.client)
        assert person.ask("#{session_name}") == "fix"
        person.see(f"of {FILES} files of fix")
        call.send_signal(signal.SIGTERM)
        ended(call)
        assert person.ask("#{session_name}") == "main"
        assert tmux.windows("#{session_name}") == ["main"]
        held.go()
        done("-L", tmux.socket, "--client", person.client, "new", "fix", "--switch", cwd=held.repo)
        assert person.ask("#{session_name}") == "fix"
        place = str(held.repo / ".worktrees" / "fix")
        assert until(lambda: person.ask("#{pane_current_path}") == place)
        assert person.ask("#{session_path}") == place


def test_a_pane_that_cannot_be_fed_cancels_nothing(
    held: Big, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the server does not see the folder for temporary files."""
    monkeypatch.setattr("hqt.tmux.feed._SCRIPT", "exit 1")
    held.go()
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=held.repo)
    assert tmux.windows("#{window_id}")[1:] == [made["window"]]
    assert tmux.option("@hqt_session", "-w", "-t", made["window"]) == made["session"]["id"]


@pytest.mark.parametrize(
    ("place", "moment"),
    [
        (interrupting.TMUX, "before new-window"),
        (interrupting.TMUX, "after new-window"),
        ("hqt.tmux.feed:Feed.watch", "before function"),
        ("hqt.git.checkout:fill", "after Repository"),
        (interrupting.TMUX, "before @hqt_session"),
        (interrupting.TMUX, "before respawn-pane"),
        (interrupting.TMUX, "after respawn-pane"),
    ],
)
def test_a_signal_at_any_moment_leaves_all_or_nothing(
    held: Big, tmux: Server, place: str, moment: str
) -> None:
    held.go()
    before = everything(held.repo)
    call = [sys.executable, "-c", big.LOWER + interrupting.SCRIPT, place, moment, "SIGTERM"]
    finished = subprocess.run(
        [*call, "-L", tmux.socket, "new", "fix", "-d", "--json"],
        cwd=held.repo, env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True,
        stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    rows = done("-L", tmux.socket, "list", cwd=held.repo)["sessions"]
    if finished.returncode:
        assert (finished.returncode, finished.stdout) == (130, ""), finished.stderr
        assert "Interrupted by SIGTERM" in finished.stderr
        assert (len(tmux.windows()), rows, everything(held.repo)) == (1, [], before)
    else:
        made = json.loads(finished.stdout)
        assert [row["window"] for row in rows] == [made["window"]]
        assert tmux.windows()[1:] == [made["window"]]
