"""The only printer: a result or a failure as text, as JSON, or as a tmux message."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hqt import documents, texts
from hqt.errors import Code, Failure, HqtError
from hqt.models import Caller, Progress
from hqt.names import printable
from hqt.results import Diagnosis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hqt.tables import Table

_MOMENT = 0.2  # seconds that nobody minds


def success(result: object, *, as_json: bool, told: Caller | None = None) -> int:
    """Print an answer on standard output, or tell it to the client of a silent key (`told`);
    return the exit status."""
    if told:
        _tell(told, *texts.sentences(result))
    elif as_json:
        _out(json.dumps(documents.document(result)))
    else:
        _say(result)
    return 1 if isinstance(result, Diagnosis) and not result.healthy else 0


def failure(error: Failure, *, as_json: bool, told: Caller | None = None) -> None:
    """Print a failure on standard error: one JSON line, or a sentence and its remedy; or tell it
    to the client of a silent key."""
    if told:
        _tell(told, f"hqt: {error.message}", error.remedy)
        return
    if as_json:
        _err(json.dumps(documents.error_document(error)))
        return
    for message, remedy in _reasons(error):
        _err(f"hqt: {_block(message)}")
        if remedy:
            _err(f"     {_block(remedy)}")


def meanwhile(sentence: str, *, told: Caller | None = None) -> None:
    """Say why nothing happens yet to a person who waits: at a terminal, or for a silent key."""
    if told:
        _tell(told, f"hqt: {sentence}")
    elif sys.stderr.isatty():
        _err(f"hqt: {sentence}")


def _reasons(error: Failure) -> list[tuple[str, str]]:
    """What there is to say, each with its own remedy: a refusal may have several reasons."""
    refusals = error.details.get("refusals")
    if isinstance(refusals, list) and len(refusals) > 1:
        return [(one["message"], one["remedy"]) for one in refusals]
    return [(error.message, error.remedy)]


def damaged(store: Path, *, told: Caller | None = None) -> None:
    """Say beside the answer, on standard error, that a damaged store was set aside as `store`."""
    if not told:  # `doctor` says it too
        _err(f"hqt: The store was damaged and set aside as {printable(str(store))};")
        _err("     a new one was begun. No worktree is affected; `hqt doctor` says more.")


def progress(stage: str, done: int, total: int) -> None:
    """One line of `--progress` on standard error."""
    _err(json.dumps({"stage": stage, "done": done, "total": total}))


@contextlib.contextmanager
def progressing(*, as_lines: bool) -> Iterator[Progress | None]:
    """What to tell progress to: JSON lines (`--progress`), else a bar for whoever waits at a
    terminal for longer than a moment, else nothing."""
    if as_lines or not sys.stderr.isatty():
        yield progress if as_lines else None
        return
    with contextlib.ExitStack() as shown:
        yield _bar(shown)


def _bar(shown: contextlib.ExitStack) -> Progress:
    """A bar that appears with the first news after a moment and goes when `shown` is left."""
    began, drawn = time.monotonic(), None

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal drawn
        if drawn is None:
            if not total or time.monotonic() - began < _MOMENT:
                return
            from rich.console import Console
            from rich.progress import Progress as Bar

            drawn = shown.enter_context(Bar(console=Console(stderr=True), transient=True))
            drawn.add_task(stage, total=total)
        drawn.update(drawn.task_ids[0], description=stage, completed=done, total=total)

    return tell


def confirmed(question: Iterable[str]) -> bool:
    """Ask the user at the terminal; anything but a yes is a no."""
    for line in question:
        _err(line)
    sys.stderr.write("[y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _tell(caller: Caller, *sentences: str) -> None:
    from hqt.tmux import messages, server

    tmux = server.connect(
        socket_name=caller.socket_name, socket_path=caller.socket_path, environ=os.environ
    )
    with contextlib.suppress(HqtError):
        messages.show(tmux, caller.client, *map(printable, sentences))


def _say(result: object) -> None:
    for part in texts.lines(result):
        if isinstance(part, str):
            _out(part)
        elif isinstance(part, bytes):
            _out_bytes(part)
        else:
            _draw(part)


def _out(text: str) -> None:
    _write(sys.stdout, text)


def _out_bytes(line: bytes) -> None:
    """A line as it is: a path may hold bytes that no encoding has."""
    with _writing():
        sys.stdout.flush()
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.flush()


def _err(text: str) -> None:
    _write(sys.stderr, text)


def _write(stream: Any, text: str) -> None:
    """Write a line in whatever encoding the stream has; what it cannot hold becomes "?"."""
    encoding = stream.encoding or "ascii"
    with _writing():
        print(text.encode(encoding, "replace").decode(encoding), file=stream, flush=True)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    """A full disk behind standard output is no fault of hqt's."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - what is left in the buffer is lost
        raise HqtError(
            Code.INTERRUPTED,
            f"The answer could not be written: {error.strerror}.",
            "What was asked has been done; `hqt list` shows it.",
        ) from error


def _block(text: str) -> str:
    lines = [printable(line) for line in text.splitlines()]
    return "\n".join((*lines[:1], *(f"     {line}" if line else "" for line in lines[1:])))


def _draw(table: Table) -> None:
    """A table as wide as the terminal; whole where nobody has to read it on one."""
    terminal = sys.stdout.isatty()
    headings, *rows = table.lines(shutil.get_terminal_size().columns if terminal else None)
    styled = terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    _out(f"\x1b[2m{headings}\x1b[0m" if styled else headings)
    for row in rows:
        _out(row)
