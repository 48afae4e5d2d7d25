"""Ignored files: the precious ones by name, the rest summed within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from hqt.git import ignored
from hqt.git.ignored import looks_precious, survey
from hqt.models import IgnoredFiles

PRECIOUS = """
.env .env.local .env.production .envrc prod.env db.sqlite db.sqlite3 app.db app.db-wal dump.sql
dump.sql.gz server.pem server.key id_rsa id_ed25519 credentials credentials.json secrets.yaml .npmrc
.netrc settings.local.json config.local local.properties docker-compose.override.yml x.tfvars
terraform.tfstate keystore.jks wallet.kdbx backup.bak
""".split()
PLAIN = """
main.o index.js id_rsa.pub environment key.txt database.md .gitignore x.log app.pyc locale.py
localhost monkey keyboard.css envoy.yaml dbx
""".split()


@pytest.mark.parametrize("name", PRECIOUS)
def test_what_nobody_can_make_again_looks_precious(name: str) -> None:
    assert looks_precious(name)
    assert looks_precious(name.upper())


@pytest.mark.parametrize("name", PLAIN)
def test_what_a_build_makes_does_not(name: str) -> None:
    assert not looks_precious(name)


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("12345")


def test_precious_files_are_found_deep_in_ignored_folders(sealed: Path) -> None:
    put(sealed, ".env", "data/deep/app.db", "data/deep/other", "x.log")
    found = survey(sealed, [".env", "data/", "x.log"])
    assert found == IgnoredFiles((".env", "data/deep/app.db"), files=2, size=10)


def test_in_caches_nothing_is_named(sealed: Path) -> None:
    put(sealed, "node_modules/x/.env", "packages/a/node_modules/x/cacert.pem")
    put(sealed, "my-environment/pyvenv.cfg", "my-environment/lib/cacert.pem", "c/CACHEDIR.TAG")
    put(sealed, "c/app.db")
    found = survey(sealed, ["node_modules/", "packages/", "my-environment/", "c/"])
    assert found == IgnoredFiles((), files=6, size=30)


def test_a_folder_called_like_a_file_of_secrets_is_searched(sealed: Path) -> None:
    put(sealed, ".env/production", ".env/prod.key")
    assert survey(sealed, [".env/"]) == IgnoredFiles((".env/prod.key",), files=1, size=5)


def test_links_are_counted_and_not_followed(sealed: Path) -> None:
    put(sealed, "outside/app.db")
    (sealed / "tree" / "data").mkdir(parents=True)
    (sealed / "tree" / "data" / "link").symlink_to(sealed / "outside")
    (sealed / "tree" / "data" / "loop").symlink_to(".")
    found = survey(sealed / "tree", ["data/"])
    assert (found.precious, found.files) == ((), 2)


def test_no_time_makes_the_sums_a_lower_bound(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(sealed, ".env", "node_modules/a", "data/app.db")
    monkeypatch.setattr(ignored, "PATIENCE", -1.0)
    assert survey(sealed, [".env", "data/", "node_modules/"]) == IgnoredFiles(
        (".env",), partial=True
    )


def test_what_is_gone_meanwhile_or_unreadable_makes_them_one_too(sealed: Path) -> None:
    assert survey(sealed, ["gone/", "x.log"]) == IgnoredFiles(files=1, partial=True)


def test_names_of_any_bytes(sealed: Path) -> None:
    put(sealed, "data/caf\udce9.db", "data/two\nlines.key")
    found = survey(sealed, ["data/"])
    assert found.precious == ("data/caf\udce9.db", "data/two\nlines.key")
