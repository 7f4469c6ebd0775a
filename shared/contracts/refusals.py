"""What every service with commands publishes of requests that it refused at the door, before anything was decided."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints

from shared.contracts.envelope import Contract, Event, Identifier, Person

_Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class RequestRefused(Contract):
    """A known person asked for something, and was refused before a command came of it; nothing changed.

    `command` is method and path, `status` and `reason` say what was answered; of a malformed request the reason names
    the places and kinds of the mistakes, never what stood there. `key` is the Idempotency-Key, where there was a valid
    one. `content` is the HMAC-SHA-256 (RFC 2104), in hexadecimal, of the bytes of the body, its key the 32 bytes of
    the SHA-256 of the person's token: whoever keeps the tokens file can tell what was sent, and nobody else.
    """

    command: str
    status: int
    reason: str
    by: Person
    at: AwareDatetime
    key: Identifier | None = None
    content: _Digest


class RequestRefusedEvent(Event[RequestRefused]):
    """A known person's request was refused at the door; the same one is recorded once a day (UTC)."""

    type: Literal["request.refused"]
    recordedat: AwareDatetime
    entryhash: _Digest
