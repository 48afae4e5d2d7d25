"""Wires the form to the story of `new`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hqt.commands import background
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.names import slug
from hqt.sessions import ahead
from hqt.sessions import create as story
from hqt.sessions import world as worlds
from hqt.sessions.planning import Wish, plan_for
from hqt.sessions.world import World
from hqt.ui import form
from hqt.ui.form_model import FormDefaults, FormServices, FormValues, Mode, Start, SubmitOutcome

if TYPE_CHECKING:
    from hqt.sessions.harness import Profile

# The field of the form that a code is about.
_FIELDS = {
    Code.INVALID_NAME: "branch",
    Code.BRANCH_EXISTS: "branch",
    Code.BRANCH_IN_USE: "existing",
    Code.NO_SUCH_BRANCH: "existing",
    Code.NO_SUCH_REVISION: "from_",
    Code.PATH_EXISTS: "folder",
    Code.CONFIG_INVALID: "harness",
}


def show(caller: Caller) -> None:
    """Ask for a new session and make it; the user's client goes to its window."""
    world = worlds.anywhere(caller)
    wiring = _Wiring(world)
    form.run(wiring.defaults(), wiring.services(), icon_set=world.config.icons)


class _Wiring:
    """The form's callables over one world; `cancel` sets a flag that the next stage heeds."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cancelled = threading.Event()

    def defaults(self) -> FormDefaults:
        from hqt import config, paths
        from hqt.sessions import harness

        world = self._world
        profiles = harness.profiles(paths.config_file())
        names = [world.config.harness, *profiles]
        isolated = not world.plain
        starts = self._starts() if isolated else []
        start = starts[-1 if world.config.from_ == "main" else 0].revision if starts else "HEAD"
        return FormDefaults(
            isolate=world.config.isolate and isolated,
            isolate_possible=isolated,
            from_=start,
            resolved=self._resolve(start) if isolated else "",
            alternatives=tuple(starts),
            harnesses=tuple(dict.fromkeys(names)),
            harness=world.config.harness,
            promptless=tuple(name for name, one in profiles.items() if not one.takes_prompt),
            missing=tuple(name for name, one in profiles.items() if not _is_installed(one)),
            note=self._about_setup() if isolated else "",
            pool=str(config.pool(world.config, world.repository)) if isolated else "",
            repository=world.repository.root.name,
        )

    def services(self) -> FormServices:
        return FormServices(
            slug=slug,
            validate=self._validate,
            path_preview=self._preview,
            revisions=self._revisions,
            branches=self._branches,
            submit=self._submit,
            cancel=self._cancelled.set,
            resolve=self._resolve,
        )

    def _starts(self) -> list[Start]:
        main = self._world.main
        starts = [Start("current", "HEAD")]
        if main and (revision := self._short(main.branch) if main.branch else main.head):
            starts.append(Start("main", revision))
        return starts

    def _short(self, branch: str) -> str:
        """A branch as a person would type it; a tag of its name would be meant instead."""
        from hqt.git import refs

        for other in (f"refs/tags/{branch}", f"refs/{branch}"):
            if refs.commit_of(self._world.repository.common_dir, other):
                return f"refs/heads/{branch}"
        return branch

    def _about_setup(self) -> str:
        from hqt.sessions import trust

        if not trust.pending(self._world.caller):
            return ""
        return "Setup is skipped until `hqt trust`."

    def _wish(self, values: FormValues) -> Wish:
        if not values.isolate:
            return Wish(
                name=values.nickname, plain=True, harness=values.harness, switch=True,
                prompt=values.prompt or None,
            )  # fmt: skip
        return Wish(
            name=values.nickname,
            branch=values.branch or None if values.mode is Mode.NEW else None,
            checkout=values.existing if values.mode is Mode.EXISTING else None,
            detach=values.mode is Mode.DETACHED,
            start=None if values.mode is Mode.EXISTING else values.from_ or None,
            path=values.folder or None,
            harness=values.harness,
            prompt=values.prompt or None,
            switch=True,
        )

    def _validate(self, values: FormValues) -> dict[str, str]:
        if values.isolate and values.mode is Mode.EXISTING and not values.existing:
            return {"existing": "Choose a branch."}
        try:
            plan_for(self._world, self._wish(values))
        except HqtError as error:
            return {_FIELDS.get(error.code, "nickname"): error.message}
        return {}

    def _preview(self, values: FormValues) -> str:
        from hqt import config

        if not values.isolate or self._world.plain:
            return str(self._world.caller.directory)
        if values.folder:
            return str(self._world.caller.directory / values.folder)
        folder = {
            Mode.NEW: values.branch,
            Mode.EXISTING: self._checked_out(values.existing),
            Mode.DETACHED: slug(values.nickname),
        }[values.mode]
        pool = config.pool(self._world.config, self._world.repository)
        return str(pool / folder) if folder else str(pool)

    def _checked_out(self, name: str) -> str:
        """The branch that is checked out where `name` is chosen, which may be a remote's."""
        from hqt.git import branches

        try:
            return branches.remote_tracking(self._world.repository, name).branch
        except HqtError:
            return name

    def _revisions(self, prefix: str) -> list[str]:
        from hqt.git import offers

        return [one for one in offers.revisions(self._world.repository) if prefix in one]

    def _branches(self) -> list[str]:
        from hqt.git import branches, offers

        world = self._world
        used = {tree.branch for tree in world.worktrees}
        midway = [tree for tree in world.worktrees if tree.operation]
        return [
            one
            for one in offers.branches(world.repository)
            if one not in used and not branches.used_by(world.repository, one, midway)
        ]

    def _resolve(self, revision: str) -> str:
        from hqt.git import offers, repository

        checkout = self._world.repository.checkout or self._world.repository.main
        try:
            commit = repository.resolve(self._world.repository, revision, checkout=checkout)
        except HqtError:
            return ""
        return offers.described(self._world.repository, commit)

    def _submit(
        self, values: FormValues, progress: Callable[[str, int, int], None]
    ) -> SubmitOutcome:
        self._cancelled.clear()

        def heed(stage: str, done: int, total: int) -> None:
            if self._cancelled.is_set():
                raise HqtError(Code.INTERRUPTED, "Cancelled; everything was rolled back.")
            progress(stage, done, total)

        def wait(sentence: str) -> None:
            heed(sentence.rstrip("."), 0, 0)

        try:
            world, wish = worlds.again(self._world), self._wish(values)
            world = replace(world, caller=replace(world.caller, tell=wait))
            if values.isolate and ahead.is_big(world):
                # The window tells how far it is: this screen must not lie over it.
                story.check(world, wish)
                background.start(*background.place(world.caller), "new", *words(wish))
            else:
                story.make(world, wish, heed)
        except HqtError as error:
            field = _FIELDS.get(error.code, "")
            return SubmitOutcome(False, error.message, error.remedy, field)
        return SubmitOutcome(True)


def _is_installed(profile: Profile) -> bool:
    from hqt.sessions import harness

    try:
        harness.find_program(profile)
    except HqtError:
        return False
    return True


def words(wish: Wish) -> list[str]:
    """The words after `hqt new` that ask for the same, with a window to switch to."""
    values = {
        "branch": wish.branch,
        "checkout": wish.checkout,
        "from": wish.start,
        "path": wish.path,
        "harness": wish.harness,
        "prompt": wish.prompt,
    }
    given = [f"--{name}={value}" for name, value in values.items() if value is not None]
    return [*given, *(["--detach"] if wish.detach else []), "--switch", "--", wish.name]
