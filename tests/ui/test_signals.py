"""A screen ends at a signal and with its terminal, at whatever moment they come."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from helpers import terminal, warming
from helpers.plugin import ROOT, launcher_environment
from helpers.servers import until
from helpers.terminal import Terminal
from helpers.warming import children, lives
from hqt import paths, signals
from hqt.errors import Interrupted
from hqt.ui.events import Resized
from hqt.ui.shell import Core, Shell
from hqt.ui.view import page

HERE = Path(__file__).parent


@pytest.mark.parametrize("way", ["key", "end"])
def test_at_whatever_step_of_its_loop_a_signal_comes(way: str) -> None:
    """Raised there, it would take a task along in every fourth of them, and never end."""
    done = subprocess.run(
        [sys.executable, str(HERE / "struck.py"), way],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1] / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    *struck, last = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert len(struck) > 20
    # Without a terminal it is no less an interruption, whichever was first.
    assert all("Interrupted by" in line for line in struck), struck
    assert last.endswith("left") if way == "key" else "Interrupted by HUP" in last


def test_a_screen_that_hangs_is_interrupted_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it waits, as in a write to a terminal that takes no more."""
    monkeypatch.setattr(signals, "_PATIENCE", 0.05)
    never, hung = os.pipe()

    def view(_state: str, width: int, height: int) -> object:
        signal.raise_signal(signal.SIGTERM)
        return os.read(never, 1) or page([], width, height)

    core: Core[str, str] = Core(
        step=lambda state, event: state if isinstance(event, Resized) else "",
        view=view,  # type: ignore[arg-type]  # it never comes to its end
        keys=(),
        takes=lambda _state, _key: False,
        field=lambda _state: None,
        outcome=lambda _state: None,
    )
    with create_pipe_input() as keys, signals.interruptible():
        shell = Shell(core, "", lambda _before, _after: None)
        with pytest.raises(Interrupted, match="SIGTERM"):
            shell.run(lambda: None, input=keys, output=DummyOutput())
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    os.close(never)
    os.close(hung)


@pytest.fixture
def person(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """In the main checkout, the plugin loaded and warm."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    keys = ["set -g @hqt-new-key N", "set -g @hqt-switch-key S", "set -g @hqt-remove-key X"]
    with terminal.opened(*keys, cwd=repo) as someone:
        someone.server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
        warm = warming.warm(os.environ, someone.server.pid)
        assert until(lambda: warm.answers)
        yield someone
        warm.end()


def hears(pid: int) -> bool:
    """Whether a process does something of its own at HUP; a child just forked does not yet."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) & 1)


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is warm there")
@pytest.mark.parametrize("key", ["N", "S", "X"])
@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("way", ["kill-server", "kill -9", "detach", "HUP TERM INT"])
def test_nobody_stays_behind(person: Terminal, key: str, seen: bool, way: str) -> None:
    """When the server, the client or the popup goes, drawn or not."""
    warm = warming.warm(os.environ, person.server.pid).pid
    person.press("C-b", key)
    at_work = until(lambda: [child for child in children(warm) if hears(child)])
    if seen:
        person.see("┌", {"N": "Isolate in worktree", "S": "main", "X": "main"}[key])
        person.press("Down")
    if way == "kill -9":
        os.kill(person.server.pid, signal.SIGKILL)
    elif way == "kill-server":
        person.server.cmd("kill-server")
    elif way == "detach":
        person.server.cmd("detach-client", "-t", person.client)
    else:
        for name in way.split():
            for child in filter(lives, at_work):
                os.kill(child, signal.Signals[f"SIG{name}"])
    assert until(lambda: not any(map(lives, at_work)))
    log = paths.log_file()
    assert not log.exists() or "Traceback" not in log.read_text()
