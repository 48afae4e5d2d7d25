# shellcheck shell=sh disable=SC2034,SC2154
# What test, check and try begin with: the tools, in an environment of their own.

# Sets $python and $bin to the environment with the tools, building it where it is not.
use_dev_environment() {
    "$root/scripts/setup" --dev --wait >&2 || exit
    read_environment "$root/requirements-dev.lock" || exit
    bin=${python%/*}
    # Elsewhere than beside the sources, and shared with the calls of hqt that tests make.
    export PYTHONPYCACHEPREFIX="$data/pycache"
    unset PYTHONDONTWRITEBYTECODE # else each worker of the tests rewrites all asserts anew
}
