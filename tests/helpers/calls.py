"""Calls of hqt as a user makes them, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).resolve().parents[2] / "python"
WARM = "HQT_TEST_WARM" in os.environ  # asked before the seal takes it away


@dataclass(frozen=True)
class Call:
    """What a call of hqt gave."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of a failed `--json` call; fails if the call kept to its promise otherwise."""
        assert self.status != 0, f"it succeeded: {self.out}"
        assert self.out == "", f"a failure leaves stdout empty: {self.out}"
        lines = self.err.splitlines()
        assert len(lines) == 1, f"one line on stderr: {self.err}"
        document = json.loads(lines[0])
        assert document["schema_version"] == 1
        error: dict[str, Any] = document["error"]
        assert set(error) == {"code", "message", "remedy", "details"}
        assert error["message"].endswith(".")
        assert error["remedy"] == "" or error["remedy"].endswith(".")
        return error


def hqt(*arguments: str | Path, cwd: Path | None = None) -> Call:
    """Run hqt in this process, as if typed in `cwd`; where `HQT_TEST_WARM` is set, by a warm server
    in a process of its own."""
    if WARM:
        from helpers import warming

        return warming.run(warming.warm_words(*arguments), cwd=cwd, **warming.lasting())
    from hqt.cli import run

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    before = Path.cwd()
    os.chdir(cwd or before)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run([os.fspath(one) for one in arguments])
    finally:
        os.chdir(before)
    return Call(status, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def done(*arguments: str | Path, cwd: Path | None = None) -> Any:
    """The JSON answer of a call that must succeed."""
    call = hqt(*arguments, "--json", cwd=cwd)
    assert call.status == 0, call.err
    assert call.json["schema_version"] == 1
    return call.json


def refused(*arguments: str | Path, cwd: Path | None = None) -> dict[str, Any]:
    """The JSON error of a call that must fail."""
    return hqt(*arguments, "--json", cwd=cwd).error


def spawn(*arguments: str | Path, cwd: Path, code: str = "", **env: str) -> subprocess.Popen[bytes]:
    """hqt in a process of its own, to be signalled or killed; `code` is what that runs before, a
    warm server does not."""
    start = ["-m", "hqt"]
    if code:
        start = ["-c", f"{code}\nfrom hqt.__main__ import main\nraise SystemExit(main())"]
    words = [sys.executable, *start, *(os.fspath(one) for one in arguments)]
    if WARM:
        from helpers import warming

        words, env = warming.warm_words(*arguments), {**warming.lasting(), **env}
    return subprocess.Popen(
        words,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(PYTHON), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
