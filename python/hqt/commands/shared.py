"""What every verb has in common: the global flags, the caller, the way out."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.names import expanded


class Commands(click.Group):
    """A group whose help has each command with its whole first sentence, however long."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        every = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, one) for name, one in every if one and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(1000)) for name, one in shown])


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value:
        ctx.ensure_object(dict)[param.name] = value


def _go_on(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    """As with git, a relative folder counts from the one that was given before it."""
    settings = ctx.ensure_object(dict)
    for folder in filter(None, value):
        settings["directory"] = str(Path(settings.get("directory", ""), expanded(folder)))


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the global flags; the last one given wins, before or after the verb, and each -C goes on
    from the one before."""
    for option in reversed(
        [
            click.option(
                "-C",
                "directory",
                metavar="DIR",
                multiple=True,
                callback=_go_on,
                expose_value=False,
                help="As if started in DIR.",
            ),
            click.option("-L", "socket_name", metavar="NAME", help="The tmux server of that name."),
            click.option("--socket", "socket_path", metavar="PATH", help="The tmux server there."),
            click.option("--json", "json", is_flag=True, help="One JSON document on stdout."),
            click.option("--client", "client", hidden=True),
            click.option("--pane", "pane", hidden=True),
        ]
    ):
        function = option(function)
    return _keeping(function)


def _keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let the flags of `shared` land in the context instead of the function's arguments."""
    for parameter in function.__click_params__:  # type: ignore[attr-defined]  # click keeps them there
        if parameter.name in _FLAGS and parameter.callback is None:
            parameter.callback = _remember
            parameter.expose_value = False
    return function


_FLAGS = frozenset({"directory", "socket_name", "socket_path", "json", "client", "pane"})


def verb(name: str, **attributes: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A command of hqt: its function gets the `Caller` and returns a result for `report`."""

    def decorate(function: Callable[..., Any]) -> click.Command:
        @functools.wraps(function)
        def call(**parameters: Any) -> int:
            from hqt import paths
            from hqt.sessions import store

            ctx = click.get_current_context()
            settings = ctx.ensure_object(dict)
            damaged = store.damaged(paths.store_file())
            who = caller(ctx)
            result = function(who, **parameters)
            for found in store.damaged(paths.store_file()):
                if found not in damaged:
                    from hqt import report

                    report.damaged(found, told=silent(settings))
            status = 0
            if result is not None:
                from hqt import report

                as_json = bool(settings.get("json"))
                status = report.success(result, as_json=as_json, told=silent(settings))
            if name in _CHANGING:
                _recount(who)
            return status

        command: Callable[..., click.Command] = click.command(name, **attributes)
        return command(shared(call))

    return decorate


# The verbs after which a status line may be wrong: they change what is uncommitted in the checkout
# of a window, or what exists nowhere else.
_CHANGING = frozenset(
    {"new", "open", "move", "remove", "archive", "undo", "restore", "rename"}  # and trash restore
)


def _recount(who: Caller) -> None:
    """What a status line shows is counted again; the answer is out, so this may fail."""
    from hqt.sessions import world
    from hqt.tmux import status_line

    with contextlib.suppress(HqtError):
        status_line.refresh(world.connect(who))


def caller(ctx: click.Context) -> Caller:
    """Who calls, from the global flags, the terminal and the environment.

    Raises `usage` for a `-C` that is no directory, `not_a_repository` where the current directory
    has been deleted.
    """
    settings = ctx.ensure_object(dict)
    return Caller(
        directory=_directory(settings.get("directory")),
        socket_name=settings.get("socket_name"),
        socket_path=settings.get("socket_path"),
        client=settings.get("client"),
        pane=settings.get("pane") or _own_pane(settings),
        by_key=bool(settings.get("pane")) and not settings.get("directory"),
        interactive=sys.stdin is not None and sys.stdin.isatty(),
        process=settings.get("process"),
        tell=_telling(settings, "ui" in ctx.command_path.split()),
    )


def _telling(settings: Mapping[str, Any], on_screen: bool) -> Callable[[str], None]:
    """What says a sentence once: in tmux to the client of a key, else on standard error, where
    neither JSON is expected nor a screen drawn."""
    said: set[str] = set()

    def tell(sentence: str) -> None:
        told = silent(settings)
        if sentence in said or ((on_screen or settings.get("json")) and not told):
            return
        said.add(sentence)
        from hqt import report

        report.meanwhile(sentence, told=told)

    return tell


def _own_pane(settings: Mapping[str, Any]) -> str | None:
    """The pane this runs in, if it is one of the server that is asked: an id means another pane in
    another server."""
    socket = os.environ.get("TMUX", "").rsplit(",", 2)[0]
    asked = settings.get("socket_path")
    if not asked and (name := settings.get("socket_name")):
        folder = os.environ.get("TMUX_TMPDIR") or "/tmp"
        asked = f"{folder}/tmux-{os.getuid()}/{name}"
    if asked and os.path.realpath(asked) != os.path.realpath(socket):
        return None
    return os.environ.get("TMUX_PANE")


def _directory(asked: str | None) -> Path:
    try:
        here = Path.cwd()
    except FileNotFoundError:
        if asked is None or not Path(asked).is_absolute():
            raise HqtError(
                Code.NOT_A_REPOSITORY,
                "The current directory does not exist any more.",
                "Change to a folder that exists, then try again.",
            ) from None
        here = Path("/")
    directory = here / asked if asked else here
    if asked and not directory.is_dir():
        raise HqtError(
            Code.USAGE, f"-C {asked}: there is no such folder.", "Name a folder that exists."
        )
    return directory


def silent(settings: Mapping[str, Any]) -> Caller | None:
    """Who to tell the answer in tmux: the client of a key. What it prints nobody reads, and a
    popup closes over it."""
    if not settings.get("client") or settings.get("json"):
        return None
    return Caller(
        Path("/"),
        settings.get("socket_name"),
        settings.get("socket_path"),
        settings["client"],
        settings.get("pane"),
    )


def wants_json() -> bool:
    """Whether this call asked for JSON, which tells more than a line for people does."""
    return bool(click.get_current_context().ensure_object(dict).get("json"))
