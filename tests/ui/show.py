"""Shows one screen with fake services, for tests in a real terminal: `show.py form|picker|confirm`.

What the screen ends with is printed, so that a test can read it off the terminal.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace

from hqt.errors import Code, HqtError
from hqt.models import Changes
from hqt.names import slug
from hqt.ui import confirm, form, picker

POOL = "~/project/.worktrees"


class Forms:
    """Services of a form: `taken` is a branch that exists, `late` one that fails only when made."""

    def __init__(self, *, slow: bool = False) -> None:
        self.slow = slow
        self.cancelled = threading.Event()

    def validate(self, values: form.FormValues) -> Mapping[str, str]:
        if values.mode is form.Mode.NEW and values.branch == "taken":
            return {"branch": "A branch taken exists already."}
        return {}

    def path_preview(self, values: form.FormValues) -> str:
        name = {form.Mode.NEW: values.branch, form.Mode.EXISTING: values.existing}
        return f"{POOL}/{name.get(values.mode) or slug(values.nickname)}"

    def revisions(self, prefix: str) -> list[str]:
        names = ["main", "maintenance", "release/1.2", "v1.0", "v1.1"]
        return [name for name in names if name.startswith(prefix)]

    def branches(self) -> list[str]:
        return ["feature/login", "fix/crash", "release/1.2", "login-page"]

    def submit(self, values: form.FormValues, progress: form.Progress) -> form.SubmitOutcome:
        if values.branch == "late":
            return form.SubmitOutcome(
                False,
                "The folder ~/project/.worktrees/late exists already; nothing was made.",
                "Choose another folder, or remove that one.",
                "folder",
            )
        if self.slow:
            progress("prepare", 0, 0)
            for done in range(1, 31):
                if self.cancelled.wait(0.1):
                    return form.SubmitOutcome(
                        False, "Cancelled; nothing was made.", "Press Enter to try again."
                    )
                progress("checkout", done * 100, 3000)
        return form.SubmitOutcome(True)

    def resolve(self, revision: str) -> str:
        return {"HEAD": "main 3f2a1c9 First", "v1.0": "v1.0 77aa001 Ship"}.get(revision, "")

    def services(self) -> form.FormServices:
        return form.FormServices(
            slug=slug,
            validate=self.validate,
            path_preview=self.path_preview,
            revisions=self.revisions,
            branches=self.branches,
            submit=self.submit,
            cancel=self.cancelled.set,
            resolve=self.resolve,
        )


def form_defaults(*, repository: bool = True) -> form.FormDefaults:
    return form.FormDefaults(
        isolate_possible=repository,
        from_="HEAD",
        resolved="main 3f2a1c9 First",
        alternatives=(
            form.Start("current", "HEAD", "main 3f2a1c9 First"),
            form.Start("main", "main", "main 3f2a1c9 First"),
        ),
        harnesses=("claude", "codex", "shell"),
        pool=POOL,
        repository="project",
    )


ROWS: tuple[picker.PickerRow, ...] = (
    picker.PickerRow("a0", None, "main", path="/home/me/project", main=True, windows=1, age=40),
    picker.PickerRow(
        "b1", "s1", "fix-login", "Fix login", "/home/me/project/.worktrees/fix-login",
        state="working", windows=1, age=600, current=True,
    ),
    picker.PickerRow(
        "c2", "s2", "feature/payments", "Payments", "/home/me/project/.worktrees/feature/payments",
        state="waiting", windows=2, age=7500, operation="rebase",
    ),
    picker.PickerRow(
        "d3", "s3", "release/1.2", "Release", "/home/me/project/.worktrees/release/1.2",
        state="closed", locked="waits for QA", age=200000,
    ),
    picker.PickerRow("e4", None, "old@3f2a1c9", path="/mnt/usb/old", missing=True, age=9000000),
    picker.PickerRow(
        None, "s5", "", "Ask about tests", "/home/me/project", state="idle", windows=1
    ),
)  # fmt: skip
FACTS = {
    "a0": (Changes(), 0),
    "b1": (Changes(staged=1, modified=3, untracked=2), 2),
    "c2": (Changes(modified=12, conflicted=1), 14),
    "d3": (Changes(), 0),
}


class Pickers:
    """Services of a picker over fixed rows; locking works, archiving is refused."""

    def __init__(self, *, many: bool = False) -> None:
        self.rows = ROWS
        if many:
            more = (
                replace(
                    ROWS[1], worktree=f"m{n}", session=f"m{n}", label=f"task/{n}", current=False
                )
                for n in range(60)
            )
            self.rows = (*ROWS, *more)

    def list(self, scope: picker.Scope) -> picker.Listing:
        rows = self.rows
        if scope.archived:
            rows = (*rows, picker.PickerRow("f6", "s6", "done-long-ago", "Old", archived=True))
        if scope.all_repositories:
            rows = tuple(replace(row, repository="project") for row in rows)
        return picker.Listing(rows)

    def fill(self, row: picker.PickerRow) -> picker.PickerRow:
        changes, unique = FACTS.get(row.worktree or "", (None, None))
        return replace(row, changes=changes, unique=unique)

    def preview(self, row: picker.PickerRow) -> tuple[str, ...]:
        name = row.label or row.nickname
        return (f"3f2a1c9 Work on {name}", "77aa001 First", "", " M src/app.py", "?? notes.txt")

    def act(self, action: picker.Action, rows: tuple[picker.PickerRow, ...]) -> str:
        if action is picker.Action.ARCHIVE:
            raise HqtError(Code.BUSY, "vim runs in there; nothing was changed.", "Quit it first.")
        if action is picker.Action.COPY:
            return f"Copied {rows[0].path}"
        keys = {row.key for row in rows}
        self.rows = tuple(
            replace(row, locked=None if row.locked is not None else "") if row.key in keys else row
            for row in self.rows
        )
        return f"Locked or unlocked {len(rows)}."

    def services(self) -> picker.PickerServices:
        return picker.PickerServices(self.list, self.fill, self.preview, self.act)


TARGETS = ("⎇ fix-login  ~/project/.worktrees/fix-login",)
LOSSES = (
    confirm.Loss("3 uncommitted files", (" M src/app.py", "M  src/login.py", "?? notes.txt")),
    confirm.Loss("2 commits that exist nowhere else", ("3f2a1c9 Log in", "77aa001 Try again")),
    confirm.Loss(".env", force=False),
)
CLEAN = confirm.RemovalQuestion(
    "Remove fix-login?",
    TARGETS,
    stays_with=("The branch fix-login goes too: it is merged into main.",),
    closing="Close fix-login?",
    windows=("@2",),
)
DIRTY = replace(
    CLEAN,
    losses=LOSSES,
    notes=("1,204 ignored cache files, 310 MB",),
    occupants=(
        confirm.Occupant("claude in pane %5, working", busy=True),
        confirm.Occupant("vim in pane %9 of window @4", busy=True, outside=True),
        confirm.Occupant("client /dev/pts/3 looks at window @2"),
    ),
    others=("Review login",),
    stays_with=(
        "The branch fix-login stays.",
        "The trash keeps all of it; hqt undo brings it back.",
    ),
)
QUESTIONS = {
    "clean": CLEAN,
    "dirty": DIRTY,
    "locked": replace(
        CLEAN, kept=confirm.Refusal("It is locked: waits for QA.", "Unlock it first.")
    ),
    "main": replace(
        CLEAN,
        title="Remove main?",
        refused=confirm.Refusal(
            "The main checkout is never removed; nothing was changed.",
            "Choose one of its worktrees.",
        ),
    ),
}


def slowly() -> confirm.RemovalQuestion:
    time.sleep(1)
    return DIRTY


def main() -> None:
    screen, *options = sys.argv[1:]
    icon_set = "ascii" if "ascii" in options else "unicode"
    if screen == "form":
        result: object = form.run(
            form_defaults(repository="plain" not in options),
            Forms(slow="slow" in options).services(),
            icon_set=icon_set,
        )
    elif screen == "confirm":
        result = confirm.run(
            QUESTIONS[options[0]],
            confirm.ConfirmServices(slowly if "slow" in options else None),
            icon_set=icon_set,
        )
    else:
        result = picker.run(
            Pickers(many="many" in options).services(),
            picker.PickerOptions(icon_set=icon_set),
        )
    sys.stdout.write(f"ended with {result}\n")


if __name__ == "__main__":
    main()
