"""Which hooks Codex runs: those that its user trusts, each by the hash of what it is.

Codex keeps it in its `config.toml`, as `[hooks.state."FILE:EVENT:GROUP:NUMBER"]`; a hook without a
`trusted_hash`, or with another one than it has, is skipped silently. Checked with codex 0.171.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

Standing = Literal["trusted", "changed", "new", "off"]

_WITHOUT_MATCHER = frozenset({"UserPromptSubmit", "Stop"})  # where Codex leaves one out
_TIMEOUT = 600  # seconds, where the hook names none


def standings(
    file: Path, event: str, groups: object, state: Mapping[str, Any]
) -> Iterator[tuple[str, Standing]]:
    """The command of each hook of an event in `file`, and how Codex stands to it.

    `groups` is the event's list as the file holds it, `state` the table `hooks.state`.
    """
    for group_number, group in enumerate(groups if isinstance(groups, list) else ()):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for number, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            if isinstance(hook, dict) and isinstance(hook.get("command"), str):
                place = f"{_label(event)}:{group_number}:{number}"
                yield hook["command"], _standing(file, place, _hash(event, group, hook), state)


def _standing(file: Path, place: str, hash: str, state: Mapping[str, Any]) -> Standing:
    # Codex resolves a CODEX_HOME, and no default one; the file itself never.
    folders = (file.parent, Path(os.path.realpath(file.parent)))
    known = [state.get(f"{folder / file.name}:{place}") for folder in folders]
    found = next((one for one in known if isinstance(one, dict)), {})
    if found.get("enabled") is False:
        return "off"
    if "trusted_hash" not in found:
        return "new"
    return "trusted" if found["trusted_hash"] == hash else "changed"


def _hash(event: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    timeout = hook.get("timeout", _TIMEOUT)
    identity: dict[str, Any] = {
        "type": "command",
        "command": hook["command"],
        "timeout": max(timeout, 1) if isinstance(timeout, int) else timeout,
        "async": hook.get("async", False),
    }
    if hook.get("statusMessage") is not None:
        identity["statusMessage"] = hook["statusMessage"]
    whole: dict[str, Any] = {"event_name": _label(event), "hooks": [identity]}
    if event not in _WITHOUT_MATCHER and group.get("matcher") is not None:
        whole["matcher"] = group["matcher"]
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def _label(event: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
