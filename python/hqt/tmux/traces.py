"""Everything that hqt leaves in a tmux server, and how it is taken out again (`uninstall`)."""

from __future__ import annotations

from dataclasses import dataclass

from hqt.tmux import formats, server, windows
from hqt.tmux.agent_states import HOOK, SEEN_HOOKS, TITLE_HOOK
from hqt.tmux.listing import STARTED
from hqt.tmux.server import Tmux

_OURS = "#{@hqt_launcher} --key "  # what a binding of the plugin's entry holds
_TABLE = "hqt"  # the keys of the menu's entries, for who types ahead of it
_REFRESH = 8923  # the index of the entry's own hooks
_REFRESH_HOOKS = ("session-window-changed", "client-session-changed", "client-focus-in")


@dataclass(frozen=True, slots=True)
class Traces:
    """What was taken out."""

    keys: tuple[str, ...]  # as tmux names them
    windows: tuple[str, ...]  # ids that tmux names by itself again


def clear(tmux: Tmux) -> Traces:
    """Take out keys, hooks, options and marks; windows and what runs in them stay. The user's own
    settings (`@hqt-…`) and bindings stay too. Raises `tmux_unavailable`."""
    keys = _keys(tmux)
    panes = server.read(tmux).panes
    owned = tuple(
        dict.fromkeys(one.window for one in panes if one.window_session or one.window_worktree)
    )
    for key in keys:
        tmux.ask(["unbind-key", "-T", "prefix", key])
    tmux.ask(["unbind-key", "-aq", "-T", _TABLE])  # whoever is in it is back in their usual one
    for window in owned:
        windows.disown(tmux, window)
    for pane in (one.id for one in panes if one.started):
        tmux.ask(["set-option", "-puq", "-t", pane, STARTED])
    for pane in (one.id for one in panes if one.agent_state):
        tmux.ask(["set-hook", "-pu", "-t", pane, f"{TITLE_HOOK}[{HOOK}]"])
        for option in ("@hqt_agent", "@hqt_asked", "@hqt_spins"):
            tmux.ask(["set-option", "-puq", "-t", pane, option])
    hooks = [(name, HOOK) for name in SEEN_HOOKS] + [(name, _REFRESH) for name in _REFRESH_HOOKS]
    set_hooks = "\n".join(tmux.ask(["show-hooks", "-g"]).out)
    for name, index in hooks:
        if f"{name}[{index}]" in set_hooks:
            tmux.ask(["set-hook", "-gu", f"{name}[{index}]"])
    for scope in ("-g", "-s"):
        published = [
            line.partition(" ")[0] for line in tmux.run(["show-options", scope]) if _is_ours(line)
        ]
        tmux.ask(*(["set-option", f"{scope}u", option] for option in published))
    return Traces(tuple(keys), owned)


def _keys(tmux: Tmux) -> list[str]:
    found = []
    for line in tmux.ask(["list-keys", "-T", "prefix"]).out:
        if _OURS in line:
            word = line.partition(" prefix ")[2].split()[0]
            found.append(formats.unquote(word))
    return found


def _is_ours(line: str) -> bool:
    return line.startswith("@hqt_")
