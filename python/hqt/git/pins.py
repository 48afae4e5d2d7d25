"""Keeping alive what only the admin entry of a worktree kept alive (git-facts §6).

Git takes a registered worktree's HEAD, reflog, private references and index for roots; once the
admin entry has moved they are none. So everything that it names is hung under two references of
the entry's own: `head`, and `keep`, a commit whose parents are the commits and whose tree holds the
blobs and trees. Two, however long the reflog and however many files are staged.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from hqt.git import files, process

_ID = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_WORD = re.compile(rb"(?<![0-9A-Za-z])" + _ID + rb"(?![0-9A-Za-z])")
# Sequencer files abbreviate. A word of a subject that is no object is sorted out later.
_SHORT = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{4,64}(?![0-9A-Za-z])")
_ABBREVIATING = {"todo", "done", "git-rebase-todo", "git-rebase-todo.backup"}
# `git add -N` enters the empty blob, which no tree will name.
_EMPTY = {hashlib.new(name, b"blob 0\0").hexdigest() for name in ("sha1", "sha256")}
_SIGNATURE = "hqt <hqt@localhost>"


def keep(
    common_dir: Path, admin: Path, id: str, scratch: Path, head: str | None, tips: Iterable[str]
) -> None:
    """Pin under `refs/hqt/trash/<id>/` all that `admin` names, and the commits `head` and `tips`.

    `admin` may still be in its place or have moved; `scratch` is a directory for a copy of the
    index. Doing it again brings the pins up to date. Raises OSError or `git_failed` when anything
    cannot be read or written.
    """
    index = _index_objects(common_dir, admin, scratch)
    essential = {*index, *tips, *([head] if head else [])}
    named = {word.decode() for word in _words(admin)}
    found = _types(common_dir, {*named, *essential, *_EMPTY})
    sound = _connected(common_dir, found, essential)
    commits = sorted(one for one in sound if found[one] == "commit")
    rooted = {one: found[one] for one in sound if found[one] in {"blob", "tree"}}
    tags = _loose_tags(common_dir, (one for one in sound if found[one] == "tag"))
    tree = _tree(common_dir, rooted)
    wanted = {f"tag-{number}": tag for number, tag in enumerate(tags)}
    wanted["keep"] = _commit(common_dir, tree, commits, id)
    if head:
        wanted["head"] = head
    lines = (f"update {_namespace(id)}/{name} {one}\n" for name, one in wanted.items())
    _unlock(common_dir, id)
    _update(common_dir, lines)


def drop(common_dir: Path, id: str) -> None:
    """Remove the entry's pins, as far as there are any. Raises `git_failed`."""
    _unlock(common_dir, id)
    listed = _git(common_dir, "for-each-ref", "--format=delete %(refname)", _namespace(id))
    if listed.out:
        _update(common_dir, [os.fsdecode(listed.out)])


def fingerprint(admin: Path) -> str:
    """Changes when anything in `admin` changes that `keep` looks at. Raises OSError."""
    digest = hashlib.sha256()
    for file in _files(admin):
        digest.update(os.fsencode(file.relative_to(admin)) + b"\0" + _content(file) + b"\0")
    for file in sorted(admin.iterdir()):
        if _is_index(file.name):  # replaced by a new file at each change; too big to read twice
            now = file.stat()
            stamp = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
            digest.update(repr((file.name, stamp)).encode(errors="surrogateescape"))
    return digest.hexdigest()


def _index_objects(common_dir: Path, admin: Path, scratch: Path) -> set[str]:
    """A tree of all that the index holds, and what no tree can hold: conflict stages, and stages
    resolved already that `git checkout -m` could bring back.
    """
    if not (admin / "index").exists():
        return set()
    place = {"GIT_DIR": str(admin), "GIT_COMMON_DIR": str(common_dir)}
    copy = scratch / "index"
    # A split index would leave new shared files behind in the admin entry.
    whole = ("-c", "core.splitIndex=false", "-c", "core.fsmonitor=false")
    at_copy = {**place, "GIT_INDEX_FILE": str(copy)}
    # A blob that a partial clone has not fetched, or a broken repository lacks, is no reason to
    # lose the others.
    write = (*whole, "write-tree", "--missing-ok")
    try:
        with _begun(common_dir, "ls-files", "-u", "--resolve-undo", "-z", env=place) as listed:
            shutil.copyfile(admin / "index", copy)
            written = _ask(common_dir, *write, env=at_copy)
            staged = listed()
        if staged.status:
            raise process.failed(staged, "ls-files")
        objects = {line.split()[1] for line in os.fsdecode(staged.out).split("\0") if line}
        if objects:
            unmerged = _git(common_dir, "ls-files", "-u", "-z", env=at_copy).out
            paths = b"".join(
                line.partition(b"\t")[2] + b"\0" for line in unmerged.split(b"\0")[:-1]
            )
            remove = ("update-index", "-z", "--force-remove", "--stdin")
            _git(common_dir, *whole, *remove, env=at_copy, input=paths)
            written = _ask(common_dir, *write, env=at_copy)
        if written.status:
            raise process.failed(written, "write-tree")
    finally:
        copy.unlink(missing_ok=True)
    return {*objects, written.text}


def _types(common_dir: Path, names: Iterable[str]) -> dict[str, str]:
    """The type of each object that exists here, by full id."""
    asked = "".join(f"{name}\n" for name in sorted(names))
    answer = _git(common_dir, "cat-file", "--batch-check", input=asked.encode())
    lines = (line.split(" ") for line in answer.text.splitlines())
    return {line[0]: line[1] for line in lines if len(line) == 3 and line[2].isdigit()}


def _connected(common_dir: Path, found: Mapping[str, str], essential: set[str]) -> list[str]:
    """Those of `found` that are complete, and the essential ones in any case.

    ORIG_HEAD, FETCH_HEAD and the like are no roots for git: what they name may be half pruned
    already, and a reference to it would stop the user's own gc.
    """
    doubtful = [one for one in found if one not in essential]
    sound = set(found)
    if doubtful and not _complete(common_dir, doubtful):
        sound -= {one for one in doubtful if not _complete(common_dir, [one])}
    return sorted(sound)


def _complete(common_dir: Path, objects: Iterable[str]) -> bool:
    asked = "".join(f"{one}\n" for one in objects).encode()
    walk = ("rev-list", "--objects", "--quiet", "--stdin", "--exclude-promisor-objects")
    arguments = (*walk, "--not", "--all")
    return _ask(common_dir, *arguments, input=asked).status == 0


def _loose_tags(common_dir: Path, tags: Iterable[str]) -> list[str]:
    """The annotated tags that no reference of their own keeps; FETCH_HEAD may name thousands."""
    wanted = set(tags)
    if wanted:
        listed = _git(common_dir, "for-each-ref", "--format=%(objectname)", "refs/tags")
        wanted -= set(listed.text.splitlines())
    return sorted(wanted)


def _tree(common_dir: Path, objects: Mapping[str, str]) -> str:
    modes = {"blob": "100644", "tree": "040000"}
    entries = (f"{modes[type]} {type} {one}\t{one}\0" for one, type in objects.items())
    made = _git(common_dir, "mktree", "-z", "--missing", input="".join(entries).encode())
    return made.text


def _commit(common_dir: Path, tree: str, parents: Iterable[str], id: str) -> str:
    """Written as an object, as a command line would not take the parents of a long reflog."""
    signature = f"{_SIGNATURE} {int(time.time())} +0000"
    lines = [f"tree {tree}", *(f"parent {one}" for one in parents)]
    lines += [f"author {signature}", f"committer {signature}", ""]
    lines += [f"What the removed worktree {id} needs", ""]
    write = ("hash-object", "-t", "commit", "-w", "--stdin")
    return _git(common_dir, *write, input="\n".join(lines).encode()).text


def _words(admin: Path) -> Iterator[bytes]:
    for file in _files(admin):
        short = file.name in _ABBREVIATING
        yield from (_SHORT if short else _WORD).findall(_content(file))


def _files(admin: Path) -> Iterator[Path]:
    """The files in `admin` that can name objects of this repository, in a fixed order.

    Not the index, which git reads, and not `modules`: submodules' objects travel in there.
    """
    pending = [admin]
    while pending:
        for file in sorted(pending.pop().iterdir(), reverse=True):
            if file.is_symlink() or file.is_file():
                if not _is_index(file.name):
                    yield file
            elif file.is_dir() and file != admin / "modules":
                pending.append(file)


def _is_index(name: str) -> bool:
    return name == "index" or name.startswith("sharedindex.")


def _content(file: Path) -> bytes:
    return os.fsencode(file.readlink()) if file.is_symlink() else files.read(file)


def _namespace(id: str) -> str:
    return f"refs/hqt/trash/{id}"


def _unlock(common_dir: Path, id: str) -> None:
    """Remove the locks of a git that was killed; nobody else writes the entry's references."""
    for lock in (common_dir / _namespace(id)).glob("*.lock"):
        lock.unlink(missing_ok=True)


def _update(common_dir: Path, lines: Iterable[str]) -> None:
    # The user's reference-transaction hook has no say in references that are hqt's own.
    arguments = ("-c", f"core.hooksPath={os.devnull}", "update-ref", "--stdin")
    _git(common_dir, *arguments, input="".join(lines).encode())


def _environment(common_dir: Path, extra: Mapping[str, str] | None) -> dict[str, str]:
    # Nothing is fetched: a partial clone would go to its remote for each word that is no object.
    sealed = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    return {"GIT_DIR": str(common_dir), **sealed, **(extra or {})}


def _begun(
    common_dir: Path, *arguments: str, env: Mapping[str, str]
) -> AbstractContextManager[Callable[[], process.Answer]]:
    return process.begun(*arguments, cwd=common_dir, env=_environment(common_dir, env))


def _ask(
    common_dir: Path,
    *arguments: str,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> process.Answer:
    environment = _environment(common_dir, env)
    return process.ask(*arguments, cwd=common_dir, input=input, env=environment)


def _git(
    common_dir: Path,
    *arguments: str,
    input: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> process.Answer:
    answer = _ask(common_dir, *arguments, input=input, env=env)
    if answer.status:
        raise process.failed(answer, *arguments)
    return answer
