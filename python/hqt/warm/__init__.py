"""The warm start: a resident process that has the imports done and forks a child for each call.

client   hands the call over, forwards signals, ends with the child's status; or says "cold"
place    where the server of a tmux server and of this very code listens
starting how a server is started, once, apart from everything
server   accepts, forks, reaps; never runs a verb itself
likeness whether a client is the kind of process that this server may work for
child    becomes the caller and runs the call
wire     what travels between them
"""
