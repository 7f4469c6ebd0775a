"""Records in quarantine: read, replayed to their topic, or dismissed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from confluent_kafka import KafkaException, Producer
from sqlalchemy import Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from services.cli.exits import CheckFailed, InputRefused, NotThere
from shared.contracts import settlement_events, submission_events, table_events
from shared.contracts.envelope import CONTENT_TYPE, Event
from shared.contracts.settlements import QuarantineDismissed
from shared.contracts.tables import Correction
from shared.journal.entry import Draft, Entry
from shared.journal.ledger import Ledger
from shared.journal.tables import JournalTables
from shared.rules.errors import Refused
from shared.runtime.command.commands import record_command
from shared.runtime.consume import facts
from shared.runtime.kafka import librdkafka_log

DISMISSED = "quarantine.dismissed"
_SEND_SECONDS_MAX = 30.0
_BY_KEY = -1

_DECODERS: Mapping[str, Callable[[bytes], Event[Any]]] = {
    table_events.TOPIC: table_events.decode,
    submission_events.TOPIC: submission_events.decode,
    settlement_events.TOPIC: settlement_events.decode,
}


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A refused record: where it came from, its bytes, and why it was refused. `cluster` is the Kafka cluster's id."""

    id: int
    shard: int
    seq: int
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    source: str | None
    sequence: int | None
    reason: str
    quarantined_at: datetime
    resolved_at: datetime | None
    cluster: str

    @property
    def place(self) -> str:
        """Where it stood."""
        return f"{self.topic}/{self.partition}, offset {self.offset}"


def _quarantined(row: Row[Any]) -> Quarantined:
    fields = row._asdict()
    shard_name: str = fields.pop("name")
    return Quarantined(**fields, cluster=shard_name.rpartition("@")[2])


async def read_all(connection: AsyncConnection, tables: JournalTables, *, resolved: bool) -> Sequence[Quarantined]:
    """The records that wait, oldest first; with `resolved` also those that do not any more."""
    query = _query(tables)
    if not resolved:
        query = query.where(tables.quarantine.c.resolved_at.is_(None))
    return [_quarantined(row) for row in await connection.execute(query)]


async def read_one(connection: AsyncConnection, tables: JournalTables, number: int) -> Quarantined:
    """One record. Raises: NotThere."""
    row = (await connection.execute(_query(tables).where(tables.quarantine.c.id == number))).one_or_none()
    if row is None:
        raise NotThere(f"{tables.schema} has no record {number} in quarantine; see: pitledger quarantine list --all")
    return _quarantined(row)


def _query(tables: JournalTables) -> Any:
    q, s = tables.quarantine, tables.shards
    return select(q, s.c.name).join(s, s.c.shard == q.c.shard).order_by(q.c.id)


def require_open(record: Quarantined) -> None:
    """Raises: CheckFailed where the record was mended, replaced or dismissed."""
    if record.resolved_at is not None:
        raise CheckFailed(f"record {record.id} was resolved at {record.resolved_at.isoformat()}; nothing is left to do")


def decode_again(record: Quarantined, value: bytes) -> Event[Any]:
    """The event in the bytes that are to replace a record. Raises: InputRefused, as the service would refuse it."""
    try:
        return _DECODERS[record.topic](value)
    except Refused as refused:
        raise InputRefused(f"these bytes would be refused again: {refused}; mend them: --file MENDED") from refused


@dataclass(frozen=True, slots=True)
class Replay:
    """What is published in place of a quarantined record. `partition` None: the key decides."""

    topic: str
    partition: int | None
    key: bytes | None
    value: bytes
    headers: Sequence[tuple[str, str | bytes | None]]


async def prepare_replay(
    connection: AsyncConnection,
    tables: JournalTables,
    record: Quarantined,
    value: bytes,
    *,
    by: str,
    reason: str,
    cluster: str,
) -> Replay:
    """The replay of a record with these bytes, in the partition where its stream is. Raises: InputRefused."""
    event = decode_again(record, value)
    key = event.source.encode() if record.topic == table_events.TOPIC else record.key
    partition: int | None = None
    if record.cluster == cluster:
        partition = record.partition
        if key != record.key:
            partition = await _partition_of(connection, tables, record.topic, event.source, cluster)
    headers: list[tuple[str, str | bytes | None]] = [
        ("content-type", CONTENT_TYPE),
        (facts.QUARANTINE_ID, str(record.id)),
        (facts.MENDED_BY, by),
        (facts.MENDED_REASON, reason),
    ]
    return Replay(record.topic, partition, key, value, headers)


async def _partition_of(
    connection: AsyncConnection, tables: JournalTables, topic: str, source: str, cluster: str
) -> int | None:
    """The partition from which entries of this stream came, whatever partitioner its sender uses."""
    e, s = tables.entries, tables.shards
    query = (
        select(s.c.name)
        .join(e, e.c.shard == s.c.shard)
        .where(e.c.source == source, s.c.name.startswith(f"{topic}/"), s.c.name.endswith(f"@{cluster}"))
        .limit(1)
    )
    name = (await connection.execute(query)).scalar_one_or_none()
    return None if name is None else int(name.removeprefix(f"{topic}/").partition("@")[0])


def publish(bootstrap_servers: str, replay: Replay) -> tuple[int, int]:
    """Sends the replay; gives the partition and offset that it got. Raises: NotThere."""
    answers: list[tuple[Any, Any]] = []
    producer = Producer(
        {"bootstrap.servers": bootstrap_servers, "enable.idempotence": True, "message.max.bytes": 16_000_000},
        logger=librdkafka_log,
    )
    try:
        producer.produce(
            replay.topic,
            key=replay.key,
            value=replay.value,
            headers=list(replay.headers),
            on_delivery=lambda error, message: answers.append((error, message)),
            partition=_BY_KEY if replay.partition is None else replay.partition,
        )
        left = producer.flush(_SEND_SECONDS_MAX)
    except KafkaException as error:
        raise NotThere(f"{replay.topic} on {bootstrap_servers}: {error}") from error
    if left or not answers or answers[0][0] is not None:
        why = answers[0][0] if answers else f"no answer within {_SEND_SECONDS_MAX:.0f} s"
        raise NotThere(f"{replay.topic} on {bootstrap_servers}: {why}; KAFKA_BOOTSTRAP_SERVERS says where it is")
    return answers[0][1].partition(), answers[0][1].offset()


async def outcome(
    connection: AsyncConnection,
    tables: JournalTables,
    record: Quarantined,
    *,
    partition: int,
    offset: int,
    cluster: str,
) -> str | None:
    """What became of a replay: None while it has not been read, an empty text when the record is resolved.

    Otherwise why it is not: the replay was refused too, or dropped.
    """
    q, s = tables.quarantine, tables.shards
    shard = (
        await connection.execute(
            select(s.c.shard, s.c.next_offset).where(s.c.name == f"{record.topic}/{partition}@{cluster}")
        )
    ).one_or_none()
    if shard is None or shard.next_offset <= offset:
        return None
    if (await read_one(connection, tables, record.id)).resolved_at is not None:
        return ""
    again = (
        await connection.execute(
            select(q.c.id, q.c.reason).where(q.c.shard == shard.shard, q.c.partition == partition, q.c.offset == offset)
        )
    ).one_or_none()
    if again is not None:
        return f"the replay was refused too and is record {again.id} in quarantine: {again.reason}"
    return "the replay was dropped: an event with this id and sequence is recorded already; dismiss the record instead"


async def dismiss(
    engine: AsyncEngine,
    tables: JournalTables,
    service: str,
    number: int,
    correction: Correction,
    *,
    clock: Callable[[], datetime],
) -> Entry:
    """Closes a record that can never be mended, with an entry that says why and who stands for it.

    Raises: NotThere; CheckFailed where it was resolved before.
    """

    async def derive(connection: AsyncConnection, sequence: int) -> Sequence[Draft]:
        record = await read_one(connection, tables, number)
        require_open(record)
        data = QuarantineDismissed(
            quarantine=record.id,
            shard=record.shard,
            seq=record.seq,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            source=record.source,
            sequence=record.sequence,
            correction=correction,
        )
        return [
            Draft(
                kind=DISMISSED,
                source=f"/{service}/quarantine/{record.id}",
                sequence=sequence,
                event_id=f"dismiss-{record.id}",
                offset=None,
                gaming_day=None,
                occurred_at=clock(),
                data=data.model_dump_json().encode(),
            )
        ]

    async def save(connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        q = tables.quarantine
        changed = await connection.execute(
            update(q).where(q.c.id == number, q.c.resolved_at.is_(None)).values(resolved_at=entries[0].recorded_at)
        )
        if changed.rowcount != 1:
            raise CheckFailed(f"record {number} was resolved by somebody else meanwhile")

    [entry] = await record_command(engine=engine, ledger=Ledger(tables), clock=clock, derive=derive, save=save)
    return entry
