# shellcheck shell=sh disable=SC2154 # variables of the launcher and lib.sh
# What the launcher does where there is no environment yet. Sourced after lib.sh.

# Answers a key from the client $1 with how far the environment is; starts it if nobody does.
answer_key() {
    if building; then
        show_message "hqt: $step. The key works when that is done." "$1"
        return
    fi
    begin_setup
    if [ -s "$data/setup.failed" ]; then
        show_message "$(cat "$data/setup.failed") hqt tries again now." "$1"
    else
        show_message 'hqt prepares its Python environment. The key works when that is done.' "$1"
    fi
}

# Builds the environment for the call "$@" and waits for it, or ends the call.
prepare() {
    case " $* " in
        *' --json '*)
            sentence=$("$root/scripts/setup" --wait 2>&1 >/dev/null </dev/null) || give_up_in_json "$sentence"
            ;;
        *)
            echo 'hqt: preparing the Python environment, which happens once …' >&2
            "$root/scripts/setup" --wait </dev/null >/dev/null || give_up
            ;;
    esac
    find_python || give_up
}

give_up() {
    if [ "$key" = screen ]; then # the popup would close before the sentence is read
        echo 'Press Enter to close.' >&2
        read -r _
    fi
    exit 3
}

give_up_in_json() {
    text=$(printf '%s' "$1" | tr '\n\t' '  ' | sed 's/["\\]/\\&/g')
    printf '{"schema_version":1,"error":{"code":"internal","message":"%s","remedy":"","details":{}}}\n' \
        "$text" >&2
    exit 3
}
