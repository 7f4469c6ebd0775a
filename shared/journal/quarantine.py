"""Read quarantined records and the requests about them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, Text, cast, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import property_of
from shared.contracts.json_text import read_json
from shared.journal.entry import Entry
from shared.journal.reading import read_places
from shared.journal.tables import OF_QUARANTINE, JournalTables
from shared.journal.topic_identity import cluster_of


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A quarantined record: its origin, its bytes, and the reason of the refusal.

    `signature` is the signature by its publisher or by the device that sent it, if any. If `stops` is true, its
    partition is halted until the record is closed. `cluster` is the Kafka cluster's id, and `listed_under` are the
    properties in whose lists it appears; `properties` are those that its bytes name.
    """

    id: int
    shard: int
    seq: int
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes
    signature: bytes | None
    source: str | None
    sequence: int | None
    reason: str
    stops: bool
    quarantined_at: datetime
    resolved_at: datetime | None
    listed_under: Sequence[str]
    cluster: str

    @property
    def properties(self) -> frozenset[str]:
        """Return the properties that the record names; empty if they cannot be read."""
        return properties_of_record(self.source, self.key, self.value)


def properties_of_record(source: str | None, key: bytes | None, value: bytes) -> frozenset[str]:
    """Return the properties that a record names in its source, its key, or its content.

    >>> sorted(properties_of_record("/properties/riverside/tables/BJ-01", None, b'{"data": {"property": "bayside"}}'))
    ['bayside', 'riverside']
    """
    return properties_of_event(value) | _of_streams(source, None if key is None else key.decode(errors="replace"))


def properties_of_event(value: bytes) -> frozenset[str]:
    """Return the properties that a JSON event names; empty if it is not JSON, or has a duplicate member."""
    try:
        said = read_json(value)
    except ValueError:
        return frozenset()
    event = said if isinstance(said, dict) else {}
    data = event.get("data")
    named = data.get("property") if isinstance(data, dict) else None
    return _of_streams(event.get("source"), event.get("subject")) | ({named} if isinstance(named, str) else set())


def _of_streams(*streams: object) -> frozenset[str]:
    found = (property_of(stream) for stream in streams if isinstance(stream, str))
    return frozenset(name for name in found if name is not None)


@dataclass(frozen=True, slots=True)
class Request:
    """A request about a quarantined record. `mended` is the repaired JSON to send in place of the record."""

    quarantine: int
    request: int
    action: str
    mended: str | None
    reason: str
    asked_by: str
    asked_at: datetime
    decision: str
    decided_by: str | None
    decided_at: datetime | None
    decided_reason: str | None


async def read_quarantined(
    connection: AsyncConnection, tables: JournalTables, number: int, *, lock: bool = False
) -> Quarantined | None:
    """Return a record by its number, or None; `lock` locks it until the transaction ends, for a decision."""
    query = _records(tables).where(tables.quarantine.c.id == number)
    if lock:
        query = query.with_for_update(of=tables.quarantine)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else _quarantined(row)


async def list_quarantined(
    connection: AsyncConnection,
    tables: JournalTables,
    *,
    resolved: bool = False,
    topic: str | None = None,
    properties: Collection[str] | None = None,
    listed_under: str | None = None,
    known: Collection[str] = (),
    after: int = 0,
    limit: int | None = None,
) -> Sequence[Quarantined]:
    """Return open records, oldest first; with `resolved`, closed records are included.

    With `properties`, return only records that are listed under at least one property, and under no property outside
    `properties`. With `listed_under`, return only records that are listed under this property or under none. If `known`
    contains the names of all properties, records listed only under other names, such as misspelled ones, count as
    listed under none.
    """
    q = tables.quarantine.c
    query = _records(tables).where(q.id > after).limit(limit)
    if not resolved:
        query = query.where(q.resolved_at.is_(None))
    if topic is not None:
        query = query.where(q.topic == topic)
    if properties is not None:
        query = query.where(q.listed_under.contained_by(sorted(properties)), q.listed_under != [])
    if listed_under is not None:
        of_none = ~q.listed_under.overlap(sorted({listed_under, *known})) if known else q.listed_under == []
        query = query.where(or_(q.listed_under.contains([listed_under]), of_none))
    return [_quarantined(row) for row in await connection.execute(query)]


async def requests_about(connection: AsyncConnection, tables: JournalTables, number: int) -> Sequence[Request]:
    """Return the requests about a record, in order."""
    r = tables.quarantine_requests
    columns = (cast(one, Text).label(one.name) if one is r.c.mended else one for one in r.c)
    rows = await connection.execute(select(*columns).where(r.c.quarantine == number).order_by(r.c.request))
    return [Request(*row) for row in rows]


async def partition_of(
    connection: AsyncConnection, tables: JournalTables, topic: str, source: str, cluster: str
) -> int | None:
    """Return the partition from which a stream's recorded events came, or None if none is recorded."""
    e, s = tables.entries.c, tables.shards.c
    query = (
        select(s.name)
        .join_from(tables.shards, tables.entries, e.shard == s.shard)
        .where(e.source == source, s.name.startswith(f"{topic}/"), s.name.contains(f"@{cluster}", autoescape=True))
        .limit(1)
    )
    name = (await connection.execute(query)).scalar_one_or_none()
    return None if name is None else int(name.removeprefix(f"{topic}/").partition("@")[0])


async def quarantine_entries(connection: AsyncConnection, tables: JournalTables) -> Sequence[Entry]:
    """Return all entries about quarantined records, by position."""
    e = tables.entries.c
    kinds = text(f"kind IN ({OF_QUARANTINE})")  # the condition of the index
    places = [(row.shard, row.seq) for row in await connection.execute(select(e.shard, e.seq).where(kinds))]
    return [entry async for _, entry in read_places(connection, tables, places)]


def _records(tables: JournalTables) -> Select[Any]:
    q, s = tables.quarantine, tables.shards
    return select(q, s.c.name).join(s, s.c.shard == q.c.shard).order_by(q.c.id)


def _quarantined(row: Row[Any]) -> Quarantined:
    fields = row._asdict()
    shard_name: str = fields.pop("name")
    return Quarantined(**fields, cluster=cluster_of(shard_name))
