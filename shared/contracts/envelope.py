"""The CloudEvents 1.0 envelope, with the dense `sequence` that every stream of Pitledger carries."""

import json
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

DataT = TypeVar("DataT")

CONTENT_TYPE = "application/cloudevents+json"

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A name that goes into sources, keys and accounts: a property, a table, a game."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
"""An identifier that another system gave: printable ASCII, no spaces."""

Person = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$", strip_whitespace=True)]
"""Who did something: a license number, a badge or a user name."""

Reason = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,1000}$", strip_whitespace=True)]
"""Why somebody did something, in words."""


Source = Annotated[str, StringConstraints(pattern=r"^/[!-~]{1,254}$")]
"""The name of a stream."""

Sequence = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
"""An event's place in its stream."""


class Contract(BaseModel):
    """A part of a message: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Event(BaseModel, Generic[DataT]):
    """One event of a stream.

    `source` names the stream and `sequence` the event's place in it: 1, 2, 3 … without a hole. Extension attributes
    that Pitledger does not know (trace context, for instance) are allowed, as CloudEvents requires.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    specversion: Literal["1.0"]
    id: Identifier
    source: Source
    type: str
    time: AwareDatetime
    sequence: Sequence
    subject: str | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: str | None = None
    data: DataT


def table_source(property_name: str, table: str) -> str:
    """The stream of a table: CloudEvents source and Kafka key of everything that the table reports."""
    return f"/properties/{property_name}/tables/{table}"


def shard_source(service: str, shard: int) -> str:
    """The stream of a journal shard of a service."""
    return f"/{service}/shards/{shard}"


def canonical(document: Any) -> bytes:
    """JSON in the form of RFC 8785 for what occurs here (objects, lists, texts, whole numbers, true and false)."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def as_json(contract: Contract) -> dict[str, Any]:
    """A contract as a JSON document, without members that have no value."""
    return contract.model_dump(mode="json", exclude_none=True)
