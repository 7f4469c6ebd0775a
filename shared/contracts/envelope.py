"""The CloudEvents 1.0 envelope, with the dense `sequence` of every Pitledger stream."""

import json
import re
from datetime import date
from typing import Annotated, Any, Final, Generic, Literal, Self, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

DataT = TypeVar("DataT")

CONTENT_TYPE = "application/cloudevents+json"

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A name used in sources, keys and accounts: a property, a table, a game."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
"""An identifier assigned by another system: printable ASCII, no spaces."""

Patron = Name
"""A patron, by the reference under which the wagering accounts register and identify the patron."""

DocumentNumber = Annotated[str, StringConstraints(pattern=r"^[!-\-0-~][!-.0-~]{0,127}$")]
"""The number printed on a document: printable ASCII without spaces and slashes, because addresses end with it."""

A_PERSON: Final = object()
"""Marks a field that names a person, so that the persons in a message can be found."""

Person = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$", strip_whitespace=True), A_PERSON]
"""A person, by license number, badge or user name."""

PERSONAL: Final = object()
"""Marks a field with personal data of a patron beyond the reference; docs/privacy.md lists every such field."""

Sealed = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{38,16000}$"), PERSONAL]
"""Personal data of a patron, encrypted with the patron's own key: base64url of nonce and AES-256-GCM ciphertext."""

Reason = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,1000}$", strip_whitespace=True)]
"""A reason as free text."""

Payback = Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,6}(\.[0-9]{1,6})?$")]
"""A payback in percent, with as many decimals as its source gives."""


_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _written_day(value: object) -> object:
    """Accept a date in ISO format. Raises: ValueError for a number, which would be read as seconds since 1970."""
    if isinstance(value, int | float) or (isinstance(value, str) and _DAY.fullmatch(value) is None):
        raise ValueError("write a day: 2026-03-06")
    return value


def _written_moment(value: object) -> object:
    """Accept a date and time in ISO format. Raises: ValueError for a number of seconds or milliseconds."""
    if isinstance(value, int | float) or (isinstance(value, str) and _DAY.match(value) is None):
        raise ValueError("write a moment with its offset from UTC: 2026-03-06T18:00:00-05:00")
    return value


WrittenDay = Annotated[date, BeforeValidator(_written_day)]
"""A day given by another system."""
WrittenMoment = Annotated[AwareDatetime, BeforeValidator(_written_moment)]
"""A moment given by another system, with its offset from UTC."""

Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
"""A SHA-256, in hexadecimal."""

Source = Annotated[str, StringConstraints(pattern=r"^/[!-~]{1,254}$")]
"""The name of a stream."""

Sequence = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
"""An event's position in its stream."""


class Checked(BaseModel):
    """A model that can be constructed from already validated fields."""

    @classmethod
    def construct_unvalidated(cls, fields: dict[str, Any]) -> Self:
        """Construct the model from all of its fields without validation.

        This takes a third of the time of `model_construct`, which looks up each field's default.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        object.__setattr__(made, "__pydantic_fields_set__", set(fields))
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made


class Contract(Checked):
    """A part of a message; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Correction(Contract):
    """The reason for changing something recorded, and the two people responsible."""

    reason: Reason
    entered_by: Person
    approved_by: Person


class Event(Checked, Generic[DataT]):
    """One event of a stream.

    `source` names the stream and `sequence` the event's position in it: 1, 2, 3 … without gaps. Unknown extension
    attributes, such as trace context, are allowed, as CloudEvents requires.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    specversion: Literal["1.0"]
    id: Identifier
    source: Source
    type: str
    time: WrittenMoment
    sequence: Sequence
    subject: str | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: str | None = None
    data: DataT


def pit_source(property_name: str, table: str) -> str:
    """Return the pit stream of a table: CloudEvents source and Kafka key of its events other than rounds."""
    return f"{table_source(property_name, table)}/pit"


def table_source(property_name: str, table: str) -> str:
    """Return the stream of a table: CloudEvents source and Kafka key of its events about rounds."""
    return f"/properties/{property_name}/tables/{table}"


def property_of(source: str | None) -> str | None:
    """Return the property named in the stream of a table or its pit; None for any other stream and for None.

    >>> property_of(pit_source("riverside", "BJ-01"))
    'riverside'
    """
    match (source or "").split("/", 3):
        case ["", "properties", name, _]:
            return name
        case _:
            return None


def shard_source(service: str, shard: int) -> str:
    """Return the stream of a journal shard of a service."""
    return f"/{service}/shards/{shard}"


def shard_of(source: str) -> int:
    """Return the shard number in the name of a shard's stream.

    >>> shard_of(shard_source("vigorish", 3))
    3
    """
    return int(source.rpartition("/")[2])


def canonical(document: Any) -> bytes:
    """Return JSON in the canonical form of RFC 8785, for objects, lists, strings, integers and booleans."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def as_json(contract: Contract) -> dict[str, Any]:
    """Return a model as a JSON document, without the members that are None."""
    return contract.model_dump(mode="json", exclude_none=True)


class Position(BaseModel):
    """The fields of an event that determine its stream position, readable even if the rest is invalid."""

    model_config = ConfigDict(extra="ignore", strict=True)

    source: Source
    sequence: Sequence


def position(raw: bytes) -> Position | None:
    """Return the stream position that a record claims, or None if it cannot be read."""
    try:
        return Position.model_validate_json(raw)
    except ValidationError:
        return None


def encode(event: Event[Any]) -> bytes:
    """Return the bytes of an event for Kafka."""
    return event.model_dump_json(exclude_none=True).encode()
