"""A service's part in the consume loop: the events it reads, the state they need, and the facts that follow."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.property_snapshot import PropertyLookup, TableSigner
from shared.contracts.topic_reader import Reader
from shared.journal.entry import record_digest
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused


@dataclass(frozen=True)
class InputRecord:
    """A Kafka record: its bytes and its position. `taken_at` is its Kafka timestamp.

    `by_broker`: the broker set the timestamp (`LogAppendTime`). Otherwise the producer did, and it cannot be trusted.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    taken_at: datetime
    headers: tuple[tuple[str, bytes | None], ...] = ()
    by_broker: bool = False

    def received_at(self, read_at: datetime) -> datetime:
        """Return when the record was received: the broker's timestamp, or `read_at` if only the producer set one."""
        return self.taken_at if self.by_broker else read_at

    def raw_header(self, name: str) -> bytes | None:
        """Return the bytes of a header, or None if the record does not have it."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    @cached_property
    def content(self) -> bytes:
        """Return the SHA-256 of the value (32 bytes)."""
        return sha256(self.value).digest()

    def digest(self) -> bytes:
        """Return the hash of key, value and headers as produced (32 bytes), which the resulting entries store."""
        return record_digest(self.key, self.content, self.headers)

    def header(self, name: str) -> str | None:
        """Return the text of a header, or None if the record does not have it."""
        value = self.raw_header(name)
        return None if value is None else value.decode(errors="replace")


StateT = TypeVar("StateT")

_TIMESTAMP_MAX: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 1000


@lru_cache(maxsize=1024)
def moment_of(timestamp_ms: int) -> datetime:
    """Return the moment of a Kafka timestamp, clamped to the range of datetime.

    Cached, because records that were sent together share timestamps.
    """
    return datetime.fromtimestamp(min(max(timestamp_ms, 0), _TIMESTAMP_MAX) / 1000, UTC)


class TopicHandler(Generic[StateT]):
    """Base class of handlers: how a service processes one topic, which events it reads, and the state they need."""

    reader: ClassVar[Reader]
    keyed_by_source: ClassVar[bool] = False
    """Whether a new event's Kafka key must be `key_of(event)`: its source, or the stream that `goes_with` returns."""
    batch_scale: ClassVar[int] = 1
    """Factor on the configured maximum batch size, for handlers that aggregate many records."""
    gather_seconds: ClassVar[float] = 0.2
    """Minimum time between batches in seconds; a batch of one record costs as much as a batch of a hundred.

    After a pause a record is processed at once; in a steady flow, records are gathered. Keep the time short if people
    wait for each record.
    """
    share: ClassVar[float] = 1.0
    """Share of a CPU that the topic may use, enforced by a pause after each batch.

    The pause is two seconds at most, and is omitted if a full batch is waiting. A share below 1 is for background
    topics, whose batches grow with the load.
    """

    @property
    def topic(self) -> str:
        """Return the name of the topic."""
        return self.reader.topic.name

    def decode(self, record: InputRecord) -> Event[Any]:
        """Decode the event in a record. Raises: Refused."""
        return self.reader.decode(record.value)

    def require_key(self, record: InputRecord, event: Event[Any]) -> None:
        """Raise Refused if the record does not have the Kafka key that its event requires.

        Called for new events only: a copy of a recorded event is a duplicate under any key.
        """
        if self.keyed_by_source and record.key != (wanted := self.key_of(event)).encode():
            key = None if record.key is None else record.key.decode(errors="replace")
            raise Refused(f"the Kafka key is {key!r}; it must be {wanted!r}")

    @classmethod
    def goes_with(cls, event: Event[Any]) -> str | None:
        """Return the stream that an event from a service belongs to, or None for an event from outside.

        An event from a service has no device signature. Instead of its content, `handle` relies on the journal entry
        to which it refers.
        """
        del event
        return None

    @classmethod
    def key_of(cls, event: Event[Any]) -> str:
        """Return the Kafka key that an event must have if `keyed_by_source`."""
        return cls.goes_with(event) or event.source

    async def prepare(self, events: Sequence[Event[Any]]) -> None:
        """Do slow work that needs no database, before the transaction begins."""

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> StateT:
        """Return the state that the events of a batch need. Changes made to it are discarded if the batch fails."""
        del connection, events
        return None  # type: ignore[return-value]  # a handler without state

    def properties_in(self, state: StateT) -> PropertyLookup | None:
        """Return the loaded properties, whose devices and limits apply to events from outside; None for no checks."""
        del state
        return None

    def stands_since(self, event: Event[Any], state: StateT) -> datetime | None:
        """Return the moment of the recorded event that this event voids or corrects, or None.

        The event may be backdated to that moment.
        """
        del event, state
        return None


class FactHandler(TopicHandler[StateT], ABC):
    """Handler that decides which facts follow from each event; the service's projector projects the facts."""

    @abstractmethod
    def handle(self, event: Event[Any], state: StateT) -> Sequence[FactWithPostings]:
        """Return the facts that follow from an event; pure, except that it may update `state`. Raises: Refused."""

    def handle_signed(self, event: Event[Any], state: StateT, signer: TableSigner | None) -> Sequence[FactWithPostings]:
        """Return the facts that follow from a signed event. Override it to record the signer. Raises: Refused."""
        del signer
        return self.handle(event, state)

    async def require_as_loaded(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Check, at the start of the recording transaction, that the state loaded for these events is still current.

        Raises: Fenced if another partition or topic has changed it; the events are then derived again.
        """

    async def require_consistent(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Check, after the facts are projected, that they do not contradict what a concurrent transaction has recorded.

        Raises: Refused or Fenced; the transaction is then rolled back.
        """


class ReadModelHandler(TopicHandler[StateT], ABC):
    """Handler that applies events to the service's own tables; no facts follow from them.

    The tables in `keeps` follow from the topic rather than the journal, so a rebuild reads the topic again for them.
    """

    keeps: ClassVar[Sequence[Table]] = ()
    copies: ClassVar[Sequence[Table]] = ()
    """Signed copies of approved documents. `keep` writes them, too, but a rebuild does not recreate them."""

    def require_usable(self, event: Event[Any], state: StateT) -> None:
        """Raise Refused if the event cannot be applied, so that it is quarantined."""

    @abstractmethod
    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write the rows that follow from events, in the transaction that records the read position of the batch."""

    async def keep_again(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write only the rows of the `keeps` tables that follow from events. A rebuild calls this with empty tables."""
        await self.keep(connection, events, at)


Handler = FactHandler[StateT] | ReadModelHandler[StateT]
"""The handler that a service contributes for one topic."""
