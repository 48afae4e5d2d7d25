"""Names that run something, or break something, wherever they are not taken as data.

`X` is what would be touched, in the working directory, if one of them ran.
"""

from __future__ import annotations

import os

NAMES = [
    "plain",
    "two words",
    "#(touch X)",
    "$(touch X)",
    "`touch X`",
    "'; touch X; '",
    '"quoted"',
    "ends in ;",
    "ends in \\;",
    "%%",
    "line\nbreak",
    "tab\there",
    "#[fg=red]",
    "a#[fg=red]b",
    "-leading",
    "é⎇😀",
    "back\\slash",
    "$HOME ${HOME}",
    "~",
    "{",
    "#{pane_id}",
    "%d",
    os.fsdecode(b"bad\xff"),
]
