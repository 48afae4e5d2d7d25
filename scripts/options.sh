# shellcheck shell=sh disable=SC2034 # read by the files that source this one
# Every option of hqt and its default: name, tab, default. A test holds it against options.py.
HQT_OPTIONS='
worktree-dir	{main}/.worktrees
from	current
harness	shell
mode	window
isolate	on
delete-branch	merged
trash-days	14
filters	on
git-command	
icons	unicode
python	
warm	on
popup-width	80%
popup-height	75%
branch-style	
dirty-style	
unique-style	
waiting-style	
error-style	
done-style	
working-style	
key	W
new-key	none
switch-key	none
move-key	none
remove-key	none
archive-key	none
undo-key	none
git-key	none
lock-key	none
jump-key	none
last-key	none
'
