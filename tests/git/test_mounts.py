"""What else is mounted in a worktree would be deleted with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helpers.mounting import with_mounts
from helpers.repos import linked
from hqt.git import mounts

TABLE = """\
22 1 254:0 / / rw - ext4 /dev/vda rw
30 22 0:26 / /tmp/tree/inside rw - tmpfs tmpfs rw
31 22 0:27 / /tmp/tree-beside rw - tmpfs tmpfs rw
32 22 254:0 /x /tmp/tree/a\\040b\\012c\\134d rw - ext4 /dev/vda rw
33 22 254:0 /x /tmp/tree rw - ext4 /dev/vda rw
"""


def test_the_table_is_read_as_the_kernel_writes_it(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sealed / "mountinfo").write_text(TABLE)
    monkeypatch.setattr(mounts, "_TABLE", sealed / "mountinfo")
    assert mounts.mounts_below(Path("/tmp/tree")) == (
        Path("/tmp/tree"),
        Path("/tmp/tree/a b\nc\\d"),
        Path("/tmp/tree/inside"),
    )
    assert mounts.mounts_below(Path("/tmp/tree/else")) == ()


@pytest.mark.parametrize(
    ("system", "counts"),
    [("ext4", True), ("xfs", True), ("tmpfs", True), ("btrfs", False), ("overlay", False),
     ("fuse.sshfs", False), ("nfs4", False)],
)  # fmt: skip
def test_whether_links_tell_of_folders_is_up_to_the_file_system(
    sealed: Path, monkeypatch: pytest.MonkeyPatch, system: str, counts: bool
) -> None:
    device = sealed.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    table = f"22 1 0:99999 / /a rw - ext4 /a rw\n23 1 {number} / / rw shared:1 - {system} /b rw\n"
    (sealed / "mountinfo").write_text(table)
    monkeypatch.setattr(mounts, "_TABLE", sealed / "mountinfo")
    assert mounts.counts_folders(sealed) == (device if counts else None)


def test_what_is_not_known_of_a_file_system_is_not_guessed(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mounts.counts_folders(sealed / "gone") is None
    (sealed / "mountinfo").write_text("22 1 0:99999 / /a rw - ext4 /a rw\n\n22 1\n")
    for table in ("mountinfo", "none"):
        monkeypatch.setattr(mounts, "_TABLE", sealed / table)
        assert mounts.counts_folders(sealed) is None


def test_without_a_table_device_numbers_tell(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_TABLE", sealed / "none")
    (sealed / "tree" / "folder").mkdir(parents=True)
    assert mounts.mounts_below(sealed / "tree") == ()
    assert Path("/proc") in mounts.mounts_below(Path("/proc"))


def test_a_bind_mount_refuses_a_removal_at_both_looks(repo: Path) -> None:
    """It has the device number of the tree it is in, so that only the table tells."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    (tree / "inside").mkdir()
    (repo / "precious").mkdir()
    (repo / "precious" / "file").write_text("precious\n")
    said = with_mounts(
        """
repo, tree = map(Path, sys.argv[1:])
from hqt.errors import HqtError
from hqt.git import repository, trash, worktrees
found = repository.discover(repo)
row = next(row for row in worktrees.list_worktrees(found) if row.path == tree)
early = trash.prepare(found, row)
mount(repo / "precious", tree / "inside")
for attempt in (lambda: trash.take(early), lambda: trash.prepare(found, row)):
    try:
        attempt()
    except HqtError as error:
        print(error.code, error.message)
""",
        repo,
        tree,
    )
    assert (
        said.splitlines()
        == [f"nested {tree} holds a mount, {tree / 'inside'}; nothing was removed."] * 2
    )
    assert (repo / "precious" / "file").exists()
    assert (tree / "file0").exists()


def test_deletion_for_good_stops_at_a_mount(repo: Path) -> None:
    """Mounted into the trash afterwards: what is outside stays, and the rest goes later."""
    tree = linked(repo, repo / ".worktrees" / "topic")
    (tree / "deep" / "inside").mkdir(parents=True)
    (repo / "precious").mkdir()
    (repo / "precious" / "file").write_text("precious\n")
    said = with_mounts(
        """
repo, tree = map(Path, sys.argv[1:])
from hqt.errors import HqtError
from hqt.git import disposal, repository, trash, worktrees
found = repository.discover(repo)
row = next(row for row in worktrees.list_worktrees(found) if row.path == tree)
entry = trash.take(trash.prepare(found, row)).entry
inside = repo / ".git" / "hqt" / "trash" / entry.id / "tree" / "deep" / "inside"
mount(repo / "precious", inside)
try:
    trash.empty(found, entries=[entry])
except HqtError as error:
    print(error.code, error.message)
print([row.id for row in trash.entries(found)])
subprocess.run(["umount", str(next((repo / ".git" / "hqt").glob("condemned/**/inside")))])
print(disposal.sweep(found))
""",
        repo,
        tree,
    )
    first, second, third = said.splitlines()
    assert first.startswith("git_failed ")
    assert "could not be deleted" in first
    assert (second, third) == ("[]", "True")
    assert (repo / "precious" / "file").read_text() == "precious\n"
    assert list((repo / ".git" / "hqt" / "condemned").iterdir()) == []
