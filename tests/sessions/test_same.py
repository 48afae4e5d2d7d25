"""The same by hand and by agent: whoever makes a worktree, it is the same in every respect."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from helpers import repos
from helpers.calls import PYTHON, done, hqt
from helpers.repos import git
from helpers.servers import Server, until
from hqt.commands import ui_new
from hqt.models import Caller
from hqt.sessions import world as worlds
from hqt.ui.form_model import FormValues, Mode


@dataclass(frozen=True)
class Made:
    """All that can be seen of a new session, its own name left out of it."""

    directory: str
    start: str | None
    branch: str | None
    head: str | None
    base_commit: str | None
    label: str
    location: tuple[str, str]  # the window's tmux session, and where its pane is
    window_name: str
    listed: dict[str, Any]
    session: dict[str, Any]
    git_entry: str


def seen(tmux: Server, repo: Path, name: str, opened: list[Path]) -> Made:
    """What there is of the session called `name`, in a world in which it is the only one."""
    listed = done("-L", tmux.socket, "list", cwd=repo)
    [session] = [one for one in listed["sessions"] if one["nickname"] == name]
    [tree] = [one for one in listed["worktrees"] if session["id"] in one["sessions"]]
    window, place = session["window"], Path(tree["path"])
    assert until(lambda: tmux.ask("#{pane_current_path}", window).startswith(str(place)))
    pane = tmux.ask("#{pane_id}", window)
    hqt("-L", tmux.socket, "--client", "none", "--pane", pane, "ui", "git", cwd=Path("/"))

    def plain(value: Any) -> Any:
        """Without what must differ: the name, ids, the time."""
        text = str(value).replace(name, "NAME")
        text = re.sub(rf"{window}(?![0-9a-f])", "@N", text)  # NAME@1e623d names a commit
        return text.replace(session["id"], "ID").replace(tree["id"], "TREE")

    left_out = {"id", "created_at"}
    return Made(
        directory=plain(tree["path"]),
        start=git(place, "rev-parse", "HEAD"),
        branch=plain(tree["branch"]),
        head=tree["head"],
        base_commit=tree["base_commit"],
        label=plain(tree["label"]),
        location=(
            tmux.ask("#{session_name}", window),
            plain(tmux.ask("#{pane_current_path}", window)),
        ),
        window_name=plain(tmux.ask("#{window_name}", window)),
        listed={key: plain(value) for key, value in tree.items() if key not in left_out},
        session={key: plain(value) for key, value in session.items() if key not in left_out},
        git_entry=plain(opened[-1]),
    )


def by_hand(tmux: Server, pane: str, name: str, mode: Mode) -> None:
    """The form, as a key opens it for a pane: the wiring that its Enter calls."""
    caller = Caller(Path("/"), socket_name=tmux.socket, pane=pane, by_key=True)
    wiring = ui_new._Wiring(worlds.anywhere(caller))
    services, given = wiring.services(), wiring.defaults()
    branch = services.slug(name) if mode is Mode.NEW else ""
    values = FormValues(
        name, given.isolate, mode, branch, "", "", given.from_, given.harness, given.prompt
    )
    assert services.validate(values) == {}
    outcome = services.submit(values, lambda *_: None)
    assert outcome.ok, outcome.error


def by_agent(tmux: Server, pane: str, name: str, mode: Mode, told: Path) -> None:
    """`hqt new` in the pane of an agent, whose input is no terminal."""
    words = f"hqt new {name}" + (" --detach" if mode is Mode.DETACHED else "")
    call = words.replace("hqt", f"PYTHONPATH='{PYTHON}' '{sys.executable}' -m hqt", 1)
    tmux.cmd("send-keys", "-t", pane, f"{call} </dev/null >{told} 2>&1; echo $? >>{told}", "Enter")
    assert until(lambda: told.exists() and told.read_text().endswith("\n0\n")), told.read_text()


@pytest.mark.parametrize(
    ("mode", "setting", "inside"),
    [
        (Mode.NEW, "", "main"),
        (Mode.DETACHED, "", "worktree"),
        (Mode.NEW, "@hqt-from main", "worktree"),
        (Mode.NEW, "@hqt-worktree-dir ~/pool", "main"),
        (Mode.DETACHED, "@hqt-worktree-dir {checkout}/.agents/worktrees", "worktree"),
    ],
)
def test_made_in_the_form_or_by_an_agent(
    repo: Path,
    tmux: Server,
    sealed: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: Mode,
    setting: str,
    inside: str,
) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(os, "execv", lambda *_: opened.append(Path.cwd()))
    place = repo if inside == "main" else repos.linked(repo, sealed / "linked", "topic")
    if inside == "worktree":
        repos.commit(place, "of-its-own")
    folder = place / "deep" / "er"
    repos.commit(place, "deep/er/file")
    if setting:
        name, value = setting.split()
        tmux.cmd("set", "-g", name, value)
    pane = tmux.cmd("new-window", "-dP", "-F", "#{pane_id}", "-c", str(folder))
    assert until(lambda: tmux.ask("#{pane_current_path}", pane) == str(folder))
    exclude = repo / ".git" / "info" / "exclude"

    by_hand(tmux, pane, "by-hand", mode)
    hand, excluded = seen(tmux, repo, "by-hand", opened), exclude.read_text()
    done("-L", tmux.socket, "remove", "by-hand", "--close", cwd=repo)

    by_agent(tmux, pane, "by-agent", mode, sealed / "told")
    agent = seen(tmux, repo, "by-agent", opened)

    assert agent == hand
    assert exclude.read_text() == excluded
    assert os.fspath(hand.git_entry) == hand.directory
