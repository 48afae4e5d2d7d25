"""What `install` says and `uninstall` takes back."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import servers
from helpers.calls import done, hqt, refused
from helpers.plugin import ROOT, launcher_environment
from helpers.servers import Server

USED = (
    "set -g @hqt-new-key N",
    "set -g @hqt-lock-key M-\\;",
    "set -g status-right '#{E:@hqt_status}'",
)


@pytest.fixture
def server(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in launcher_environment().items():
        monkeypatch.setenv(name, value)
    with servers.running(*USED, cwd=repo) as one:
        yield one


def everything(server: Server) -> dict[str, list[str]]:
    """All of a server that a plugin could have changed."""
    looks = {
        "keys": "list-keys",
        "notes": "list-keys -N",
        "options": "show-options -g",
        "server": "show-options -s",
        "windows": "show-options -gw",
        "hooks": "show-hooks -g",
        "environment": "show-environment -g",
        "hidden": "show-environment -gh",
    }
    return {
        name: [
            " ".join(line.split()) for line in server.cmd(*look.split(), check=False).splitlines()
        ]
        for name, look in looks.items()
    }


def test_uninstall_leaves_tmux_as_it_was(repo: Path, server: Server) -> None:
    before = everything(server)
    server.cmd("bind-key", "Y", "display-message", "mine")
    mine = everything(server)
    server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    made = done("-L", server.socket, "new", "fix", "-d", cwd=repo)
    window, pane = made["window"], server.ask("#{pane_id}", made["window"])
    for state in ("working", "done"):
        import hqt.tmux.agent_states as agents

        server.tmux.run(agents.recording(pane, state))
    done("-L", server.socket, "status", cwd=repo)
    assert everything(server) != mine

    told = done("-L", server.socket, "uninstall", cwd=repo)

    assert sorted(told["keys"]) == ["M-;", "N", "W"]
    assert everything(server) == mine
    assert everything(server) != before, "what the user has bound stays"
    for scope in ("-w", "-p"):
        left = server.cmd("show-options", scope, "-t", pane)
        assert not left, left
    assert window in server.windows(), "windows stay"
    assert "@hqt" not in server.cmd("show-hooks", "-p", "-t", pane)
    assert Path(made["worktree"]["path"]).exists()


def test_it_is_said_what_becomes_of_windows(repo: Path, server: Server) -> None:
    """And it is so: they are there, without a mark, and known again after the next load."""
    made = done("-L", server.socket, "new", "fix", "-d", cwd=repo)
    help = hqt("uninstall", "--help").out
    assert "Windows and what runs in them stay open" in help
    said = hqt("-L", server.socket, "uninstall", cwd=repo).out
    assert "1 window that hqt had marked stays open" in said
    assert "the marks: whose session it is, its branch, the state of its agent" in said
    assert "Options of yours that begin with @hqt- stay" in said
    assert server.option("@hqt-new-key", "-g") == "N"
    assert done("-L", server.socket, "open", "fix", cwd=repo)["window"] == made["window"]
    done("-L", server.socket, "new", "other", "-d", cwd=repo)
    assert "2 windows that hqt had marked stay open" in hqt("-L", server.socket, "uninstall").out
    assert "hqt had marked" not in hqt("-L", server.socket, "uninstall", cwd=repo).out


def test_it_can_be_loaded_again(repo: Path, server: Server) -> None:
    server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    loaded = everything(server)
    assert hqt("-L", server.socket, "uninstall", cwd=repo).status == 0
    server.cmd("run-shell", f"'{ROOT}/hqt.tmux'")
    assert everything(server) == loaded


def test_without_a_server_and_with_the_data(sealed: Path) -> None:
    data = sealed / ".local/share/hqt"
    (data / "envs" / "x").mkdir(parents=True)
    (data / "mine").write_text("not of hqt\n")
    told = done("-L", "nobody", "uninstall", "--data", cwd=sealed)
    assert told["server"] is False
    assert told["deleted"] == [str(data / "envs")]
    assert [path.name for path in data.iterdir()] == ["mine"]


def test_the_bytecode_does_not_come_back_with_the_answer(sealed: Path) -> None:
    env = {**os.environ, **launcher_environment(), "HQT_PYCACHE": ""}
    words = (ROOT / "scripts/hqt", "-L", "nobody", "uninstall")
    for flags, left in (((), True), (("--data",), False)):
        subprocess.run([*words, *flags], env=env, cwd=sealed, check=True, timeout=60)
        assert (sealed / ".local/share/hqt/pycache").exists() is left, flags


def test_the_data_stays_unless_asked(sealed: Path) -> None:
    data = sealed / ".local/share/hqt/envs"
    data.mkdir(parents=True)
    done("-L", "nobody", "uninstall", cwd=sealed)
    assert data.exists()


def test_uninstall_says_what_stays_and_how_it_goes(repo: Path, sealed: Path) -> None:
    data = sealed / ".local/share/hqt/envs"
    config = sealed / ".config/hqt/config.toml"
    for folder in (data, config.parent):
        folder.mkdir(parents=True)
    config.write_text("")
    done("new", "fix", "--no-window", cwd=repo)
    said = hqt("-L", "nobody", "uninstall", cwd=repo).out
    for place in (f"{data.parent}; `hqt uninstall --data`", f"delete {config}", str(ROOT)):
        assert place in said
    assert f"delete {sealed}/.local/state/hqt to be rid of them" in said
    assert "`hqt trash empty`" in said
    without = hqt("-L", "nobody", "uninstall", "--data", cwd=repo).out
    assert f"Deleted {data}." in without
    assert "environments stay" not in without


def test_install_links_the_launcher_and_edits_nothing(sealed: Path) -> None:
    (sealed / ".tmux.conf").write_text("# mine\n")
    folder = sealed / "bin"
    folder.mkdir()
    told = done("-L", "nobody", "install", "--link", folder, cwd=sealed)
    plain = re.fullmatch(r"[\w/.+-]+", str(ROOT), re.ASCII)
    quoted = f"""run-shell "'{ROOT}/hqt.tmux'\""""
    assert told["line"] == (f"run-shell {ROOT}/hqt.tmux" if plain else quoted)
    assert (folder / "hqt").resolve() == ROOT / "scripts/hqt"
    assert done("-L", "nobody", "install", "--link", "bin", cwd=sealed)["link"] == str(
        folder / "hqt"
    )
    assert (sealed / ".tmux.conf").read_text() == "# mine\n"


def test_another_hqt_is_left_alone(sealed: Path) -> None:
    (sealed / "hqt").write_text("mine\n")
    error = refused("-L", "nobody", "install", "--link", sealed, cwd=sealed)
    assert error["code"] == "path_exists"
    assert (sealed / "hqt").read_text() == "mine\n"
    in_a_file = refused("-L", "nobody", "install", "--link", sealed / "hqt" / "bin", cwd=sealed)
    assert in_a_file["code"] == "usage"


def test_the_folder_for_the_link_is_made(sealed: Path) -> None:
    """A fresh home has no `~/.local/bin`."""
    folder = sealed / ".local" / "bin"
    done("-L", "nobody", "install", "--link", folder, cwd=sealed)
    assert (folder / "hqt").resolve().name == "hqt"
