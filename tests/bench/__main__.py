"""`scripts/bench`: measure, print one table, and say which targets of design §7 are met."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from bench.cases import cases
from bench.measure import Case, Row, Skipped, measure
from bench.terminal import Terminal
from bench.world import PLUGIN, World, memory, world

HEADINGS = ("what", "hqt ms", "reference ms", "ratio", "target", "met", "against")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 when everything that could be measured was, whether targets are met or not."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each side (default 9)")
    parser.add_argument("--big", action="store_true", help="also a repository of 10,000 files")
    parser.add_argument("--huge", action="store_true", help="also one of 100,000 files")
    parser.add_argument("--cold", action="store_true", help="without the warm start")
    parser.add_argument(
        "--in",
        dest="place",
        type=Path,
        metavar="DIR",
        help="where the scratch repositories are (default: the folder for temporary files; with"
        " --huge memory, where there is room)",
    )
    parser.add_argument("--only", metavar="WORD", help="only the lines that hold WORD")
    parser.add_argument(
        "--hqt", type=Path, default=PLUGIN / "scripts/hqt", help="the launcher to measure"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # then the world is cleared up too
    rows: list[Row] = []
    place = options.place or (memory() if options.huge else None)
    with world(options.hqt.absolute(), warm=not options.cold, place=place) as made:
        versions = _versions(made)
        with Terminal(made) as terminal:
            for case in _wanted(made, terminal, options):
                sys.stderr.write(f"... {case.what}, against {case.against}\n")
                rows.append(_measured(made, case, options.rounds))
    answer = json.dumps(_document(versions, rows), indent=2) if options.json else None
    sys.stdout.write(f"{answer or _table(versions, rows)}\n")
    return int(any(row.note.startswith("failed") for row in rows))


def _wanted(made: World, terminal: Terminal, options: argparse.Namespace) -> Iterator[Case]:
    sizes = [size for size, asked in ((10_000, options.big), (100_000, options.huge)) if asked]
    for case in cases(made, terminal, sizes, warm=not options.cold):
        if not options.only or options.only in f"{case.what} {case.against}":
            yield case


def _measured(made: World, case: Case, rounds: int) -> Row:
    """A case as a row, whatever happens: a verb that is missing skips it, a failure is told."""
    try:
        made.require_verbs(*case.needs)
        return measure(case, rounds)
    except Skipped as reason:
        note = f"skipped: {reason}"
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        first, *rest = str(error).splitlines() or [type(error).__name__]
        note = " ".join([f"failed: {first}", *rest[-1:]])
    return Row(case.what, case.against, case.target, note=note)


def _versions(made: World) -> dict[str, str]:
    return {
        "git": made.run(["git", "--version"]).removeprefix("git version "),
        "tmux": made.run(["tmux", "-V"]).removeprefix("tmux "),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        "in": str(made.root.parent),
    }


def _cells(row: Row) -> tuple[str, ...]:
    target = str(row.target) if row.target else "-"
    if not row.measured:
        return row.what, "-", "-", "-", target, "-", row.against
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    ours, reference = median(row.ours), median(row.reference)
    return row.what, f"{ours:.1f}", f"{reference:.1f}", f"{row.ratio:.2f}", target, met, row.against


def _table(versions: dict[str, str], rows: Sequence[Row]) -> str:
    """Plain text: columns padded to their widest cell, notes below."""
    lines = [HEADINGS, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    figures = range(1, 4)  # to the right

    def padded(line: tuple[str, ...]) -> str:
        cells = [
            cell.rjust(width) if column in figures else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    notes = [f"{row.what}, against {row.against}: {row.note}" for row in rows if row.note]
    used = ", ".join(f"{name} {version}" for name, version in versions.items())
    return "\n".join([*map(padded, lines), "", *notes, f"Medians of one run; {used}."])


def _document(versions: dict[str, str], rows: Sequence[Row]) -> dict[str, object]:
    figures = [
        {
            **asdict(row),
            "target": str(row.target) if row.target else None,
            "ratio": row.ratio if row.measured else None,
            "met": row.met,
        }
        for row in rows
    ]
    return {"schema_version": 1, "versions": versions, "rows": figures}


if __name__ == "__main__":
    sys.exit(main())
