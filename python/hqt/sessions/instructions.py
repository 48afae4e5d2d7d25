"""The story of `instructions`: what an agent should know, from the settings as they are now."""

from __future__ import annotations

import os

from hqt.models import Caller, Session
from hqt.results import Instructions
from hqt.sessions import targets
from hqt.sessions import world as worlds
from hqt.sessions.world import World


def instructions(caller: Caller, *, hooks: str | None = None) -> Instructions:
    """What to tell an agent in the caller's place; also where there is no repository. With `hooks`,
    the name of a harness: what its user adds so that it reports its state.

    Raises `config_invalid` and `store_failed`: better nothing is said than something wrong.
    """
    world = worlds.anywhere(caller)
    session = _session(world)
    pool = None if world.plain else worlds.pool(world)
    told = (
        *_here(world, session),
        *_making(world, str(pool) if pool else None),
        *_moving(world),
        *_rules(),
    )
    return Instructions(
        sentences=told if hooks is None else _hooks(hooks),
        worktree_dir=pool,
        start=world.config.from_,
        harness=world.config.harness,
        main=None if world.plain else world.repository.main,
        worktree=world.repository.checkout,
        session=session.id if session else None,
    )


def _hooks(name: str) -> tuple[str, ...]:
    from hqt import paths
    from hqt.sessions import harness, reporting

    return reporting.to_add(harness.named(name, paths.config_file()), os.environ)


def _session(world: World) -> Session | None:
    """By the window of the caller's pane, else by what the window's programs were given."""
    id = os.environ.get("HQT_SESSION")
    named = next((one for one in world.sessions if one.id == id), None)
    return targets.session_here(world) or named


def _here(world: World, session: Session | None) -> list[str]:
    said = ["hqt (a tmux plugin) gives each task a git worktree and a tmux window of its own."]
    if session:
        said.append(f"You are session {session.nickname!r} (id {session.id}) of hqt.")
    tree = world.current
    if tree is None:
        return said
    what = "the repository's main checkout" if tree.main else "a linked worktree"
    branch = f"on branch {tree.branch}" if tree.branch else "with a detached HEAD"
    said.append(f"You work in {tree.path}, {what}, {branch}.")
    if not tree.main and world.repository.main:
        said.append(f"The main checkout is {world.repository.main}: work there only if told to.")
    return said


def _making(world: World, pool: str | None) -> list[str]:
    if world.plain:
        return ["This folder is in no git repository, so there are no worktrees to make here."]
    start = {"current": "the checkout you call it from", "main": "the main checkout"}
    where = f"{pool}/BRANCH" if pool else "the folder given with --path"
    return [
        f"`hqt new NAME` makes a branch and a worktree at {where}, from HEAD of"
        f" {start[world.config.from_]} (--from REV: another start), and a window that runs"
        f" {world.config.harness}; uncommitted files stay behind.",
        "Use it instead of `git worktree add`, so that the user sees the new worktree.",
    ]


def _moving(world: World) -> list[str]:
    if world.plain:
        return []
    return [
        "Creating a worktree does not move you: you go on where you are. Move only when the rest"
        " of this conversation is about the other worktree: `hqt move --to TARGET`.",
        "To work elsewhere without moving, use absolute paths, and first read that folder's own"
        " instructions (AGENTS.md, CLAUDE.md); those of this folder do not count there.",
    ]


def _rules() -> list[str]:
    return [
        "Ask hqt in JSON: `hqt list --json`, `hqt inspect TARGET --json`; a failure is one line of"
        " JSON on standard error with a code and a remedy. `hqt VERB --help` tells the rest.",
        "`hqt remove TARGET` refuses while anything would be lost; --force, --close and"
        " --delete-branch are the user's to give.",
        "An explicit instruction of the user prevails over all of this. This is guidance, not a"
        " permission: it allows nothing that was not allowed before.",
    ]
