"""Whether a new worktree holds nothing but the files of its commit, whole or cut off.

Nothing is written for the answer: the disk may be full. In doubt the worktree counts as used.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hqt.errors import HqtError
from hqt.git import admin, files, process, refs, sighting
from hqt.git.operations import operation_in_progress
from hqt.git.sighting import Seen
from hqt.models import Repository

_GITLINK = "160000"
_SYMLINK = "120000"
_MOST_CUT_OFF = 64  # files that can have been under way at once when a checkout ended
_PATIENCE = 60.0  # seconds for all the files; what takes longer is not deleted by itself
# What hqt, and git for it, put into an admin directory, locks of a git that was killed included.
_OWN = re.compile(
    r"(HEAD|ORIG_HEAD|index|config\.worktree)(\.lock)?|commondir|gitdir|locked(\.hqt-[0-9-]+)?"
    r"|info/sparse-checkout|logs/HEAD|sharedindex[._].*|fsmonitor--daemon.*"
)
_OWN_OF_REFTABLE = re.compile(r"refs/heads|reftable/.*")


class _Stored(NamedTuple):
    mode: str  # as the tree spells it: 100644, 100755, 120000, 160000
    id: str


@dataclass(slots=True)
class Judged:
    """What was found of a new worktree, and why it may not be deleted as if it had never been."""

    why: str | None = None  # a clause for "as …"; None: it may
    entry: Seen = field(default_factory=Seen)
    tree: Seen = field(default_factory=Seen)  # nothing where it is not linked


def judge(repo: Repository, entry: Path, path: Path, commit: str, *, linked: bool) -> Judged:
    """Look whether somebody has worked in the worktree at `path`, or that cannot be excluded.

    Without a link from there to its admin directory `entry` nobody can have, and that alone is
    looked at.
    """
    found = Judged()
    try:
        found.entry = sighting.look(entry)
        found.why = _why_used(repo, entry, found.entry, commit, linked)
        if linked and found.why is None:
            found.why = _why_touched(entry, path, commit, found.tree)
    except (OSError, ValueError, IndexError, HqtError) as error:
        found.why = f"it could not be examined ({str(error).rstrip('.')})"
    return found


def _why_used(repo: Repository, entry: Path, seen: Seen, commit: str, linked: bool) -> str | None:
    """By what is in the admin directory."""
    if operation_in_progress(entry):
        return "an operation is in progress in it"
    own = "it holds work of its own"
    if not _is_head_at(repo, entry, commit, linked) or _was_elsewhere(repo, entry, commit):
        return own
    in_files = refs.files_of(repo.common_dir) is not None
    for name in sorted(seen.files):
        if not _OWN.fullmatch(name) and (in_files or not _OWN_OF_REFTABLE.fullmatch(name)):
            return f"{own} ({name})"
    if other := _other_reference(entry, commit, in_files):
        return f"{own} ({other})"
    return own if _is_staged(entry, commit) else None


def _why_touched(entry: Path, path: Path, commit: str, seen: Seen) -> str | None:
    """By what is in the worktree's folder, which is noted in `seen`."""
    if not admin.points_back(entry, path):
        return "something else is at its place"
    if _is_changed(entry, path, commit, seen):
        return "it holds files that are not those of its commit"
    return None


def _is_head_at(repo: Repository, entry: Path, commit: str, linked: bool) -> bool:
    """Whether HEAD still is at the commit, or at the placeholder from before it got there."""
    head = refs.head_of(repo.common_dir, entry).commit
    if head == commit:
        return True
    if head is None and not linked:
        return True  # not written yet, or half of it
    return not files.read(entry / "HEAD").strip(b"0\n")


def _other_reference(entry: Path, commit: str, in_files: bool) -> str | None:
    """A reference of this worktree alone, but HEAD, that may be all that knows some commit."""
    if in_files:  # any other is a file that is not the creation's own
        try:
            orig = files.read(entry / "ORIG_HEAD").strip()
        except FileNotFoundError:
            return None
        return None if orig == commit.encode() else "ORIG_HEAD"
    query = ("for-each-ref", "--include-root-refs", "--format=%(objectname) %(refname)")
    for line in process.git(f"--git-dir={entry}", *query, cwd=entry).text.splitlines():
        id, _, name = line.partition(" ")
        private = name.startswith(("refs/worktree/", "refs/bisect/", "refs/rewritten/"))
        if private or (not name.startswith("refs/") and id != commit):
            return name
    return None


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


def _is_staged(entry: Path, commit: str) -> bool:
    """Whether the index holds, or could bring back, what is not the commit's."""
    if not (entry / "index").exists():
        return False
    where = f"--git-dir={entry}"
    query = ("diff-index", "--cached", "--quiet", commit, "--")
    if process.ask(where, *query, cwd=entry).status != 0:
        return True
    return bool(process.git(where, "ls-files", "-u", "--resolve-undo", "-z", cwd=entry).out)


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


def _is_changed(entry: Path, path: Path, commit: str, seen: Seen) -> bool:
    stored = _tree(entry, commit)
    folders = _folders(stored)
    differing = []
    deadline = time.monotonic() + _PATIENCE
    for name, is_folder in sighting.walk(path):
        if time.monotonic() > deadline:
            raise TimeoutError(f"looking through {path} takes more than {_PATIENCE:g} seconds")
        if is_folder:
            if name not in folders:
                return True
            seen.folders.add(name)
            continue
        if name not in stored and name != ".git":
            return True
        file = f"{path}/{name}"
        found = seen.note(name, file)
        if name == ".git" or (stat.S_ISREG(found.st_mode) and not found.st_size):
            continue  # a full disk leaves nothing but empty files, and in them nothing to be lost
        if not _is_verbatim(file, found.st_mode, stored[name]):
            differing.append(name)
    cut_off = _unconverted(entry, path, differing, stored)
    return len(cut_off) > _MOST_CUT_OFF or not all(
        _is_beginning(entry, path, name, stored[name]) for name in cut_off
    )


def _is_verbatim(file: str, mode: int, blob: _Stored) -> bool:
    """Whether a file holds exactly what is stored."""
    if stat.S_ISLNK(mode) and blob.mode == _SYMLINK:
        content = os.fsencode(os.readlink(file))  # noqa: PTH115
    elif stat.S_ISREG(mode):
        content = files.read(file, follow=False)
    else:
        return False
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
    begun = files.read(file, follow=False)
    where = (f"--git-dir={entry}", f"--work-tree={path}", "cat-file")
    for form in (("blob", blob.id), ("--filters", f"--path={name}", blob.id)):
        answer = process.ask(*where, *form, cwd=path)
        if answer.status == 0 and answer.out.startswith(begun):
            return True
    return False
