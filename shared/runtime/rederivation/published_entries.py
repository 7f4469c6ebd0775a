"""Compare a journal with its published entries, to find entries that a restored database lacks or has altered."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import shard_of
from shared.contracts.json_text import read_json
from shared.journal.reading import read_places
from shared.journal.shard import Shard
from shared.journal.signed_batch import HEADER, BatchVerifier, Unsigned, message_bytes, signer_name
from shared.journal.tables import JournalTables
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.kafka import inspecting, topic_log
from shared.runtime.kafka_settings import KafkaSettings

_AT_ONCE: Final = 500
_POLL_SECONDS: Final = 0.2
_SILENCE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Published:
    """An entry that was read from a topic. `subject` is the stream of the event that caused the entry."""

    shard: int
    seq: int
    kind: str
    subject: str
    time: str
    hash: str
    data: Any = field(repr=False)

    def __str__(self) -> str:
        return f"entry {self.seq}: {self.kind} of {self.subject}, {self.time}, hash {self.hash[:16]}…"


@dataclass(slots=True)
class Reconciled:
    """The comparison of one shard with the topics.

    `entries` is the last sequence in the journal, and `published` is the last sequence on the topics. `lost` are the
    entries that are published but missing in the journal. `again` are entries with the same content but a different
    hash, because they or earlier entries were recorded again at another time. `other` are entries with different
    content. All three are by sequence.
    """

    number: int
    name: str
    entries: int
    published: int = 0
    lost: dict[int, Published] = field(default_factory=dict)
    again: dict[int, Published] = field(default_factory=dict)
    other: dict[int, Published] = field(default_factory=dict)

    @property
    def follows(self) -> bool:
        """Return whether the shard's entries follow from a topic, so that ingest will record lost ones again."""
        return "@" in self.name


def whole_topics(settings: KafkaSettings, topics: Sequence[str]) -> Iterator[list[InputRecord]]:
    """Yield all records of topics, in batches, ordered within each partition, up to the ends that the broker reports.

    Raises: FatalServiceError if a topic does not exist; KafkaException if the broker does not answer.
    """
    places = [(topic, number) for topic in topics for number in topic_log(settings, topic).bounds]
    ended: set[tuple[str | None, int | None]] = set()
    heard = monotonic()
    with inspecting(settings) as kafka:
        kafka.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for topic, number in places])
        while len(ended) < len(places):
            messages = kafka.consume(_AT_ONCE, timeout=_POLL_SECONDS)
            if messages:
                heard = monotonic()
            elif monotonic() - heard > _SILENCE_SECONDS:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{', '.join(topics)} do not come to an end"))
            for message in messages:
                if (error := message.error()) is not None:
                    if error.code() != KafkaError._PARTITION_EOF:
                        raise KafkaException(error)
                    ended.add((message.topic(), message.partition()))
            yield [record_of(message) for message in messages if message.error() is None]


def read_published(
    service: str, records: Sequence[InputRecord], verifier: BatchVerifier | None
) -> Iterator[Published | str]:
    """Yield the entry in each record, or the reason why the record is not an entry of the service."""
    for record in records:
        place = f"{record.topic}/{record.partition}, offset {record.offset}"
        try:
            if verifier is not None:
                message = message_bytes(record.topic, record.key, record.value)
                verifier.require(signer_name(service), message, record.raw_header(HEADER))
            said = read_json(record.value)
            yield Published(
                shard=shard_of(said["source"]),
                seq=int(said["sequence"]),
                kind=said["type"],
                subject=said["subject"],
                time=said["time"],
                hash=said["entryhash"],
                data=said["data"],
            )
        except (Unsigned, ValueError, KeyError, TypeError) as error:
            yield f"{place}: not an entry of {service}: {error}"


class Reconciliation:
    """Compares published entries with the shards of a journal, in batches; only differences are kept."""

    def __init__(self, tables: JournalTables, shards: Sequence[Shard]) -> None:
        self._tables = tables
        self.shards = {one.shard: Reconciled(one.shard, one.name, one.next_seq - 1) for one in shards}
        self.ends: dict[tuple[str, int], int] = {}
        """The offset after the last record read, by (topic, partition)."""

    def read(self, records: Sequence[InputRecord]) -> None:
        """Store the offset after the last record read, by partition."""
        for one in records:
            self.ends[one.topic, one.partition] = one.offset + 1

    async def add(self, connection: AsyncConnection, found: Sequence[Published]) -> None:
        """Compare published entries with the journal's entries at the same shard and sequence."""
        places = {(one.shard, one.seq) for one in found}
        kept = {(entry.shard, entry.seq): entry async for _, entry in read_places(connection, self._tables, places)}
        for one in found:
            of_shard = self.shards.setdefault(one.shard, Reconciled(one.shard, "", 0))
            of_shard.published = max(of_shard.published, one.seq)
            entry = kept.get((one.shard, one.seq))
            if entry is None:
                of_shard.lost[one.seq] = one
            elif entry.hash.hex() != one.hash:
                draft = entry.draft
                same = (draft.kind, draft.source, json.loads(draft.data)) == (one.kind, one.subject, one.data)
                (of_shard.again if same else of_shard.other)[one.seq] = one
