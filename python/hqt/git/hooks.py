"""Running the user's post-checkout hook, as `git worktree add` runs it."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

from hqt.git import gitconfig, process
from hqt.git.interrupts import held_back
from hqt.models import Repository


def post_checkout(repo: Repository, path: Path, git_dir: Path, commit: str) -> str | None:
    """Run the hook in the new worktree, if there is one; a sentence when it did not succeed.

    Its exit status changes nothing about the worktree, as with git. It gets no `GIT_*` variable, no
    input, and `process.LONG` seconds; what it leaves in the background lives on.
    """
    hook = _find(repo, path, git_dir)
    if hook is None:
        return None
    import tempfile

    arguments = ["0" * len(commit), commit, "1"]
    with tempfile.TemporaryFile() as said:
        child = None
        try:
            with held_back():  # interrupted before it has its name, it would run on
                child = _start([str(hook), *arguments], path, said.fileno())
            status = child.wait(process.LONG)
        except OSError as error:
            return f"The post-checkout hook could not be started: {error.strerror}."
        except subprocess.TimeoutExpired:
            return f"The post-checkout hook was ended after {process.LONG:g} seconds."
        finally:
            if child:
                process.end(child)
        if status == 0:
            return None
        said.seek(0)
        lines = os.fsdecode(said.read()).strip().splitlines()
    last = f": {lines[-1].strip().rstrip('.')}" if lines else ""
    return f"The post-checkout hook failed with status {status}{last}."


def _find(repo: Repository, path: Path, git_dir: Path) -> Path | None:
    hook = repo.common_dir / "hooks" / "post-checkout"
    if gitconfig.mentioned(repo, "core.hookspath"):
        query = (f"--git-dir={git_dir}", f"--work-tree={path}", "rev-parse", "--git-path")
        answer = process.ask(*query, "hooks/post-checkout", cwd=path)
        hook = path / answer.text
    return hook if hook.is_file() and os.access(hook, os.X_OK) else None


def _start(command: list[str], path: Path, output: int) -> subprocess.Popen[bytes]:
    """Output goes to a file: a pipe would make us wait for what the hook leaves behind."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for argv in (command, ["/bin/sh", *command]):
        try:
            return subprocess.Popen(
                argv,
                cwd=path,
                env=clean,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            if error.errno != errno.ENOEXEC:  # no interpreter line: a shell script, to git
                raise
    raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC))
