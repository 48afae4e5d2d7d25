"""`hqt new`: a session, in a repository isolated in a new worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hqt.commands.shared import verb, wants_json
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.results import Opened

if TYPE_CHECKING:
    from hqt.sessions.planning import Wish


@verb("new")
@click.argument("name", default="")
@click.option("-b", "--branch", metavar="BRANCH", help="The new branch (default: from NAME).")
@click.option("--checkout", metavar="BRANCH", help="An existing or remote-tracking branch.")
@click.option("--detach", is_flag=True, help="No branch: a detached HEAD.")
@click.option("--no-worktree", "plain", is_flag=True, help="Stay in the checkout you are in.")
@click.option("--from", "start", metavar="REV", help="Where the branch starts (default: HEAD).")
@click.option("--path", metavar="DIR", help="The new worktree's folder.")
@click.option("-H", "--harness", metavar="HARNESS", help="What runs in the window.")
@click.option("-p", "--prompt", metavar="PROMPT", help="What the harness is told first.")
@click.option("--fork", metavar="SESSION", help="Begin with that session's conversation.")
@click.option("-d", "--detached", "stay", is_flag=True, help="Do not switch to the window.")
@click.option("--switch", is_flag=True, help="Switch to the window.")
@click.option("--no-window", is_flag=True, help="No window: a closed session that owns it.")
@click.option("-s", "--tmux-session", metavar="TMUX_SESSION", help="Where the window goes.")
@click.option("--progress", is_flag=True, help="The stages as JSON lines on standard error.")
def command(caller: Caller, stay: bool, switch: bool, no_window: bool, **asked: Any) -> Opened:
    """A new place to work: branch, worktree, window, and what runs in it.

    NAME is the session's nickname and gives the branch its name.
    """
    from hqt import report
    from hqt.sessions.create import create
    from hqt.sessions.planning import Wish

    as_lines = asked.pop("progress")
    _exclusive(
        {
            "-b": asked["branch"] is not None,
            "--checkout": asked["checkout"] is not None,
            "--detach": asked["detach"],
            "--no-worktree": asked["plain"],
        }
    )
    _exclusive({"--from": asked["start"] is not None, "--checkout": asked["checkout"] is not None})
    _exclusive({"-d": stay, "--switch": switch})
    for flag, given in {
        "--from": asked["start"] is not None,
        "--path": asked["path"] is not None,
        "--no-window": no_window,
    }.items():
        _exclusive({flag: given, "--no-worktree": asked["plain"]})
    _exclusive({"-s": asked["tmux_session"] is not None, "--no-window": no_window})
    _exclusive({"--switch": switch, "--no-window": no_window})
    for flag, value in {"--path": asked["path"], "-s": asked["tmux_session"]}.items():
        if value == "":
            raise HqtError(
                Code.USAGE, f"{flag} was given nothing; nothing was made.", "See `hqt new --help`."
            )
    if caller.interactive and not caller.client and not no_window and not asked["plain"]:
        _ask_about_setup(caller)
    wish = Wish(switch=True if switch else (False if stay else None), window=not no_window, **asked)
    with report.progressing(as_lines=as_lines) as progress:
        try:
            return create(caller, wish, progress, counts=wants_json())
        except HqtError as error:
            if caller.client and not wants_json():
                raise _in_short(error, wish) from error
            raise


def _in_short(error: HqtError, wish: Wish) -> HqtError:
    """For a status line, which has one line for somebody who is doing something else by now: which
    one it is, and what failed first. All of it is in the log."""
    from hqt import faults

    if error.code is Code.INTERRUPTED:
        return error
    name = wish.nickname or wish.branch or wish.checkout or "The session"
    faults.note(f"new {name}: {error.message} {error.remedy}")
    first = error.message.partition(";")[0].rstrip(".")
    return HqtError(error.code, f"{name} was not made: {first}.", error.remedy, error.details)


def _ask_about_setup(caller: Caller) -> None:
    """Once for each content of a repository's `.hqt.toml`, before anything is made."""
    from hqt.sessions import trust

    if found := trust.pending(caller):
        from hqt.commands.trust import ask

        ask(found)


def _exclusive(flags: dict[str, bool]) -> None:
    given = [flag for flag, there in flags.items() if there]
    if len(given) > 1:
        raise HqtError(
            Code.USAGE,
            f"{' and '.join(given)} exclude each other; nothing was made.",
            "Give one of them.",
        )
