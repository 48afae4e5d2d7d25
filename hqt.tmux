#!/bin/sh
# The entry, for TPM and for a plain run-shell: reads tmux once, binds the keys by one call, and
# waits for nothing. Reloading changes nothing; a key that is no longer wanted is unbound.

set -uf # -f: what tmux prints is data, never a pattern of file names

file=$0
while [ -L "$file" ]; do
    link=$(readlink "$file")
    case $link in
        /*) file=$link ;;
        *) file=${file%/*}/$link ;;
    esac
done
case $file in
    */*) root=$(CDPATH='' cd -- "${file%/*}" && pwd -P) ;;
    *) root=$(pwd -P) ;;
esac

# shellcheck source=scripts/lib.sh
. "$root/scripts/lib.sh"
# shellcheck source=scripts/options.sh
. "$root/scripts/options.sh"

ready=''
find_python && ready=yes
complete_path

newline='
'
tab='	'

# The words before the values are for the loop below: splitting drops empty lines.
seen=$(tmux -u display-message -p 'hqt-launcher #{@hqt_launcher}' \; display-message -p 'hqt-python #{@hqt-python}' \; \
    display-message -p 'hqt-version #{version}' \; show-options -g \; show-options -gw \; \
    list-commands display-popup \; list-keys -T prefix \; \
    show-hooks -g client-focus-in 2>/dev/null) # what fails here ends the list

known_launcher='' named_python='' version='' options=$newline popups='' taken=' ' unbind=''
shown='' hooked='' hooks='session-window-changed client-session-changed'
IFS=$newline
for line in $seen; do
    case $line in
        'hqt-launcher '*) known_launcher=${line#* } ;;
        'hqt-python '*) named_python=${line#* } ;;
        'hqt-version '*) version=${line#* } ;;
        @hqt-*) options=$options$line$newline ;;
        '@hqt_refresh on') hooked=yes ;;
        @hqt_*) ;;
        'display-popup '*) popups=yes ;;
        'bind-key '*' prefix '*)
            bound=${line#* prefix }
            IFS=' '
            # shellcheck disable=SC2086 # the key, between any number of spaces
            set -- $bound
            IFS=$newline
            case $line in
                *'#{@hqt_launcher} --key '*) unbind="${unbind}unbind-key -T prefix $1$newline" ;; # ours
                *) taken="$taken$1 " ;;
            esac
            ;;
        # From tmux 3.3 on; then a format of the user's or of a theme.
        client-focus-in*) hooks="$hooks client-focus-in" ;;
        *@hqt_* | *status_hqt* | *dracula_hqt*) shown=yes ;;
    esac
done
unset IFS

if [ -z "$seen" ]; then
    exit 0 # no server
fi
if [ -z "$popups" ]; then
    tmux display-message "hqt needs tmux 3.2 or newer; this is ${version:-older}. No key was bound."
    exit 0
fi

# An option, in $value as tmux quotes it (so it can be given back to tmux as it is), or else its
# default; $chosen says which.
option() {
    chosen=yes
    case $options in
        *"$newline@hqt-$1 "*) value=${options#*"$newline@hqt-$1 "} ;;
        *)
            chosen=''
            value=${HQT_OPTIONS#*"$newline$1$tab"}
            ;;
    esac
    value=${value%%"$newline"*}
}

size() {
    option "$1"
    case $value in
        *[!0-9%]* | '') value=${HQT_OPTIONS#*"$newline$1$tab"} value=${value%%"$newline"*} ;;
    esac
}
size popup-width && width=$value
size popup-height && height=$value

# The launcher's path as one word for the shell, which is also how tmux reads it.
launcher='' rest=$root/scripts/hqt
while [ "$rest" != "${rest#*\'}" ]; do
    launcher=$launcher${rest%%\'*}"'\\''" rest=${rest#*\'}
done
launcher="'$launcher$rest'"

# Names are data: a binding carries ids only, and the path by an option, for an option's value is
# not expanded again. The marker --key is how a reload knows its own keys.
marked='#{@hqt_launcher} --key' who="--client '#{client_name}' --pane #{pane_id}"
call="$marked $who"
bind=''

# bind OPTION NOTE KIND VERB…; false where the user wants no key there.
bind() {
    option "$1"
    case $value in
        '' | "''" | '""' | [Nn][Oo][Nn][Ee]) return 1 ;;
    esac
    # A default key is only an offer: what the user has bound there stays.
    [ -n "$chosen" ] || case $taken in *" $value "*) return 1 ;; esac
    shift
    act "$value" "$@"
}

# act KEY NOTE screen|silent|asked|menu VERB…: in a popup, without anything to see, that after a
# question, or by the menu. Until the environment is ready the launcher answers with its progress.
act() {
    bind="${bind}bind-key -N \"hqt: $2\" $1 "
    kind=$3$ready
    shift 3
    case $kind in
        screenyes) bind="${bind}run-shell -C \"$screen $call $*\"" ;;
        askedyes) bind="${bind}run-shell -C \"$question { run-shell -b \\\"#$call $*\\\" }\"" ;;
        menu*) bind="${bind}switch-client -T hqt \\; if-shell -b \"$marked --status $who $*\" { $show } { $leave }" ;;
        *) bind="${bind}run-shell -b \"$call $*\"" ;;
    esac
    bind=$bind$newline
}

# A popup; it takes all of a small client, and a tiny one gets a window instead.
narrow='#{e|<:#{client_width},80}' low='#{e|<:#{client_height},24}'
tiny='#{||:#{e|<:#{client_width},24},#{e|<:#{client_height},8}}'
popup="display-popup -E -c '#{client_name}' -t #{pane_id} -d / -w #{?$narrow,100%,$width} -h #{?$low,100%,$height}"
screen="#{?$tiny,new-window -c / -n hqt,$popup}"

# In the command that this stands in, `#{…}` is known when the key is pressed, `##{…}` when it asks.
question="confirm-before -t '#{client_name}' -p \\\"Archive ##{?@hqt_branch,##{=40:@hqt_branch},the session here}? (y/n)\\\""

# The menu is typed blind (ADR 0028): from its key on the client is in the table hqt, where the keys
# of the entries do what the entries do. When hqt has written the menu down, tmux shows it if the
# client is still there, and takes it out of the table in the same breath: what was typed before
# has been handled by then, since this waits its turn behind it.
show="run-shell -b -C \"run-shell -b -C \\\"if-shell -F '####{==:####{client_key_table},hqt}' { switch-client -T ##{q:key-table} ; ##{@hqt_menu0_#{s|[^A-Za-z0-9]|_|:client_name}} }\\\"\""
leave="if-shell -F '#{==:#{client_key_table},hqt}' { run-shell -b -C \"switch-client -T #{q:key-table}\" }"
bind="unbind-key -aq -T hqt$newline"
if bind key 'menu' menu ui menu --typed; then
    act '-T hqt n' 'new session' screen ui new
    act '-T hqt s' 'switch to a session' screen ui switch
    act '-T hqt m' 'move the session' screen ui move
    act '-T hqt M' 'move the session to a new worktree' screen ui move --new
    act '-T hqt x' 'remove the session and its worktree' screen ui remove
    act '-T hqt a' 'archive the session' asked archive .
    act '-T hqt u' 'undo the last removal' silent undo
    act '-T hqt g' 'git in a popup' screen ui git
    act '-T hqt l' 'lock or unlock the worktree' silent ui menu --press l
    act '-T hqt ?' 'help' silent ui menu --press help
    for number in 1 2 3 4 5 6 7 8 9; do
        act "-T hqt $number" "go to worktree $number" silent ui menu --press "$number"
    done
    for key in Escape q C-c; do
        bind="${bind}bind-key -N 'hqt: no menu' -T hqt $key if-shell -F 0 ''$newline"
    done
    # Anything else, as in the menu: nothing. That there is a way out is seen to by $show and $leave.
    bind="${bind}bind-key -N 'hqt: wait for the menu' -T hqt Any switch-client -T hqt$newline"
fi
bind new-key 'new session' screen ui new
bind switch-key 'switch to a session' screen ui switch
bind move-key 'move the session' screen ui move
bind remove-key 'remove the session and its worktree' screen ui remove
bind archive-key 'archive the session' asked archive .
bind undo-key 'undo the last removal' silent undo
bind git-key 'git in a popup' screen ui git
bind lock-key 'lock the worktree' silent lock .
bind jump-key 'next waiting agent' silent jump
bind last-key 'last worktree' silent jump --last

# What the status line can show. The counts of a window are taken anew when somebody looks at it, if
# they are shown anywhere; without that no hook is set, and in any case nothing runs by the clock.
status=''
while IFS= read -r line; do
    status=$status$line$newline
done <"$root/scripts/status.conf"
refresh="if-shell -F '#{@hqt_branch}' { run-shell -b \"$call status --publish\" }"
if [ -n "$shown" ]; then
    for event in $hooks; do status="${status}set-hook -g ${event}[8923] { $refresh }$newline"; done
    [ -n "$hooked" ] || status="${status}set-option -g @hqt_refresh on$newline"
elif [ -n "$hooked" ]; then
    for event in $hooks; do status="${status}set-hook -gu ${event}[8923]$newline"; done
    status="${status}set-option -gu @hqt_refresh$newline"
fi

# Setting an option redraws every client, so only when it changes.
set -- source-file -
[ "$known_launcher" = "$launcher" ] || set -- set-option -g @hqt_launcher "$launcher" \; "$@"
errors=$(printf '%s' "$unbind$bind$status" | tmux -u "$@" 2>&1)
[ -z "$errors" ] || show_message "hqt could not bind every key: $errors." ''

# The warm start, on Linux, apart from everything that waits for this process. Switched off, only a
# reload has one to end.
option warm
if [ -n "$ready" ] && [ -d /proc/self/ns ] && { [ "$value" != off ] || [ -n "$known_launcher" ]; }; then
    "$root/scripts/hqt" --warm "$value" </dev/null >/dev/null 2>&1 &
fi

# An interpreter that the user has named since is taken up; one that is named no more goes on
# serving, for there may be no other.
[ "${1-}" != loaded ] || exit 0 # setup itself has called: do not start it again
if [ -z "$ready" ] || { [ -n "$named_python" ] && [ "$named_python" != "$wanted" ]; }; then
    [ -z "$named_python" ] || export HQT_PYTHON="$named_python"
    begin_setup
fi
exit 0
