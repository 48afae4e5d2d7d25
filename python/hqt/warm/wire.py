"""What travels between client, server and child.

    child → client   HELLO, when it is ready to read. Nothing is sent before: the descriptors would
                     stay open in the queue of a server that hangs, and a pipe never end
    client → child   the request: its length, arguments and environment; by SCM_RIGHTS standard
                     input, output and error and the current directory
    child → client   READY and, by SCM_RIGHTS, a pidfd of the child, for signals. A child that is
                     not to work for this client closes instead; then the client goes the cold way
    client → child   GO: from here on there is no other way, and before it nothing is begun
    child → client   one byte, the exit status, which the server says too; where the call ends as
                     another program, its length, folder and words. Then the end of the stream,
                     which comes without a status when the child has died

Loaded by every call, so: `_socket` and `sys` only.
"""

from __future__ import annotations

import _socket
import sys

HELLO, READY, GO = b"h", b"r", b"g"
DESCRIPTORS = 4  # standard input, output, error, the current directory
_HEAD = 8  # bytes of length before a request
_LARGEST = 1 << 26  # bytes; the kernel gives a process less than this for arguments and environment


def last_words(status: int, parts: list[bytes]) -> bytes:
    """What the child says at its end; `parts` are what the client is to become, if anything."""
    body = b"\0".join(parts)
    return bytes([status]) + (len(body).to_bytes(_HEAD, "big") + body if parts else b"")


def understood(said: bytes) -> tuple[int | None, list[bytes]]:
    """The status, None for a child that has died, and what to become."""
    if len(said) <= _HEAD:  # a status, or two
        return said[0] if said else None, []
    length = int.from_bytes(said[1 : 1 + _HEAD], "big")
    return said[0], said[1 + _HEAD : 1 + _HEAD + length].split(b"\0")


def peer(connection: _socket.socket) -> tuple[int, int]:
    """The process and user ids of who is at the other end (for a client: who listens)."""
    said = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(said[:4], sys.byteorder), int.from_bytes(said[4:8], sys.byteorder)


def send(connection: _socket.socket, parts: list[bytes], descriptors: list[int]) -> None:
    """Send parts without NUL in them, and descriptors."""
    body = b"\0".join(parts)
    data = len(body).to_bytes(_HEAD, "big") + body
    sent = send_descriptors(connection, data, descriptors)
    connection.sendall(data[sent:])


def receive(connection: _socket.socket) -> tuple[list[bytes], list[int]]:
    """What `send` sent. Raises OSError when it is not that."""
    data, descriptors = receive_descriptors(connection, 1 << 16, DESCRIPTORS)
    length = int.from_bytes(data[:_HEAD], "big")
    if len(data) < _HEAD or length > _LARGEST or len(descriptors) != DESCRIPTORS:
        raise ConnectionError("this is no request")
    pieces, left = [data[_HEAD:]], length - (len(data) - _HEAD)
    while left > 0:
        piece = connection.recv(min(left, 1 << 20))
        if not piece:
            raise ConnectionError("the request ends too early")
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces).split(b"\0"), descriptors


def send_descriptors(connection: _socket.socket, data: bytes, descriptors: list[int]) -> int:
    """Send `data` (or the beginning of it) with descriptors; how much went."""
    numbers = b"".join(one.to_bytes(4, sys.byteorder) for one in descriptors)
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)
    return connection.sendmsg([data], [rights])


def receive_descriptors(
    connection: _socket.socket, size: int, count: int
) -> tuple[bytes, list[int]]:
    """At most `size` bytes and `count` descriptors, none of which a program that is started
    inherits."""
    data, told, _, _ = connection.recvmsg(
        size, _socket.CMSG_SPACE(4 * count), _socket.MSG_CMSG_CLOEXEC
    )
    numbers = b"".join(
        words
        for level, kind, words in told
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS)
    )
    whole = len(numbers) // 4 * 4
    return data, [int.from_bytes(numbers[at : at + 4], sys.byteorder) for at in range(0, whole, 4)]
