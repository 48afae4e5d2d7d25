"""A new worktree is git's own from the first moment, and one that fails was never there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from helpers.making import check_out, everything, listed, make, plan, pool_of
from helpers.repos import bare_repository, commit, git, linked, repository
from hqt.errors import Code, HqtError
from hqt.git import admin, checkout, creation
from hqt.git.creation import NewWorktree
from hqt.git.repository import discover
from hqt.git.worktrees import list_worktrees, require_identity
from hqt.models import Worktree
from hqt.names import is_branch_name

assert pygit2  # loaded, so that it may be chosen

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")


@pytest.fixture(params=["libgit2", "git"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to make references and files."""
    if request.param == "git":
        monkeypatch.setattr(checkout, "FEW", 0)
    return str(request.param)


def head_of(repo: Path, revision: str = "HEAD") -> str:
    return git(repo, "rev-parse", f"{revision}^{{commit}}")


def refused(call: Callable[[], object], code: Code) -> HqtError:
    with pytest.raises(HqtError) as caught:
        call()
    assert caught.value.code is code, caught.value.message
    assert caught.value.message.endswith(".")
    assert caught.value.remedy.endswith(".")
    return caught.value


def refused_untouched(start: Path, call: Callable[[], object], code: Code) -> HqtError:
    """Refused, and nothing anywhere around has changed."""
    before = everything(start.parent)
    error = refused(call, code)
    assert everything(start.parent) == before
    return error


# What comes out


@pytest.mark.usefixtures("engine")
def test_a_new_branch_in_a_new_worktree(repo: Path) -> None:
    tree = make(repo, "deep/topic")
    path = repo / ".worktrees" / "deep" / "topic"
    entry = repo / ".git" / "worktrees" / "topic"
    assert tree == Worktree(path, entry, False, head_of(repo), "deep/topic")
    assert listed(repo)[str(path)] == {"HEAD": head_of(repo), "branch": "refs/heads/deep/topic"}
    assert (path / ".git").read_text() == f"gitdir: {entry}\n"
    assert (entry / "gitdir").read_text() == f"{path}/.git\n"
    assert (entry / "commondir").read_text() == "../..\n"
    assert (entry / "HEAD").read_text() == "ref: refs/heads/deep/topic\n"
    assert git(path, "log", "-g", "--format=%H", "HEAD").splitlines()[0] == head_of(repo)
    assert git(path, "log", "-g", "--format=%H", "deep/topic") == head_of(repo)
    assert git(path, "status", "--porcelain=v2", "--branch").splitlines()[1:] == [
        "# branch.head deep/topic"
    ]
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "fsck", "--strict") == ""
    require_identity(discover(repo), tree)


@pytest.mark.usefixtures("engine")
def test_detached_at_an_annotated_tag(repo: Path) -> None:
    git(repo, "tag", "-a", "-m", "Release", "v1")
    commit(repo, "more")
    tree = make(repo, None, from_="v1")
    assert (tree.branch, tree.head) == (None, head_of(repo, "v1"))
    assert "detached" in listed(repo)[str(tree.path)]
    assert git(tree.path, "rev-parse", "HEAD@{0}") == tree.head
    assert (tree.git_dir / "logs" / "HEAD").read_text().startswith(f"{'0' * 40} {tree.head} ")


@pytest.mark.usefixtures("engine")
def test_an_existing_branch_is_taken_as_it_is(repo: Path) -> None:
    git(repo, "branch", "topic")
    tip = commit(repo, "more")
    git(repo, "branch", "-f", "topic")
    before = (repo / ".git" / "logs" / "refs" / "heads" / "topic").read_text()
    tree = make(repo, "topic", from_="HEAD~1", existing=True)
    assert (tree.branch, tree.head) == ("topic", tip)
    assert (repo / ".git" / "logs" / "refs" / "heads" / "topic").read_text() == before


@pytest.mark.usefixtures("engine")
def test_a_remote_tracking_branch_gets_its_local_one(repo: Path, sealed: Path) -> None:
    git(repo, "branch", "user/feature")
    git(sealed, "clone", "-q", str(repo), "clone")
    clone = sealed / "clone"
    tree = check_out(clone, "origin/user/feature")
    assert tree.branch == "user/feature"
    assert git(tree.path, "rev-parse", "--symbolic-full-name", "@{u}") == (
        "refs/remotes/origin/user/feature"
    )
    git(clone, "branch", "theirs", "origin/user/feature")
    said = git(clone, "config", "--get-regexp", r"^branch\.(theirs|user/feature)\.")
    ours = [line for line in said.splitlines() if "user/feature." in line]
    theirs = [line.replace(".theirs.", ".user/feature.") for line in said.splitlines()]
    assert ours == [line for line in theirs if line not in ours or line in ours][-len(ours) :]


@pytest.mark.parametrize(("setting", "rebase"), [("always", "true"), ("local", "")])
def test_following_obeys_auto_setup_rebase(
    repo: Path, sealed: Path, setting: str, rebase: str
) -> None:
    git(repo, "branch", "theirs")
    git(sealed, "clone", "-q", str(repo), "clone")
    git(sealed, "config", "--global", "branch.autoSetupRebase", setting)
    check_out(sealed / "clone", "theirs")
    assert git(sealed / "clone", "config", "branch.theirs.rebase", check=False) == rebase


@pytest.mark.usefixtures("engine")
def test_a_new_branch_follows_nothing_by_accident(repo: Path, sealed: Path) -> None:
    git(sealed, "clone", "-q", str(repo), "clone")
    git(sealed, "config", "--global", "branch.autoSetupMerge", "always")
    tree = make(sealed / "clone", "topic", from_="origin/main")
    assert git(tree.path, "rev-parse", "@{u}", check=False) in {"", "@{u}"}


def test_while_it_is_made_it_is_locked(repo: Path) -> None:
    seen = []

    def look(stage: str, done: int, _total: int) -> None:
        if (stage, done) == ("checkout", 0):
            seen.append(listed(repo)[str(repo / ".worktrees" / "topic")]["locked"])

    make(repo, progress=look)
    assert [one.split()[:2] for one in seen] == [["hqt:", "creating"]]


def test_admin_names_are_flat_and_unique(repo: Path) -> None:
    trees = [make(repo, name) for name in ("a/topic", "b/topic", "topic/c", "c/topic")]
    assert [tree.git_dir.name for tree in trees] == ["topic", "topic1", "c", "topic2"]
    assert len(listed(repo)) == 5


@pytest.mark.usefixtures("engine")
def test_an_empty_folder_may_be_there(repo: Path, sealed: Path) -> None:
    (sealed / "mine").mkdir(mode=0o700)
    tree = make(repo, path=sealed / "mine")
    assert tree.path == sealed / "mine"
    assert tree.path.stat().st_mode & 0o777 == 0o700


def test_from_within_a_worktree_the_new_one_lies_beside_it(repo: Path) -> None:
    first = make(repo, "first").path
    commit(first, "more")
    (first / "sub").mkdir()
    second = make(first / "sub", "second")
    assert second.path == repo / ".worktrees" / "second"
    assert second.head == head_of(first)


def test_uncommitted_files_stay_where_they_are(repo: Path) -> None:
    (repo / "file0").write_text("changed\n")
    (repo / "new").touch()
    tree = make(repo).path
    assert git(tree, "status", "--porcelain") == ""
    assert git(repo, "status", "--porcelain") == " M file0\n?? new"


def test_a_path_through_a_symbolic_link_is_made_physical(repo: Path, sealed: Path) -> None:
    (sealed / "real").mkdir()
    (sealed / "link").symlink_to("real")
    tree = make(repo, path=sealed / "link" / "x" / ".." / "topic")
    assert tree.path == sealed / "real" / "topic"
    assert listed(repo)[str(tree.path)]


def test_permissions_of_a_shared_repository(repo: Path) -> None:
    git(repo, "config", "core.sharedRepository", "0660")
    before = os.umask(0o077)
    try:
        tree = make(repo)
    finally:
        os.umask(before)
    for path in (tree.git_dir, tree.git_dir / "logs", repo / ".git" / "worktrees"):
        assert path.stat().st_mode & 0o7777 == 0o2770, path
    for name in ("HEAD", "gitdir", "commondir", "index"):
        assert (tree.git_dir / name).stat().st_mode & 0o777 == 0o660, name
    assert (repo / ".git" / "refs" / "heads" / "topic").stat().st_mode & 0o777 == 0o660


NAMES = st.text(
    st.one_of(
        st.sampled_from("abA/.-_#@$`'\"&;!%(){}+=, \u00fc\u65e5"),
        st.characters(codec="utf-8", categories=("L", "N", "P", "S")),
    ),
    min_size=1,
    max_size=20,
).filter(is_branch_name)


@given(names=st.lists(NAMES, min_size=1, max_size=3, unique_by=str.casefold))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_branch_name_makes_the_round(sealed: Path, names: list[str]) -> None:
    assume(not any(other.startswith(f"{name}/") for name in names for other in names))
    shutil.rmtree(sealed / "project", ignore_errors=True)
    repo = repository(sealed / "project")
    made = [make(repo, name) for name in names]
    for name, tree in zip(names, made, strict=True):
        assert tree.path == repo / ".worktrees" / name
        assert tree in list_worktrees(discover(tree.path))
        assert git(tree.path, "symbolic-ref", "HEAD") == f"refs/heads/{name}"
    said = {about.get("branch") for about in listed(repo).values()}
    assert said == {f"refs/heads/{name}" for name in ("main", *names)}


def test_a_name_of_250_bytes_in_each_part(repo: Path) -> None:
    name = f"{'a' * 250}/{'ü' * 125}"
    tree = make(repo, name)
    assert listed(repo)[str(tree.path)]["branch"] == f"refs/heads/{name}"


@pytest.mark.parametrize(
    ("folder", "entry"),
    [
        ("plain", "plain"),
        (".hidden", "hidden"),
        ("a b\tc", "a-b-c"),
        ("x.lock", "x"),
        ("..lock", "lock"),
        (".-.", "worktree"),
        ("@", "worktree"),
        ("-a..b~1", "a-b-1"),
        ("\u00fc\udcff", "\u00fc\udcff"),
        ("x" * 255, "x" * 200),
    ],
)
def test_an_admin_name_is_one_part_of_a_reference_name(folder: str, entry: str) -> None:
    assert admin.entry_name(folder) == entry
    command = ["git", "check-ref-format", f"refs/worktrees/{entry}"]
    assert subprocess.run(command, check=False).returncode == 0


# git goes on with it


def plain(home: Path) -> Path:
    return repository(home / "box" / "project")


def bare(home: Path) -> Path:
    return bare_repository(home / "box" / "bare.git", repository(home / "source"))


def hidden_bare(home: Path) -> Path:
    bare_repository(home / "box" / ".bare", repository(home / "source"))
    (home / "box" / ".git").write_text("gitdir: ./.bare\n")
    return home / "box"


def separate(home: Path) -> Path:
    (home / "box").mkdir()
    return repository(home / "box" / "project", options=(f"--separate-git-dir={home / 'store'}",))


def submodule(home: Path) -> Path:
    around = repository(home / "box" / "around")
    git(around, "submodule", "--quiet", "add", str(repository(home / "other")), "sub")
    return around / "sub"


def sha256(home: Path) -> Path:
    return repository(home / "box" / "project", options=("--object-format=sha256",))


def reftable(home: Path) -> Path:
    try:
        return repository(home / "box" / "project", options=("--ref-format=reftable",))
    except AssertionError:
        pytest.skip("this git knows no reftable")


def relative(home: Path) -> Path:
    repo = repository(home / "box" / "project")
    git(repo, "config", "worktree.useRelativePaths", "true")
    return repo


LAYOUTS = [plain, bare, hidden_bare, separate, submodule, sha256, reftable, relative]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_git_can_do_everything_with_it(sealed: Path, layout: Callable[[Path], Path]) -> None:
    start = layout(sealed)
    tree = make(start, "deep/topic")
    other = make(start, None)
    assert (tree.branch, other.branch, other.head) == ("deep/topic", None, tree.head)
    assert set(list_worktrees(discover(start))) >= {tree, other}
    path = str(tree.path)
    for found in (tree, other):
        require_identity(discover(start), found)
        assert git(found.path, "status", "--porcelain") == ""
        commit(found.path, "more")
    git(start, "worktree", "lock", "--reason", "why", path)
    git(start, "worktree", "unlock", path)
    git(start, "worktree", "move", path, f"{path}-moved")
    git(start, "worktree", "repair")
    git(start, "worktree", "prune", "--expire=now")
    assert git(start, "fsck") == ""
    git(start, "gc", "-q", "--prune=now")
    assert {f"{path}-moved", str(other.path)} < set(listed(start))
    for at in (f"{path}-moved", str(other.path)):
        git(start, "worktree", "remove", at)
    assert not (discover(start).common_dir / "worktrees").exists()


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("layout", [plain, bare, hidden_bare, submodule, sha256])
def test_the_whole_repository_can_be_moved(sealed: Path, layout: Callable[[Path], Path]) -> None:
    start = layout(sealed)
    tree = make(start, "deep/topic")
    (sealed / "box").rename(sealed / "moved")
    start = sealed / "moved" / start.relative_to(sealed / "box")
    path = sealed / "moved" / tree.path.relative_to(sealed / "box")
    for question in (("branch",), ("worktree", "list"), ("gc", "-q")):
        git(start, *question)
    git(start, "worktree", "repair", str(path))
    assert git(path, "status", "--porcelain", "--branch").startswith("## deep/topic")
    assert git(start, "fsck") == ""
    (found,) = (row for row in list_worktrees(discover(path)) if row.path == path)
    require_identity(discover(path), found)
    assert make(path, "another").head == tree.head
    git(start, "worktree", "remove", str(path))


# What is refused before anything is made


@pytest.mark.parametrize("name", ["", "-b", "a b", "a..b", "/a", "a/", "a//b", "x.lock", "HEAD"])
def test_a_bad_name(repo: Path, name: str) -> None:
    wish = NewWorktree(repo / ".worktrees" / "x", head_of(repo), name, True)
    found = discover(repo)
    call = partial(creation.create, found, wish, worktrees=list_worktrees(found))
    refused_untouched(repo, call, Code.INVALID_NAME)


def test_a_path_no_file_system_takes(repo: Path, sealed: Path) -> None:
    for name in ("x" * 300, "/".join(["y" * 200] * 30)):
        call = partial(make, repo, path=sealed / name)
        refused_untouched(repo, call, Code.INVALID_NAME)


def test_no_such_branch(repo: Path) -> None:
    call = partial(make, repo, "nowhere", existing=True)
    refused_untouched(repo, call, Code.NO_SUCH_BRANCH)


def test_no_commits(sealed: Path) -> None:
    git(sealed, "init", "-q", "empty")
    refused_untouched(sealed / "empty", partial(make, sealed / "empty"), Code.NO_COMMITS)


@pytest.mark.parametrize("name", ["topic", "topic/more", "deep"])
def test_a_branch_that_exists_or_is_in_the_way(repo: Path, name: str) -> None:
    git(repo, "branch", "topic")
    git(repo, "branch", "deep/er")
    error = refused_untouched(repo, partial(make, repo, name), Code.BRANCH_EXISTS)
    assert error.details["existing"] in {"topic", "deep/er"}


def test_a_branch_in_use(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic")
    place = repo.parent / "elsewhere"
    for name, where in (("main", repo), ("topic", tree)):
        call = partial(make, repo, name, path=place, existing=True)
        error = refused_untouched(repo, call, Code.BRANCH_IN_USE)
        assert error.details == {"branch": name, "path": str(where)}
    commit(repo, "file0", "main\n")
    commit(tree, "file0", "topic\n")
    git(tree, "rebase", "main", check=False)
    call = partial(make, repo, "topic", path=place, existing=True)
    assert "rebased" in refused_untouched(repo, call, Code.BRANCH_IN_USE).message


def a_file(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_text("mine\n")


def a_folder_with_a_file(place: Path) -> None:
    place.mkdir(parents=True)
    (place / "mine").touch()


def a_link(place: Path) -> None:
    place.parent.mkdir(parents=True)
    (place.parent / "empty").mkdir()
    place.symlink_to("empty")


def a_dead_link(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.symlink_to("nowhere")


def a_file_at_the_pool(place: Path) -> None:
    place.parents[1].write_text("no pool\n")


def a_file_for_a_folder(place: Path) -> None:
    place.parents[1].mkdir()
    place.parent.write_text("no folder\n")


def another_repository(place: Path) -> None:
    repository(place)


@pytest.mark.parametrize(
    "occupy",
    [
        a_file,
        a_folder_with_a_file,
        a_link,
        a_dead_link,
        a_file_at_the_pool,
        a_file_for_a_folder,
        another_repository,
    ],
)
def test_a_place_that_is_taken(repo: Path, occupy: Callable[[Path], None]) -> None:
    occupy(repo / ".worktrees" / "deep" / "topic")
    refused_untouched(repo, partial(make, repo, "deep/topic"), Code.PATH_EXISTS)


def test_the_place_of_a_missing_worktree(repo: Path) -> None:
    tree = linked(repo, repo / ".worktrees" / "topic", "old")
    shutil.rmtree(tree)
    error = refused_untouched(repo, partial(make, repo), Code.PATH_EXISTS)
    assert "git worktree repair" in error.remedy
    for place in (tree / "x", tree.parent):
        refused_untouched(repo, partial(make, repo, "x", path=place), Code.PATH_EXISTS)


@pytest.mark.parametrize(
    "place",
    [
        "x",
        "src/x",
        ".worktrees",
        ".worktrees/first/x",
        ".git/x",
        ".git/worktrees/x",
        ".worktrees/.git",
        ".worktrees/a/.GIT/x",
    ],
)
def test_inside_another_worktree_or_a_git_directory(repo: Path, place: str) -> None:
    linked(repo, repo / ".worktrees" / "first", "first")
    refused_untouched(repo, partial(make, repo, path=repo / place), Code.PATH_EXISTS)


def test_a_configured_pool_may_lie_in_a_worktree(repo: Path) -> None:
    first = make(repo, "first").path
    found, pool = discover(first), first / ".agents" / "worktrees"
    wish = NewWorktree(pool / "second", head_of(repo), "second", True)
    tree = creation.create(found, wish, worktrees=list_worktrees(found), pool=pool)
    assert tree.path == pool / "second"
    assert git(first, "status", "--porcelain") == ""


def test_a_folder_that_takes_no_new_entry(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / ".worktrees").mkdir()
    allowed = os.access  # root may write everywhere, so the folder's word stands in for it
    closed = repo / ".worktrees"
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and allowed(path, mode))
    error = refused_untouched(repo, partial(make, repo), Code.GIT_FAILED)
    assert error.details == {"path": str(closed)}


def test_twins_that_differ_in_case(repo: Path) -> None:
    make(repo, "Topic")
    (repo / ".worktrees" / "Other").mkdir()
    git(repo, "config", "core.ignoreCase", "true")
    for name in ("topic", "other"):
        path = repo / ".worktrees" / name
        call = partial(make, repo, "new", path=path)
        refused_untouched(repo, call, Code.PATH_EXISTS)
    git(repo, "config", "core.ignoreCase", "false")
    assert make(repo, "topic").path.name == "topic"


def test_the_first_reason_in_the_order_of_the_codes(repo: Path) -> None:
    git(repo, "branch", "topic")
    a_file(repo / ".worktrees" / "topic")
    refused_untouched(repo, partial(make, repo), Code.BRANCH_EXISTS)
    a_file(repo / ".worktrees" / "deep" / "main")
    path = repo / ".worktrees" / "deep" / "main"
    call = partial(make, repo, "main", existing=True, path=path)
    refused_untouched(repo, call, Code.BRANCH_IN_USE)


def test_checking_changes_nothing(repo: Path) -> None:
    found = discover(repo)
    before = everything(repo.parent)
    creation.check(found, plan(found), list_worktrees(found), pool_of(found))
    assert everything(repo.parent) == before


# Hooks


def hook(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)


SAY = '#!/bin/sh\n{ pwd -P; echo "$@"; env | grep ^GIT_ | sort; } > "$HOME/said"\n'


def test_the_post_checkout_hook_runs_as_git_runs_it(
    repo: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(repo / ".git" / "hooks", "post-checkout", SAY)
    git(repo, "worktree", "add", "-q", "-b", "theirs", str(sealed / "theirs"))
    theirs = (sealed / "said").read_text().replace(str(sealed / "theirs"), "HERE")
    monkeypatch.setenv("GIT_DIR", str(repo / ".git"))
    tree = make(repo).path
    ours = (sealed / "said").read_text().replace(str(tree), "HERE")
    assert ours.splitlines()[:2] == theirs.splitlines()[:2]
    assert "GIT_DIR" not in ours


@pytest.mark.parametrize("path", ["hooks", "{home}/hooks", "~/hooks"])
def test_hooks_kept_elsewhere(repo: Path, sealed: Path, path: str) -> None:
    folder = repo / "hooks" if path == "hooks" else sealed / "hooks"
    hook(folder, "post-checkout", SAY)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Hooks")
    git(repo, "config", "core.hooksPath", path.format(home=sealed))
    tree = make(repo).path
    assert (sealed / "said").read_text().splitlines() == [
        str(tree),
        f"{'0' * 40} {head_of(repo)} 1",
    ]


@pytest.mark.parametrize(
    "script", ["#!/bin/sh\necho no luck >&2\nexit 3\n", "echo no luck; exit 3"]
)
def test_a_hook_that_fails_leaves_good_work_alone(repo: Path, script: str) -> None:
    hook(repo / ".git" / "hooks", "post-checkout", script)
    said: list[str] = []
    tree = make(repo, notice=said.append)
    assert said == ["The post-checkout hook failed with status 3: no luck."]
    assert git(tree.path, "status", "--porcelain") == ""
    assert tree.locked is None


def test_a_hook_that_cannot_be_started(repo: Path) -> None:
    hook(repo / ".git" / "hooks", "post-checkout", "#!/nowhere/at/all\n")
    said: list[str] = []
    make(repo, notice=said.append)
    assert said == ["The post-checkout hook could not be started: No such file or directory."]


def test_what_a_hook_leaves_in_the_background_is_not_waited_for(repo: Path, sealed: Path) -> None:
    os.mkfifo(sealed / "end")
    hook(repo / ".git" / "hooks", "post-checkout", '#!/bin/sh\ncat "$HOME/end" &\n')
    make(repo)
    with (sealed / "end").open("w"):  # somebody still reads it
        pass


def test_a_hook_that_is_not_executable_is_ignored(repo: Path) -> None:
    hook(repo / ".git" / "hooks", "post-checkout", "#!/bin/sh\nexit 3\n")
    (repo / ".git" / "hooks" / "post-checkout").chmod(0o644)
    said: list[str] = []
    make(repo, notice=said.append)
    assert said == []


def test_the_reference_hook_has_its_say(repo: Path) -> None:
    script = (
        '#!/bin/sh\nif [ "$1" = prepared ]; then grep -q refs/heads/secret && exit 1; fi\nexit 0\n'
    )
    hook(repo / ".git" / "hooks", "reference-transaction", script)
    before = everything(repo)
    refused(partial(make, repo, "secret"), Code.GIT_FAILED)
    assert everything(repo) == before
    make(repo, "open")


# Two at once


@pytest.mark.usefixtures("engine")
def test_of_eight_of_one_name_one_wins(repo: Path) -> None:
    found = discover(repo)
    wish, rows = plan(found), list_worktrees(found)

    def attempt(_: int) -> Code | None:
        try:
            creation.create(found, wish, worktrees=rows, pool=pool_of(found))
        except HqtError as error:
            return error.code
        return None

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(8)))
    assert outcomes.count(None) == 1
    assert set(outcomes) - {None} <= {Code.BRANCH_EXISTS, Code.BRANCH_IN_USE, Code.PATH_EXISTS}
    (tree,) = (row for row in list_worktrees(found) if not row.main)
    assert git(tree.path, "status", "--porcelain") == ""
    assert [entry.name for entry in admin.entries(found.common_dir)] == ["topic"]
    assert git(repo, "fsck") == ""


@pytest.mark.usefixtures("engine")
def test_eight_of_different_names_all_succeed(repo: Path, sealed: Path) -> None:
    for number in range(8):
        git(repo, "branch", f"user/topic{number}")
    git(sealed, "clone", "-q", str(repo), "clone")
    clone = sealed / "clone"
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda n: check_out(clone, f"user/topic{n}"), range(8)))
    assert len(listed(clone)) == 9
    for tree in trees:
        assert git(tree.path, "status", "--porcelain") == ""
        assert git(tree.path, "rev-parse", "--abbrev-ref", "@{u}") == f"origin/{tree.branch}"


@pytest.mark.usefixtures("engine")
def test_a_place_taken_in_the_meantime(repo: Path) -> None:
    place = repo / ".worktrees" / "topic"

    def occupy(stage: str, _done: int, _total: int) -> None:
        if stage == "prepare":
            place.mkdir(parents=True)
            (place / "mine").write_text("mine\n")

    refused(partial(make, repo, progress=occupy), Code.PATH_EXISTS)
    assert (place / "mine").read_text() == "mine\n"
    assert git(repo, "branch", "--list", "topic") == ""
    assert len(listed(repo)) == 1


def test_a_branch_taken_in_the_meantime(repo: Path) -> None:
    git(repo, "branch", "topic")

    def occupy(stage: str, _done: int, _total: int) -> None:
        if stage == "prepare":
            git(repo, "worktree", "add", "-q", str(repo.parent / "elsewhere"), "topic")

    refused(partial(make, repo, existing=True, progress=occupy), Code.BRANCH_IN_USE)
    assert set(listed(repo)) == {str(repo), str(repo.parent / "elsewhere")}
    assert head_of(repo, "refs/heads/topic")


def test_a_later_failure_takes_it_back(repo: Path) -> None:
    before = everything(repo.parent)

    def story() -> None:
        with ExitStack() as undo:
            make(repo, "deep/topic", undo=undo)
            raise HqtError(Code.TMUX_UNAVAILABLE, "No window.", "Start tmux.")

    assert "left" not in refused(story, Code.TMUX_UNAVAILABLE).details
    assert everything(repo.parent) == before


def test_without_a_failure_nothing_is_taken_back(repo: Path) -> None:
    with ExitStack() as undo:
        tree = make(repo, undo=undo)
    assert tree.path.exists()
