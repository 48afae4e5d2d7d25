"""The command line: the click group, and the boundary that turns failures into exit statuses."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
import termios
from collections.abc import Sequence
from typing import Any

import click

from hqt import __version__, signals, streams
from hqt.commands.shared import Commands, shared, silent
from hqt.errors import Become, Code, Failure, HqtError, Interrupted

# The verbs in the order of their use, each a module of `commands` with a `command` in it.
VERBS = (
    "new",
    "list",
    "inspect",
    "path",
    "open",
    "move",
    "remove",
    "archive",
    "undo",
    "trash",
    "restore",
    "lock",
    "unlock",
    "rename",
    "doctor",
    "config",
    "trust",
    "status",
    "jump",
    "agent",
    "instructions",
    "install",
    "uninstall",
    "ui",
)


class Verbs(Commands):
    """Loads a verb's module only when that verb is called."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"hqt.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but the verbs that may have been meant are named."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = _near(args[0])
            if not near:
                raise
            names = " or ".join(map(repr, near))
            raise click.UsageError(f"{error.message} Did you mean {names}?", ctx) from None


def _near(typed: str) -> list[str]:
    """The verbs that begin so, else those that are spelled most like it."""
    import difflib

    if begun := [verb for verb in VERBS if typed and verb.startswith(typed)]:
        return begun
    like = [(difflib.SequenceMatcher(None, verb, typed).ratio(), verb) for verb in VERBS]
    best = max(like)[0]
    return [verb for ratio, verb in like if ratio >= max(0.6, best - 0.05)]


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hqt", message="%(prog)s %(version)s")
@shared
def cli() -> None:
    """A git worktree and a tmux window of its own for every task; no work ever lost."""


def run(arguments: Sequence[str], *, for_whom: int | None = None) -> int:
    """Run one call of hqt and return its exit status (design §4: 0, 1, 2, 3 or 130).

    `for_whom` is the process that called, where another one works for it (the warm start). Then
    `Become` is raised for it; else this process becomes what it says.
    """
    streams.require()
    settings: dict[str, Any] = {"process": for_whom}
    try:
        with signals.interruptible():
            try:
                status = cli.main(list(arguments), "hqt", standalone_mode=False, obj=settings)
                return status if isinstance(status, int) else 0
            except (Exception, Interrupted) as error:  # noqa: BLE001 - the boundary: nothing gets past it as a traceback
                signals.ignore()  # only the answer is left
                return _answered(error, arguments, settings)
    except Become as wish:
        if for_whom is not None:
            raise
        os.chdir(wish.folder)
        os.execv(wish.words[0], wish.words)
    except (Exception, Interrupted) as error:  # noqa: BLE001 - one that came at the block's ends
        return _answered(error, arguments, settings)


def _answered(error: BaseException, arguments: Sequence[str], settings: dict[str, Any]) -> int:
    """Tell what went wrong, if anybody is left to be told; the exit status."""
    from hqt import report

    failure = _expected(error)
    if failure.code is Code.USAGE and any(one.startswith("--json") for one in arguments):
        settings["json"] = True
    as_json = bool(settings.get("json"))
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        failure.message += f"\n\n{error.format_message()}\n"
    with contextlib.suppress(OSError, HqtError):
        report.failure(failure, as_json=as_json, told=silent(settings))
    return failure.exit_status


def _expected(error: BaseException) -> Failure:
    """Any exception as the error it is for the user; a fault in hqt goes into the log, whole."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "hqt"
        message = error.format_message().strip().rstrip(".")
        message += "" if message.endswith("?") else "."
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            message = f"{where} needs a command after it."
        return HqtError(Code.USAGE, message, f"See `{where} --help`.")
    # The modules that ask a terminal have an error of their own, which is no OSError.
    lost = OSError(*error.args) if isinstance(error, termios.error) else error
    if isinstance(lost, OSError) and (lost.errno, lost.filename) == (errno.EIO, None):
        return HqtError(Code.INTERRUPTED, "The terminal has gone; nothing more was done.", "")
    if isinstance(error, click.Abort):
        return HqtError(Code.INTERRUPTED, "Stopped; nothing was done.", "")
    if isinstance(error, BrokenPipeError):
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - nobody reads: quiet at exit
        return HqtError(Code.INTERRUPTED, "Nobody read the answer.", "")
    from hqt import faults

    return faults.logged(error)
