"""Identify the topics that a service reads, because a re-created topic has the same name and other records.

Offsets are positions in one log, so the name of a shard includes the log: `settlements/3@cluster`, and
`settlements/3@cluster~2` for the second log that the service adopted under the same topic name and cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal.ledger import Ledger
from shared.journal.tables import JournalTables

GENERATION: Final = "~"
FORGOTTEN: Final = "deleted from the database"
"""The placeholder id of a topic that the service has read, but whose identity was deleted from the database."""


@dataclass(frozen=True, slots=True)
class TopicIdentity:
    """A topic that a service reads: the ids of cluster and topic, and the generation of its log.

    The generation counts the logs that the service has adopted under the same topic name and cluster.
    """

    topic: str
    cluster: str
    topic_id: str
    generation: int = 1

    @property
    def log(self) -> str:
        """Return the name of the log as it appears in shard names: `cluster` or `cluster~2`."""
        return self.cluster if self.generation == 1 else f"{self.cluster}{GENERATION}{self.generation}"

    def shard_name(self, partition: int) -> str:
        """Return the name of the shard of a partition."""
        return f"{self.topic}/{partition}@{self.log}"


def cluster_of(shard_name: str) -> str:
    """Return the id of the cluster from which a shard is read.

    >>> cluster_of("settlements/3@c1"), cluster_of("settlements/3@c1~2")
    ('c1', 'c1')
    """
    return shard_name.rpartition("@")[2].partition(GENERATION)[0]


async def known_input(
    connection: AsyncConnection, tables: JournalTables, topic: str, cluster: str
) -> TopicIdentity | None:
    """Return the recorded identity of the topic that the service reads under this name, or None if there is none."""
    i = tables.inputs.c
    query = select(i.topic, i.cluster, i.topic_id, i.generation).where(i.topic == topic, i.cluster == cluster)
    row = (await connection.execute(query.order_by(i.generation.desc()).limit(1))).one_or_none()
    return None if row is None else TopicIdentity(*row)


async def first_input(
    connection: AsyncConnection, tables: JournalTables, found: TopicIdentity, at: datetime
) -> TopicIdentity:
    """Return the recorded identity of a topic; if no identity is recorded yet, record `found`.

    If the service has read the topic but its identity was lost, the result matches no existing topic (`FORGOTTEN`).
    """
    known = await known_input(connection, tables, found.topic, found.cluster)
    if known is None:
        s = tables.shards.c
        of_topic = select(s.name).where(s.name.startswith(f"{found.topic}/", autoescape=True), s.next_offset > 0)
        names = (await connection.execute(of_topic)).scalars().all()
        if any(cluster_of(name) == found.cluster for name in names):
            return replace(found, topic_id=FORGOTTEN)
        await add_input(connection, tables, found, at)
        known = await known_input(connection, tables, found.topic, found.cluster)
    assert known is not None, f"{found} was added"
    return known


async def add_input(connection: AsyncConnection, tables: JournalTables, found: TopicIdentity, at: datetime) -> None:
    """Record the identity of a topic's log, unless this generation of the topic is already recorded."""
    values = {"topic": found.topic, "cluster": found.cluster, "generation": found.generation}
    statement = upsert(tables.inputs).values(**values, topic_id=found.topic_id, recorded_at=at)
    await connection.execute(statement.on_conflict_do_nothing())


async def adopt(
    connection: AsyncConnection,
    ledger: Ledger,
    found: TopicIdentity,
    bounds: Mapping[int, tuple[int, int]],
    at: datetime,
) -> TopicIdentity:
    """Accept a topic in its current state: continue at the read position, or at the first record of a new log.

    `bounds` is partition -> (first offset, end offset). The service must be stopped. Return the identity of the topic
    from now on. Raises: Unsealed.
    """
    known = await known_input(connection, ledger.tables, found.topic, found.cluster) or found
    shards = [ledger.require_sealed(await ledger.open_shard(connection, known.shard_name(number))) for number in bounds]
    ends = dict(zip(shards, (end for _, end in bounds.values()), strict=True))
    if known.topic_id != found.topic_id or any(shard.next_offset > end for shard, end in ends.items()):
        known = replace(found, generation=known.generation + 1)
    await add_input(connection, ledger.tables, known, at)
    for number, (first, _) in bounds.items():
        shard = await ledger.open_shard(connection, known.shard_name(number))
        if shard.next_offset < first:
            await ledger.append(connection, shard, (), next_offset=first, recorded_at=at)
    return known
