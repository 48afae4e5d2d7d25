"""`hqt status`, and what tmux makes of it by itself."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from helpers import repos, terminal, warming
from helpers.calls import done, hqt
from helpers.hostile import NAMES
from helpers.plugin import launcher_environment
from helpers.repos import git
from helpers.servers import Server
from hqt.sessions import agent as agents
from hqt.tmux import server, status_line


def hook(tmux: Server, window: str, event: str) -> None:
    """An agent's hook in a window."""
    env = {
        "TMUX": f"{tmux.ask('#{socket_path}')},{tmux.pid},0",
        "TMUX_PANE": tmux.ask("#{pane_id}", window),
        "HQT_SESSION": "s1",
    }
    agents.hear(event, b"{}", env)


def shown(tmux: Server, window: str) -> str:
    """What a status line makes of the segment, for a window."""
    return re.sub(r"#\[[^]]*\]", "", tmux.ask(f"#{{E:{status_line.OPTION}}}", window)).strip()


def said(tmux: Server, cwd: Path) -> str:
    call = hqt("-L", tmux.socket, "status", cwd=cwd)
    assert call.status == 0, call.err
    return call.out.strip()


def test_it_says_what_is_there(repo: Path) -> None:
    assert hqt("-L", "nobody", "status", cwd=repo).out == "⎇ main ↑1\n", "it is nowhere else"
    made = done("new", "fix", "--no-window", cwd=repo)
    place = Path(made["worktree"]["path"])
    repos.commit(place, "one")
    repos.commit(place, "two")
    (place / "one").write_text("changed\n")
    (place / "new").write_text("new\n")
    found = done("-L", "nobody", "status", cwd=place)
    found.pop("schema_version")
    assert found == {
        "text": "⎇ fix ±2 ↑2",
        "label": "fix",
        "dirty": 2,
        "unique": 2,
        "agents": {},
    }


def test_outside_a_repository(sealed: Path) -> None:
    found = done("-L", "nobody", "status", cwd=sealed)
    assert (found["text"], found["label"], found["dirty"]) == ("", None, None)


def test_tmux_shows_the_same_for_each_window(repo: Path, tmux: Server) -> None:
    windows = {}
    for name in ("one", "two", "three", "four"):
        made = done("-L", tmux.socket, "new", name, "-d", cwd=repo)
        windows[name] = (made["window"], Path(made["worktree"]["path"]))
    (windows["one"][1] / "new").write_text("new\n")
    repos.commit(windows["two"][1], "only-here")
    for name, event in (("one", "Stop"), ("two", "PermissionRequest"), ("three", "Stop"),
                        ("four", "StopFailure")):  # fmt: skip
        hook(tmux, windows[name][0], event)

    assert said(tmux, windows["one"][1]) == "⎇ one ±1 ◆1 ✗1 ✔2"
    assert said(tmux, windows["two"][1]) == "⎇ two ↑1 ◆1 ✗1 ✔2"
    for window, place in windows.values():  # the first window of hqt has brought it along
        assert shown(tmux, window) == said(tmux, place)
    assert tmux.option("@hqt_dirty", "-w", "-t", windows["one"][0]) == "1"
    assert shown(tmux, "@0") == "◆1 ✗1 ✔2", "another window says only who wants something"

    hook(tmux, windows["two"][0], "UserPromptSubmit")
    assert shown(tmux, windows["two"][0]) == "⎇ two ↑1 ✗1 ✔2 ●1", "without a call of hqt"
    (windows["one"][1] / "new").unlink()
    done("-L", tmux.socket, "status", cwd=repo)
    assert shown(tmux, windows["one"][0]) == "⎇ one ✗1 ✔2 ●1"


def test_a_window_of_the_main_checkout_bears_its_branch(repo: Path, tmux: Server) -> None:
    """At once, after each look, after a restart, and when its branch changes; one that is nobody's
    bears nothing."""
    call = ("-L", tmux.socket)
    windows = [
        done(*call, "new", "notes", "--no-worktree", "-d", cwd=repo)["window"],
        done(*call, "open", "main", cwd=repo)["window"],
        done(*call, "new", "fix", "-d", cwd=repo)["window"],
    ]

    def branches() -> list[str | None]:
        return [tmux.option("@hqt_branch", "-w", "-t", window) for window in ("@0", *windows)]

    assert branches() == [None, "main", "main", "fix"]
    done(*call, "move", "session:fix", "--to", "main", cwd=repo)
    assert branches() == [None, "main", "main", "main"]
    done(*call, "status", cwd=repo)
    assert branches() == [None, "main", "main", "main"]
    for window in windows:
        tmux.cmd("kill-window", "-t", window)
    opened = done(*call, "open", "--all", cwd=repo)["opened"]
    windows = [one["window"] for one in opened]
    assert branches() == [None, "main", "main", "main"]
    git(repo, "switch", "-q", "-c", "topic")
    done(*call, "status", cwd=repo)
    assert branches() == [None, "topic", "topic", "topic"]


def test_a_moved_session_leaves_the_counts_behind(repo: Path, tmux: Server) -> None:
    call = ("-L", tmux.socket)
    made = done(*call, "new", "fix", "-d", cwd=repo)
    place = Path(made["worktree"]["path"])
    repos.commit(place, "only-here")
    (place / "new").write_text("new\n")
    done(*call, "status", cwd=repo)
    assert shown(tmux, made["window"]) == "⎇ fix ±1 ↑1"
    done(*call, "move", "session:fix", "--to", "main", cwd=repo)
    assert shown(tmux, made["window"]) == "⎇ main"
    (repo / "one").write_text("new\n")
    (repo / "two").write_text("new\n")
    done(*call, "move", "session:fix", "--to", str(place), cwd=repo)
    assert shown(tmux, made["window"]) == "⎇ fix ±1 ↑1", "those of where it is now"
    done(*call, "move", "session:fix", "--new", "other", cwd=repo)
    assert shown(tmux, made["window"]) == "⎇ other"
    done(*call, "move", "session:fix", "--to", "main", cwd=repo)
    assert shown(tmux, made["window"]) == "⎇ main ±2"


def test_an_evacuated_session_leaves_the_counts_behind(repo: Path, tmux: Server) -> None:
    call = ("-L", tmux.socket)
    place = Path(done(*call, "new", "fix", "--no-window", cwd=repo)["worktree"]["path"])
    guest = done(*call, "new", "guest", "-d", cwd=repo)
    done(*call, "move", "session:guest", "--to", str(place), cwd=repo)
    (place / "new").write_text("new\n")
    done(*call, "status", cwd=repo)
    assert shown(tmux, guest["window"]) == "⎇ fix ±1"
    done(*call, "remove", "session:fix", "--force", "--evacuate", cwd=repo)
    assert shown(tmux, guest["window"]) == "⎇ main"


def test_in_plain_signs(repo: Path, tmux: Server) -> None:
    tmux.cmd("set", "-g", "@hqt-icons", "ascii")
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    place = Path(made["worktree"]["path"])
    (place / "new").write_text("new\n")
    hook(tmux, made["window"], "PermissionRequest")
    assert said(tmux, place) == "Y fix ~1 !1"
    assert shown(tmux, made["window"]) == "Y fix ~1 !1"


def test_nothing_is_set_that_is_so_already(
    repo: Path, tmux: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hqt.tmux.server import Tmux

    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    hook(tmux, made["window"], "Stop")
    done("-L", tmux.socket, "status", cwd=repo)
    told: list[tuple[Any, ...]] = []
    ask = Tmux.ask

    def listen(self: Tmux, *commands: Any) -> Any:
        told.append(commands)
        return ask(self, *commands)

    monkeypatch.setattr(Tmux, "ask", listen)
    done("-L", tmux.socket, "status", cwd=repo)
    assert not [word for batch in told for command in batch for word in command if "set" in word]


def test_names_are_data(repo: Path, tmux: Server, sealed: Path) -> None:
    made = done("-L", tmux.socket, "new", "fix", "-d", cwd=repo)
    done("-L", tmux.socket, "status", cwd=repo)
    for name in NAMES:
        tmux.cmd("set", "-w", "-t", made["window"], "@hqt_branch", name.removesuffix(";"))
        seen = shown(tmux, made["window"])
        if name.isprintable() and not name.endswith(";") and "$" not in name:  # 3.4 escapes that
            assert seen == f"⎇ {name.replace('#', '＃')}"
    assert not list(sealed.rglob("X"))


def test_a_person_sees_it_follow_them(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going to a window of hqt is enough: it asks, once, and only there."""
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    config = (
        f"set -g status-left '[#{{E:{status_line.OPTION}}}]'",
        "set -g status-left-length 60",
        "set -g status-interval 0",
    )
    with terminal.opened(*config, cwd=repo) as person:
        warming.load(person.server)
        made = done("-L", person.server.socket, "new", "fix", "-d", cwd=repo)
        place = Path(made["worktree"]["path"])
        (place / "new").write_text("new\n")
        person.press("C-b", "n")
        person.see("[⎇ fix ±1 ]")
        git(place, "add", "new")
        git(place, "commit", "-q", "-m", "New")
        person.press("C-b", "p")
        person.dismissed("[⎇ fix")
        person.press("C-b", "n")
        person.see("[⎇ fix ↑1 ]")
        assert "status" not in person.screen().splitlines()[-1], "nothing is said"


def test_it_does_not_slow_the_status_line_down(tmux: Server) -> None:
    """tmux counts with each redraw, over all windows."""
    status_line.offer(tmux.tmux, server.read(tmux.tmux))
    for _ in range(40):
        tmux.cmd("new-window", "-d", "sleep 1000", ";", "set", "-w", "@hqt_state", "working")
    began = time.perf_counter()
    for _ in range(5):
        shown(tmux, "@0")
    with_it = time.perf_counter() - began
    began = time.perf_counter()
    for _ in range(5):
        tmux.ask("x")
    assert (with_it - (time.perf_counter() - began)) / 5 < 0.05
