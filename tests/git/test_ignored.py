"""Ignored files: the precious ones by name, the rest summed within bounds."""

from __future__ import annotations

import os
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


class TestInMain:
    """What the main checkout has just so would not be lost."""

    @pytest.fixture
    def pair(self, sealed: Path) -> tuple[Path, Path]:
        """A worktree and the main checkout."""
        for name in ("tree", "main"):
            (sealed / name).mkdir()
        return sealed / "tree", sealed / "main"

    def in_main(self, pair: tuple[Path, Path]) -> tuple[str, ...]:
        """That, of what looks precious: the latter is named in any case."""
        tree, main = pair
        found = survey(tree, ["keys/", ".env"], main)
        assert found.precious == (".env", "keys/a.pem")
        return found.in_main

    def test_what_is_byte_for_byte_the_same(self, pair: tuple[Path, Path]) -> None:
        for place in pair:
            put(place, ".env", "keys/a.pem")
        assert self.in_main(pair) == (".env", "keys/a.pem")

    def test_not_what_differs_or_is_not_there(self, pair: tuple[Path, Path]) -> None:
        put(pair[0], ".env", "keys/a.pem")
        put(pair[1], ".env")
        (pair[0] / ".env").write_text("54321")
        assert self.in_main(pair) == ()

    def test_a_link_to_the_file_there(self, pair: tuple[Path, Path]) -> None:
        put(pair[0], "keys/a.pem")
        put(pair[1], ".env")
        (pair[0] / ".env").symlink_to(pair[1] / ".env")
        assert self.in_main(pair) == (".env",)

    def test_not_a_link_to_elsewhere(self, pair: tuple[Path, Path], sealed: Path) -> None:
        put(pair[0], "keys/a.pem")
        put(pair[1], ".env")
        (pair[0] / ".env").symlink_to(sealed / "nowhere")
        assert self.in_main(pair) == ()

    def test_only_small_files_are_compared(
        self, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for place in pair:
            put(place, ".env", "keys/a.pem")
            (place / ".env").write_text("123456")
        monkeypatch.setattr(ignored, "MOST_COMPARED", 5)
        assert self.in_main(pair) == ("keys/a.pem",)

    def test_and_only_for_a_moment(
        self, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for place in pair:
            put(place, ".env", "keys/a.pem")
        monkeypatch.setattr(ignored, "COMPARING", -1.0)
        assert self.in_main(pair) == (".env",)

    def test_nothing_that_would_have_to_be_waited_for(self, pair: tuple[Path, Path]) -> None:
        put(pair[0], "keys/a.pem")
        for place in pair:
            os.mkfifo(place / ".env")
        assert self.in_main(pair) == ()
