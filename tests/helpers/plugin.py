"""A copy of the plugin in a folder with an awkward name, whose Python tells how it was called.

Setup is tested without network and in a blink: the copy's lock file names one small wheel, made
here, that holds a module for each dependency. The real lock is installed by `scripts/test` itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from helpers.servers import until

ROOT = Path(__file__).resolve().parents[2]
AWKWARD = 'it\'s a "plug in" #(touch hit) #{pane_id} $HOME;{a,b}%d`id`'
BASE = Path(sys.executable).resolve()  # the interpreter below the tests' environment

MODULES = ("click", "libtmux", "platformdirs", "prompt_toolkit", "pygit2", "rich")

# Writes how it was called where HQT_TOLD says, and ends as HQT_ENDS says.
SPY = """\
import json, os, sys

def main():
    if sys.argv[1:2] == ["--warm"]:
        if "HQT_TOLD" in os.environ:
            with open(os.environ["HQT_TOLD"] + ".warm", "a") as file:
                print(*sys.argv[2:], file=file)
        return 0
    if sys.flags.no_site:
        import site; site.main()
    print("hqt was here")
    print("and on stderr", file=sys.stderr)
    told = {
        "arguments": sys.argv, "directory": os.getcwd(), "environment": dict(os.environ),
        "prefix": sys.prefix, "executable": sys.executable, "path": sys.path,
        "cache": sys.pycache_prefix, "terminal": os.isatty(0), "utf8": sys.flags.utf8_mode,
        "input": "" if os.isatty(0) else sys.stdin.read(),
    }
    if "HQT_TOLD" in os.environ:
        with open(os.environ["HQT_TOLD"], "a") as file:
            print(json.dumps(told), file=file)
    return int(os.environ.get("HQT_ENDS", "0"))
"""


@dataclass(frozen=True)
class Plugin:
    """The copy."""

    root: Path
    wheels: Path
    home: Path

    @property
    def data(self) -> Path:
        """Where it keeps its environments."""
        return self.home / ".local/share/hqt"

    @property
    def environments(self) -> list[Path]:
        return sorted((self.data / "envs").glob("*"))

    def run(self, script: str, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """One of its scripts, in a sealed environment and without a terminal."""
        return subprocess.run(
            [str(self.root / script), *arguments],
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def environment(self, **env: str) -> dict[str, str]:
        """What a script gets: nothing of the caller's that could lead to a Python or a network."""
        known = ("HOME", "LC_ALL", "TMUX_TMPDIR")
        return (
            {name: os.environ[name] for name in known}
            | {
                "PATH": os.environ["PATH"],
                "HQT_WHEELHOUSE": str(self.wheels),
                "PIP_NO_INDEX": "1",
                "UV_OFFLINE": "1",
            }
            | env
        )

    def end(self) -> None:
        """End what the entry has started behind everything else: it would make the home anew."""
        until(lambda: not _killed(self.home))

    def change_lock(self, comment: str) -> None:
        """Another lock file with the same content, as after an upgrade."""
        body = f"{self.root.joinpath('requirements.lock').read_text().split(chr(10), 1)[1]}"
        write_lock(self.root / "requirements.lock", f"{body}# {comment}\n")


def plugin(home: Path, folder: str = AWKWARD) -> Plugin:
    """Make the copy in `home/folder`."""
    root, wheels = home / folder, home / "wheels"
    root.mkdir()
    wheels.mkdir(exist_ok=True)
    shutil.copy(ROOT / "hqt.tmux", root)
    shutil.copytree(ROOT / "scripts", root / "scripts")
    package = root / "python/hqt"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(SPY)
    name = "hqt_stand_in-1.0-py3-none-any.whl"
    (wheels / name).write_bytes(_wheel())
    pinned = f"hqt-stand-in==1.0 --hash=sha256:{hashlib.sha256(_wheel()).hexdigest()}\n"
    write_lock(root / "requirements.lock", pinned)
    return Plugin(root, wheels, home)


def write_lock(path: Path, body: str) -> None:
    """A lock file as `scripts/lock` writes it."""
    path.write_text(
        f"# sha256 {hashlib.sha256(body.encode()).hexdigest()} of the lines below\n{body}"
    )


def told(file: Path) -> list[dict[str, Any]]:
    """What the copy's Python wrote to HQT_TOLD, a record a call."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def tree(root: Path) -> dict[str, tuple[int, int]]:
    """Every file below `root`, with what changes when somebody writes to it."""
    return {
        str(path.relative_to(root)): (path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in [root, *root.rglob("*")]
    }


def programs(
    folder: Path,
    *names: str,
    python: Path | None = BASE,
    scripts: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A PATH of one new folder: what a POSIX system always has, and those named.

    `python` is linked as `python3`; `scripts` are small shell scripts by name.
    """
    folder.mkdir(parents=True)
    always = (
        "sh dirname mktemp cat sed grep mkdir mv rm id tr readlink env tail ps ln sleep".split()
    )
    for name in (*always, *names):
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    if python:
        (folder / "python3").symlink_to(python)
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return str(folder)


def uv() -> Path | None:
    """uv itself, where there is one: not a shim, which needs more of the PATH than a test gives."""
    for folder in (Path(sys.executable).parent, *map(Path, os.environ["PATH"].split(":"))):
        if (folder / "uv").is_file() and "shims" not in folder.parts:
            return folder / "uv"
    return None


def interpreter_without(folder: Path, *modules: str) -> Path:
    """A Python as a distribution splits it: the tests' own, without these modules of the library.

    "site-packages" takes pip away.
    """
    library = Path(sysconfig.get_path("stdlib"))
    (folder / "bin").mkdir(parents=True)
    binary = folder / "bin" / BASE.name
    shutil.copy(BASE, binary)
    copy = folder / "lib" / library.name
    copy.mkdir(parents=True)
    for entry in library.iterdir():
        if entry.name not in modules and entry.name != "__pycache__":
            (copy / entry.name).symlink_to(entry)
    return binary


def kept_bytecode() -> Path:
    """Where calls of the real hqt keep their bytecode between tests; each has a HOME of its own."""
    if sys.pycache_prefix:
        return Path(sys.pycache_prefix)
    return Path(tempfile.gettempdir()) / f"hqt-tests-pycache-{os.getuid()}"


def launcher_environment() -> dict[str, str]:
    """What makes `scripts/hqt` run the real hqt inside the tests' own environment."""
    return {"HQT_PYTHON": sys.executable, "HQT_PYCACHE": str(kept_bytecode())}


def _killed(home: Path) -> list[int]:
    """The processes with this home, which have been killed now."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"HOME=%s" % os.fsencode(home) in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
                found.append(int(process.name))
    return found


@cache
def _wheel() -> bytes:
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as wheel:
            for module in MODULES:
                wheel.writestr(zipfile.ZipInfo(f"{module}/__init__.py"), "")
            for module in ("console", "table"):
                wheel.writestr(zipfile.ZipInfo(f"rich/{module}.py"), "")
            info = "hqt_stand_in-1.0.dist-info"
            head = "Metadata-Version: 2.1\nName: hqt-stand-in\nVersion: 1.0\n"
            wheel.writestr(zipfile.ZipInfo(f"{info}/METADATA"), head)
            kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            wheel.writestr(zipfile.ZipInfo(f"{info}/WHEEL"), kind)
            names = [entry.filename for entry in wheel.infolist()]
            record = "".join(f"{name},,\n" for name in [*names, f"{info}/RECORD"])
            wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD"), record)
        file.seek(0)
        return file.read()
