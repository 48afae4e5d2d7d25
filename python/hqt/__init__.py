"""hqt: a git worktree and a tmux window of its own for every task."""

__version__ = "0.1.0"
