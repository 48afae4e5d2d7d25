"""The signs that screens draw: a Unicode set and one for terminals that have only ASCII."""

from __future__ import annotations

from dataclasses import dataclass

from hqt.names import branch_sign


@dataclass(frozen=True, slots=True)
class Icons:
    """One set of signs, each one cell wide except the boxes and radio buttons."""

    branch: str
    cursor: str
    mark: str
    ellipsis: str
    unique: str
    rule: str
    bar_full: str
    bar_empty: str
    checked: str
    unchecked: str
    chosen: str
    unchosen: str
    previous: str
    next: str
    left: str
    right: str
    up: str
    down: str
    wall: str  # a vertical line
    arrow: str
    states: tuple[tuple[str, str], ...]

    def state(self, name: str) -> str:
        """The sign of a session's state; a blank for a worktree without a session."""
        return dict(self.states).get(name, " ")


UNICODE = Icons(
    branch=branch_sign("unicode"),
    cursor="❯",
    mark="✓",
    ellipsis="…",
    unique="↑",
    rule="─",
    bar_full="█",
    bar_empty="░",
    checked="[x]",
    unchecked="[ ]",
    chosen="(•)",
    unchosen="( )",
    previous="‹",
    next="›",
    left="←",
    right="→",
    up="↑",
    down="↓",
    wall="│",
    arrow="→",
    states=(
        ("working", "●"),
        ("waiting", "◆"),
        ("done", "✔"),
        ("idle", "○"),
        ("error", "✗"),
        ("unknown", "?"),
        ("closed", "·"),
        ("archived", "▪"),
    ),
)

ASCII = Icons(
    branch=branch_sign("ascii"),
    cursor=">",
    mark="+",
    ellipsis="~",
    unique="^",
    rule="-",
    bar_full="#",
    bar_empty=".",
    checked="[x]",
    unchecked="[ ]",
    chosen="(*)",
    unchosen="( )",
    previous="<",
    next=">",
    left="<",
    right=">",
    up="^",
    down="v",
    wall="|",
    arrow="->",
    states=(
        ("working", "*"),
        ("waiting", "!"),
        ("done", "="),
        ("idle", "o"),
        ("error", "x"),
        ("unknown", "?"),
        ("closed", "."),
        ("archived", "a"),
    ),
)


def named(name: str) -> Icons:
    """The set that `@hqt-icons` names: `ascii`, else Unicode."""
    return ASCII if name == "ascii" else UNICODE
