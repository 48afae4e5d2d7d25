"""`hqt uninstall` ends the warm server of its tmux server, and no other."""

from __future__ import annotations

import os

from helpers import servers, warming
from helpers.servers import Server, until
from helpers.warming import Warm, lives, run, usual_words, warm_words


def test_it_goes_with_hqt_after_its_answer(warm: Warm) -> None:
    pid = warm.pid
    call = run(warm_words("uninstall"))
    assert call.status == 0, call.err
    assert "tmux is as it was before hqt" in call.out
    assert until(lambda: not lives(pid))
    assert until(lambda: not list(warm.folder.iterdir()))


def test_from_outside_of_tmux_too(warm: Warm, inside: Server) -> None:
    pid = warm.pid
    outside = run(usual_words("-L", inside.socket, "uninstall"), TMUX="")
    assert outside.status == 0, outside.err
    assert until(lambda: not lives(pid))


def test_that_of_another_tmux_server_stays(warm: Warm) -> None:
    with servers.running() as other:
        path = f"{other.ask('#{socket_path}')},{other.pid},0"
        theirs = warming.warm(os.environ, other.pid).start(TMUX=path)
        pid = theirs.pid
        assert run(usual_words("-L", other.socket, "uninstall"), TMUX="").status == 0
        assert until(lambda: not lives(pid))
    assert warm.pid
    assert warm.answers
