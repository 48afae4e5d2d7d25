# shellcheck shell=sh
# What hqt needs of the system, and how a person installs what is missing.

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
