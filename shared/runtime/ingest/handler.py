"""What a service gives to the loop of a topic: which messages it reads, what they need, and what facts follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.topic_reader import Reader
from shared.journal.entry import record_digest
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused


@dataclass(frozen=True)
class InputRecord:
    """A Kafka record: bytes and position. `taken_at` is its Kafka timestamp.

    `by_broker`: the broker says when it took the record (`LogAppendTime`); else its sender does, who may say anything.
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
        """Return when it was received, of a record that was read at a moment: not as its sender says."""
        return self.taken_at if self.by_broker else read_at

    def raw_header(self, name: str) -> bytes | None:
        """Return the bytes of a header, if the record has it."""
        for key, value in self.headers:
            if key == name:
                return value
        return None

    @cached_property
    def content(self) -> bytes:
        """Return the SHA-256 of its value (32 bytes)."""
        return sha256(self.value).digest()

    def digest(self) -> bytes:
        """Return the hash of what its sender wrote, which the entries keep that it leads to (32 bytes)."""
        return record_digest(self.key, self.content, self.headers)

    def header(self, name: str) -> str | None:
        """Return the text of a header, if the record has it."""
        value = self.raw_header(name)
        return None if value is None else value.decode(errors="replace")


StateT = TypeVar("StateT")

_TIMESTAMP_MAX: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp()) * 1000


@lru_cache(maxsize=1024)
def moment_of(timestamp_ms: int) -> datetime:
    """Return the moment of a Kafka timestamp; of one that no calendar has, as a sender may say it, the nearest.

    What was sent together has the same few.
    """
    return datetime.fromtimestamp(min(max(timestamp_ms, 0), _TIMESTAMP_MAX) / 1000, UTC)


class Handler(Generic[StateT]):
    """One topic in a service.

    For each batch: `load` reads what its events need, `handle` says what facts follow from each event, the service's
    projector projects them. What follows from the topic and not from the journal is kept by `keep` in the tables
    `keeps`; a rebuild reads the topic again for it.
    """

    reader: ClassVar[Reader]
    keyed_by_source: ClassVar[bool] = False
    """Whether the Kafka key of a record must be the source of its event, or the stream with which it goes."""
    keeps: ClassVar[Sequence[Table]] = ()
    copies: ClassVar[Sequence[Table]] = ()
    """Copies of approved documents, which `keep` writes too, and which are signed: no rebuild makes them."""
    batch_scale: ClassVar[int] = 1
    """How many times as many records a batch may have as the settings say: for sums over many records."""
    gather_seconds: ClassVar[float] = 0.0
    """How long records are gathered at least: a batch costs the same for one record that nobody waits for and for 500.
    """
    rest: ClassVar[int] = 0
    """How many times as long as a batch took nothing is read after it, for two seconds at most, unless many wait.

    What nobody waits for takes no more than its part of the processor then, in the larger batches the busier that is.
    """

    @property
    def topic(self) -> str:
        """Return the name of the topic."""
        return self.reader.topic.name

    def decode(self, record: InputRecord) -> Event[Any]:
        """Return the event in a record. Raises: Refused."""
        event = self.reader.decode(record.value)
        if self.keyed_by_source and record.key != (wanted := self.key_of(event)).encode():
            key = None if record.key is None else record.key.decode(errors="replace")
            raise Refused(f"the Kafka key is {key!r}; it must be {wanted!r}")
        return event

    @classmethod
    def goes_with(cls, event: Event[Any]) -> str | None:
        """Return the stream behind whose events one of the service's own goes; None for what comes from outside.

        No device signs it: `handle` takes nothing from it, but looks into the journal for what it says.
        """
        del event
        return None

    @classmethod
    def key_of(cls, event: Event[Any]) -> str:
        """Return the Kafka key that an event must have where `keyed_by_source`."""
        return cls.goes_with(event) or event.source

    async def keep_again(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write what follows from events in `keeps`, which are empty at first, and nothing else."""
        await self.keep(connection, events, at)

    async def prepare(self, events: Sequence[Event[Any]]) -> None:
        """Work out what takes long and needs no database: no transaction is open meanwhile."""

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> StateT:
        """Return what the events of a batch need. What `handle` changes in it is dropped when the batch fails."""
        del connection, events
        return None  # type: ignore[return-value]  # a handler that needs nothing has the state None

    def properties_in(self, state: StateT) -> PropertyLookup | None:
        """Return the properties, as they were loaded, whose devices and limits hold for what comes from outside."""
        del state
        return None

    def stands_since(self, event: Event[Any], state: StateT) -> datetime | None:
        """Return the moment of what is on record that an event changes: it may say one as old as that."""
        del event, state
        return None

    def handle(self, event: Event[Any], state: StateT) -> Sequence[FactWithPostings]:
        """Return the facts that follow from an event; pure but for the state. Raises Refused: it is quarantined."""
        del event, state
        return ()

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Write what follows from the topic itself, in the transaction that records the batch."""
