"""Bugs to be found: named mutations of the kernel, each a mistake that somebody could make there.

docs/reliability.md lists them, and the seeds that find them.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.journal import ledger
from shared.journal.entry import Entry, EntryDraft
from shared.journal.ledger import Ledger
from shared.journal.recording import Recorded
from shared.journal.streams import Stream, StreamPosition
from shared.journal.topic_identity import TopicIdentity
from shared.runtime.commands.engine import Engine
from shared.runtime.commands.idempotency import IdempotencyStore
from shared.runtime.errors import ErrorKind, kind_of
from shared.runtime.ingest import consumer as consuming
from shared.runtime.ingest import topic_replay as rereading
from shared.runtime.ingest.consumer import Consumer
from shared.runtime.ingest.halted_partitions import HaltedPartitions
from shared.runtime.ingest.prefetch import StreamPositions
from shared.runtime.kafka import TopicLog
from shared.runtime.outbox.publish_marks import PublishMark
from shared.runtime.outbox.relay import BATCH_ENTRIES, Outgoing, Relay
from shared.runtime.projector import Projector, Transaction
from shared.runtime.service.manifest import Manifest

Mutation = Callable[[ExitStack], None]


def fence_ignored(stack: ExitStack) -> None:
    """Append to a shard although somebody else has advanced it, and refuse for what was read of its streams before."""

    async def mistaken(*_: Any) -> None:
        pass

    stack.enter_context(patch.object(ledger, "_require", lambda *_: None))
    stack.enter_context(patch.object(StreamPositions, "require_unmoved", mistaken))


def taken_place_taken_again(stack: ExitStack) -> None:
    """Take an event whose place in its stream is taken for the next one."""
    place = Stream.place

    def mistaken(self: Stream, sequence: int) -> StreamPosition:
        found = place(self, sequence)
        return StreamPosition.NEXT if found is StreamPosition.TAKEN else found

    stack.enter_context(patch.object(Stream, "place", mistaken))


def gap_not_noticed(stack: ExitStack) -> None:
    """Take an event ahead of a gap as if nothing were missing."""

    def mistaken(self: Stream, sequence: int) -> None:
        self.last = max(self.last, sequence)

    stack.enter_context(patch.object(Stream, "take", mistaken))


def position_without_entries(stack: ExitStack) -> None:
    """Advance a shard beyond a record whose entries are left out: the last ones of a batch."""
    append_all = Ledger.append_all

    async def mistaken(self: Ledger, connection: AsyncConnection, additions: Sequence[Any], **more: Any) -> Any:
        shorter = [one._replace(drafts=one.drafts[:-1]) if len(one.drafts) > 3 else one for one in additions]
        return await append_all(self, connection, shorter, **more)

    stack.enter_context(patch.object(Ledger, "append_all", mistaken))


def lost_answer_taken_for_refusal(stack: ExitStack) -> None:
    """Take a commit whose answer was lost for one that the database refuses."""

    def mistaken(error: BaseException) -> ErrorKind:
        found = kind_of(error)
        return ErrorKind.REFUSED if found is ErrorKind.AMBIGUOUS else found

    stack.enter_context(patch.object(consuming, "kind_of", mistaken))


def place_not_looked_up(stack: ExitStack) -> None:
    """Take an event that comes again for another one: what stands at its place is not looked up."""

    async def nothing(*_: object) -> dict[tuple[str, int], bytes]:
        return {}

    stack.enter_context(patch.object(consuming, "load_digests", nothing))


def stream_known_in_part(stack: ExitStack) -> None:
    """Take a stream for known that was not read, because the database was lost meanwhile."""
    load = StreamPositions.load

    async def mistaken(self: StreamPositions, connection: AsyncConnection, tables: Any, names: set[str]) -> None:
        try:
            await load(self, connection, tables, names)
        except DBAPIError:
            self.streams.update((name, Stream()) for name in names - self.streams.keys())
            raise

    stack.enter_context(patch.object(StreamPositions, "load", mistaken))


def hole_skipped(stack: ExitStack) -> None:
    """Read on behind records that were deleted before they were read."""
    stack.enter_context(patch.object(HaltedPartitions, "compare", lambda *_: None))


def position_remembered(stack: ExitStack) -> None:
    """Take a partition to be read as far as this process remembers: another may have gone further."""

    async def mistaken(self: Consumer, known: TopicIdentity, found: TopicLog, positions: Mapping[int, int]) -> None:
        self.stopped.compare(known, found, positions)

    stack.enter_context(patch.object(Consumer, "compare", mistaken))


def last_entry_not_projected(stack: ExitStack) -> None:
    """Leave the last of several entries out of the read model."""
    whole: Callable[[Manifest], Projector] = vars(Manifest)["whole_projector"].func

    def mistaken(self: Manifest) -> Projector:
        projector = whole(self)

        async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
            await projector.project(transaction, recorded if len(recorded) < 4 else recorded[:-1])

        return replace(projector, project=project)

    stack.enter_context(patch.object(Manifest, "whole_projector", property(mistaken)))


def projected_after_the_commit(stack: ExitStack) -> None:
    """Project what a consumer has recorded in a transaction of its own, after the commit."""
    whole: Callable[[Manifest], Projector] = vars(Manifest)["whole_projector"].func
    committed = Consumer._committed
    left: ContextVar[list[Recorded] | None] = ContextVar("left", default=None)

    def later(self: Manifest) -> Projector:
        projector = whole(self)

        async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
            if (kept := left.get()) is None:
                await projector.project(transaction, recorded)
            else:
                kept += recorded

        return replace(projector, project=project)

    async def mistaken(self: Consumer, parts: Any, derived: Any) -> Sequence[Entry]:
        kept: list[Recorded] = []
        token = left.set(kept)
        try:
            entries = await committed(self, parts, derived)
        finally:
            left.reset(token)
        async with self.context.pools.background.begin() as connection:
            if kept:
                await self.context.projector.project(Transaction(connection), kept)
        return entries

    stack.enter_context(patch.object(Manifest, "whole_projector", property(later)))
    stack.enter_context(patch.object(Consumer, "_committed", mistaken))


def hash_over_other_bytes(stack: ExitStack) -> None:
    """Hash the data of an entry before it is as it is stored."""
    seal = vars(ledger)["seal"]

    def mistaken(drafts: Sequence[EntryDraft], **place: Any) -> list[Entry]:
        spaced = [replace(one, data=one.data.replace(b'":', b'": ')) for one in drafts]
        sealed = seal(spaced, **place)
        return [replace(entry, draft=one) for entry, one in zip(sealed, drafts, strict=True)]

    stack.enter_context(patch.object(ledger, "seal", mistaken))


def key_forgotten(stack: ExitStack) -> None:
    """Do a command again that was answered already under its key."""

    async def no_answers(self: IdempotencyStore, found: Any) -> Mapping[Any, Any]:
        del self, found
        return {}

    async def keep(self: IdempotencyStore, sent: Any, given: Sequence[Any]) -> None:
        await sent.write(self._keep, _rows(given))

    stack.enter_context(patch.object(IdempotencyStore, "read", no_answers))
    stack.enter_context(patch.object(IdempotencyStore, "keep", keep))


def _rows(given: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "person": person,
            "key": key,
            "command": one.command,
            "content": one.content,
            "reason": one.answer.reason,
            "location": one.answer.location,
            "body": one.answer.body,
            "answered_at": one.answered_at,
        }
        for (person, key), one in given
    ]


def lost_answer_taken_for_done(stack: ExitStack) -> None:
    """Answer a command whose commit was not answered as if it were done."""
    transaction = Engine._transaction

    @asynccontextmanager
    async def mistaken(self: Engine) -> AsyncIterator[AsyncConnection]:
        decided = False
        try:
            async with transaction(self) as connection:
                yield connection
                decided = True
        except Exception as error:
            if not decided or kind_of(error) is not ErrorKind.AMBIGUOUS:
                raise

    stack.enter_context(patch.object(Engine, "_transaction", mistaken))


def memory_published_as_it_is(stack: ExitStack) -> None:
    """Publish the entries that are in memory without a look whether they are all that come next."""

    async def mistaken(self: Relay, connection: AsyncConnection, mark: PublishMark) -> Any:
        fresh, last = self._fresh.get(mark.shard.shard), mark.published + min(mark.behind, BATCH_ENTRIES)
        while fresh and fresh[0].seq <= mark.published:
            fresh.popleft()
        batch: list[Outgoing] = list(fresh or ())[: last - mark.published]
        return batch or await self._read(connection, mark.shard.shard, range(mark.published + 1, last + 1))

    stack.enter_context(patch.object(Relay, "_batch", mistaken))


def marked_before_it_is_sent(stack: ExitStack) -> None:
    """Mark entries as published although the broker did not take them."""
    send = Relay._send

    async def mistaken(self: Relay, topics: Any, batches: Any) -> None:
        with suppress(ConnectionError):
            await send(self, topics, batches)

    stack.enter_context(patch.object(Relay, "_send", mistaken))


def rebuilt_from_what_is_left(stack: ExitStack) -> None:
    """Rebuild from a topic whose first records were deleted as if it had begun with what is left."""
    stack.enter_context(patch.object(rereading, "_require_first", lambda *_: None))


MUTATIONS: Final[Sequence[Mutation]] = (
    fence_ignored,
    taken_place_taken_again,
    gap_not_noticed,
    position_without_entries,
    lost_answer_taken_for_refusal,
    place_not_looked_up,
    stream_known_in_part,
    hole_skipped,
    position_remembered,
    last_entry_not_projected,
    projected_after_the_commit,
    hash_over_other_bytes,
    key_forgotten,
    lost_answer_taken_for_done,
    memory_published_as_it_is,
    marked_before_it_is_sent,
    rebuilt_from_what_is_left,
)


@contextmanager
def mutated(mutation: Mutation) -> Iterator[None]:
    """Have the kernel make a mistake."""
    with ExitStack() as stack:
        mutation(stack)
        yield
