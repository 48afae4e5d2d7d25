"""The menu that a key waits for."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from hqt.commands import ui_menu
from hqt.errors import Code, HqtError
from hqt.models import Caller
from hqt.sessions import world as worlds


def test_a_key_waits_for_it_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_menu, "_LONGEST", 0.05)
    monkeypatch.setattr(worlds, "glance", lambda _: threading.Event().wait(10))
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(HqtError) as raised:
        ui_menu.keep(Caller(Path("/")))
    assert raised.value.code is Code.TIMEOUT
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
