"""Whether a new worktree holds nothing but the files of its commit, whole or cut off.

Nothing is written for the answer: the disk may be full. In doubt the worktree counts as used.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hqt.errors import HqtError
from hqt.git import admin, files, process, refs
from hqt.git.operations import operation_in_progress
from hqt.models import Repository

_GITLINK = "160000"
_SYMLINK = "120000"
_MOST_CUT_OFF = 64  # files that can have been under way at once when a checkout ended


@dataclass(frozen=True, slots=True)
class _Stored:
    mode: str  # as the tree spells it: 100644, 100755, 120000, 160000
    id: str


def why_used(repo: Repository, entry: Path, path: Path, commit: str) -> str | None:
    """Why the worktree at `path` may not be deleted as if it had never been; None when it may.

    A clause for "as …": somebody has worked in it, or that cannot be excluded.
    """
    if not admin.points_back(entry, path):
        return "something else is at its place"
    if operation_in_progress(entry):
        return "an operation is in progress in it"
    try:
        if not _is_head_at(repo, entry, commit) or _was_elsewhere(repo, entry, commit):
            return "it holds work of its own"
        if _is_staged(entry, path, commit):
            return "it holds work of its own"
        if _is_changed(entry, path, commit):
            return "it holds files that are not those of its commit"
    except (OSError, ValueError, IndexError, HqtError) as error:
        return f"it could not be examined ({error})"
    return None


def delete_files(repo: Repository, path: Path, commit: str) -> None:
    """Delete the commit's files, the folders this empties, and `.git`; nothing else ever.

    Raises OSError for a file that cannot be deleted.
    """
    stored = _tree(repo.common_dir, commit)
    for name, blob in stored.items():
        if blob.mode != _GITLINK:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                (path / name).unlink()
    for folder in sorted(_folders(stored), key=len, reverse=True):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            (path / folder).rmdir()
    (path / ".git").unlink()


def _is_head_at(repo: Repository, entry: Path, commit: str) -> bool:
    """Whether HEAD still is at the commit, or at the placeholder from before it got there."""
    head = refs.head_of(repo.common_dir, entry).commit
    return head == commit or not files.read(entry / "HEAD").strip(b"0\n")


def _was_elsewhere(repo: Repository, entry: Path, commit: str) -> bool:
    """Whether HEAD's reflog, which goes with the entry, may be all that knows some other commit."""
    if refs.files_of(repo.common_dir):
        try:
            lines = files.read(f"{entry}/logs/HEAD").splitlines()
        except FileNotFoundError:
            return False
        ids = {line.split(b" ")[1].decode() for line in lines}
    else:
        query = ("log", "-g", "--format=%H", "HEAD", "--")
        ids = set(process.git(f"--git-dir={entry}", *query, cwd=entry).text.split())
    return not ids <= {commit, "0" * len(commit)}


def _is_staged(entry: Path, path: Path, commit: str) -> bool:
    if not (entry / "index").exists():
        return False
    query = ("diff-index", "--cached", "--quiet", commit, "--")
    return process.ask(f"--git-dir={entry}", *query, cwd=path).status != 0


def _tree(git_dir: Path, commit: str) -> dict[str, _Stored]:
    query = ("ls-tree", "-r", "-z", "--full-tree", commit)
    listing = process.git(f"--git-dir={git_dir}", *query, cwd=git_dir).out
    stored = {}
    for line in listing.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, id = about.decode().split(" ")
        stored[os.fsdecode(name)] = _Stored(mode, id)
    return stored


def _folders(stored: dict[str, _Stored]) -> set[str]:
    """Every folder that the files lie in, and those of submodules."""
    folders = {name for name, blob in stored.items() if blob.mode == _GITLINK}
    for name in stored:
        above = name.rpartition("/")[0]
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return folders


def _is_changed(entry: Path, path: Path, commit: str) -> bool:
    stored = _tree(entry, commit)
    folders = _folders(stored)
    differing = []
    for name, is_folder in _walk(path):
        if is_folder:
            if name not in folders:
                return True
        elif name not in stored:
            return True
        elif not _is_verbatim(path / name, stored[name]):
            differing.append(name)
    cut_off = _unconverted(entry, path, differing, stored)
    return len(cut_off) > _MOST_CUT_OFF or not all(
        _is_beginning(entry, path, name, stored[name]) for name in cut_off
    )


def _walk(root: Path) -> Iterator[tuple[str, bool]]:
    """Everything below a worktree's root but its `.git`, and whether it is a real folder."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(root / below) as entries:
            for found in entries:
                name = f"{below}/{found.name}" if below else found.name
                is_folder = found.is_dir(follow_symlinks=False)
                if is_folder:
                    waiting.append(name)
                if name != ".git":
                    yield name, is_folder


def _content(path: Path) -> bytes:
    return os.fsencode(os.readlink(path)) if path.is_symlink() else files.read(path)  # noqa: PTH115


def _is_verbatim(path: Path, blob: _Stored) -> bool:
    """Whether a file holds exactly what is stored."""
    mode = path.lstat().st_mode
    if not (stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and blob.mode == _SYMLINK)):
        return False
    content = _content(path)
    algorithm = hashlib.sha1 if len(blob.id) == 40 else hashlib.sha256
    return algorithm(b"blob %d\0" % len(content) + content).hexdigest() == blob.id


def _unconverted(
    entry: Path, path: Path, names: list[str], stored: dict[str, _Stored]
) -> list[str]:
    """Those of `names` that differ also after git's conversions: line ends, filters, encodings."""
    regular = [n for n in names if (path / n).is_file() and not (path / n).is_symlink()]
    if not regular:
        return names
    answer = process.git(
        f"--git-dir={entry}", f"--work-tree={path}", "hash-object", "--stdin-paths",
        cwd=path, input=b"".join(_quoted(name) + b"\n" for name in regular), timeout=process.LONG,
    )  # fmt: skip
    ids = answer.text.split("\n")
    same = {name for name, id in zip(regular, ids, strict=True) if id == stored[name].id}
    return [name for name in names if name not in same]


def _quoted(name: str) -> bytes:
    """As git quotes paths in its own output, and reads them: C-style."""
    plain = set(range(33, 127)) - set(b'"\\')
    escaped = (bytes((b,)) if b in plain else b"\\%03o" % b for b in os.fsencode(name))
    return b'"' + b"".join(escaped) + b'"'


def _is_beginning(entry: Path, path: Path, name: str, blob: _Stored) -> bool:
    """Whether a file is the first part of what git would write there."""
    file = path / name
    if not stat.S_ISREG(file.lstat().st_mode):
        return False
    begun = _content(file)
    where = (f"--git-dir={entry}", f"--work-tree={path}", "cat-file")
    for form in (("blob", blob.id), ("--filters", f"--path={name}", blob.id)):
        answer = process.ask(*where, *form, cwd=path)
        if answer.status == 0 and answer.out.startswith(begun):
            return True
    return False
