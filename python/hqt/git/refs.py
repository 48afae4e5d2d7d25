"""Reading references from their files. Nothing is cached beyond one `RefFiles`.

Only for the files backend; where references are kept in reftable, `files_of` says None and git is
asked.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hqt.git import files, process

_HEX = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?)(?:\s|$)")
_DEPTH = 5  # git's own limit of symbolic references in a row
_PACKED_HEAD = re.compile(rb"^[0-9a-f]+ refs/heads/(.+)$", re.MULTILINE)


class Head(NamedTuple):
    """Where a HEAD points. A branch without a commit is unborn; neither means unreadable."""

    ref: str | None  # full name of the last reference in the chain; None when detached
    commit: str | None  # hex

    @property
    def branch(self) -> str | None:
        """The short name, if it is a local branch."""
        if self.ref is None or not self.ref.startswith("refs/heads/"):
            return None
        return self.ref.removeprefix("refs/heads/")


def files_of(common_dir: Path) -> RefFiles | None:
    """The reference files of a repository; None when it keeps its references elsewhere."""
    return None if (common_dir / "reftable").is_dir() else RefFiles(common_dir)


def commit_of(common_dir: Path, name: str) -> str | None:
    """The object that a full reference name leads to, in hex; None when there is none."""
    if backend := files_of(common_dir):
        return backend.commit(name)
    query = ("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    answer = process.ask(f"--git-dir={common_dir}", *query, cwd=common_dir)
    return answer.text if answer.status == 0 else None


def head_of(common_dir: Path, git_dir: Path) -> Head:
    """HEAD of the checkout with this admin (or common) directory."""
    if backend := files_of(common_dir):
        return backend.head(git_dir)
    where, cwd = f"--git-dir={git_dir}", git_dir
    ref = process.ask(where, "symbolic-ref", "--quiet", "HEAD", cwd=cwd)
    commit = process.ask(where, "rev-parse", "--verify", "--quiet", "HEAD", cwd=cwd)
    return Head(ref.text or None, commit.text if commit.status == 0 else None)


class RefFiles:
    """Loose and packed references of one repository, for the length of one look."""

    def __init__(self, common_dir: Path) -> None:
        self._common = str(common_dir)
        self._packed = b""
        self._stamp: tuple[int, int, int] | None = None

    def head(self, git_dir: Path) -> Head:
        """HEAD of the checkout with this admin (or common) directory."""
        return self._resolve(f"{git_dir}/HEAD", None)

    def commit(self, name: str) -> str | None:
        """The object a full reference name leads to, in hex; None when there is none."""
        return self._resolve(f"{self._common}/{name}", name).commit

    def branches(self) -> frozenset[str]:
        """The short names of all local branches."""
        loose = (os.fsdecode(name) for name in _walk(os.fsencode(f"{self._common}/refs/heads")))
        packed = (os.fsdecode(name) for name in _PACKED_HEAD.findall(self._reread()))
        return frozenset((*loose, *packed))

    def _resolve(self, file: str, name: str | None) -> Head:
        for _ in range(_DEPTH):
            content = _read(file)
            if content is None:
                return Head(name, self._find(name) if name else None)
            if not content.startswith(b"ref:"):
                found = _HEX.match(content)
                # all zeros: the placeholder of a worktree that is being made
                commit = found[1].decode() if found and found[1].strip(b"0") else None
                return Head(name, commit)
            name = os.fsdecode(content[4:].strip())
            if not name.startswith("refs/") or ".." in name:
                break
            file = f"{self._common}/{name}"
        return Head(None, None)

    def _find(self, name: str) -> str | None:
        """The entry of packed-refs; read after the loose file was missed, as git packs in that
        order.
        """
        packed = self._reread()
        at = packed.find(b" " + os.fsencode(name) + b"\n")
        if at < 0:
            return None
        found = _HEX.fullmatch(packed[packed.rfind(b"\n", 0, at) + 1 : at])
        return found[1].decode() if found else None

    def _reread(self) -> bytes:
        file = f"{self._common}/packed-refs"
        try:
            now = os.stat(file)  # noqa: PTH116
            stamp = (now.st_mtime_ns, now.st_size, now.st_ino)
            if stamp != self._stamp:
                self._packed, self._stamp = files.read(file), stamp
        except OSError:
            self._packed, self._stamp = b"", None
        return self._packed


def _read(file: str) -> bytes | None:
    """A loose reference as its file spells it; a symbolic link counts as a symbolic reference."""
    try:
        return files.read(file, follow=False)
    except OSError as error:
        if error.errno != errno.ELOOP:
            return None
    except ValueError:
        return None
    target = os.fsencode(Path(file).readlink())
    return b"ref: " + target if target.startswith(b"refs/") else None


def _walk(folder: bytes, prefix: bytes = b"") -> Iterator[bytes]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, prefix + entry.name + b"/")
        elif not entry.name.endswith(b".lock"):
            yield prefix + entry.name
