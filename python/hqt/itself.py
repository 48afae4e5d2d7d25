"""How to call this very hqt again, whatever the environment of whoever does says."""

from __future__ import annotations

import os
import sys

import hqt

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); sys.argv[:2] = ['hqt']; "
    "from hqt.__main__ import main; sys.exit(main())"
)


def own_words(*, bare: bool = False) -> list[str]:
    """The words of the command line, to which a verb is added.

    `bare` leaves out what is installed besides Python itself, for what loads none of it: that
    saves a third of the start.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(hqt.__file__)))  # noqa: PTH100, PTH120
    cache = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    site = ["-S"] if bare else []
    return [sys.executable, "-I", *site, "-X", "utf8", *cache, "-c", _START, package]


def load_packages() -> None:
    """Make what is installed besides Python importable, where it was started without (`-S`)."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()
