"""What a service gives to the loop: how to decode a record, and what entries follow from an event."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.journal.entry import Draft, Entry


@dataclass(frozen=True, slots=True)
class Record:
    """A Kafka record as it came: bytes and position. `taken_at` is its Kafka timestamp."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    taken_at: datetime
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def header(self, name: str) -> str | None:
        """The text of a header, if the record has it."""
        for key, value in self.headers:
            if key == name and value is not None:
                return value.decode(errors="replace")
        return None


EventT = TypeVar("EventT", bound=Event[Any])
_Derived = TypeVar("_Derived", bound=Event[Any], contravariant=True)


class Unit(Protocol[_Derived]):
    """The work on one batch. What it remembers is dropped with the batch if that fails."""

    def derive(self, event: _Derived, record: Record) -> Sequence[Draft]:
        """The entries that follow from an event. Raises Refused: the record is quarantined."""

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        """Writes the service's own tables, in the transaction that records the entries."""


class Processor(Protocol[EventT]):
    """One topic's processing in a service."""

    topic: str

    def decode(self, record: Record) -> EventT:
        """The event in a record. Raises Refused."""

    async def open(self, connection: AsyncConnection, events: Sequence[EventT]) -> Unit[EventT]:
        """Starts a batch: reads what the events need."""
