"""Publish the journal: every entry, in the order of its shard, at least once.

Entries that were just committed are published from memory. The database is read only for the others, after a restart or
an outage of the broker. The relay rows of the shards are locked while a batch is sent and marked, so only one process
publishes a shard at a time. A crash between sending and marking publishes the batch again; consumers drop duplicates.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import repeat, takewhile
from time import monotonic
from typing import Any, Final, NamedTuple

import structlog
from confluent_kafka import Producer
from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts import catalog
from shared.contracts.envelope import CONTENT_TYPE, shard_source
from shared.contracts.postings import LegPosting, postings_as_text
from shared.contracts.rejection import Rejected
from shared.contracts.upcasting import kind_of_type
from shared.journal.entry import Entry
from shared.journal.reading import read_entries
from shared.journal.shard import Unsealed
from shared.journal.signed_batch import HEADER, message_bytes, sign_batch
from shared.journal.signed_note import Signer
from shared.runtime.context import RuntimeContext
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.kafka import new_producer
from shared.runtime.outbox.publish_marks import PublishMark, PublishMarks
from shared.runtime.tracing import TRACEPARENT

log = structlog.get_logger()

BATCH_ENTRIES: Final = 1000
"""Maximum number of a shard's entries in a published batch, and in memory."""

_RETRY_SECONDS: Final = 0.5
"""Pause after a failed batch."""
_LOOK_SECONDS: Final = 2.0
"""Interval of checking the database for entries that other processes left unpublished."""
_GATHER_SECONDS: Final = 0.3
"""Minimum time between batches, so that entries in a steady flow are published together.

After a pause, an entry is published at once. Because entries are gathered here, consumers need to gather less.
"""
FLUSH_SECONDS: Final = 30.0
_FLUSH_STEP_SECONDS: Final = 0.5
RecordHeaders = list[tuple[str, str | bytes | None]]
_HEADERS: Final[RecordHeaders] = [("content-type", CONTENT_TYPE)]

MessageKey = Callable[[str, int, int, bytes], bytes]
"""Return the Kafka key of an entry from its (kind, shard, seq, data)."""

assert catalog.MODULES, "the kinds of all entries are declared"


class NotDelivered(ConnectionError):
    """The broker did not confirm a batch."""


class Outgoing(NamedTuple):
    """An entry to be published. `hash` is in hexadecimal, and `data` is JSON in UTF-8 as stored."""

    seq: int
    kind: str
    source: str
    occurred_at: datetime
    recorded_at: datetime
    hash: str
    data: bytes
    event_id: str = ""
    """The id of the event that caused the entry, unique within `source`."""
    postings: str = ""
    """The postings of the entry as text (shared.contracts.postings)."""

    @classmethod
    def of(cls, entry: Entry) -> "Outgoing":
        """Return a committed entry in the form in which it would be read from the database."""
        draft = entry.draft
        return cls(
            seq=entry.seq,
            kind=draft.kind,
            source=draft.source,
            occurred_at=draft.occurred_at.astimezone(UTC),
            recorded_at=entry.recorded_at,
            hash=entry.hash.hex(),
            data=draft.data,
            event_id=draft.event_id,
            postings=postings_as_text([LegPosting(*account[1:], cents) for account, cents in draft.postings]),
        )


class Relay:
    """Publishes the journal of one service.

    `topic_of` returns the topic of a shard's entries by the shard's name. `key` returns the Kafka key of an entry; by
    default all entries of a shard have the shard's key, which keeps them in order. `signer` signs each batch; without
    one, nothing is signed. A shard whose row was altered without the service's signature is not published. Nothing is
    published while the journal has a problem.
    """

    def __init__(
        self,
        context: RuntimeContext,
        topic_of: Callable[[str], str],
        key: MessageKey | None = None,
        signer: Signer | None = None,
    ) -> None:
        self._signer = signer
        self._context = context
        self._topic_of = topic_of
        self._key = key
        self._producer = self._new_producer()
        self._wake = asyncio.Event()
        self._fresh: dict[int, deque[Outgoing]] = {}
        self._unsealed: dict[int, str] = {}
        """By shard number, the last logged reason why the shard is not published."""
        self._resting: str | None = None
        """The last logged reason why publishing is suspended; None while it is not."""
        self._trying_since: float | None = None
        self._marks = PublishMarks(context.ledger)

    @property
    def waiting_seconds(self) -> float:
        """Return for how many seconds the next batch has been waiting to be published; 0 if nothing is pending."""
        return 0.0 if self._trying_since is None else monotonic() - self._trying_since

    def _new_producer(self) -> Producer:
        return new_producer(self._context.settings, self._context.service)

    def wake(self, committed: Sequence[Entry] = ()) -> None:
        """Wake the relay to publish these committed entries; other unpublished entries are read from the database."""
        for entry in committed:
            self._fresh.setdefault(entry.shard, deque(maxlen=BATCH_ENTRIES)).append(Outgoing.of(entry))
        self._wake.set()

    async def run(self) -> None:
        """Publish until cancelled. `repeat` is not used, because this waits to be woken, not for a fixed interval."""
        while True:
            self._wake.clear()
            try:
                published = await self.publish()
            except Exception as error:
                if kind_of(error) is ErrorKind.BUG:
                    raise
                log.warning("publishing failed, retrying", error=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if published < BATCH_ENTRIES:
                await asyncio.sleep(_GATHER_SECONDS)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):  # wait_for may lose a cancellation
                        await self._wake.wait()

    async def publish(self) -> int:
        """Publish pending entries, at most one batch per shard; return the number of entries."""
        async with self._context.pools.background.begin() as connection:
            await self._context.high_water.compared()  # the connection may be to another server than before
            marks = await self._marks.read(connection)
            waiting = [mark for mark in marks if mark.behind]
            self._context.metrics.relay_backlog.set(sum(mark.behind for mark in waiting))
            if waiting and self._rests():
                return 0
            found = {mark.shard.shard: await self._batch(connection, mark) for mark in waiting}
            batches = {shard: batch for shard, batch in found.items() if batch}
            reached = {mark.shard.shard: mark.published for mark in marks if not mark.is_found}
            if not batches:
                self._trying_since = None
                if not reached:
                    return 0
            topics = {
                mark.shard.shard: self._topic_of(mark.shard.name) for mark in waiting if mark.shard.shard in batches
            }
            if batches:
                self._trying_since = self._trying_since or monotonic()
                with self._context.tracing.publishing(", ".join(sorted({*topics.values()})), _causes(batches)):
                    await self._send(topics, batches)
                self._context.step("relay sent")
            reached |= {shard: batch[-1].seq for shard, batch in batches.items()}
            await self._marks.write(connection, reached)
        self._marks.written(reached)
        self._trying_since = None
        self._context.step("relay marked")
        count = sum(map(len, batches.values()))
        self._context.metrics.relayed.inc(count)
        return count

    def _rests(self) -> bool:
        """Return whether publishing is suspended because of a problem found in the journal; log it once."""
        try:
            self._context.high_water.require_whole()
        except Rejected as rejected:
            if self._resting != rejected.detail:
                self._resting = rejected.detail
                log.error("publishing suspended", reason=rejected.reason.value, detail=rejected.detail)
            return True
        return False

    async def _batch(self, connection: AsyncConnection, mark: PublishMark) -> Sequence[Outgoing]:
        """Return the next unpublished entries of a shard, from memory if it holds the first of them.

        Otherwise they are read from the database, but only if the shard's row has a valid seal; if it has none, nothing
        is returned.
        """
        shard, published = mark.shard, mark.published
        fresh = self._fresh.get(shard.shard, deque())
        while fresh and fresh[0].seq <= published:
            fresh.popleft()
        last = published + min(mark.behind, BATCH_ENTRIES)
        following = takewhile(lambda each: each[0] == each[1].seq, enumerate(fresh, published + 1))
        if batch := [entry for seq, entry in following if seq <= last]:
            return batch
        try:
            self._context.ledger.require_sealed(shard)
        except Unsealed as error:
            if self._unsealed.get(shard.shard) != (told := str(error)):
                self._unsealed[shard.shard] = told
                log.error("shard not published", shard=shard.name, error=told)
            return ()
        return await self._read(connection, shard.shard, range(published + 1, last + 1))

    async def _read(self, connection: AsyncConnection, shard: int, seqs: range) -> Sequence[Outgoing]:
        found = read_entries(connection, self._context.tables, shard, first=seqs.start, last=seqs.stop - 1)
        return [Outgoing.of(entry) async for entry in found]

    async def _send(self, topics: Mapping[int, str], batches: Mapping[int, Sequence[Outgoing]]) -> None:
        failed: list[Any] = []

        def delivered(error: Any, message: Any) -> None:
            del message
            if error is not None:
                failed.append(error)

        messages = [self._message(topics[shard], shard, row) for shard, batch in batches.items() for row in batch]
        for (topic, key, value), headers in zip(messages, self._headers(messages, _causes(batches)), strict=True):
            while True:
                try:
                    self._producer.produce(topic, key=key, value=value, headers=headers, on_delivery=delivered)
                    break
                except BufferError:
                    await asyncio.to_thread(self._producer.poll, 0.1)
        left, tries = sum(map(len, batches.values())), round(FLUSH_SECONDS / _FLUSH_STEP_SECONDS)
        while left and tries:  # in steps, so that a service can stop while the broker is unavailable
            left, tries = await asyncio.to_thread(self._producer.flush, _FLUSH_STEP_SECONDS), tries - 1
        if failed or left:
            # An idempotent producer that lost a message or its broker cannot continue: it is replaced.
            self._producer.purge()
            self._producer = self._new_producer()
            raise NotDelivered(f"{left} messages unanswered, first error {failed[0] if failed else None}")

    def _message(self, topic: str, shard: int, row: Outgoing) -> tuple[str, bytes, bytes]:
        """Return topic, key and value of the message for an entry."""
        source = shard_source(self._context.service, shard)
        key = source.encode() if self._key is None else self._key(row.kind, shard, row.seq, row.data)
        return topic, key, entry_message(source, shard, row)

    def _headers(
        self, messages: Sequence[tuple[str, bytes, bytes]], causes: Sequence[tuple[str, str]]
    ) -> Iterator[RecordHeaders]:
        """Yield the headers of messages sent together: content type, proof of the batch signature, trace context."""
        proofs: Iterable[bytes | None] = repeat(None)
        if self._signer is not None:
            proofs = sign_batch(self._signer, [message_bytes(*message) for message in messages])
        for proof, cause in zip(proofs, causes, strict=False):
            signed = [] if proof is None else [(HEADER, proof)]
            context = self._context.tracing.header(*cause)
            yield [*_HEADERS, *signed, *([] if context is None else [(TRACEPARENT, context)])]


def _causes(batches: Mapping[int, Sequence[Outgoing]]) -> list[tuple[str, str]]:
    return [(entry.source, entry.event_id) for batch in batches.values() for entry in batch]


def entry_message(source: str, shard: int, row: Outgoing) -> bytes:
    """Return an entry as a CloudEvent in JSON. Its data is published exactly as stored, byte for byte."""
    head = {
        "specversion": "1.0",
        "id": f"{shard}-{row.seq}",
        "source": source,
        "sequence": row.seq,
        "type": row.kind,
        "subject": row.source,
        "time": row.occurred_at.isoformat(),
        "recordedat": row.recorded_at.isoformat(),
        "entryhash": row.hash,
        "movesmoney": kind_of_type(row.kind).moves_money,
        "postings": row.postings,
        "datacontenttype": "application/json",
    }
    return b'%b,"data":%b}' % (to_json(head)[:-1], row.data)
