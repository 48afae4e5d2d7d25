"""Which windows were looked at before, the latest first."""

from __future__ import annotations

from hqt.tmux.server import Tmux

_FORM = "#{window_id} #{session_id} #{window_stack_index} #{session_last_attached} #{window_active}"


def earlier(tmux: Tmux, session: str) -> tuple[str, ...]:
    """The ids of the windows that somebody in the tmux session `session` (`$1`) was in before, the
    latest first; then those that other tmux sessions show, the latest attached first.

    Raises `tmux_unavailable`.
    """
    mine: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for line in tmux.run(["list-windows", "-a", "-F", _FORM]):
        window, owner, place, *attached, active = line.split()
        # 0 is the one that is shown, or one that nobody has ever been in
        if owner == session and place != "0":
            mine.append((int(place), window))
        elif owner != session and active == "1" and attached:
            others.append((-int(attached[0]), window))
    return tuple(dict.fromkeys(window for _, window in (*sorted(mine), *sorted(others))))
