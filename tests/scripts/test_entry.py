"""hqt.tmux in a real tmux: keys bound, nothing blocked, nothing of the user's touched."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import servers
from helpers.plugin import Plugin, plugin, programs, told
from helpers.servers import Server, until


@pytest.fixture
def copy(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    copy = plugin(sealed)
    for name, value in copy.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HQT_TOLD", str(sealed / "told"))
    monkeypatch.setenv("ENTRY", str(copy.root / "hqt.tmux"))
    yield copy
    copy.end()


@pytest.fixture
def ready(copy: Plugin, monkeypatch: pytest.MonkeyPatch) -> Plugin:
    """A copy that has its Python."""
    monkeypatch.setenv("HQT_PYTHON", sys.executable)
    return copy


@contextlib.contextmanager
def loaded(*config: str) -> Iterator[Server]:
    """A server whose configuration ends with the plugin, as TPM runs it."""
    with servers.running(*config, """run-shell '"$ENTRY"'""") as server:
        yield server


def reload(server: Server) -> None:
    server.cmd("run-shell", '"$ENTRY"')


def keys(server: Server) -> list[str]:
    """The prefix table as tmux prints it."""
    return server.cmd("list-keys", "-T", "prefix").splitlines()


def ours(server: Server) -> dict[str, str]:
    """hqt's keys and their notes, as prefix ? shows them."""
    lines = (
        line.split(maxsplit=1) for line in server.cmd("list-keys", "-N", "-P", "").splitlines()
    )
    return {key: note for key, note in lines if note.startswith("hqt: ")}


def typed(server: Server) -> set[str]:
    """The keys of hqt's own table, which tmux 3.7 shows only among all others."""
    keys = re.findall(r"^bind-key +-T hqt +(\S+)", server.cmd("list-keys"), re.MULTILINE)
    return {key.lstrip("\\") for key in keys}


@pytest.mark.usefixtures("ready")
def test_one_key_by_default() -> None:
    with loaded() as server:
        assert ours(server) == {"W": "hqt: menu"}


AWKWARD_KEYS = {
    "new-key": ("C-n", "hqt: new session"),
    "switch-key": ("\\#", "hqt: switch to a session"),
    "move-key": ("\\;", "hqt: move the session"),
    "remove-key": ('\\"', "hqt: remove the session and its worktree"),
    "archive-key": ("'$'", "hqt: archive the session"),
    "undo-key": ("'{'", "hqt: undo the last removal"),
    "git-key": ("M-g", "hqt: git in a popup"),
    "lock-key": ("\\\\", "hqt: lock the worktree"),
    "jump-key": ("'~'", "hqt: next waiting agent"),
    "last-key": ("\\'", "hqt: last worktree"),
}


@pytest.mark.usefixtures("ready")
def test_every_action_can_have_a_key_of_its_own() -> None:
    options = [f"set -g @hqt-{name} {key}" for name, (key, _) in AWKWARD_KEYS.items()]
    with loaded(*options) as server:
        printed = ["C-n", "#", ";", '"', "$", "{", "M-g", "\\", "~", "'"]
        notes = [note for _, note in AWKWARD_KEYS.values()]
        assert ours(server) == dict(zip(printed, notes, strict=True)) | {"W": "hqt: menu"}


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("value", ["''", '""', "none", "None"])
def test_no_key(value: str) -> None:
    with loaded(f"set -g @hqt-key {value}") as server:
        assert ours(server) == {}
        assert not typed(server)


@pytest.mark.usefixtures("ready")
def test_the_keys_of_the_menus_entries_have_a_table_of_their_own() -> None:
    with loaded() as server:
        there = {*"nsmMxaugl?123456789q", "Escape", "C-c", "Any"}
        assert typed(server) == there
        noted = server.cmd("list-keys", "-N", "-T", "hqt")
        assert noted.count("hqt: ") in {len(there), 0}, "all have a note; tmux 3.7 shows none"
        server.cmd("bind-key", "-T", "hqt", "z", "display-message", "of an older hqt")
        reload(server)
        assert "z" not in typed(server)
        server.cmd("set-option", "-g", "@hqt-key", "none")
        reload(server)
        assert not typed(server)


@pytest.mark.usefixtures("ready")
def test_reloading_changes_nothing() -> None:
    def all_of(server: Server) -> list[str]:
        looks = ("list-keys", "show-options -g", "show-hooks -g")
        return [server.cmd(*look.split()) for look in looks]

    with loaded("set -g @hqt-new-key N") as server:
        before = all_of(server)
        reload(server)
        assert all_of(server) == before


@pytest.mark.usefixtures("ready")
def test_a_changed_key_is_unbound() -> None:
    with loaded("set -g @hqt-new-key \\#") as server:
        server.cmd("set-option", "-g", "@hqt-new-key", "N")
        server.cmd("set-option", "-g", "@hqt-key", "")
        reload(server)
        assert ours(server) == {"N": "hqt: new session"}


def test_a_moved_plugin_takes_its_keys_along(ready: Plugin) -> None:
    with loaded() as server:
        moved = ready.home / "moved"
        ready.root.rename(moved)
        server.cmd("set-environment", "-g", "ENTRY", str(moved / "hqt.tmux"))
        reload(server)
        assert server.cmd("show-options", "-gv", "@hqt_launcher") == f"'{moved}/scripts/hqt'"
        press(server, "W")
        assert until(lambda: told(ready.home / "told"))


@pytest.mark.usefixtures("ready")
def test_what_the_user_has_bound_stays() -> None:
    """A default is an offer, an option is an order, and a binding made since is the user's."""
    mine = "bind-key W display-message mine"
    with loaded(mine, "bind-key N display-message mine", "set -g @hqt-new-key N") as server:
        assert ours(server) == {"N": "hqt: new session"}
        server.cmd("bind-key", "N", "display-message", "mine again")
        server.cmd("set-option", "-g", "@hqt-new-key", "none")
        reload(server)
        assert ours(server) == {}
        assert sum("display-message mine" in key for key in keys(server)) == 1
        assert sum("mine again" in key for key in keys(server)) == 1


@pytest.mark.usefixtures("ready")
def test_no_key_of_tmuxs_own_is_taken() -> None:
    with servers.running() as server:
        before = keys(server)
        reload(server)
        assert [key for key in keys(server) if key in before] == before


def test_a_key_that_tmux_does_not_know_spoils_no_other(ready: Plugin) -> None:
    with loaded("set -g @hqt-new-key 'no #(touch hit) key'", "set -g @hqt-switch-key S") as server:
        assert ours(server) == {"S": "hqt: switch to a session", "W": "hqt: menu"}
        assert "unknown key" in server.cmd("show-options", "-gv", "@hqt_message")
        assert not (ready.home / "hit").exists()


def test_one_read_and_one_write(ready: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("tmux")
    counting = f'echo "$$" >>"$HOME/calls"\nexec {real} "$@"'
    path = programs(ready.home / "path", "git", scripts={"tmux": counting})
    monkeypatch.setenv("PATH", path)
    with loaded() as server:
        calls = ready.home / "calls"
        calls.unlink()
        server.cmd("set-option", "-g", "@hqt-new-key", "N")
        before = len(calls.read_text().splitlines())
        reload(server)
        assert len(calls.read_text().splitlines()) - before == 1 + 2  # run-shell itself is one
        assert "N" in ours(server)


def test_old_tmux_gets_one_clear_message(ready: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in 3.1: no popups. Which message it shows is seen in tmux's own log of messages."""
    old = f"""
for word; do
    [ "$word" != display-popup ] || without=yes
done
[ "${{without-}}" ] || exec {shutil.which("tmux")} "$@"
{shutil.which("tmux")} "$@" | grep -v ^display-popup"""
    monkeypatch.setenv("PATH", programs(ready.home / "path", "git", scripts={"tmux": old}))
    with loaded() as server, client(server):
        assert ours(server) == {}
        reload(server)
        assert until(lambda: "hqt needs tmux 3.2 or newer" in server.cmd("show-messages"))


def test_without_a_server_it_is_quiet(ready: Plugin) -> None:
    done = ready.run("hqt.tmux", HQT_PYTHON=sys.executable)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Keys pressed in an attached client


@contextlib.contextmanager
def client(server: Server, session: str = servers.SESSION) -> Iterator[Server]:
    """A terminal attached to the server: an outer tmux, whose screen is what a person would see."""
    with servers.running(
        "set -g status off", "set -g prefix None", "set -sg escape-time 0"
    ) as outer:
        attach = f"env -u TMUX -u TMUX_PANE tmux -u -L {server.socket} attach -t {session}"
        outer.cmd("respawn-pane", "-k", attach)
        assert until(lambda: server.cmd("list-clients", "-t", session))
        yield outer


def press(server: Server, key: str) -> None:
    """prefix and a key, in a client of its own."""
    with client(server) as outer:
        press_in(outer, key)
        until(lambda: not server.cmd("list-clients"), 0.3)


def press_in(outer: Server, key: str) -> None:
    outer.cmd("send-keys", "C-b", key)


def table(server: Server) -> str:
    """The key table that the server's one client is in."""
    return server.cmd("list-clients", "-F", "#{client_key_table}")


def screen(outer: Server) -> str:
    return outer.cmd("capture-pane", "-p")


def test_a_key_reaches_the_launcher_with_ids_only(ready: Plugin) -> None:
    """From a folder whose name would run, in a plugin's folder whose name would run."""
    folder = ready.home / "#(touch hit)#{pane_id}"
    folder.mkdir()
    file = ready.home / "told"
    with loaded("set -g @hqt-new-key N") as server, client(server) as outer:
        outer.cmd("send-keys", "-l", "cd ~/*touch*\n")
        assert until(lambda: "touch" in server.ask("#{pane_current_path}"))
        pane = server.ask("#{pane_id}")
        name = server.cmd("list-clients", "-F", "#{client_name}")
        press_in(outer, "W")
        assert until(lambda: len(told(file)) == 1)
        press_in(outer, "N")
        assert until(lambda: len(told(file)) == 2)
        menu, new = told(file)
        common = ["hqt", "--client", name, "--pane", pane, "ui"]
        assert menu["arguments"] == [*common, "menu", "--typed"]
        assert new["arguments"] == [*common, "new"]
        assert (menu["terminal"], new["terminal"]) == (False, True)
        assert (menu["directory"], new["directory"]) == ("/", "/")
        assert new["environment"]["TMUX"].split(",")[1] == str(server.pid)
        assert until(lambda: "hqt was here" not in screen(outer)), "the popup has closed"
        assert not list(ready.home.rglob("hit"))
        assert server.ask("#{pane_in_mode}") == "0"


def test_the_client_that_pressed_is_the_one_that_is_asked(ready: Plugin) -> None:
    """Two people, each in a tmux session of their own; the other one was active last."""
    with loaded("set -g @hqt-new-key N") as server:
        server.cmd("new-session", "-d", "-s", "other")
        with client(server, servers.SESSION) as mine, client(server, "other") as theirs:
            theirs.cmd("send-keys", "x")
            assert until(lambda: "x" in screen(theirs))
            press_in(mine, "N")
            assert until(lambda: told(ready.home / "told"))
            (call,) = told(ready.home / "told")
            name = server.cmd("list-clients", "-t", servers.SESSION, "-F", "#{client_name}")
            assert call["arguments"][1:5] == ["--client", name, "--pane", server.ask("#{pane_id}")]


def test_a_failing_verb_leaves_the_pane_alone(
    ready: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HQT_ENDS", "3")
    with loaded() as server, client(server) as outer:
        press_in(outer, "W")
        assert until(lambda: told(ready.home / "told"))
        assert not until(lambda: server.ask("#{pane_in_mode}") != "0", 0.3)


# While there is no environment yet


@pytest.fixture
def slow(copy: Plugin, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is there yet, and installing waits for the file that is returned."""
    gate = copy.home / "go on"
    waiting = f"""
[ "$1" = --version ] && exit
while [ -e "$0" ] && [ ! -e '{gate}' ]; do sleep 0.05; done
exit 1"""
    monkeypatch.setenv("PATH", programs(copy.home / "path", "git", "tmux", scripts={"uv": waiting}))
    return gate


def test_loading_blocks_nothing_and_keys_answer_with_the_progress(copy: Plugin, slow: Path) -> None:
    started = time.monotonic()
    with loaded("set -g @hqt-new-key N") as server, client(server) as outer:
        assert time.monotonic() - started < 5
        assert ours(server) == {"W": "hqt: menu", "N": "hqt: new session"}
        progress = copy.data / "setup.progress"
        assert until(lambda: progress.exists() and "2 of 3" in progress.read_text())
        for key in "WN":
            press_in(outer, key)
            assert until(lambda: "2 of 3: installing the Python packages." in screen(outer))
            assert until(lambda: table(server) == "root"), "keys are the pane's again"
            server.cmd("display-message", "something else")
        assert not told(copy.home / "told")
        slow.touch()
        assert until(lambda: "hqt is ready." in screen(outer), 30)
        assert until(lambda: any("display-popup" in key and " N " in key for key in keys(server)))
        press_in(outer, "N")
        assert until(lambda: told(copy.home / "told"))
        assert told(copy.home / "told")[0]["terminal"]


def test_failing_it_says_why_and_tries_again_at_a_key(
    copy: Plugin, slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow.touch()
    monkeypatch.setenv("HQT_WHEELHOUSE", "/nonexistent")
    with loaded() as server, client(server) as outer:
        assert until((copy.data / "setup.failed").exists, 30)
        assert until(lambda: "Is this machine offline?" in screen(outer).replace("\n", ""))
        server.cmd("display-message", "something else")
        press_in(outer, "W")
        assert until(lambda: "hqt tries again now." in server.cmd("show-messages"))


def test_a_named_python_is_taken_up(copy: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    """@hqt-python with the packages: nothing is built, and the command line uses it too."""
    monkeypatch.setenv("PATH", programs(copy.home / "path", "git", "tmux"))
    with loaded(f"set -g @hqt-python '{sys.executable}'") as server:
        assert until(lambda: list((copy.data / "ready").glob("[0-9a-f]*")), 30)
        assert not copy.environments
        assert copy.run("scripts/hqt", HQT_TOLD=str(copy.home / "told")).returncode == 0
        assert told(copy.home / "told")[0]["executable"] == sys.executable
        assert ours(server) == {"W": "hqt: menu"}


def test_the_servers_poor_path(copy: Plugin) -> None:
    """As after a start from a desktop: git and tmux are found where setup found them."""
    path = programs(copy.home / "path", "git", "tmux")
    assert copy.run("scripts/setup", PATH=path).returncode == 0
    poor = programs(copy.home / "poor", python=None)
    with servers.running() as server, client(server) as outer:
        server.cmd("set-environment", "-g", "PATH", poor)
        reload(server)
        press_in(outer, "W")
        assert until(lambda: told(copy.home / "told"))
        assert told(copy.home / "told")[0]["environment"]["PATH"].startswith(f"{poor}:{path}:")
