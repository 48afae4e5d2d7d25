"""What is measured, against what, and the target of design §7."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from bench import sides
from bench.measure import Case, Once, Target
from bench.terminal import Terminal
from bench.world import World


def cases(world: World, terminal: Terminal, sizes: Iterable[int], *, warm: bool) -> Iterator[Case]:
    """All cases in the order of the table, the last ones in repositories of `sizes` files each."""
    small = world.repository("small", 100)
    listed = Once(partial(sides.repository_with_worktrees, world))
    yield Case("start: hqt --version", "an empty Python", lambda: sides.start(world))
    yield Case(
        "new: key to labelled window, 100 files",
        "git worktree add; tmux new-window",
        lambda: sides.new_by_key(world, terminal, small),
        Target(1.5),
        needs=("new",),
    )
    yield Case(
        "new: key to labelled window, 100 files",
        "workmux add",
        lambda: sides.new_by_key(world, terminal, small, sides.workmux(small)),
        Target(0.6),
        needs=("new",),
    )
    yield Case(
        "new: command, 100 files",
        "git worktree add; tmux new-window",
        lambda: sides.new(world, small),
        needs=("new",),
    )
    yield Case(
        "list: 50 worktrees, dirty and unique",
        "shell loop of git status and git rev-list",
        lambda: sides.listing(world, listed),
        Target(0.5),
        needs=("list",),
    )
    for peer in ("workmux", "wt"):
        yield Case(
            "list: 50 worktrees, dirty and unique",
            f"{peer} list",
            partial(sides.listing, world, listed, peer),
            Target(0.5),
            needs=("list",),
        )
    yield Case(
        "remove: 100 files, clean, idle window",
        "git status; git worktree remove; tmux kill-window",
        lambda: sides.remove(world, small),
        needs=("new", "remove"),
    )
    yield Case(
        "undo: 100 files",
        "mv",
        lambda: sides.undo(world, small),
        Target(1, 200),
        needs=("new", "remove", "undo"),
    )
    inspected = Once(lambda: sides.clean_worktree(world, world.repository("inspected", 10_000)))
    yield Case(
        "inventory alone: clean worktree, 10,000 files",
        "git status",
        lambda: sides.inventory(world, inspected()),
        Target(2.5),
    )
    yield Case(
        "inspect: clean worktree, 10,000 files",
        "git status",
        lambda: sides.inspect(world, inspected()),
        needs=("inspect",),
    )
    yield Case(
        "popup: key to first paint of the form",
        "a popup of tmux with a shell",
        lambda: sides.popup(world, terminal, small),
        Target(1, 60),
        needs=("ui",),
    )
    yield Case(
        "plugin load",
        "an empty plugin",
        lambda: sides.load(world),
        Target(1, 15),
    )
    for size in sizes:
        yield from _large(world, terminal, size, warm)


def _large(world: World, terminal: Terminal, size: int, warm: bool) -> Iterator[Case]:
    repo = Once(lambda: world.repository(f"files{size}", size))
    yield Case(
        f"new: key to labelled window, {size:,} files",
        "git worktree add; tmux new-window",
        lambda: sides.new_by_key(world, terminal, repo()),
        Target(0, 200),
        rounds=3,
        needs=("new",),
    )
    yield Case(
        f"new: command, {size:,} files",
        "git worktree add; tmux new-window",
        lambda: sides.new(world, repo()),
        Target(1.1),
        rounds=3,
        needs=("new",),
    )
    yield Case(
        f"remove: {size:,} files, until the prompt is back",
        "git status",
        lambda: sides.remove_against_status(world, repo()),
        Target(3, 50 if warm else 150),
        rounds=5,
        needs=("new", "remove"),
    )
    yield Case(
        f"undo: {size:,} files",
        "mv",
        lambda: sides.undo(world, repo()),
        Target(1, 200),
        rounds=3,
        needs=("new", "remove", "undo"),
    )
