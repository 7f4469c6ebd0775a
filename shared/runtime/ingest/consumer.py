"""The path of a topic's batch, in order: receive, check positions, authenticate and decode, derive, commit, publish.

The entries, streams, the service's own tables and the shards of all partitions of a batch are committed in one
transaction. If that fails, each partition gets transactions of its own. The database holds the offset to resume from;
the offsets that the client commits to Kafka every five seconds only serve Kafka's lag tools.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, groupby
from time import perf_counter
from typing import Any, get_args

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.envelope import Event
from shared.contracts.rejection import Rejected
from shared.journal.entry import Entry
from shared.journal.event_dedup import load_digests
from shared.journal.ledger import Addition, Fenced, StreamTaken
from shared.journal.pipeline import Pipeline
from shared.journal.recording import recorded
from shared.journal.shard import Shard
from shared.journal.topic_identity import TopicIdentity
from shared.rules.errors import Refused
from shared.runtime.context import RuntimeContext
from shared.runtime.database import reading
from shared.runtime.errors import ErrorKind, kind_of, may_pass
from shared.runtime.ingest.batch import (
    BatchContext,
    Decoded,
    Derived,
    PlaceOf,
    derive,
    digests_of,
    mend,
    quarantined,
    refused_in,
    resent_sequences,
    stops,
    stream_positions,
    until_halt,
)
from shared.runtime.ingest.batch_metrics import count
from shared.runtime.ingest.halted_partitions import HaltedPartitions
from shared.runtime.ingest.handler import FactHandler, Handler, InputRecord
from shared.runtime.ingest.plausibility import PlausibilityLimit
from shared.runtime.ingest.prefetch import StreamPositions, open_quarantine, stopped_by
from shared.runtime.ingest.quarantine_rows import keep_quarantined
from shared.runtime.ingest.retry import retry_until_deadline
from shared.runtime.ingest.signature_check import content_digest, require_authentic
from shared.runtime.kafka import TopicLog
from shared.runtime.projector import Transaction

log = structlog.get_logger()


@dataclass(slots=True)
class _Partition:
    """The state of a partition that is assigned to this process."""

    shard: Shard
    fetched: int
    """The offset after the last record that was received, or the offset to which the consumer was rewound."""
    places: StreamPositions = field(init=False)

    def __post_init__(self) -> None:
        self.places = StreamPositions(self.shard)


@dataclass(slots=True)
class _Batch:
    """The records of a partition that are not recorded yet, and the offset at which the batch begins."""

    number: int
    begins: int
    left: list[Decoded]
    at_once: int
    """Maximum number of records of this partition in a transaction."""


Compare = Callable[[], Awaitable[None]]


async def _nothing() -> None:
    """Do nothing: the default for `compare_with_topic`."""


class Consumer:
    """Processes the partitions of one topic for one service."""

    def __init__(self, context: RuntimeContext, handler: Handler[Any], log_name: str) -> None:
        self.topic = handler.topic
        self.gather_seconds = handler.gather_seconds
        self.share = handler.share
        self.batch_records_max = context.settings.batch_records_max * handler.batch_scale
        self.context = context
        self.looked_seconds = 0.0
        """Seconds that the last batch spent on querying the broker's bounds; 0 if it did not query."""
        self.stopped = HaltedPartitions(context, self.topic)
        from_outside = handler.reader.topic.publisher is None
        context.metrics.begin_topic(self.topic, get_args(PlausibilityLimit) if from_outside else ())
        self._log_name = log_name
        self._handler = handler
        self._partitions: dict[int, _Partition] = {}

    # --- partitions ---

    def shard_name(self, partition: int) -> str:
        """Return the name of a partition's shard, with the cluster's log, because each cluster has its own offsets."""
        return f"{self.topic}/{partition}@{self._log_name}"

    async def assigned(self, partitions: Iterable[int]) -> dict[int, int]:
        """Take over partitions; return the offset from which to read, by partition."""
        offsets: dict[int, int] = {}
        await retry_until_deadline(self.context, self.context.high_water.compared)
        for partition in partitions:
            self.stopped.forget([partition])
            shard = await retry_until_deadline(self.context, partial(self._open, partition))
            self._partitions[partition] = _Partition(shard, fetched=shard.next_offset)
            offsets[partition] = shard.next_offset
        return offsets

    def revoked(self, partitions: Iterable[int]) -> None:
        """Release partitions that are no longer assigned to this process."""
        for partition in partitions:
            self._partitions.pop(partition, None)
            self.stopped.forget([partition])

    @property
    def positions(self) -> dict[int, int]:
        """Return the next offset of each assigned partition."""
        return {number: partition.shard.next_offset for number, partition in self._partitions.items()}

    async def compare(self, known: TopicIdentity, found: TopicLog, positions: Mapping[int, int]) -> None:
        """Halt the partitions whose next records are missing from the topic.

        `found` is the topic as the broker showed it, queried after `positions` (partition -> next offset) were read. If
        the broker has deleted records after a position, they may still be in the journal: recorded by another process
        that had the partition meanwhile, or by a commit whose answer was lost. The database decides. Raises:
        FatalServiceError if the database stays unavailable.
        """
        reached: dict[int, int] = {}
        for number, position in positions.items():
            reached[number] = position
            first, _ = found.bounds.get(number, (0, 0))
            if position < first and number in self._partitions:
                shard = await retry_until_deadline(self.context, partial(self._open, number))
                reached[number] = min(max(position, shard.next_offset), first)
        ours = reached.keys() & self._partitions.keys()
        self.stopped.compare(known, found, {number: reached[number] for number in ours})

    async def _open(self, partition: int) -> Shard:
        """Return the shard of a partition; halt the partition if `stopped_by` returns a reason."""
        async with self.context.pools.background.begin() as connection:
            shard = await self.context.ledger.open_shard(connection, self.shard_name(partition))
            reason = await stopped_by(connection, self.context, shard)
        if reason is not None:
            self.stopped.stop(partition, reason)
        return shard

    # --- the path of a batch, step by step ---

    async def handle(self, records: Sequence[InputRecord], compare_with_topic: Compare = _nothing) -> dict[int, int]:
        """Process a batch, which may mix partitions; return the offsets to rewind to, by partition.

        `compare_with_topic` queries the broker, and halts the partitions whose next record the broker does not hold.
        Raises: FatalServiceError if the database stays unavailable; a bug propagates unchanged.
        """
        with self.context.tracing.batch(self.topic, records):
            started = perf_counter()
            received = self._receive(records)
            await self._check_positions(received, compare_with_topic)
            batches = [self._decode(*one) for one in received.items() if one[0] not in self.stopped.reasons]
            rewind = await self._record(batches)
            self.context.metrics.commit.observe(perf_counter() - started)
        return rewind

    def _receive(self, records: Sequence[InputRecord]) -> dict[int, list[InputRecord]]:
        """Return the records by partition, without the records of partitions that were revoked meanwhile.

        The next owner of a revoked partition reads its records again.
        """
        by_partition = groupby(sorted(records, key=lambda record: record.partition), key=lambda one: one.partition)
        return {number: list(group) for number, group in by_partition if number in self._partitions}

    async def _check_positions(
        self, received: Mapping[int, Sequence[InputRecord]], compare_with_topic: Compare
    ) -> None:
        """Halt the partitions whose records do not continue where the previous batch ended.

        If offsets are missing, the broker is queried, once per batch, because gaps may be legitimate: compaction
        removes records, and each producer transaction uses one offset for its marker.
        """
        begins = {number: records[0].offset for number, records in received.items()}
        wanted = {number: self._partitions[number].fetched for number in received}
        self.looked_seconds = 0.0
        if begins != wanted:
            started = perf_counter()
            await compare_with_topic()
            self.looked_seconds = perf_counter() - started
        for number, offset in begins.items():
            if offset < wanted[number]:
                self.stopped.stop(number, f"it was read up to offset {wanted[number]}, and starts again at {offset}")

    def _decode(self, number: int, records: Sequence[InputRecord]) -> _Batch:
        """Authenticate and decode the records of a partition; drop records that were recorded before."""
        partition = self._partitions[number]
        begins, partition.fetched = partition.fetched, records[-1].offset + 1
        left = self._unseen(number, [self._decoded(record) for record in records])
        return _Batch(number, begins, left, at_once=len(left))

    def _decoded(self, record: InputRecord) -> Decoded:
        topic = self._handler.reader.topic
        try:
            require_authentic(topic, record, self.context.verifier, self.context.tables.schema)
            event: Event[Any] | Refused = self._handler.decode(record)
        except Refused as refused:
            event = refused
        return Decoded(record, event, content_digest(topic, record))

    async def _record(self, batches: Sequence[_Batch]) -> dict[int, int]:
        """Derive and commit until all records are recorded; return the offsets to rewind to, by partition.

        The first transaction covers all partitions, because that costs hardly more than one partition. If it fails, or
        if a refused record leaves others unrecorded, each partition then gets transactions of its own.
        """
        rewind: dict[int, int] = {}
        due = self._due(batches, rewind)
        groups = [due] if _are_apart(due) else [[batch] for batch in due]
        try:
            while groups:
                await retry_until_deadline(self.context, partial(self._record_next, groups, rewind), self._note)
        except Rejected as altered:  # stored data was altered: nothing is derived from it
            for batch in batches:
                self.stopped.stop(batch.number, altered.detail)
        return rewind

    async def _record_next(self, groups: list[list[_Batch]], rewind: dict[int, int]) -> None:
        """Derive and commit the first group of batches. Each batch with unrecorded records left becomes a group."""
        if not groups:
            return  # the commit had succeeded although its answer was lost
        group = groups.pop(0)
        try:
            await self._commit_or_split(await self._derive(group))
            for batch in group:
                batch.at_once *= 2
        except Exception as error:
            if may_pass(error):
                for batch in group:
                    await self._resume(batch, error)
            raise
        finally:
            groups[:0] = [[batch] for batch in self._due(group, rewind)]

    def _note(self, error: BaseException) -> None:
        kind = kind_of(error)
        if kind is ErrorKind.FENCED:
            self.context.metrics.fenced.labels(self.topic).inc()
        log.warning("batch failed, retrying", topic=self.topic, kind=kind.value, error=str(error))

    def _due(self, batches: Iterable[_Batch], rewind: dict[int, int]) -> list[_Batch]:
        """Return the batches with unrecorded records whose partitions are not halted.

        If a partition's shard ends before the start of its batch, the records in between are missing, so the partition
        is rewound to the end of its shard.
        """
        due = []
        for batch in batches:
            partition = self._partitions[batch.number]
            batch.left = _behind(partition.shard, batch.left)
            if not batch.left or batch.number in self.stopped.reasons:
                continue
            if batch.begins > partition.shard.next_offset:
                partition.fetched = rewind[batch.number] = partition.shard.next_offset
                continue
            due.append(batch)
        return due

    async def _resume(self, batch: _Batch, error: Exception) -> None:
        """Reload the state of a partition from the database after a transaction failed."""
        if isinstance(error, StreamTaken):  # smaller batches commit sooner, so that every contender makes progress
            batch.at_once = max(1, min(batch.at_once, len(batch.left)) // 4)
        partition = self._partitions[batch.number]
        batch.left = _behind(partition.shard, batch.left)
        shard = await retry_until_deadline(self.context, partial(self._open, batch.number))
        if kind_of(error) is ErrorKind.FENCED or shard != partition.shard:
            self._partitions[batch.number] = _Partition(shard, fetched=partition.fetched)
            batch.left = self._unseen(batch.number, batch.left)

    def _unseen(self, number: int, decoded: list[Decoded]) -> list[Decoded]:
        """Return the records that no process has recorded yet; count the others as duplicates."""
        left = _behind(self._partitions[number].shard, decoded)
        if len(left) < len(decoded):
            self.context.metrics.duplicates.labels(self.topic).inc(len(decoded) - len(left))
        return left

    async def _derive(self, group: Iterable[_Batch]) -> dict[int, list[Derived]]:
        """Load the state that the next events need, and return the result of each record, by partition.

        `derive` checks the device, position and plausibility of each event before the handler decides. A record that
        halts a partition is the last result of that partition.
        """
        parts = {batch.number: batch.left[: batch.at_once] for batch in group}
        tables, decoded = self.context.tables, list(chain.from_iterable(parts.values()))
        with self.context.tracing.step("derive"):
            await self._handler.prepare(_events(decoded))
            taken: dict[PlaceOf, bytes] = {}
            async with reading(self.context.pools.background) as connection:
                for number, part in parts.items():
                    events, places = _events(part), self._partitions[number].places
                    await places.load(connection, tables, {event.source for event in events})
                    taken |= await load_digests(connection, tables, resent_sequences(events, places.streams))
                state = await self._handler.load(connection, _events(decoded))
                read_at = self.context.clock()
                found: dict[int, list[Derived]] = {}
                for number, part in parts.items():
                    partition = self._partitions[number]
                    known = BatchContext(
                        shard_name=partition.shard.name,
                        streams=partition.places.streams,
                        elsewhere=partition.places.elsewhere,
                        taken=taken,
                        state=state,
                        read_at=read_at,
                    )
                    found[number] = until_halt(derive(self._handler, part, known))
                quarantine = await open_quarantine(connection, tables, chain.from_iterable(found.values()))
            mend(chain.from_iterable(found.values()), quarantine, tables.schema)
        return found

    async def _commit_or_split(self, parts: Mapping[int, Sequence[Derived]]) -> bool:
        """Commit in one transaction; if the database refuses it, split it, down to the single record that it refuses.

        Return True if everything was committed as derived. False means that the last committed record went to
        quarantine instead, so that the records after it must be derived again.
        """
        try:
            await self._commit(parts)
        except Exception as error:
            if kind_of(error) is not ErrorKind.REFUSED or isinstance(error, Rejected):
                raise
            async with reading(self.context.pools.background) as connection:
                for number, part in parts.items():
                    await self._require_unmoved(connection, number, stream_positions(part))
            (number, part), *others = parts.items()
            if not others and len(part) == 1:
                reason = f"the database refuses it: {_first_line(error)}"
                await self._commit({number: [quarantined(part[0].record, self._partitions[number].shard.name, reason)]})
                return False
            first, second = _halves(parts)
            return await self._commit_or_split(first) and await self._commit_or_split(second)
        return True

    async def _commit(self, parts: Mapping[int, Sequence[Derived]]) -> None:
        """Commit the results of these records in one transaction, and wake the relay to publish the entries."""
        derived = list(chain.from_iterable(parts.values()))
        with self.context.tracing.step("commit"):
            entries = await self._committed(parts, derived)
        count(self.context.metrics, self.topic, derived)
        self.context.tracing.committed(
            (one.record, one.event.source, one.event.id) for one in derived if one.event is not None
        )
        self.context.wake(entries)
        for number, part in parts.items():
            if stops(part[-1]):
                await retry_until_deadline(self.context, partial(self._open, number))

    async def _committed(self, parts: Mapping[int, Sequence[Derived]], derived: Sequence[Derived]) -> Sequence[Entry]:
        accounts = {posting.account for one in derived for draft in one.drafts for posting in draft.postings}
        await self.context.ledger.ensure_accounts(self.context.pools.background, accounts)
        moment = self.context.clock()
        additions = [
            Addition(
                self._partitions[number].shard,
                [draft for one in part for draft in one.drafts],
                part[-1].record.offset + 1,
            )
            for number, part in parts.items()
        ]
        self.context.step("derived")
        async with self.context.pools.background.begin() as connection:
            await self.context.high_water.compared()  # the connection may be to another server than before
            if (set_back := self.context.high_water.set_back) is not None:
                raise Fenced(set_back)
            events = [one.event for one in derived if one.event is not None]
            if isinstance(self._handler, FactHandler):
                await self._handler.require_as_loaded(connection, events)
            entries, shards = await self.context.ledger.append_all(
                connection, additions, recorded_at=moment, write=partial(self._save_streams, parts)
            )
            if entries:
                await self.context.projector.project(Transaction(connection), recorded(entries))
            if isinstance(self._handler, FactHandler):
                await self._handler.require_consistent(connection, events)
            else:
                await self._handler.keep(connection, events, moment)
            for source, stream in sorted(stream_positions(one for one in derived if one.gaps_changed).items()):
                await self.context.ledger.save_gaps(connection, source, list(stream.missing()))
            for number, part in parts.items():
                await self._require_unmoved(connection, number, refused_in(part) - stream_positions(part).keys())
            await keep_quarantined(connection, self.context.tables.quarantine, entries, derived, moment)
            self.context.step("before commit")
        self.context.step("after commit")
        self.context.high_water.reached(shards)
        for (number, part), shard in zip(parts.items(), shards, strict=True):
            self._partitions[number].shard = shard
            self._partitions[number].places.committed(stream_positions(part))
        return entries

    async def _require_unmoved(self, connection: AsyncConnection, number: int, names: Iterable[str]) -> None:
        """Raise StreamTaken if another partition has extended one of these streams since this partition loaded it."""
        await self._partitions[number].places.require_unmoved(connection, self.context.tables, names)

    async def _save_streams(
        self, parts: Mapping[int, Sequence[Derived]], sent: Pipeline, entries: Sequence[Entry]
    ) -> None:
        del entries
        for number, part in parts.items():
            shard, places = self._partitions[number].shard, self._partitions[number].places
            after = {
                source: (stream.last, places.next_version(source)) for source, stream in stream_positions(part).items()
            }
            await self.context.ledger.save_streams(sent, shard, after, digests_of(part))


def _behind(shard: Shard, decoded: list[Decoded]) -> list[Decoded]:
    """Return the records that are not in their shard yet."""
    return [one for one in decoded if one.record.offset >= shard.next_offset]


def _events(decoded: Iterable[Decoded]) -> list[Event[Any]]:
    """Return the events of the decoded records, leaving out refused records."""
    return [one.event for one in decoded if not isinstance(one.event, Refused)]


def _are_apart(batches: Sequence[_Batch]) -> bool:
    """Return whether no two batches share a stream, so that one transaction may record all of them."""
    streams = [{event.source for event in _events(batch.left)} for batch in batches]
    return len(set().union(*streams)) == sum(map(len, streams))


def _halves(
    parts: Mapping[int, Sequence[Derived]],
) -> tuple[dict[int, Sequence[Derived]], dict[int, Sequence[Derived]]]:
    """Split the results in two: the first partition and the others, or the halves of a single partition."""
    (number, part), *others = parts.items()
    if others:
        return {number: part}, dict(others)
    middle = len(part) // 2
    return {number: part[:middle]}, {number: part[middle:]}


def _first_line(error: BaseException) -> str:
    lines = str(getattr(error, "orig", None) or error).splitlines()
    return lines[0] if lines else type(error).__name__
