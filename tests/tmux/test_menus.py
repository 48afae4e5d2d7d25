"""Native menus: what is shown, what is chosen, and that an entry's text is only text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import terminal
from helpers.hostile import NAMES
from helpers.servers import until
from helpers.terminal import Terminal
from hqt.models import Client
from hqt.tmux import popups, server
from hqt.tmux.menus import RULE, Entry, commands, paged
from hqt.tmux.server import Tmux


def viewer(person: Terminal) -> Client:
    return next(one for one in server.read(person.server.tmux).clients if one.name == person.client)


def menus_belong_to_windows(person: Terminal) -> bool:
    """Whether all who look at a window see its menu: from tmux 3.8 on, which calls itself next-3.8
    before it is released, so that a command of that version tells."""
    return bool(person.server.cmd("list-commands", "switch-mode", check=False))


def open_menu(
    tmux: Tmux, entries: list[Entry], *, client: Client, pane: str | None = None, title: str = ""
) -> bool:
    """Show a menu; False when there is no room for one."""
    menu = commands(entries, client=client, pane=pane, title=title)
    return bool(menu) and popups.behind(tmux, client.name, **menu)


def note(text: str) -> tuple[str, ...]:
    """A command that leaves a trace: the chosen text, byte for byte."""
    return ("set-option", "-g", "@chosen", text)


def test_a_menu_is_shown_at_once_and_its_key_chooses(sealed: Path) -> None:
    entries = [
        Entry("New…", "n", note("new")),
        RULE,
        Entry("⎇ fix ● 3", "1", note("fix")),
        Entry("⎇ gone", command=None),
    ]
    with terminal.opened(cwd=sealed) as person:
        tmux = person.server.tmux

        assert open_menu(tmux, entries, client=viewer(person), pane="%0", title="hqt #(touch X)")

        person.see("hqt ＃(touch X)", "New…", "(n)", "⎇ fix ● 3", "(1)", "⎇ gone")
        person.press("1")
        person.dismissed("New…")
        assert until(lambda: person.server.option("@chosen", "-g")) == "fix"
        assert not (sealed / "X").exists()


def test_an_entry_runs_for_the_client_and_pane_that_asked(sealed: Path) -> None:
    with (
        terminal.opened(cwd=sealed) as first,
        terminal.attached(first.server, size=(70, 20)) as second,
    ):
        first.server.cmd("set", "-g", "@hqt_launcher", "'/a #(touch X) path'")
        first.server.cmd("split-window", "-d", "-t", "%0")
        command = ("run-shell", "-C", 'set -g @chosen "#{@hqt_launcher} #{pane_id}"')
        open_menu(first.server.tmux, [Entry("Go", "g", command)], client=viewer(second), pane="%1")

        second.see("Go")
        if not menus_belong_to_windows(first):
            assert "Go" not in first.screen()
        second.press("g")

        chosen = until(lambda: first.server.option("@chosen", "-g"))
        assert chosen == "'/a #(touch X) path' %1"
        assert not list(sealed.rglob("X"))


def test_names_are_data_in_label_title_and_command(sealed: Path) -> None:
    with terminal.opened(cwd=sealed) as person:
        tmux, client = person.server.tmux, viewer(person)
        for name in NAMES:
            open_menu(tmux, [Entry(name, "a", note(name))], client=client, pane="%0", title=name)
            person.see("(a)")
            person.press("a")
            person.dismissed("(a)")
            assert until(lambda: person.server.option("@chosen", "-g")) == name
            person.server.cmd("set", "-gu", "@chosen")
        assert not list(sealed.rglob("X"))


def test_a_small_client_turns_pages(sealed: Path) -> None:
    entries = [Entry(f"branch {number}", command=note(str(number))) for number in range(20)]
    with terminal.opened(cwd=sealed, size=(40, 10)) as person:
        open_menu(person.server.tmux, entries, client=viewer(person), pane="%0", title="hqt")

        person.see("branch 0", "branch 5", "More…", "└")
        person.press(">")
        person.see("Back…", "branch 6", "branch 10", "More…", "└")
        person.press(">")
        person.see("Back…", "branch 11", "branch 15", "More…", "└")
        person.press(">")
        assert "More" not in person.see("Back…", "branch 16", "branch 19", "└")
        for shown in ("branch 11", "branch 6", "branch 0"):
            person.press("<")
            person.see(shown)
        person.press("Escape")
        person.dismissed("branch")


def test_a_long_label_is_cut_or_tmux_would_show_nothing(sealed: Path) -> None:
    label = "⎇ " + "größe漢字" * 20
    with terminal.opened(cwd=sealed, size=(40, 10)) as person:
        open_menu(person.server.tmux, [Entry(label, "x", note("x"))], client=viewer(person))

        line = next(line for line in person.see("⎇ größe漢字").splitlines() if "⎇" in line)
        assert "…" in line
        assert "(x)" in line


@pytest.mark.parametrize(("columns", "rows"), [(40, 4), (8, 20)])
def test_no_room_for_a_menu(columns: int, rows: int) -> None:
    nobody = server.Tmux(socket_name="nobody")
    tiny = Client("c", "$0", "@0", width=columns, height=rows)

    assert not open_menu(nobody, [Entry("x")], client=tiny)


@given(st.lists(st.sampled_from([RULE, *map(Entry, "abc")]), max_size=60), st.integers(3, 12))
def test_pages_keep_every_entry_in_order_and_fit(entries: list[Entry], rows: int) -> None:
    pages = paged(entries, rows)

    shown = [entry for page in pages for entry in page]
    assert [entry for entry in shown if entry != RULE] == [one for one in entries if one != RULE]
    for number, page in enumerate(pages):
        turns = (number > 0) + (number < len(pages) - 1)
        assert len(page) + turns <= rows
        assert not page or page[0] != RULE
