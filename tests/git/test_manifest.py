"""What is written down about a removed worktree is read again as it was."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hqt.git.entry import new_id
from hqt.git.manifest import Branch, BrokenManifest, Link, Manifest, Place, State, dump, load

# Any byte may come from the disk; those that are not UTF-8 are lone surrogates in Python.
texts = st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))
paths = st.binary(min_size=1).map(
    lambda data: Path("/" + data.replace(b"\0", b"").decode("utf-8", "surrogateescape"))
)
maybe = st.none() | texts
values = st.none() | st.booleans() | st.integers() | texts
branches = st.builds(Branch, texts, maybe, st.lists(st.tuples(texts, maybe)).map(tuple), maybe)
links = st.builds(Link, texts, texts, texts, texts)
places = st.builds(Place, paths, texts, texts, st.none() | paths, st.lists(texts).map(tuple))
manifests = st.builds(
    Manifest,
    id=texts,
    state=st.sampled_from(State),
    path=paths,
    name=texts,
    tree=st.booleans(),
    mode=st.integers(0, 0o7777),
    far=st.booleans(),
    gitdir=texts,
    head=texts,
    ref=maybe,
    commit=maybe,
    removed_at=st.integers(0, 2**63),
    holds=st.lists(texts).map(tuple),
    session=st.dictionaries(texts, values),
    pool=st.none() | paths,
    branches=st.lists(branches).map(tuple),
    links=st.lists(links).map(tuple),
    fingerprint=texts,
    place=st.none() | places,
)


@given(manifests)
def test_round_trip(manifest: Manifest) -> None:
    assert load(dump(manifest)) == manifest
    assert dump(manifest).isascii()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"null", b'{"version": 2}', b'{"version": 1}', b"\xff", b'"x"']
)
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(BrokenManifest):
        load(content)


@given(manifests, st.integers(0), st.binary(min_size=1, max_size=1))
def test_a_damaged_file_is_refused_or_read_but_never_a_crash(
    manifest: Manifest, place: int, byte: bytes
) -> None:
    content = dump(manifest)
    at = place % len(content)
    for damaged in (content[:at] + byte + content[at + 1 :], content[:at]):
        with contextlib.suppress(BrokenManifest):
            load(damaged)


def test_ids_sort_by_time() -> None:
    ids = [new_id() for _ in range(50)]
    assert [one[:19] for one in ids] == sorted(one[:19] for one in ids)
    assert len(set(ids)) == 50
