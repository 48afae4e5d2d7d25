"""Names: slugs, branch names, generated names, tmux session names. Pure functions.

The rules are those of design §5, "Names"; git's own are `git check-ref-format --branch`.
"""

from __future__ import annotations

import os.path
import re
from pathlib import PurePath

# Longest component in bytes: a file system takes 255, and git appends ".lock" to a ref's file.
MAX_COMPONENT = 250

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
_POOL = ".worktrees"
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def slug(text: str) -> str:
    """`text` as a name for a branch or folder: "" when nothing of it can be kept.

    Lower case, Unicode letters and digits kept, each run of anything else one "-", ends trimmed;
    cut to fit a file name.
    """
    lowered = re.sub(r"[\W_]+", "-", text.lower()).strip("-")
    cut = lowered.encode(errors="ignore")[:MAX_COMPONENT].decode(errors="ignore")
    return cut.strip("-")


def is_branch_name(name: str) -> bool:
    """Whether git accepts `name` for a branch (`git check-ref-format --branch`)."""
    if not name or name.startswith(("-", "/")) or name.endswith(("/", ".")) or name == "HEAD":
        return False
    if _FORBIDDEN.search(name):
        return False
    try:
        parts = [part.encode() for part in name.split("/")]
    except UnicodeEncodeError:  # surrogates: bytes that are not UTF-8
        return False
    return all(
        part
        and not part.startswith(b".")
        and not part.endswith(b".lock")
        and len(part) <= MAX_COMPONENT
        for part in parts
    )


def is_taken_by_targets(name: str) -> bool:
    """Whether a name always means something else where a target is asked for: a folder from here,
    or a window of tmux. What is called so could not be reached by its name."""
    return name in {".", ".."} or bool(re.fullmatch(r"@\d+", name))


def tmux_session_name(path: PurePath) -> str:
    """The derived tmux session name of the worktree at `path`: pure, total, never stored.

    The components below the last `.worktrees` folder joined by "-", else the base name; characters
    other than Unicode letters, digits, "_" and "-" become "-", runs one, ends trimmed.
    """
    parts = path.parts
    below = [index for index, part in enumerate(parts) if part == _POOL]
    chosen = parts[below[-1] + 1 :] if below else parts[-1:]
    name = re.sub(r"[^\w-]+", "-", "-".join(chosen))
    return re.sub(r"-+", "-", name).strip("-") or "worktree"


def branch_sign(icons: str) -> str:
    """What stands before a branch, as `@hqt-icons` says: `ascii`, else Unicode."""
    return "Y" if icons == "ascii" else "⎇"


def printable(text: str) -> str:
    """`text` fit for one line of a terminal: control characters, line separators and lone
    surrogates become "�", so that no name can move the cursor or forge a line."""
    return _UNPRINTABLE.sub("�", text)


def sentence(text: str) -> str:
    """`text` with a full stop, unless it ends as sentences do: a name at its end may."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def expanded(path: str) -> str:
    """A typed path with a leading `~` or `~user` replaced; left as it is where nobody is meant."""
    return os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser raises for an unknown user
