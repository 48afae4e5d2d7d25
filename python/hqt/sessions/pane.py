"""The words that a pane executes: what has to happen in it before its program takes over.

/bin/sh unsets what an outer agent left behind (tmux can set variables for a window, but not unset
what its server was started with), prints what the user should see, runs the repository's setup
command, and then becomes the program. Everything that is not hqt's own travels as an argument.
"""

from __future__ import annotations

from hqt.names import printable
from hqt.sessions.launching import Launching
from hqt.sessions.world import World

# tmux gives a window the shell of its `default-shell` in $SHELL, and starts it as a login shell.
_SHELL = """
case ${SHELL##*/} in
    sh|ash|bash|csh|dash|fish|ksh|mksh|nu|tcsh|xonsh|yash|zsh) exec "$SHELL" -l ;;
    *) exec "${SHELL:-/bin/sh}" ;;
esac
""".strip()
_DEFAULT_COMMAND = 'exec "${SHELL:-/bin/sh}" -c "$1"'
_PROGRAM = 'exec "$@"'
_NOTE = "printf 'hqt: %s\\n' \"$1\"; shift"
# An interrupt ends the setup, not the window.
_SETUP = """
printf 'hqt: setup: %s\\n' "$2"
trap : INT
(cd "$1" && exec /bin/sh -c "$2")
code=$?
trap - INT
[ "$code" -eq 0 ] || printf 'hqt: the setup command failed (exit status %s).\\n' "$code"
shift 2
""".strip()


def words(world: World, launch: Launching, *, respawn: bool = False) -> tuple[str, ...] | None:
    """The command line for a pane; None for a window that may simply be tmux's own.

    A pane that is respawned is always told: without a command tmux repeats the pane's last one.
    """
    script: list[str] = []
    given: list[str] = []
    inherited = world.snapshot.environment if world.snapshot else frozenset()
    drop = [name for name in launch.drop if launch.argv is not None or name in inherited]
    if drop:
        script.append(f"unset {' '.join(drop)}")
    for note in launch.notes:
        script.append(_NOTE)
        given.append(printable(note))
    if launch.setup:
        script.append(_SETUP)
        given += [str(launch.setup.root), launch.setup.command]
    if launch.argv is not None:
        script.append(_PROGRAM)
        given += launch.argv
    elif world.snapshot and world.snapshot.default_command:
        script.append(_DEFAULT_COMMAND)
        given.append(world.snapshot.default_command)
    else:
        script.append(_SHELL)
    if len(script) == 1 and not respawn:
        return launch.argv
    return ("/bin/sh", "-c", "\n".join(script), "hqt", *given)
