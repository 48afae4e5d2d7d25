# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to those who source it
# What hqt needs of the system - git, tmux and a Python - and how a person installs what is missing.

# Prints the line that installs what the words stand for: git, tmux, python (3.11 or newer), venv.
install_line() {
    manager=''
    for manager in apt-get dnf pacman apk zypper brew ''; do
        [ -z "$manager" ] || ! command -v "$manager" >/dev/null || break
    done
    packages=''
    for word; do
        case $manager:$word in
            apt-get:python) word='python3 python3-venv' ;;
            apt-get:venv) word=python3-venv ;;
            dnf:python) word=python3.12 ;; # where python3 is older, it is there beside it
            zypper:python) word=python312 ;;
            apk:python) word='python3 py3-pip' ;;
            apk:venv) word=py3-pip ;;
            pacman:venv | brew:venv) word=python ;;
            *:venv) word=python3-pip ;;
        esac
        packages="$packages $word"
    done
    case $manager in
        '') echo "the packages$packages of your system" ;;
        brew) echo "brew install$packages" ;;
        pacman) echo "$(as_root)pacman -S$packages" ;;
        apk) echo "$(as_root)apk add$packages" ;;
        *) echo "$(as_root)$manager install -y$packages" ;;
    esac
}

as_root() {
    [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null || echo 'sudo '
}

# Sets $missing to those of the programs that are not on the PATH; false where that is none.
find_missing() {
    missing=''
    for program; do
        command -v "$program" >/dev/null || missing="$missing${missing:+ }$program"
    done
    [ -n "$missing" ]
}

# The next two fail, by the caller's own `fail`, with a sentence that names what is missing.
require_programs() {
    complete_path
    find_missing git tmux || return
    # shellcheck disable=SC2086 # a list of words
    fail "missing here: $(echo "$missing" | sed 's/ / and /')." \
        "Install with: $(install_line $missing)"
}

# Says of the interpreter that runs it: its real path, which goes with an upgrade of the system's
# Python, its version, and the key of its environment. A shim such as pyenv's cannot lie to it.
probe='
import sys
if sys.version_info < (3, 11) or sys.implementation.name != "cpython":
    sys.exit(1)
import hashlib, os
path = os.path.realpath(sys.executable)
version = ".".join(map(str, sys.version_info[:3]))
with open(sys.argv[1], "rb") as lock:
    key = hashlib.sha256(b"\0".join([lock.read(), os.fsencode(path), version.encode()]))
sys.stdout.buffer.write(b"\n".join([os.fsencode(path), version.encode(), key.hexdigest()[:16].encode()]))'

# Sets $base, $version and $key from the interpreter $1; false if it is too old or does not run.
consider() {
    found=$("$1" -I -S -c "$probe" "$lock" </dev/null 2>/dev/null) || return 1
    key=${found##*"$newline"}
    found=${found%"$newline"*}
    version=${found##*"$newline"}
    base=${found%"$newline"*}
    [ -x "$base" ]
}
newline='
'

# Considers $HQT_PYTHON, or else what is on the PATH, until one will do.
find_interpreter() {
    if [ -n "${HQT_PYTHON-}" ]; then
        interpreter_in "$HQT_PYTHON"
        consider "$python" && return
        fail "$HQT_PYTHON, named by HQT_PYTHON or @hqt-python, is no Python 3.11 or newer" \
            'that runs. Nothing was changed.'
    fi
    places=$PATH:$HOME/.local/bin
    old_ifs=$IFS
    IFS=:
    for name in python3 python3.13 python3.12 python3.11 python3.14 python3.15; do
        for folder in $places; do
            if [ -x "$folder/$name" ] && consider "$folder/$name"; then
                IFS=$old_ifs
                return
            fi
        done
    done
    IFS=$old_ifs
    fail 'missing here: Python 3.11 or newer.' \
        "Install with: $(install_line python) - or name one with @hqt-python or HQT_PYTHON."
}
