#!/bin/sh
# A custom module for dracula/tmux: docs/status.md. What a #() prints tmux reads as a format once
# more, so no call of tmux and no Python is needed here.
echo '#{E:@hqt_status}'
