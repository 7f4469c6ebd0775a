"""Evidence about a service's journal from outside its database: signed checkpoints, and its published entries."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from shared.contracts.topics import Topic
from shared.journal.checkpoint import read_unverified
from shared.journal.signed_batch import BatchVerifier
from shared.journal.signed_note import CheckpointError
from shared.runtime.high_water import HighWaterMark
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.kafka_records import record_of
from shared.runtime.kafka import ANSWER_SECONDS, inspecting
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.rederivation.published_entries import Published, read_published
from shared.runtime.service.checkpoint_signer import CheckpointSigner
from shared.runtime.service.signing_keys import message_verifier
from shared.runtime.settings import Settings

_TAIL_RECORDS: Final = 100
"""Number of records first read from the end of each partition."""
_TAIL_RECORDS_MAX: Final = 100_000
"""Maximum number of records read from the end of each partition.

If the database contains none of these records, it was rolled back.
"""
_DEEPER: Final = 8
_TAIL: Final = -2000
"""librdkafka's logical offset for the end of a partition; this value minus n selects the last n records."""
_AT_ONCE: Final = 500
_POLL_SECONDS: Final = 0.2
_NOT_THERE: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)

PartitionKey = tuple[str, int]
"""(topic, partition)"""


@dataclass(frozen=True, slots=True)
class OutsideEvidence:
    """Tells how many entries each shard of a service has, by its checkpoints and topics instead of its database.

    Published entries whose loss was accepted do not count.
    """

    settings: KafkaSettings
    service: str
    topics: Sequence[str]
    verifier: BatchVerifier | None = None
    notary: CheckpointSigner | None = None

    def signed(self) -> Mapping[str, int]:
        """Return the number of entries that checkpoints cover, by shard name. Raises: ConnectionError."""
        try:
            latest = {} if self.notary is None else self.notary.latest()
        except (CheckpointError, OSError) as error:
            raise ConnectionError(f"the checkpoints cannot be read: {error}") from error
        return {name: read_unverified(note).size for name, note in latest.items()}

    def published(self, sent: Mapping[int, int]) -> Mapping[int, HighWaterMark]:
        """Return the last published entry of each shard, by shard number, among the last records of the topics.

        Each partition is read backwards until a record that the database's publish marks (`sent`) already cover,
        because all earlier records are covered, too. Raises: ConnectionError.
        """
        found: dict[int, HighWaterMark] = {}
        try:
            floors = {} if self.notary is None else read_floors(self.notary.store.path, self.service)
            with inspecting(self.settings, {"fetch.wait.max.ms": 10}) as kafka:
                left: dict[PartitionKey, int | None] = dict.fromkeys(_places(kafka, self.topics))
                count = _TAIL_RECORDS
                while left and count <= _TAIL_RECORDS_MAX:
                    begins, done = dict[PartitionKey, int](), set[PartitionKey]()
                    for records in _tails(kafka, left, count):
                        new = [one for one in records if one.offset >= floors.get((one.topic, one.partition), 0)]
                        for one in new:
                            begins.setdefault((one.topic, one.partition), one.offset)
                        for place, entry in self._entries(new):
                            if (mark := found.get(entry.shard)) is None or mark.seq <= entry.seq:
                                found[entry.shard] = HighWaterMark(
                                    entry.seq, bytes.fromhex(entry.hash), f"topic {place[0]}"
                                )
                            if entry.seq <= sent.get(entry.shard, 0):
                                done.add(place)
                    left = {one: begins.get(one) for one in left if one not in done and begins.get(one) != left[one]}
                    count *= _DEEPER
        except (KafkaException, OSError) as error:
            raise ConnectionError(f"what is published cannot be read: {error}") from error
        return found

    def _entries(self, records: Sequence[InputRecord]) -> Iterator[tuple[PartitionKey, Published]]:
        """Yield each entry in these records with its partition; records that the service did not write are skipped."""
        for record in records:
            for one in read_published(self.service, [record], self.verifier):
                if isinstance(one, Published):
                    yield (record.topic, record.partition), one


def outside_evidence_of(
    settings: Settings, service: str, published: Sequence[Topic], notary: CheckpointSigner | None
) -> OutsideEvidence:
    """Return the outside evidence of a service that publishes on these topics.

    Raises: FatalServiceError if a signing key is malformed.
    """
    verifier = message_verifier(settings, published, service)
    return OutsideEvidence(settings, service, [topic.name for topic in published], verifier, notary)


def _places(kafka: Consumer, topics: Sequence[str]) -> list[PartitionKey]:
    """Return the partitions of topics; a missing topic has none. Raises: KafkaException."""
    places: list[PartitionKey] = []
    for topic in topics:
        found = kafka.list_topics(topic, timeout=ANSWER_SECONDS).topics[topic]
        if found.error is None:
            places += [(topic, number) for number in found.partitions]
        elif found.error.code() not in _NOT_THERE:
            raise KafkaException(found.error)
    return places


def _tails(kafka: Consumer, places: Collection[PartitionKey], count: int) -> Iterator[list[InputRecord]]:
    """Yield the last `count` records of each partition, in batches that mix partitions. Raises: KafkaException."""
    kafka.assign([TopicPartition(topic, number, _TAIL - count) for topic, number in places])
    ended: set[PartitionKey] = set()
    heard = monotonic()
    while len(ended) < len(places):
        found = kafka.consume(_AT_ONCE, timeout=_POLL_SECONDS)
        messages = [one for one in found if one.topic() is not None]  # the others are errors of a broker
        if messages:
            heard = monotonic()
        elif monotonic() - heard > ANSWER_SECONDS:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "the broker does not answer"))
        for message in messages:
            if (error := message.error()) is not None:
                if error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                ended.add((message.topic() or "", message.partition() or 0))
        yield [record_of(message) for message in messages if message.error() is None]


def _floors_file(checkpoints: Path, service: str) -> Path:
    return checkpoints / f"published.{service}.json"


def write_floors(checkpoints: Path, service: str, ends: Mapping[PartitionKey, int]) -> None:
    """Store, beside the checkpoints, the offsets up to which the topics were compared with a restored database.

    Entries that were published before these offsets and that the database lacks are accepted as lost, so that the
    service accepts commands again.
    """
    said = [{"topic": topic, "partition": number, "end": end} for (topic, number), end in sorted(ends.items())]
    checkpoints.mkdir(parents=True, exist_ok=True)
    _floors_file(checkpoints, service).write_text(json.dumps(said, indent=1) + "\n")


def read_floors(checkpoints: Path, service: str) -> dict[PartitionKey, int]:
    """Return the offsets that `write_floors` has stored, by partition; empty if it has stored none."""
    try:
        said = json.loads(_floors_file(checkpoints, service).read_text())
    except FileNotFoundError:
        return {}
    return {(one["topic"], one["partition"]): one["end"] for one in said}
