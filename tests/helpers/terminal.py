"""The end-to-end language: a person at a terminal, who presses keys and sees a screen.

A terminal is a pane of an outer tmux server; in it runs a client that is attached to the inner
server, the one under test. Keys go to the outer pane, the screen is read from it, popups and menus
included: what a person would press and see.

    with terminal.opened(size=(100, 30)) as person:
        person.press("C-b", "W")
        person.see("New…")
        person.press("Escape")
        person.dismissed("New…")
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers import servers
from helpers.servers import DEADLINE, SESSION, Server, until

SIZE = (100, 30)  # columns, rows
# The outer tmux is only glass: it keeps no key to itself and draws nothing of its own.
_GLASS = (
    "set -g status off",
    "set -g prefix None",
    "set -g prefix2 None",
    "set -s escape-time 0",
    "set -g remain-on-exit on",
    "set -g default-terminal tmux-256color",
)
# The inner one has a prompt that says little and reads no file of the user's; keys that come faster
# than a person's fingers are no paste.
INNER = (
    "set -g default-command \"exec env PS1='$ ' bash --norc --noprofile\"",
    "set -g assume-paste-time 0",
)


@dataclass(frozen=True, slots=True)
class Terminal:
    """A person's terminal, attached to `server` as `client`."""

    server: Server
    client: str  # its name in the inner server
    outer: Server

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names: `C-b`, `W`, `Enter`, `Escape`, `Up`.

        What a key opens must have been seen before the next key is pressed, as a person would:
        tmux gives keys that come with it to the pane below.
        """
        self.outer.cmd("send-keys", "-t", "%0", *(";" if key == "\\;" else key for key in keys))

    def type(self, text: str) -> None:
        """Type `text` as it is."""
        self.outer.cmd("send-keys", "-t", "%0", "-l", "--", re.sub(";$", r"\\;", text))

    def screen(self) -> str:
        """What a person sees now, line by line, blanks at the ends left out."""
        return self.outer.cmd("capture-pane", "-p", "-t", "%0")

    def see(self, *texts: str, timeout: float = DEADLINE) -> str:
        """Wait until all of `texts` are on the screen together; return it."""
        found = until(
            lambda: self._showing(lambda seen: all(one in seen for one in texts)), timeout
        )
        screen = found or self.screen()
        missing = [text for text in texts if text not in screen]
        assert not missing, f"{missing} not seen in {timeout:g} s:\n{_drawn(screen)}"
        return screen

    def dismissed(self, *texts: str, timeout: float = DEADLINE) -> str:
        """Wait until none of `texts` is on the screen any more; return it."""
        found = until(
            lambda: self._showing(lambda seen: not any(one in seen for one in texts)), timeout
        )
        screen = found or self.screen()
        left = [text for text in texts if text in screen]
        assert not left, f"{left} still there after {timeout:g} s:\n{_drawn(screen)}"
        return screen

    def _showing(self, right: Callable[[str], bool]) -> str:
        """The screen if it is right, else "": one look, for the next may find another."""
        screen = self.screen()
        return screen if right(screen) else ""

    def click(self, text: str) -> None:
        """Click on the first place where `text` is on the screen."""
        lines = self.see(text).splitlines()
        row = next(number for number, line in enumerate(lines) if text in line)
        column = servers.width(lines[row].partition(text)[0])
        for end in "Mm":  # pressed, let go
            self.type(f"\x1b[<0;{column + 1};{row + 1}{end}")

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal larger or smaller."""
        self.outer.cmd("resize-window", "-t", "@0", "-x", str(columns), "-y", str(rows))
        form = "#{client_width} #{client_height}"
        assert until(lambda: self.ask(form) == f"{columns} {rows}")

    def ask(self, form: str) -> str:
        """A format, as this client sees it: `#{window_id}` is the window on its screen."""
        listed = self.server.cmd("list-clients", "-F", f"#{{client_name}} {form}").splitlines()
        return next(
            (line[len(self.client) + 1 :] for line in listed if line.split()[0] == self.client), ""
        )

    @property
    def attached(self) -> bool:
        """Whether the person is still in tmux."""
        return bool(self.ask("#{client_name}"))


@contextlib.contextmanager
def attached(
    server: Server, *, size: tuple[int, int] = SIZE, session: str = SESSION
) -> Iterator[Terminal]:
    """One more person at `server`, who looks at a tmux session of it."""
    attach = f"exec env -u TMUX -u TMUX_PANE tmux -u -L {server.socket} attach-session -t "
    outer = servers.start(*_GLASS, size=size, command=(attach + shlex.quote(f"={session}"),))
    try:
        outer.cmd("resize-window", "-t", "@0", *f"-x {size[0]} -y {size[1]}".split())  # tmux 3.2
        name = outer.ask("#{pane_tty}")
        person = Terminal(server, name, outer)
        form = "#{client_width} #{client_height}"
        there = until(lambda: person.ask(form) == "{} {}".format(*size))
        assert there, f"no client:\n{_drawn(person.screen())}"
        yield person
    finally:
        servers.end(outer)


@contextlib.contextmanager
def opened(
    *config: str, size: tuple[int, int] = SIZE, cwd: Path | None = None
) -> Iterator[Terminal]:
    """A person at a server of their own, in a shell that shows the prompt `$`."""
    with servers.running(*INNER, *config, cwd=cwd) as server, attached(server, size=size) as person:
        person.see("$")
        yield person


def _drawn(screen: str) -> str:
    lines = screen.splitlines()
    wide = max(map(servers.width, lines), default=0)
    rule = "─" * wide
    rows = [f"│{line}{' ' * (wide - servers.width(line))}│" for line in lines]
    return "\n".join([f"┌{rule}┐", *rows, f"└{rule}┘"])
