"""Settings from four places, and where new worktrees go."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hqt import config, paths
from hqt.errors import Code, HqtError
from hqt.models import Repository
from hqt.options import DEFAULTS, OPTIONS

ROOT = Path(__file__).parents[1]


@pytest.fixture
def write(sealed: Path) -> Callable[[str | bytes], Path]:
    """Writes the user's config.toml."""

    def write(text: str | bytes) -> Path:
        file = paths.config_file()
        assert file.is_relative_to(sealed)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return write


def refusal(options: dict[str, str] | None = None, root: Path | None = None) -> HqtError:
    with pytest.raises(HqtError) as caught:
        config.load(options or {}, root)
    assert caught.value.code is Code.CONFIG_INVALID
    assert caught.value.message.endswith(".")
    assert caught.value.remedy.endswith(".")
    return caught.value


def test_without_any_file_or_server_the_defaults_hold() -> None:
    found = config.load({}, None)
    assert found.worktree_dir == "{main}/.worktrees"
    assert (found.from_, found.harness, found.mode) == ("current", "shell", "window")
    assert (found.isolate, found.filters, found.warm) == (True, True, True)
    assert (found.delete_branch, found.trash_days) == ("merged", 14)
    assert (found.key, found.new_key) == ("W", "")


def test_every_option_is_a_field_and_every_field_an_option() -> None:
    assert [f.name for f in dataclasses.fields(config.Config)] == [o.field for o in OPTIONS]
    for option in OPTIONS:
        assert option.accepts(option.default)


def test_each_place_overrules_the_one_before(write: Callable[[str], Path], repo: Path) -> None:
    tmux = {"@hqt-harness": "codex", "@hqt-trash-days": "3"}
    write(
        f'[options]\nharness = "claude"\nisolate = false\ntrash-days = 30\n[project."{repo}"]\n'
        'harness = "gemini"\n'
    )
    elsewhere = config.load(tmux, Path("/elsewhere"))
    assert (elsewhere.harness, elsewhere.isolate, elsewhere.trash_days) == ("codex", False, 3)
    assert config.load({}, None).harness == "claude"
    here = config.load(tmux, repo)
    assert (here.harness, here.isolate, here.trash_days) == ("gemini", False, 3)


def test_a_project_may_be_named_through_home_or_a_symlink(
    write: Callable[[str], Path], sealed: Path, repo: Path
) -> None:
    (sealed / "link").symlink_to(repo)
    for name in ("~/project", f"{sealed}/link", f"{sealed}/./project/"):
        write(f'[project."{name}"]\nfrom = "main"\n')
        assert config.load({}, repo).from_ == "main", name


def test_each_setting_says_where_it_comes_from(write: Callable[[str], Path], repo: Path) -> None:
    file = write(f'[options]\nmode = "session"\n[project."{repo}"]\nfrom = "main"\n')
    found = {s.option.name: s for s in config.settings({"@hqt-icons": "ascii"}, repo)}
    assert found["icons"].origin == "@hqt-icons"
    assert found["mode"].origin == f"{file}: options.mode"
    assert found["from"].origin == f"{file}: project.{repo}.from"
    assert found["warm"].origin == "default"


def test_an_empty_tmux_option_is_as_good_as_unset_but_an_empty_key_unbinds() -> None:
    empty = {f"@hqt-{option.name}": "" for option in OPTIONS}
    found = config.load(empty, None)
    assert found.key == ""
    assert dataclasses.replace(found, key="W") == config.load({}, None)
    assert config.load({"@hqt-key": "None"}, None).key == ""


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("@hqt-from", "trunk", "current, main"),
        ("@hqt-mode", "Window", "window, session"),
        ("@hqt-isolate", "yes", "on, off"),
        ("@hqt-trash-days", "-1", "number of days"),
        ("@hqt-trash-days", "١٤", "number of days"),
        ("@hqt-trash-days", "14\n", "number of days"),
        ("@hqt-worktree-dir", "{home}/x", "{main}, {checkout} and {repo}"),
        ("@hqt-worktree-dir", "{main", "in braces"),
        ("@hqt-worktree-dir", "$HOME/x", "~ is your home"),
        ("@hqt-harness", "rm -rf", "harness profile"),
        ("@hqt-popup-width", "200%", "percent"),
    ],
)
def test_a_wrong_tmux_option_is_named_with_what_it_may_be(
    option: str, value: str, allowed: str
) -> None:
    error = refusal({option: value})
    assert option in error.message
    assert allowed in error.message
    assert f"-gu {option}" in error.remedy


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[options\n", 1, "Expected"),
        ("[options]\n\nfrom = = 3\n", 3, "Invalid value"),
        ("# fine\n[options]\nfrom = 'elsewhere'\n", 3, "options.from is 'elsewhere'"),
        ("[options]\nfrom = 3\n", 2, "current, main"),
        ("[options]\nfrom = ['current',\n 'main']\n", 2, "options.from"),
        ("options.from = 'x'\n", 1, "options.from"),
        ("options = { from = 'x' }\n", 1, "options.from"),
        ("[options]\nharness = 'a'\nfrmo = 'main'\n", 3, "options.frmo is not known"),
        ("[options]\ntrash-days = 1.5\n", 2, "number of days"),
        ("[options]\ntrash-days = 0x1_0000_0000\n", 2, "number of days"),
        ("[options]\nkey = 'W'\n", 2, "in tmux only"),
        ('[options]\nworktree-dir = "a\\u0000b"\n', 2, "options.worktree-dir"),
        ("options = 3\n", 1, "must be a table"),
        ("[[options]]\nfrom = 'main'\n", 1, "must be a table"),
        ("[optoins]\n", 1, "optoins is not known"),
        ("[project.relative]\nfrom = 'main'\n", 1, "absolute path"),
        ("[project]\n'/x' = 3\n", 2, "must be a table"),
        ("[project.'/somewhere/else']\n\nfrom = 'x'\n", 3, "project./somewhere/else.from"),
        ("\n[options]\r\nfrom = 'x'\r\n", 3, "options.from"),
        ("[options]\nharness = '''\nshell\u2028\n'''\n", 2, "options.harness"),
    ],
)
def test_a_wrong_file_is_named_with_line_and_key(
    write: Callable[[str], Path], text: str, line: int, words: str
) -> None:
    file = write(text)
    error = refusal()
    assert re.search(rf"line {line}\b", error.message), error.message
    assert str(file) in error.message
    assert words in error.message


def test_bytes_that_are_not_utf8_are_named_by_line(write: Callable[[bytes], Path]) -> None:
    write(b"[options]\n# fine\nharness = '\xff'\n")
    assert "line 3" in refusal().message


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 20_000, "x = " + "9" * 5_000, "#" * (1 << 18) + "\n#", "\0"]
)
def test_a_file_beyond_reason_is_refused_in_one_sentence(
    write: Callable[[str], Path], text: str
) -> None:
    write(text)
    refusal()


def test_what_is_no_regular_file_is_refused_and_never_waited_for() -> None:
    file = paths.config_file()
    file.mkdir(parents=True)
    assert str(file) in refusal().message
    file.rmdir()
    os.mkfifo(file)
    assert "not a regular file" in refusal().message
    file.unlink()
    file.symlink_to(file)
    assert "cannot be read" in refusal().message


def test_doctor_can_name_options_that_mean_nothing() -> None:
    assert config.unknown(["@hqt-form", "@hqt-from", "@hqt_state", "status"]) == ("@hqt-form",)


def repository(
    common: str, main: str | None, *, bare: bool = False, checkout: str | None = None
) -> Repository:
    path = Path(checkout) if checkout else None
    return Repository(Path(common), Path(main) if main else None, bare, path)


NORMAL = repository("/r/app/.git", "/r/app", checkout="/r/app/.worktrees/topic")
BARE = repository("/r/app.git", None, bare=True)
HIDDEN = repository("/r/app/.bare", None, bare=True, checkout="/r/app/topic")
APART = repository("/store/app.git", None, checkout="/w/topic")


@pytest.mark.parametrize(
    ("template", "repo", "place"),
    [
        ("{main}/.worktrees", NORMAL, "/r/app/.worktrees"),
        ("{main}/.worktrees", BARE, "/r/app.git/.worktrees"),
        ("{main}/.worktrees", HIDDEN, "/r/app/.worktrees"),
        ("{main}/.codenomad/worktrees", NORMAL, "/r/app/.codenomad/worktrees"),
        ("{checkout}/.agents/worktrees", NORMAL, "/r/app/.worktrees/topic/.agents/worktrees"),
        ("{checkout}/.agents", BARE, "/r/app.git/.agents"),
        ("{checkout}/.agents", APART, "/w/topic/.agents"),
        ("../{repo}-worktrees", NORMAL, "/r/app-worktrees"),
        ("trees", NORMAL, "/r/app/trees"),
        ("/w/{repo}", NORMAL, "/w/app"),
        ("/w/{repo}", BARE, "/w/app.git"),
        ("/w/{repo}", HIDDEN, "/w/app"),
        ("/w/{repo}", APART, "/w/app.git"),
        ("~/w/{repo}", NORMAL, "HOME/w/app"),
        ("~", NORMAL, "HOME"),
        ("/w/a\nb#(x)\udcff", NORMAL, "/w/a\nb#(x)\udcff"),
    ],
)
def test_the_pool(sealed: Path, template: str, repo: Repository, place: str) -> None:
    found = config.pool(config.load({"@hqt-worktree-dir": template}, None), repo)
    assert found == Path(place.replace("HOME", str(sealed)))


def test_a_pool_through_a_symlink_is_its_physical_place(sealed: Path, repo: Path) -> None:
    (sealed / "disk").mkdir()
    (repo / ".worktrees").symlink_to(sealed / "disk")
    found = config.pool(config.load({}, None), repository(f"{repo}/.git", str(repo)))
    assert found == sealed / "disk"


@pytest.mark.parametrize("template", ["{main}/.worktrees", "beside", "/w{main}"])
def test_an_unknown_main_checkout_asks_for_a_directory(template: str) -> None:
    with pytest.raises(HqtError) as caught:
        config.pool(config.load({"@hqt-worktree-dir": template}, None), APART)
    assert caught.value.code is Code.UNSUPPORTED_REPOSITORY
    assert "@hqt-worktree-dir" in caught.value.remedy


def test_a_home_that_does_not_exist_is_said() -> None:
    with pytest.raises(HqtError) as caught:
        config.pool(config.load({"@hqt-worktree-dir": "~nobody-here/w"}, None), NORMAL)
    assert caught.value.code is Code.CONFIG_INVALID


def test_the_shell_and_python_know_the_same_options() -> None:
    text = (ROOT / "scripts/options.sh").read_text()
    assert dict(re.findall(r"^([a-z-]+)\t(.*)$", text, re.MULTILINE)) == dict(DEFAULTS)
