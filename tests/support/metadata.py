"""A line to Apache Kafka whose answers about the cluster name no broker while that is wanted, as if all were fenced."""

import socket
import struct
from collections.abc import Iterator

from tests.support.line import CHUNK, Line, readable

_METADATA = 3
_COMPACT_FROM = 9
"""The version of Metadata from which lengths are varints; every client here asks with a later one."""


class KafkaLine(Line):
    """From `with` to its end, connections reach the broker that `leads_to` says.

    `fenced`: it is named to nobody but to clients of the id `spared`.
    """

    fenced = False
    spared = b""
    answers = 0
    """How many answers named no broker."""

    def carry(self, client: socket.socket, server: socket.socket) -> None:
        """Pass everything on, and take the brokers out of answers where that is wanted."""
        asked: dict[bytes, int] = {}
        coming = {client: b"", server: b""}
        next_ready = readable(client, server)
        while True:
            for source in next_ready():
                data = source.recv(CHUNK)
                if not data:
                    return
                coming[source] += data
                messages = list(_messages(coming[source]))
                coming[source] = coming[source][sum(map(len, messages)) :]
                for message in messages:
                    if source is client:
                        key, version = struct.unpack("!hh", message[4:8])
                        if key == _METADATA and not (self.spared and message[14:].startswith(self.spared)):
                            asked[message[8:12]] = version
                        server.sendall(message)
                    else:
                        version = asked.pop(message[4:8], 0)
                        client.sendall(self._answer(message, version))

    def _answer(self, message: bytes, version: int) -> bytes:
        if not self.fenced or version < _COMPACT_FROM:
            return message
        self.answers += 1
        return _without_brokers(message)


def _without_brokers(message: bytes) -> bytes:
    """Return an answer to Metadata without its brokers: size, correlation, tags and throttle time come before them."""
    begin = 4 + 4 + 1 + 4
    count, at = _varint(message, begin)
    for _ in range(count - 1):
        at = _after_string(message, at + 4)  # after the number, the host
        at = _after_string(message, at + 4) + 1  # after the port, the rack, and no tags
    body = message[4:begin] + b"\x01" + message[at:]
    return struct.pack("!i", len(body)) + body


def _after_string(message: bytes, at: int) -> int:
    length, at = _varint(message, at)
    return at + max(length - 1, 0)


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _messages(data: bytes) -> Iterator[bytes]:
    """Yield the whole messages at the beginning of the data, with their sizes."""
    while len(data) >= 4:
        (length,) = struct.unpack("!i", data[:4])
        if len(data) < length + 4:
            return
        yield data[: length + 4]
        data = data[length + 4 :]
