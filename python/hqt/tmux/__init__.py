"""Everything that tmux knows. The only package that imports libtmux or starts tmux."""
