# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to those who source it
# Shared by the launcher, the entry and the other scripts; needs $root, the plugin's folder.
# Every key press comes through here, so nothing in it starts a process unless it says so.

# The folder that platformdirs calls user_data_path("hqt").
case ${XDG_DATA_HOME-} in
    /*) data=$XDG_DATA_HOME/hqt ;;
    *)
        data=${HOME:?is not set, so hqt cannot know where its files are.}/.local/share/hqt
        [ ! -d /System/Library/CoreServices ] || data="$HOME/Library/Application Support/hqt"
        ;;
esac
runtime_lock=$root/requirements.lock

# The first line of a lock file is the hash of the rest: it tells a stale environment for the
# price of reading one line, whatever the clock and the file's date say. Sets $lock_id.
read_lock_id() {
    read -r _ _ lock_id _ <"$1"
}

# The environment of the lock file $1: sets $python, $tools (where git and tmux were at setup) and
# $wanted (the interpreter that the user named). False where there is none that can run.
read_environment() {
    python='' tools='' wanted=''
    read_lock_id "$1"
    [ -r "$data/ready/$lock_id" ] || return 1
    {
        IFS= read -r python
        IFS= read -r tools
        IFS= read -r wanted
    } <"$data/ready/$lock_id"
    [ -x "$python" ]
}

# The Python for hqt itself, in $python: the one that the user names, else the environment's.
find_python() {
    if [ -z "${HQT_PYTHON-}" ]; then
        read_environment "$runtime_lock"
    else
        tools='' wanted=$HQT_PYTHON
        interpreter_in "$HQT_PYTHON"
        [ -x "$python" ]
    fi
}

# $1 is an interpreter, or the folder of an environment: sets $python.
interpreter_in() {
    python=$1
    case $python in [~]/*) python=$HOME/${python#??} ;; esac
    [ ! -d "$python" ] || python=$python/bin/python
}

# A tmux server that a desktop started may have a PATH without git and tmux.
complete_path() {
    command -v git >/dev/null && command -v tmux >/dev/null && return
    PATH=${PATH:-/usr/bin:/bin}:${tools:+$tools:}/opt/homebrew/bin:/usr/local/bin:/opt/local/bin
}

# Whether a setup is at work; sets $step, how far it is.
building() {
    step='' builder=''
    [ -r "$data/setup.progress" ] || return 1
    {
        read -r builder
        IFS= read -r step
    } <"$data/setup.progress"
    [ -n "$builder" ] && kill -0 "$builder" 2>/dev/null
}

# Starts setup apart from everything that waits for this process: a child that holds tmux's pipes
# would block the first new-session. When it ends it loads the plugin again.
begin_setup() {
    (
        trap '' HUP # it outlives the pane that asked
        exec "$root/scripts/setup" --wait --load
    ) </dev/null >/dev/null 2>&1 &
}

# Shows the text $1 in the client $2 ('' for whichever tmux finds; tmux 3.2 cannot be told which).
# Starts tmux. The text goes through an option because display-message would run a #(command) in it.
show_message() {
    tmux -u set-option -g @hqt_message "$1" \; \
        display-message ${2:+-c "$2"} -d 5000 '#{@hqt_message}' >/dev/null 2>&1 ||
        [ -z "$2" ] || show_message "$1" ''
}
