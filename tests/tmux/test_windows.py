"""Windows: opened, labelled, shown and closed."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from helpers import servers
from helpers.hostile import NAMES
from helpers.servers import Server
from hqt.errors import Code, HqtError
from hqt.models import Pane
from hqt.tmux import server, windows
from hqt.tmux.server import Tmux
from hqt.tmux.windows import Window


def opened(
    tmux: Server,
    cwd: Path,
    *,
    session: str | None = "$0",
    new_session: str | None = None,
    label: str = "⎇ fix",
    command: Sequence[str] | None = None,
    environment: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    select: bool = False,
) -> Window:
    return windows.open_window(
        tmux.tmux,
        session=session,
        new_session=new_session,
        cwd=cwd,
        label=label,
        command=command,
        environment=environment,
        options=options,
        select=select,
    )


def pane(tmux: Server, window: Window) -> Pane:
    return next(one for one in server.read(tmux.tmux).panes if one.id == window.pane)


def settled_in(tmux: Server, window: Window, folder: Path) -> bool:
    """Whether the window's program has come to be in a folder."""
    return servers.until(lambda: pane(tmux, window).path == str(folder))


def leftovers(tmux: Server) -> list[str]:
    lines = tmux.cmd("show-options", "-s").splitlines()
    return [line for line in lines if line.startswith("@")]


@pytest.mark.parametrize("select", [False, True])
def test_a_window_is_opened_labelled_and_bound(tmux: Server, sealed: Path, select: bool) -> None:
    options = {"@hqt_session": "s1", "@hqt_worktree": "w1", "@hqt_branch": "fix"}

    window = opened(tmux, sealed, options=options, select=select)

    assert (window.id, window.pane, window.session) == ("@1", "%1", "$0")
    seen = pane(tmux, window)
    assert (seen.window_session, seen.window_worktree, seen.window_branch) == ("s1", "w1", "fix")
    assert seen.window_name == "⎇ fix"
    assert seen.window_active is select
    assert tmux.ask("#{automatic-rename}#{allow-rename}", "@1") == "00"
    assert tmux.ask("#{@hqt_session}", "@0") == ""
    assert leftovers(tmux) == []


@pytest.mark.parametrize("select", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_data_wherever_it_goes(
    tmux: Server, sealed: Path, name: str, select: bool
) -> None:
    folder = sealed / "pool" / name
    folder.mkdir(parents=True)

    window = opened(
        tmux,
        folder,
        label=name,
        options={"@hqt_branch": name, "@hqt_session": "s1"},
        environment={"NAME": name},
        command=["sh", "-c", 'printf %s "$NAME$1" >out; exec sleep 100', "sh", name],
        select=select,
    )

    assert settled_in(tmux, window, folder)
    assert servers.until(lambda: (folder / "out").exists() and (folder / "out").read_bytes())
    assert (folder / "out").read_bytes() == os.fsencode(name + name)
    assert tmux.option("@hqt_branch", "-w", "-t", window.id) == name
    shown = tmux.ask("#W", window.id)
    assert not re.search(r"[\x00-\x1f#]", shown)
    assert shown in tmux.windows("#{E:window_name}")
    assert leftovers(tmux) == []
    assert not list(sealed.rglob("X"))


@pytest.mark.parametrize("name", NAMES)
def test_so_it_is_for_a_new_tmux_session_a_label_and_a_respawn(
    tmux: Server, sealed: Path, name: str
) -> None:
    folder = sealed / "pool" / name
    folder.mkdir(parents=True)
    window = opened(tmux, folder, session=None, new_session=name, label=name)
    assert settled_in(tmux, window, folder)

    other = opened(tmux, sealed)
    snapshot = server.read(tmux.tmux)
    windows.label(tmux.tmux, snapshot, other.id, text=name, options={"@hqt_branch": name})
    windows.respawn(tmux.tmux, other.pane, cwd=folder, command=["sleep", "100"])

    assert settled_in(tmux, other, folder)
    assert tmux.option("@hqt_branch", "-w", "-t", other.id) == name
    assert leftovers(tmux) == []
    assert not list(sealed.rglob("X"))


def test_one_word_is_a_program_not_a_shell_line(tmux: Server, sealed: Path) -> None:
    tool = sealed / "a tool; touch X"
    tool.write_text("#!/bin/sh\nexec sleep 100\n")
    tool.chmod(0o755)

    window = opened(tmux, sealed, command=[str(tool)])

    assert servers.until(lambda: pane(tmux, window).command == "sleep")
    assert not (sealed / "X").exists()


@pytest.mark.parametrize("shell", ["fish", "zsh", "bash"])
def test_any_default_shell(sealed: Path, shell: str) -> None:
    """Neither a command's words nor its exit depend on what the user's shell makes of them."""
    if not servers.has(shell):
        pytest.skip(f"{shell} is not installed")
    with servers.running(f"set -g default-shell {shell_path(shell)}", cwd=sealed) as tmux:
        agent = opened(
            tmux, sealed, command=["sh", "-c", 'printf "%s|" "$@" >out', "x", "$HOME 2>&1"]
        )
        plain = opened(tmux, sealed)

        assert servers.until((sealed / "out").exists)
        assert servers.until((sealed / "out").read_text) == "$HOME 2>&1|"
        assert servers.until(lambda: agent.id not in tmux.windows())
        assert pane(tmux, plain).command == shell


def shell_path(name: str) -> str:
    import shutil

    return shutil.which(name) or name


def test_base_index_one_and_a_window_that_was_moved_and_renamed(sealed: Path) -> None:
    config = ("set -g base-index 1", "set -g pane-base-index 1", "set -g renumber-windows on")
    with servers.running(*config, cwd=sealed) as tmux:
        window = opened(tmux, sealed, options={"@hqt_session": "s1"}, select=True)
        tmux.cmd("rename-window", "-t", window.id, "mine")
        tmux.cmd(
            "new-session", "-d", "-s", "other", ";", "move-window", "-s", window.id, "-t", "other:7"
        )

        assert pane(tmux, window).window_session == "s1"
        windows.close_window(tmux.tmux, window.id)
        assert window.id not in tmux.windows()


def test_the_environment_of_a_new_tmux_session_is_that_of_its_first_window_only(
    tmux: Server, sealed: Path
) -> None:
    show = ["sh", "-c", 'echo "${HQT_SESSION-none}" >"$0"; exec sleep 100']
    first = opened(
        tmux,
        sealed,
        session=None,
        new_session="mine",
        command=[*show, "a"],
        environment={"HQT_SESSION": "s1"},
    )
    opened(tmux, sealed, session=first.session, command=[*show, "b"])

    def wrote(name: str) -> str:
        return servers.until(lambda: (sealed / name).exists() and (sealed / name).read_text()) or ""

    assert (wrote("a"), wrote("b")) == ("s1\n", "none\n")
    assert tmux.ask("#{session_name}", first.id) == "mine"


def test_a_missing_folder_is_an_error_not_another_folder(tmux: Server, sealed: Path) -> None:
    with pytest.raises(HqtError) as caught:
        opened(tmux, sealed / "gone")

    assert caught.value.code is Code.MISSING_WORKTREE
    assert tmux.windows() == ["@0"]


@pytest.mark.parametrize("session", ["$99", None])
def test_when_tmux_refuses_nothing_is_left(tmux: Server, sealed: Path, session: str | None) -> None:
    with pytest.raises(HqtError) as caught:  # no such session; one that is there already
        opened(tmux, sealed, session=session, new_session="main")

    assert caught.value.code is Code.TMUX_UNAVAILABLE
    assert tmux.windows() == ["@0"]
    assert leftovers(tmux) == []


def test_a_client_that_has_gone_does_not_undo_a_window(tmux: Server, sealed: Path) -> None:
    window = windows.open_window(
        tmux.tmux, session="$0", cwd=sealed, label="x", select=True, client="/dev/pts/none"
    )
    assert window.id in tmux.windows()


def test_a_label_is_set_only_where_it_differs(tmux: Server, sealed: Path) -> None:
    window = opened(tmux, sealed, options={"@hqt_branch": "fix"})
    asleep = Tmux(socket_name=tmux.socket, timeout=0.2)
    snapshot = server.read(tmux.tmux)
    os.kill(tmux.pid, signal.SIGSTOP)  # whoever calls tmux now, waits in vain

    windows.label(asleep, snapshot, window.id, text="⎇ fix", options={"@hqt_branch": "fix"})
    windows.label(asleep, snapshot, "@999", text="gone")
    with pytest.raises(HqtError):
        windows.label(asleep, snapshot, window.id, text="⎇ other")


@pytest.mark.parametrize("what", ["window", "pane"])
def test_closing_by_id_is_idempotent_and_hits_nothing_else(
    tmux: Server, sealed: Path, what: str
) -> None:
    window = opened(tmux, sealed)
    tmux.cmd("split-window", "-d", "-t", window.pane)
    close, target = {
        "window": (windows.close_window, window.id),
        "pane": (windows.close_pane, window.pane),
    }[what]

    close(tmux.tmux, target)
    close(tmux.tmux, target)

    left = [one.id for one in server.read(tmux.tmux).panes]
    assert left == ["%0"] if what == "window" else ["%0", "%2"]


@pytest.mark.parametrize("wrong", ["", "1", "main", "%1", "@", "@1 ", "=fix", "@1.0", "⎇ fix"])
def test_only_ids_are_closed(tmux: Server, wrong: str) -> None:
    with pytest.raises(ValueError, match="not a tmux id"):
        windows.close_window(tmux.tmux, wrong)
    assert tmux.windows() == ["@0"]


@pytest.mark.parametrize(
    "command",
    [
        "set-option -w @hqt_session mine",
        "set-option -wq -t main: @hqt_session mine",
        "set-option -puq @hqt_started",
        "set-hook -p pane-exited kill-server",
        "rename-window mine",
        "kill-window",
        "kill-pane -t {last}",
    ],
)
def test_every_test_sees_to_it_that_ids_are_told(tmux: Server, command: str) -> None:
    """What hqt sends in this process, in any test at all (`conftest.sealed`)."""
    with pytest.raises(AssertionError, match="not by id"):
        tmux.tmux.ask(["list-sessions"], command.split())
    tmux.tmux.run(["set-option", "-wq", "-t", "@0", "@mine", "1"], ["set-option", "-g", "@all", ""])


def test_closing_on_a_dead_server_is_done() -> None:
    windows.close_window(Tmux(socket_name="nobody"), "@1")
    windows.close_pane(Tmux(socket_name="nobody"), "%1")


def test_the_last_window_leaves_a_shell_in_the_main_checkout(tmux: Server, sealed: Path) -> None:
    (sealed / "main").mkdir()
    windows.make_way(tmux.tmux, server.read(tmux.tmux), ["@0"], refuge=sealed / "main")
    windows.close_window(tmux.tmux, "@0")

    [left] = server.read(tmux.tmux).panes
    assert left.session == "$0"
    assert settled_in(tmux, Window(left.window, left.id, left.session), sealed / "main")


def test_grouped_tmux_sessions_get_one_shell_together(tmux: Server, sealed: Path) -> None:
    tmux.cmd("new-session", "-d", "-t", "main", "-s", "beside")
    tmux.cmd("new-session", "-d", "-s", "alone")
    doomed = {*tmux.windows()}
    windows.make_way(tmux.tmux, server.read(tmux.tmux), doomed, refuge=sealed)
    for window in doomed:
        windows.close_window(tmux.tmux, window)
    left = server.read(tmux.tmux)
    assert len(left.panes) == 2
    assert sorted((one.name, len(one.windows)) for one in left.sessions) == [
        ("alone", 1), ("beside", 1), ("main", 1),
    ]  # fmt: skip


def test_a_session_made_for_the_worktree_goes_with_it(tmux: Server, sealed: Path) -> None:
    window = opened(tmux, sealed, session=None, new_session="fix")
    snapshot = server.read(tmux.tmux)

    windows.make_way(tmux.tmux, snapshot, [window.id], refuge=sealed, expendable=["fix"])

    assert sorted(tmux.windows()) == ["@0", window.id]
    windows.make_way(tmux.tmux, snapshot, ["@0", window.id], refuge=sealed, expendable=["fix"])
    windows.close_window(tmux.tmux, window.id)
    windows.close_window(tmux.tmux, "@0")
    assert tmux.windows("#{session_name}") == ["main"]


@pytest.mark.parametrize("select", [False, True])
def test_a_window_gets_the_place_that_was_asked_for_if_it_is_free(
    tmux: Server, sealed: Path, select: bool
) -> None:
    def at(index: int, session: str | None = "$0") -> Window:
        return windows.open_window(
            tmux.tmux,
            session=session,
            new_session="mine",
            index=index,
            cwd=sealed,
            label="x",
            select=select,
        )

    assert at(5).index == 5
    assert at(5).index == 1, "taken: the first that is free"
    own = at(3, session=None)
    assert (own.index, own.session_name) == (3, "mine")
    assert pane(tmux, own).window_index == 3
    assert len(tmux.windows()) == 4
