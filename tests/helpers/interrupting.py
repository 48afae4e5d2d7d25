"""A signal that arrives exactly before or after some call inside of hqt."""

# `python -c SCRIPT MODULE:NAME "before TEXT" SIGTERM WORDS…`: hqt WORDS, and around the call of
# NAME that has TEXT among its arguments the signal.
SCRIPT = """
import importlib, os, signal, sys
from hqt import cli
place, moment, number = sys.argv[1:4]
module, name = place.split(":")
owner = importlib.import_module(module)
for part in name.split(".")[:-1]:
    owner = getattr(owner, part)
name = name.split(".")[-1]
real = getattr(owner, name)
def signalled(*arguments, **more):
    def send():
        if moment.split()[1] in str(arguments):
            os.kill(os.getpid(), getattr(signal, number))
    if moment.startswith("before"):
        send()
    answer = real(*arguments, **more)
    if moment.startswith("after"):
        send()
    return answer
setattr(owner, name, signalled)
sys.exit(cli.run(sys.argv[4:]))
"""
TMUX = "hqt.tmux.server:Tmux._call"
