"""Both sets of signs are complete, and fit where the screens leave one cell."""

from __future__ import annotations

from dataclasses import fields

import pytest

from hqt.ui import icons
from hqt.ui.text import width_of

STATES = ("working", "waiting", "done", "idle", "error", "unknown", "closed", "archived")


@pytest.mark.parametrize("icon_set", [icons.UNICODE, icons.ASCII])
def test_signs_are_as_wide_as_the_screens_take_them_for(icon_set: icons.Icons) -> None:
    wide = {"checked": 3, "unchecked": 3, "chosen": 3, "unchosen": 3, "states": 0}
    for field in fields(icon_set):
        if field.name not in ("states", "arrow"):
            assert width_of(getattr(icon_set, field.name)) == wide.get(field.name, 1), field.name
    assert all(width_of(icon_set.state(state)) == 1 for state in STATES)


def test_states_can_be_told_apart() -> None:
    for icon_set in (icons.UNICODE, icons.ASCII):
        assert len({icon_set.state(state) for state in STATES}) == len(STATES)


def test_the_ascii_set_is_ascii() -> None:
    assert all(str(getattr(icons.ASCII, field.name)).isascii() for field in fields(icons.ASCII))


def test_a_set_is_chosen_by_the_option_and_unicode_is_the_rest() -> None:
    assert icons.named("ascii") is icons.ASCII
    assert icons.named("unicode") is icons.UNICODE
    assert icons.named("nonsense") is icons.UNICODE


def test_no_state_has_no_sign() -> None:
    assert icons.UNICODE.state("") == " "
