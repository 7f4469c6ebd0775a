"""The approval subject of a request about one quarantined record."""

from datetime import datetime
from typing import Any

from pydantic import Field
from pydantic_core import from_json

from shared.journal.quarantine import Quarantined, Request
from shared.runtime.commands.approval_subject import ApprovalSubject


class RequestWhole(ApprovalSubject):
    """A request about a quarantined record with the whole record, but without the decision on the request.

    The hash therefore does not change with the decision, so that an approval can be retried under the same key if a
    replay could not be sent.
    """

    quarantine: int
    request: int
    action: str
    reason: str
    asked_by: str
    asked_at: datetime
    mended: Any = Field(default=None, description="the event to send in place of the record, if repaired")
    topic: str
    partition: int
    offset: int
    source: str | None = None
    sequence: int | None = None
    refused: str = Field(description="why the record was refused")
    stops: bool = Field(description="whether the record's partition is halted until the record is resolved")
    key_text: str | None = None
    value_text: str | None = None
    value_hex: str | None = Field(default=None, description="the bytes in hexadecimal, if they are not UTF-8")


def request_whole(record: Quarantined, request: Request) -> RequestWhole:
    """Return the approval subject of a request about a record."""
    return RequestWhole(
        quarantine=record.id,
        request=request.request,
        action=request.action,
        reason=request.reason,
        asked_by=request.asked_by,
        asked_at=request.asked_at,
        mended=None if request.mended is None else from_json(request.mended),
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        source=record.source,
        sequence=record.sequence,
        refused=record.reason,
        stops=record.stops,
        **content_of(record),
    )


def content_of(record: Quarantined) -> dict[str, str | None]:
    """Return the members `key_text`, `value_text` and `value_hex`; a value is in hexadecimal if it is not UTF-8."""
    text = text_of(record.value)
    return {
        "key_text": None if record.key is None else record.key.decode(errors="replace"),
        "value_text": text,
        "value_hex": record.value.hex() if text is None else None,
    }


def text_of(value: bytes) -> str | None:
    """Return bytes as text, or None if they are not UTF-8."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None
