"""Where screens open, and what is said in a status line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers import terminal
from helpers.hostile import NAMES
from helpers.servers import Server, until
from hqt.models import Client
from hqt.tmux import messages, popups, server
from hqt.tmux.server import Tmux

SCREEN = ["sh", "-c", 'printf "%s|" "$@"; pwd; read line', "sh"]


def open_screen(tmux: Tmux, command: Sequence[str], client: str) -> None:
    """Have the server run `command` on a screen of its own, as the menu's entries do."""
    [viewer] = [one for one in server.read(tmux).clients if one.name == client]
    assert popups.behind(tmux, client, screen=popups.opening(viewer, command, pane="%0"))


def test_a_screen_opens_over_the_window_of_the_client_that_asked(sealed: Path) -> None:
    with (
        terminal.opened(cwd=sealed) as first,
        terminal.attached(first.server, size=(70, 20)) as second,
    ):
        open_screen(first.server.tmux, [*SCREEN, "a b", "$HOME", "#(touch X)"], second.client)

        second.see("a b|$HOME|#(touch X)|/")
        assert "a b|" not in first.screen()
        second.press("Enter")
        second.dismissed("a b|")
        assert first.server.windows() == ["@0"]
        assert not (sealed / "X").exists()


def test_the_words_of_a_screen_are_data(sealed: Path) -> None:
    with terminal.opened(cwd=sealed, size=(60, 12)) as person:
        for number, name in enumerate(NAMES):
            out = sealed / f"out{number}"
            command = ["sh", "-c", 'printf %s "$1" >"$2"; mv "$2" "$3"', "sh", name]
            command += [str(sealed / "part"), str(out)]

            open_screen(person.server.tmux, command, person.client)

            assert until(out.exists), name
            assert out.read_text(errors="surrogateescape") == name
            person.dismissed("┌")
        assert not list(sealed.rglob("X"))


def test_a_single_word_is_a_program(sealed: Path) -> None:
    tool = sealed / "a tool"
    tool.write_text("#!/bin/sh\necho here; read line\n")
    tool.chmod(0o755)
    with terminal.opened(cwd=sealed) as person:
        open_screen(person.server.tmux, [str(tool)], person.client)
        person.see("here")


def test_a_client_without_room_gets_a_window(sealed: Path) -> None:
    with terminal.opened(cwd=sealed, size=(20, 6)) as person:
        open_screen(person.server.tmux, [*SCREEN, "hi"], person.client)

        person.see("hi|/")
        assert person.ask("#{window_id} #{window_name}") == "@1 hqt"
        person.press("Enter")
        person.dismissed("hi|")
        assert person.server.windows() == ["@0"]


def test_a_control_client_gets_a_window() -> None:
    client = Client("client-1", "$0", "@0", width=80, height=24, control=True)
    assert popups.opening(client, SCREEN)[0] == "new-window"
    assert popups.opening(client._replace(control=False), SCREEN)[0] == "display-popup"


@pytest.mark.parametrize("text", [*NAMES, "/a path/of ⎇"])
def test_what_is_copied_is_pasted(tmux: Server, text: str) -> None:
    popups.copy(tmux.tmux, text, None)

    tmux.cmd("save-buffer", "out")
    assert Path("out").read_bytes() == text.encode(errors="surrogateescape")


def test_a_message_is_shown_as_it_is_to_the_client_that_asked(sealed: Path) -> None:
    with (
        terminal.opened(cwd=sealed) as first,
        terminal.attached(first.server, size=(70, 20)) as second,
    ):
        messages.show(first.server.tmux, second.client, "Made #(touch X) %d `touch X` #{pid}.")

        seen = until(lambda: [one for one in (first, second) if "Made" in one.screen()])
        seen[0].see("Made #(touch X) %d `touch X` #{pid}.")
        if not first.ask("#{version}").startswith("3.2"):  # which cannot be told whom to show it
            assert seen == [second]
        messages.show(first.server.tmux, second.client, "a#[fg=red]b")
        seen[0].see("a＃[fg=red]b")
        assert first.server.cmd("show-options", "-s").count("@hqt") == 0
        assert not (sealed / "X").exists()


def test_a_message_that_is_too_long_for_the_line(sealed: Path) -> None:
    with terminal.opened(cwd=sealed, size=(60, 20)) as person:
        server = person.server.tmux
        messages.show(server, person.client, "It was refused.", "So do it otherwise.")
        person.see("It was refused. So do it otherwise.")
        messages.show(server, person.client, "It was refused.", "So do it otherwise. " * 3)
        person.dismissed("otherwise")
        person.see("It was refused.")
        messages.show(server, person.client, f"{'long ' * 12}end", "So do it otherwise.")
        person.see("long…")


def test_a_message_that_cannot_be_shown_is_no_failure(tmux: Server) -> None:
    messages.show(tmux.tmux, "/dev/pts/none", "Hello.")
    messages.show(Tmux(socket_name="nobody"), None, "Hello.")
    assert tmux.cmd("show-options", "-s").count("@hqt") == 0
