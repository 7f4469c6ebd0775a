"""Verify that a device of the event's table has signed an event from outside."""

import re
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from shared.contracts.device_signatures import HEADER, BadSignature, DeviceSignature
from shared.contracts.envelope import Event, position
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, TableSigner, place_at
from shared.contracts.topics import PIT_EVENTS, RATING_EVENTS, TABLE_EVENTS, Topic
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.ingest_facts import readable
from shared.runtime.ingest.signature_check import NotAuthentic, is_replayed

_NAME: Final = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_TABLE: Final = rf"/properties/(?P<property>{_NAME})/tables/(?P<table>{_NAME})"
_SOURCES: Final = {
    TABLE_EVENTS.name: re.compile(_TABLE),
    PIT_EVENTS.name: re.compile(f"{_TABLE}/pit"),
    RATING_EVENTS.name: re.compile(f"{_TABLE}/ratings"),
}
"""Pattern of the stream names on each topic from outside, by topic name; each stream belongs to one table."""

_REMEMBERED: Final = 10_000


class NotFromDevice(NotAuthentic):
    """No device authorized for the event's table has signed the event, so nothing in it can be relied on."""

    of = "device"


def require_device(
    topic: Topic, record: InputRecord, event: Event[Any] | Refused, places: PropertyLookup, received_at: datetime
) -> TableSigner | None:
    """Return the signer of a record on a topic from outside, or None for an unsigned or replayed record.

    `places` looks up the property version in effect when the record was received. A wrong signature is always refused,
    and a missing one is refused from the moment that the property sets. A replay, which two people have approved, has
    the service's signature instead. Raises: NotFromDevice if the record is not signed as the property requires; Refused
    if the stream does not belong to this topic, or if its property is unknown.
    """
    if is_replayed(record):
        return None
    source = _source(record, event)
    found = None if source is None else _table_of(topic.name, source)
    if source is None or found is None:
        raise Refused(f"'source' is {source!r}; the events on {topic.name} are those of one table")
    property_name, table = found
    header = record.raw_header(HEADER)
    if header is None:
        place = places(property_name, received_at)
        required_from = None if place is None else place.document.signatures_required_from
        if required_from is not None and required_from <= received_at:
            raise _not_from_device(
                property_name, table, f"it has no signature, which is required since {required_from.isoformat()}"
            )
        return None
    place = place_at(places, property_name, received_at)
    signer = _signer(topic, record, header, place, table, received_at)
    if isinstance(signer, str):
        raise _not_from_device(property_name, table, signer)
    return signer


@lru_cache(maxsize=_REMEMBERED)
def _table_of(topic: str, source: str) -> tuple[str, str] | None:
    """Return the (property, table) that a stream on a topic from outside belongs to, or None."""
    found = _SOURCES[topic].fullmatch(source)
    return None if found is None else (found["property"], found["table"])


def _signer(
    topic: Topic, record: InputRecord, header: bytes, place: PropertySnapshot, table: str, received_at: datetime
) -> TableSigner | str:
    """Return the signer of a record, or the reason why its signature is not accepted."""
    named = f"version {place.document.version} of {place.document.property}"
    try:
        signature = DeviceSignature.read(header)
        kid = signature.kid
        if signature.topic != topic.name:
            return f"it was signed for {signature.topic[:64]!r}"
        signer = place.signers.get(kid)
        if signer is None:
            return f"{kid[:128]!r} is no key of {named}"
        if not signer.speaks_for(table, topic.name):
            return f"key {kid!r} does not speak for this table on {topic.name}, says {named}"
        signature.require(signer.key.public_key, record.value)
    except BadSignature as error:
        return str(error)
    if not signer.key.is_valid_at(received_at):
        return f"key {kid!r} was not valid when it was received, at {received_at.isoformat()}, says {named}"
    revoked_at = place.revoked_at(kid)
    if revoked_at is not None and revoked_at <= received_at:
        return f"key {kid!r} was revoked at {revoked_at.isoformat()}"
    return signer


def _source(record: InputRecord, event: Event[Any] | Refused) -> str | None:
    """Return the stream that a record claims; if its value cannot be parsed, the stream in its key."""
    if not isinstance(event, Refused):
        return event.source
    claimed = position(record.value)
    return readable(record.key) if claimed is None else claimed.source


def _not_from_device(property_name: str, table: str, problem: str) -> NotFromDevice:
    return NotFromDevice(
        f"not from a device of table {table} of {property_name}: {problem}; find out who sent it, then dismiss it, or "
        "replay what the table has on record"
    )
