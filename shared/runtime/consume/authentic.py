"""Whether a record is what its publisher signed, and what of it tells it from any other at its place."""

import re
from typing import Final

from shared.contracts.topics import Topic
from shared.journal.signed_batch import HEADER, BatchVerifier, Unsigned, message_bytes, signer_name
from shared.rules.errors import Refused
from shared.runtime.consume.handler import Record

NOT_AUTHENTIC: Final = "not authentic: "
"""How the reason of a record begins that its publisher did not sign."""

_ENTRY_HASH: Final = re.compile(rb'"entryhash": ?"([0-9a-f]{64})"')


class NotAuthentic(Refused):
    """A record on the topic of a service is not what the service signed: nothing in it can be relied on."""


def require_authentic(topic: Topic, record: Record, verifier: BatchVerifier | None) -> None:
    """Raise NotAuthentic where a record on the topic of a service is not signed by it; without a verifier none is."""
    if topic.publisher is None or verifier is None:
        return
    try:
        message = message_bytes(record.topic, record.key, record.value)
        verifier.require(signer_name(topic.publisher), message, record.raw_header(HEADER))
    except Unsigned as error:
        raise NotAuthentic(f"{NOT_AUTHENTIC}{topic.publisher} did not sign it: {error}; dismiss it") from error


def content_digest(topic: Topic, record: Record) -> bytes:
    """Return what tells the content of an event from any other (32 bytes).

    Of an entry that is its hash, which stays the same whichever release publishes it; of what comes from outside the
    SHA-256 of its bytes.
    """
    if topic.publisher is not None and (found := _ENTRY_HASH.search(record.value)) is not None:
        return bytes.fromhex(found[1].decode())
    return record.content
