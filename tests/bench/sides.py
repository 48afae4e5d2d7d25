"""Both sides of each case. They prepare their own worktrees, and do the same work."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import Side, Skipped, timed
from bench.terminal import Terminal
from bench.world import PLUGIN, World

Command = Callable[[str], str]  # the name of a worktree in, a shell command out

LIST_LOOP = """\
git worktree list --porcelain | while read -r key value; do
    case $key in
    worktree) d=$value ;;
    branch)
        b=${value#refs/heads/}
        git -C "$d" status --porcelain
        git rev-list --count "$value" --not --exclude="$b" --branches --tags --remotes
        ;;
    esac
done
"""


def start(world: World) -> tuple[Side, Side]:
    """What a cold call costs before it does anything."""
    return (
        lambda _: timed(lambda: world.run([world.hqt, "--version"])),
        lambda _: timed(lambda: world.run([sys.executable, "-I", "-S", "-c", ""])),
    )


def new_by_key(
    world: World, terminal: Terminal, repo: Path, reference: Command | None = None
) -> tuple[Side, Side]:
    """From the key in an attached client until the new window's label is on its screen.

    The key runs the verb, not the form: a person's typing is not hqt's time.
    """

    said = world.root / "said"

    def side(prefix: str, command: Command) -> Side:
        def measured(number: int) -> float:
            name = f"{prefix}{number}"
            # what the command still does once the label is there must not meet the clearing up
            script = f"cd /; {command(name)} >{said} 2>&1; tmux -L {world.socket} wait-for -S done"
            world.tmux("bind-key", "-n", "F5", "run-shell", "-b", script)
            terminal.settle()
            begin = time.perf_counter()
            terminal.press(b"\x1b[15~")
            terminal.see(name.encode())
            milliseconds = (time.perf_counter() - begin) * 1000
            world.tmux("wait-for", "done")
            _require_complete(world, repo, name, said)
            _discard(world, repo, name)
            return milliseconds

        return measured

    def ours(name: str) -> str:
        return shlex.join(world.argv(repo, "new", name, "-d"))

    return side("ours", ours), side("bare", reference or partial(_bare_new, world, repo))


def new(world: World, repo: Path) -> tuple[Side, Side]:
    """From the start of the command to its end, when the window exists."""

    def ours(number: int) -> float:
        name = f"new{number}h"
        taken = timed(lambda: world.verb(repo, "new", name, "-d"))
        _require_complete(world, repo, name)
        _discard(world, repo, name)
        return taken

    def reference(number: int) -> float:
        name = f"new{number}r"
        taken = timed(lambda: world.run(["sh", "-c", _bare_new(world, repo, name)]))
        _discard(world, repo, name)
        return taken

    return ours, reference


def listing(world: World, make: Callable[[], Path], peer: str = "") -> tuple[Side, Side]:
    if peer:
        _require_program(peer)
    repo = make()
    theirs = [peer, "list"] if peer else ["sh", "-c", LIST_LOOP]
    return (
        lambda _: timed(lambda: world.verb(repo, "list", "--json")),
        lambda _: timed(lambda: world.run(theirs, repo)),
    )


def repository_with_worktrees(world: World) -> Path:
    """A repository with 50 worktrees, each with a commit of its own and two changes."""
    repo = world.repository("listed", 100)
    for number in range(50):
        path = repo / ".worktrees" / f"w{number}"
        world.git(repo, "worktree", "add", "-q", "-b", f"w{number}", path)
        (path / "d0/s0/file1").write_text("changed\n")
        world.git(path, "commit", "-q", "-a", "-m", "Own")
        (path / "d0/s0/file2").write_text("changed\n")
        (path / "untracked").write_text("new\n")
    return repo


def remove(world: World, repo: Path) -> tuple[Side, Side]:
    def ours(number: int) -> float:
        name = f"gone{number}h"
        world.verb(repo, "new", name, "-d")
        taken = timed(lambda: world.verb(repo, "remove", name))
        _require_gone(world, repo, name)
        return taken

    def reference(number: int) -> float:
        name = f"gone{number}r"
        path = repo / ".worktrees" / name
        world.run(["sh", "-c", _bare_new(world, repo, name)])
        [window] = [one for one, label in world.windows().items() if label.endswith(name)]
        script = (
            f'test -z "$(git -C {path} status --porcelain)" && git -C {repo} worktree remove {path}'
            f" && tmux -L {world.socket} kill-window -t {window}"
        )
        taken = timed(lambda: world.run(["sh", "-c", script]))
        _require_gone(world, repo, name)
        return taken

    return ours, reference


def remove_against_status(world: World, repo: Path) -> tuple[Side, Side]:
    def ours(number: int) -> float:
        name = f"gone{number}"
        world.verb(repo, "new", name, "-d")
        _settle(world, repo / ".worktrees" / name)
        taken = timed(lambda: world.verb(repo, "remove", name))
        _require_gone(world, repo, name)
        return taken

    def reference(number: int) -> float:
        path = repo / ".worktrees" / f"status{number}"
        world.git(repo, "worktree", "add", "-q", "--detach", path)
        _settle(world, path)
        taken = timed(lambda: world.git(path, "status", "--porcelain"))
        world.git(repo, "worktree", "remove", path)
        return taken

    return ours, reference


def undo(world: World, repo: Path) -> tuple[Side, Side]:
    def ours(number: int) -> float:
        name = f"undo{number}"
        world.verb(repo, "new", name, "-d")
        world.verb(repo, "remove", name)
        taken = timed(lambda: world.verb(repo, "undo"))
        if not (repo / ".worktrees" / name / ".git").exists():
            raise RuntimeError(f"undo did not bring {name} back")
        _discard(world, repo, name)
        return taken

    def reference(number: int) -> float:
        here, there = world.root / f"renamed{number}", world.root / f"renamed{number}-away"
        world.git(repo, "worktree", "add", "-q", "--detach", here)
        taken = timed(lambda: world.run(["mv", here, there]))
        world.git(repo, "worktree", "repair", there)
        world.git(repo, "worktree", "remove", there)
        return taken

    return ours, reference


def clean_worktree(world: World, repo: Path) -> Path:
    path = repo / ".worktrees" / "clean"
    world.git(repo, "worktree", "add", "-q", "-b", "clean", path)
    _settle(world, path)
    return path


def inventory(world: World, path: Path) -> tuple[Side, Side]:
    """Git's judgement and the second witness, without a process and what it loads around them."""
    sys.path.insert(0, str(PLUGIN / "python"))
    from hqt.git import losses, repository, witness, worktrees

    repo = repository.discover(path)
    [tree] = [one for one in worktrees.list_worktrees(repo) if one.path == path]

    def judge() -> None:
        second = witness.second_opinion(repo, tree)
        found = losses.losses(repo, tree)
        doubts = (*found.unsure, *second(found, frozenset()))
        if doubts or found.untracked:
            raise RuntimeError(f"{path} is not clean, or not sure to be: {doubts}")

    return (
        lambda _: timed(judge),
        lambda _: timed(lambda: world.git(path, "status", "--porcelain")),
    )


def inspect(world: World, path: Path) -> tuple[Side, Side]:
    return (
        lambda _: timed(lambda: world.verb(path, "inspect", "clean", "--json")),
        lambda _: timed(lambda: world.git(path, "status", "--porcelain")),
    )


def popup(world: World, terminal: Terminal, repo: Path) -> tuple[Side, Side]:
    """The popup is opened as the plugin's keys open it."""
    popup = "display-popup -E -c '#{client_name}' -t '#{pane_id}' -d / -w 80% -h 75%"
    form = f"{world.hqt} --key --client '#{{client_name}}' --pane '#{{pane_id}}' ui new"

    def side(command: str, leave: bytes) -> Side:
        def measured(_: int) -> float:
            world.tmux("bind-key", "-n", "F5", "run-shell", "-C", f'{popup} "{command}"')
            terminal.settle()
            begin = time.perf_counter()
            terminal.press(b"\x1b[15~")
            terminal.see(b"Nickname")
            milliseconds = (time.perf_counter() - begin) * 1000
            terminal.settle()
            terminal.press(leave)
            terminal.settle()
            return milliseconds

        return measured

    world.tmux("respawn-pane", "-k", "-c", repo)
    return side(form, b"\x1b"), side("printf Nickname; exec cat", b"\x03")


def load(world: World) -> tuple[Side, Side]:
    """How long the tmux server waits for the plugin's entry script."""
    empty = world.root / "empty.tmux"
    empty.write_text("#!/bin/sh\n")
    empty.chmod(0o755)
    entry = PLUGIN / "hqt.tmux"
    return (
        lambda _: timed(lambda: world.tmux("run-shell", entry)),
        lambda _: timed(lambda: world.tmux("run-shell", empty)),
    )


def workmux(repo: Path) -> Command:
    _require_program("workmux")
    return lambda name: f"cd {repo} && workmux add --background --no-pane-cmds {name}"


def _require_program(name: str) -> None:
    if not shutil.which(name):
        raise Skipped(f"{name} is not installed")


def _bare_new(world: World, repo: Path, name: str) -> str:
    """The script that hqt is measured against: what a person would write."""
    path = repo / ".worktrees" / name
    return (
        f"git -C {repo} worktree add -q -b {name} {path}"
        f" && tmux -u -L {world.socket} new-window -d -c {path} -n '⎇ {name}'"
    )


def _worktree_of(world: World, repo: Path, branch: str) -> Path | None:
    """Where a branch is checked out."""
    path = None
    for line in world.git(repo, "worktree", "list", "--porcelain").splitlines():
        key, _, value = line.partition(" ")
        if key == "worktree":
            path = Path(value)
        elif key == "branch" and value == f"refs/heads/{branch}":
            return path
    return None


def _require_complete(world: World, repo: Path, name: str, said: Path | None = None) -> None:
    """Raise unless the worktree is complete and its window has the label."""
    path = _worktree_of(world, repo, name)
    labelled = any(label.endswith(name) for label in world.windows().values())
    if not path or not labelled or world.git(path, "status", "--porcelain"):
        why = f": {said.read_text()}" if said else ""
        raise RuntimeError(f"{name} has no labelled window, or is not clean{why}")


def _discard(world: World, repo: Path, name: str) -> None:
    """Take a measured worktree away with the bare commands."""
    for window, label in world.windows().items():
        if label.endswith(name):
            world.tmux("kill-window", "-t", window)
    if path := _worktree_of(world, repo, name):
        world.git(repo, "worktree", "remove", "--force", path)
    world.git(repo, "branch", "-q", "-D", name)


def _settle(world: World, path: Path) -> None:
    """Let git trust its index: files written in the same second are read again each time."""
    second = int(time.time())
    while int(time.time()) == second:
        time.sleep(0.05)
    world.git(path, "status", "--porcelain")


def _require_gone(world: World, repo: Path, name: str) -> None:
    if (repo / ".worktrees" / name).exists():
        raise RuntimeError(f"{name} is still there")
    if any(label.endswith(name) for label in world.windows().values()):
        raise RuntimeError(f"the window of {name} is still there")
