"""Verify the service's signature of a record, and compute the digest of its content."""

import re
from typing import ClassVar, Final, Literal

from shared.contracts.topics import Topic
from shared.journal.signed_batch import HEADER, BatchVerifier, Unsigned, message_bytes, replay_bytes, signer_name
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.ingest_facts import MENDED_BY, MENDED_REASON, QUARANTINE_ID, REPLAY_SIGNATURE

NOT_AUTHENTIC: Final = "not authentic: "
"""Prefix of the reason for quarantining a record that lacks the required signature of a service."""

_ENTRY_HASH: Final = re.compile(rb'"entryhash": ?"([0-9a-f]{64})"')


Signatory = Literal["service", "device"]
"""The kind of signatory whose signature a record must have: a service or a device."""


class NotAuthentic(Refused):
    """A record is not trusted, because it lacks the signature of the service that should have published or sent it."""

    of: ClassVar[Signatory] = "service"


def require_authentic(topic: Topic, record: InputRecord, verifier: BatchVerifier | None, schema: str) -> None:
    """Raise NotAuthentic unless the responsible service signed the record. Without a verifier, accept every record.

    A record on a service's topic needs the signature of the service that publishes on the topic. A replay also needs
    the signature of the service that sent it; on a service's topic, only a replay by this service (`schema`) does.
    """
    if verifier is None:
        return
    if is_replayed(record) and (topic.publisher is None or _replayed_by(record) == schema):
        require_replay(record, verifier)
    if topic.publisher is None:
        return
    try:
        message = message_bytes(record.topic, record.key, record.value)
        verifier.require(signer_name(topic.publisher), message, record.raw_header(HEADER))
    except Unsigned as error:
        raise NotAuthentic(f"{NOT_AUTHENTIC}{topic.publisher} did not sign it: {error}; dismiss it") from error


def is_replayed(record: InputRecord) -> bool:
    """Return whether a record is marked as the replay of a quarantined record."""
    return bool(record.headers) and record.raw_header(QUARANTINE_ID) is not None


def _replayed_by(record: InputRecord) -> str:
    return (record.header(QUARANTINE_ID) or "").partition("/")[0]


def require_replay(record: InputRecord, verifier: BatchVerifier) -> None:
    """Raise NotAuthentic unless the service named in the headers signed the replay (which two people have approved)."""
    service = _replayed_by(record).replace("_", "-")
    said = [record.raw_header(name) for name in (QUARANTINE_ID, MENDED_BY, MENDED_REASON)]
    message = replay_bytes(record.topic, record.key, record.value, said)
    try:
        verifier.require(signer_name(service), message, record.raw_header(REPLAY_SIGNATURE))
    except Unsigned as error:
        named = record.header(QUARANTINE_ID)
        raise NotAuthentic(
            f"{NOT_AUTHENTIC}{service} did not send it in place of {named}: {error}; dismiss it"
        ) from error


def content_digest(topic: Topic, record: InputRecord) -> bytes:
    """Return the digest that identifies an event's content (32 bytes).

    For an entry it is the entry's hash, which does not depend on the publishing release. For an event from outside it
    is the SHA-256 of its bytes.
    """
    if topic.publisher is not None and (found := _ENTRY_HASH.search(record.value)) is not None:
        return bytes.fromhex(found[1].decode())
    return record.content
