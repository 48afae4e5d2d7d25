"""hqt in the status line: at the right moment, without a process, in the user's styles, for a click
and inside a theme."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path

import pytest

from helpers import servers, warming
from helpers.calls import done
from helpers.plugin import ROOT
from helpers.repos import git
from helpers.scenes import session
from helpers.servers import until
from helpers.terminal import Terminal
from hqt.tmux import agent_states

CONF = ROOT / "scripts" / "status.conf"
SHOWN = (
    ("status-right", "<#{E:@hqt_status}>"),
    ("status-right-length", "60"),
    ("status-interval", "0"),
    ("window-status-format", "#I#{E:@hqt_window}"),
    ("window-status-current-format", "#I#{E:@hqt_window}"),
)


def load(person: Terminal) -> None:
    for name, value in SHOWN:
        person.server.cmd("set", "-g", name, value)
    warming.load(person.server)


def bottom(person: Terminal) -> str:
    return person.screen().splitlines()[-1]


def test_the_stamp_is_that_of_the_formats() -> None:
    text = CONF.read_text()
    stamps = set(re.findall(r"[0-9a-f]{12}", text))
    body = text.split("%if", 1)[1].split("\n", 1)[1].rsplit("set-option -g @hqt_stamp", 1)[0]
    assert stamps == {hashlib.sha256(body.encode()).hexdigest()[:12]}


def test_it_follows_the_person_and_the_agents(person: Terminal) -> None:
    load(person)
    place = session(person, "fix")
    (place / "new").write_text("new\n")
    person.press("C-b", "p")
    person.see("<>")
    person.press("C-b", "n")
    person.see("<⎇ fix ±1 >", "1±1")
    pane = person.ask("#{pane_id}")
    person.server.tmux.run(agent_states.recording(pane, "waiting"))
    person.see("<⎇ fix ±1 ◆1 >", "1◆ ±1")
    person.press("C-b", "p")
    person.see("<◆1 >")
    git(place, "add", "new")
    git(place, "commit", "-q", "-m", "New")
    person.press("C-b", "n")
    person.see("<⎇ fix ↑1 ◆1 >")
    (place / "more").write_text("more\n")
    person.server.tmux.run(agent_states.recording(pane, "done"))
    person.see("<⎇ fix ±1 ↑1 >")
    assert not [mode for mode in person.server.windows("#{pane_in_mode}") if mode != "0"]


def test_the_readmes_lines_show_it_beside_what_tmux_shows(person: Terminal) -> None:
    readme = (ROOT / "README.md").read_text()
    lines = readme.split("## Agents and the status line", 1)[1].split("```")[1]
    conf = Path.home() / "status.conf"
    conf.write_text(lines)
    person.server.cmd("source-file", str(conf))
    warming.load(person.server)
    place = session(person, "feature/payments")
    (place / "new").write_text("new\n")
    person.server.cmd("select-pane", "-T", "somebody@a-host-of-some-length: ~/project")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "waiting"))
    done("-L", person.server.socket, "status", cwd=place)
    person.see("somebody@a-host-of-so", "⎇ feature/payments ±1 ◆1")


def test_what_a_verb_changes_elsewhere_shows_at_once(person: Terminal, repo: Path) -> None:
    """Without going anywhere: commits that two branches had are on one alone, and back."""
    load(person)
    call = ("-L", person.server.socket)
    place = session(person, "fix")
    git(place, "commit", "-q", "--allow-empty", "-m", "New")
    done(*call, "new", "other", "-d", "--from", "fix", cwd=repo)
    person.see("<⎇ fix >")
    done(*call, "remove", "other", "--force", "--delete-branch", cwd=repo)
    person.see("<⎇ fix ↑1 >")
    done(*call, "undo", cwd=repo)
    person.see("<⎇ fix >")
    person.type("touch here\n")
    assert until((place / "here").exists)
    done(*call, "rename", "fix", "login", cwd=repo)
    person.see("<⎇ login ±1 >", "±1")
    done(*call, "move", "session:login", "--to", "main", cwd=repo)
    person.see("<⎇ main >")


def test_nothing_runs_and_nothing_is_redrawn_while_nothing_happens(person: Terminal) -> None:
    load(person)
    session(person, "fix")
    person.press("C-b", "p")
    person.press("C-b", "n")
    person.see("<⎇ fix ")
    form = "#{client_written}"
    assert until(lambda: person.ask("#{@hqt_dirty}#{client_activity}"))
    settled = person.ask(form)
    since = time.monotonic()
    while time.monotonic() < since + 1.0:
        if (now := person.ask(form)) != settled:
            since, settled = time.monotonic(), now
    written = person.ask(form)
    children = Path(f"/proc/{person.server.pid}/task/{person.server.pid}/children")
    before = children.read_text() if children.exists() else ""
    done("-L", person.server.socket, "status", "--json", cwd=Path.home() / "project")
    assert person.ask(form) == written, "what is so already is not set again"
    assert (children.read_text() if children.exists() else "") == before


def test_a_window_that_is_linked_twice_counts_once(person: Terminal) -> None:
    load(person)
    session(person, "fix")
    person.server.cmd("new-session", "-d", "-s", "second")
    person.server.cmd("link-window", "-s", person.ask("#{window_id}"), "-t", "second:7")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "working"))
    person.see("●1 >")
    assert "●2" not in bottom(person)


def test_styles_are_the_users_and_end_where_they_should(person: Terminal) -> None:
    for name, value in {"branch": "fg=green", "waiting": "fg=red,bold"}.items():
        person.server.cmd("set", "-g", f"@hqt-{name}-style", value)
    person.server.cmd("set", "-g", "status-style", "bg=blue,fg=white")
    load(person)
    session(person, "fix")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "waiting"))
    person.see("<⎇ fix ◆1 >")
    shown = person.outer.cmd("capture-pane", "-pe", "-t", "%0").splitlines()[-1]
    assert re.search(r"\x1b\[32m(\x1b\[44m)?⎇ fix\x1b\[37m", shown), shown
    assert re.search(r"\x1b\[1m(\x1b\[31m)◆1\x1b\[0m", shown), shown
    assert shown.partition("◆1")[2].replace("\x1b[0m", "", 1).startswith("\x1b[37m\x1b[44m >")


def test_in_ascii(person: Terminal) -> None:
    person.server.cmd("set", "-g", "@hqt-icons", "ascii")
    load(person)
    place = session(person, "fix")
    (place / "new").write_text("new\n")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "error"))
    done("-L", person.server.socket, "status", cwd=place)
    person.see("<Y fix ~1 x1 >")


def test_a_click_opens_the_menu(person: Terminal) -> None:
    version = person.server.ask("#{version}")
    if version < "3.4":
        pytest.skip(f"tmux {version} has no mouse ranges")
    load(person)
    snippet = re.search(
        r"^bind -n MouseDown1Status .*$", (ROOT / "docs/status.md").read_text(), re.M
    )
    assert snippet
    conf = Path.home() / "click.conf"
    conf.write_text(f"set -g mouse on\n{snippet[0]}\n")
    person.server.cmd("source-file", str(conf))
    session(person, "fix")
    person.click("fix >")
    person.see("New…", "⎇ main")


def test_the_pane_border(person: Terminal) -> None:
    load(person)
    person.server.cmd("set", "-g", "pane-border-status", "top")
    person.server.cmd("set", "-g", "pane-border-format", "[#{E:@hqt_pane}]")
    session(person, "fix")
    person.server.tmux.run(agent_states.recording(person.ask("#{pane_id}"), "working"))
    person.see("[● ⎇ fix ]")


STATUS_MODULE = r"""
set -gF "@catppuccin_status_${MODULE_NAME}" "#[bg=#{@catppuccin_${MODULE_NAME}_color}]"
set -agF "@catppuccin_status_${MODULE_NAME}" "#{@catppuccin_${MODULE_NAME}_icon}"
set -ag "@catppuccin_status_${MODULE_NAME}" "#{E:@catppuccin_${MODULE_NAME}_text}"
"""


def test_the_module_for_catppuccin(person: Terminal, sealed: Path) -> None:
    """With a stand-in that builds a module as the theme does: from an icon, a colour and a text."""
    (sealed / "theme/utils").mkdir(parents=True)
    (sealed / "theme/utils/status_module.conf").write_text(STATUS_MODULE)
    person.server.cmd("set", "-g", "@thm_green", "green")
    person.server.cmd("set", "-g", "@catppuccin_hqt_theme", str(sealed / "theme"))
    person.server.cmd("source-file", str(ROOT / "scripts/catppuccin_hqt.conf"))
    person.server.cmd("set", "-g", "status-right", "<#{E:@catppuccin_status_hqt}>")
    person.server.cmd("set", "-g", "status-right-length", "60")
    warming.load(person.server)
    assert "8923" in person.server.cmd("show-hooks", "-g"), "it is shown, so it is kept up to date"
    session(person, "fix")
    person.see("<hqt  ⎇ fix >")


def test_the_module_for_dracula(person: Terminal) -> None:
    """As that theme calls it."""
    script = f"'{ROOT}/scripts/dracula_hqt.sh'"
    person.server.cmd("set", "-g", "status-right", f"<#({script})>")
    warming.load(person.server)
    session(person, "fix")
    person.see("<⎇ fix ", timeout=20)


def test_the_formats_cost_little() -> None:
    """They are filled in at each redraw: with 60 windows, in 2 ms of the server's time."""
    with servers.running() as server:
        stat = Path(f"/proc/{server.pid}/stat")
        if not stat.exists():
            pytest.skip("this system does not tell a process's time")

        def spent() -> float:
            return sum(map(int, stat.read_text().rsplit(")", 1)[1].split()[11:13])) / 100

        server.cmd("source-file", str(CONF))
        windows = [word for _ in range(59) for word in ("new-window", "-d", "sleep 1000", ";")]
        server.cmd(*windows[:-1])
        for window in server.windows():
            server.cmd("set", "-w", "-t", window, "@hqt_state", "working")
        many = ["display-message", "-p", "#{E:@hqt_status}", ";"] * 50
        before = spent()
        server.cmd(*many[:-1])
        each = (spent() - before) / 50
        assert each < 0.008, f"{each * 1000:.1f} ms"
