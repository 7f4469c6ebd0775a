"""Re-derive the entries of a partition, record by record, and compare them with the entries in its shard."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any, Final

from pydantic_core import from_json
from sqlalchemy import or_, select

from shared.contracts.envelope import Event
from shared.contracts.journal_facts import EventFlagged, GapFilled, GapOpened, RecordMended
from shared.journal.entry import Entry
from shared.journal.event_dedup import load_digests
from shared.journal.fact_replay import with_fact
from shared.journal.reading import Pacing, read_entries, read_entry
from shared.journal.recording import Recorded
from shared.journal.shard import Shard
from shared.journal.streams import Stream, StreamPosition
from shared.journal.verification import VerificationProblem
from shared.rules.errors import Refused
from shared.runtime.ingest.batch import (
    BatchContext,
    Decoded,
    Derived,
    OpenQuarantine,
    claimed,
    derive,
    mend,
    resent_sequences,
    stream_positions,
)
from shared.runtime.ingest.handler import InputRecord
from shared.runtime.ingest.signature_check import (
    NOT_AUTHENTIC,
    NotAuthentic,
    content_digest,
    is_replayed,
    require_authentic,
)
from shared.runtime.rederivation.entry_comparison import QUARANTINED, difference
from shared.runtime.rederivation.replay_spec import ReplaySpec, Sources, TopicLacks
from shared.runtime.rederivation.replay_state import ReplayState
from shared.runtime.rederivation.stream_order import StreamOrder

BY_DATABASE: Final = "the database refuses it: "
"""Prefix of the reason for quarantining a record that the database refused; no derivation can reproduce it."""

_BETWEEN: Final = timedelta(minutes=1)
"""Maximum time between loading a batch's state and recording the batch. A document may arrive within this time."""

_NO_EVENTS: Final = tuple(
    type_ for fact in (GapOpened, GapFilled, RecordMended, EventFlagged) for type_ in fact.KIND.types
)
"""Types of entries that the consume loop, not the handler, records at an event's position."""

_POSITION, _STREAM = "position", "stream"


@dataclass(slots=True)
class DerivationPosition:
    """The position up to which a shard is re-derived: next offset, last entry with its hash, and counts.

    `entries` is the number of compared entries. `taken_over` is the number of entries that could not be compared
    because their topic is unreachable. `by_database` is the number of records that the database refused originally,
    which cannot be re-derived.
    """

    service: str
    shard: str
    offset: int = 0
    seq: int = 0
    head: str = ""
    entries: int = 0
    taken_over: int = 0
    by_database: int = 0


@dataclass(slots=True)
class _Batch:
    """Records that one transaction recorded at the moment `at`, with the journal's entries by record offset."""

    at: datetime
    records: list[InputRecord] = field(default_factory=list)
    entries: Mapping[int, Sequence[Entry]] = field(default_factory=dict)


@dataclass(slots=True)
class DerivationOutcome:
    """The result of a pass so far. While `good`, no problem was found, and the progress may be stored."""

    good: bool = True


async def derive_again(
    sources: Sources,
    again: ReplaySpec[Any],
    shard: Shard,
    reached: DerivationPosition,
    parts: Pacing,
    turns: StreamOrder,
    outcome: DerivationOutcome,
) -> AsyncIterator[VerificationProblem | None]:
    """Re-derive a shard from `reached`; update `reached`, and yield each difference from the journal.

    Yield None when another shard must be re-derived first. Progress is stored only up to the first problem, so that
    the next pass finds the problem again. Raises: ConnectionError.
    """
    topic, partition = place_of(shard.name)
    found = _Entries(sources, shard, reached.seq + 1)
    chunks = sources.records.read(topic, partition, reached.offset, shard.next_offset)
    try:
        while (records := await asyncio.to_thread(partial(next, chunks, None))) is not None:
            entries, problems = await found.of(records)
            for batch in _batches(records, entries, turns, shard):
                while (compared := await _in_its_turn(sources, again, shard, batch, turns)) is None:
                    yield None
                derived, differences = compared
                problems += differences
                _learn(sources, again, batch, derived, reached)
                reached.offset = batch.records[-1].offset + 1
                _advance(reached, list(chain.from_iterable(entries[one.offset] for one in batch.records)))
                outcome.good = outcome.good and not problems
                if outcome.good:
                    sources.memory.put(_POSITION, {shard.name: [reached.offset, reached.seq, reached.head]})
            for problem in problems:
                yield problem
            if outcome.good:
                sources.memory.commit()
            await parts.rest()
        reached.offset = shard.next_offset
    except TopicLacks as error:
        yield VerificationProblem(
            shard.name, reached.seq + 1, f"what it follows from is not there to be derived again: {error}"
        )
        outcome.good = False
    else:
        async for entry in found.left():
            outcome.good = False
            yield VerificationProblem(
                shard.name, entry.seq, f"{entry.draft.kind} follows from no record that was read of the topic"
            )


async def take_over(
    sources: Sources, again: ReplaySpec[Any], shard: Shard, reached: DerivationPosition
) -> VerificationProblem | None:
    """Remember a shard's entries without re-deriving them, because their topic is unreachable.

    Return a problem if the shard has new entries, because they remain unproven.
    """
    first = reached.seq + 1
    async for entry in read_entries(sources.connection, sources.tables, shard.shard, first=first):
        _learn_place(sources, entry)
        again.learn(sources.memory, [with_fact(entry)])
        reached.seq, reached.head = entry.seq, entry.hash.hex()
        reached.taken_over += 1
    if not reached.taken_over:
        return None
    what = f"{reached.taken_over} entries follow from a topic of another cluster, or one that was created again since"
    return VerificationProblem(shard.name, first, f"{what}: they cannot be derived again from this one")


async def resumed(
    sources: Sources, service: str, shard: Shard
) -> tuple[DerivationPosition, VerificationProblem | None]:
    """Return the position to resume from, and a problem if the last re-derived entry is missing or altered."""
    remembered = sources.memory.get(_POSITION, shard.name)
    if remembered is None:
        return DerivationPosition(service, shard.name), None
    offset, seq, head = remembered
    if seq:
        try:
            entry = await read_entry(sources.connection, sources.tables, shard.shard, seq)
        except LookupError:
            entry = None
        if entry is None or entry.hash.hex() != head:
            return DerivationPosition(service, shard.name), VerificationProblem(
                shard.name, seq, "the entry that was derived last is not there any more, or is another one"
            )
    return DerivationPosition(service, shard.name, offset, seq, head), None


def place_of(shard_name: str) -> tuple[str, int]:
    """Return the topic and the partition of a shard, from its name."""
    topic, _, partition = shard_name.partition("@")[0].rpartition("/")
    return topic, int(partition)


class _Entries:
    """The entries of a shard, read in parallel with the records from which they follow."""

    def __init__(self, sources: Sources, shard: Shard, first: int) -> None:
        read = read_entries(sources.connection, sources.tables, shard.shard, first=first, last=shard.next_seq - 1)
        self._shard = shard.name
        self._entries = aiter(read)
        self._next: Entry | None = None
        self._begun = False

    async def of(self, records: Sequence[InputRecord]) -> tuple[dict[int, list[Entry]], list[VerificationProblem]]:
        """Return these records' entries by record offset, and a problem for each entry that follows from no record."""
        found: dict[int, list[Entry]] = {record.offset: [] for record in records}
        problems = []
        at = records[0].offset
        while (entry := await self._peek()) is not None and (entry.draft.offset or 0) <= records[-1].offset:
            offset = entry.draft.offset
            if offset is None or offset < at or offset not in found:
                what = f"{entry.draft.kind} follows from no record of the topic in its place (offset {offset})"
                problems.append(VerificationProblem(self._shard, entry.seq, what))
            else:
                found[offset].append(entry)
                at = offset
            self._next = None
        return found, problems

    async def left(self) -> AsyncIterator[Entry]:
        """Yield the remaining entries, after those of the last record."""
        while (entry := await self._peek()) is not None:
            yield entry
            self._next = None

    async def _peek(self) -> Entry | None:
        if self._next is None:
            self._next = await anext(self._entries, None)
        return self._next


def stream_so_far(memory: ReplayState, source: str) -> Stream:
    """Return the re-derived state of a stream."""
    kept = memory.get(_STREAM, source)
    return Stream() if kept is None else _stream(kept)


def _batches(
    records: Sequence[InputRecord], entries: Mapping[int, Sequence[Entry]], turns: StreamOrder, shard: Shard
) -> list[_Batch]:
    """Return records in the batches in which they were recorded: entries of one batch have the same time of recording.

    Records without entries join the preceding batch. If a stream came over several partitions, each of its records is a
    batch of its own, because records of other partitions may have been recorded in between.
    """
    batches: list[_Batch] = []
    was_alone = False
    for record in records:
        is_alone = turns.concern(record, shard.shard)
        at = entries[record.offset][0].recorded_at if entries[record.offset] else None
        if not batches:
            first = next((some[0].recorded_at for some in entries.values() if some), record.taken_at)
            batches.append(_Batch(at or first, entries=entries))
        elif is_alone or was_alone or (at is not None and at != batches[-1].at):
            batches.append(_Batch(at or batches[-1].at, entries=entries))
        batches[-1].records.append(record)
        was_alone = is_alone
    return batches


async def _in_its_turn(
    sources: Sources, again: ReplaySpec[Any], shard: Shard, batch: _Batch, turns: StreamOrder
) -> tuple[list[Derived], list[VerificationProblem]] | None:
    """Re-derive a batch; return its results and its differences, or None if other records must be re-derived first.

    The journal does not record the state in which a record was refused. A refused record is therefore tried repeatedly
    until its refusal can be re-derived.
    """
    first = batch.records[0]
    entries = batch.entries[first.offset]
    is_refused = _quarantined_for(entries) is not None
    if not is_refused and not turns.is_ready(first, shard.shard, entries):
        return None
    derived, problems = await _compared(sources, again, shard.name, batch)
    if problems and is_refused and turns.concern(first, shard.shard) and not turns.broken:
        return None
    turns.steps += 1
    return derived, problems


async def _compared(
    sources: Sources, again: ReplaySpec[Any], shard_name: str, batch: _Batch
) -> tuple[list[Derived], list[VerificationProblem]]:
    """Re-derive a batch; return its results and its differences from the journal."""
    decoded = [_decoded(sources, again, record, batch.entries[record.offset]) for record in batch.records]
    derived = await _derived(sources, again, shard_name, batch, decoded, batch.at)
    problems = _differences(shard_name, batch, derived)
    for at in _other_moments(batch):
        if not problems:
            break
        other = await _derived(sources, again, shard_name, batch, decoded, at)
        if not _differences(shard_name, batch, other):
            derived, problems = other, []
    return derived, problems


def _learn(
    sources: Sources, again: ReplaySpec[Any], batch: _Batch, derived: Sequence[Derived], reached: DerivationPosition
) -> None:
    """Store the streams and the state that later records need, as they are after a batch."""
    sources.memory.put(_STREAM, {source: _kept(one) for source, one in stream_positions(derived).items()})
    recorded: list[Recorded] = []
    for one in derived:
        entries = batch.entries[one.record.offset]
        same = [each.draft for each in entries] == one.drafts
        for number, entry in enumerate(entries):
            fact = one.drafts[number].fact if same else None
            recorded.append(with_fact(entry) if fact is None else (entry, fact))
        reached.entries += len(entries)
        reached.by_database += (_quarantined_for(entries) or "").startswith(BY_DATABASE)
    again.learn(sources.memory, recorded)


def _other_moments(batch: _Batch) -> Iterator[datetime]:
    """Yield the times, besides the time of recording, at which the batch's documents may have been loaded."""
    yield batch.at - _BETWEEN
    # A clock was behind, because nothing is recorded before the broker has it.
    had_by_broker = max((record.taken_at for record in batch.records if record.by_broker), default=batch.at)
    if had_by_broker > batch.at:
        yield had_by_broker


def _decoded(sources: Sources, again: ReplaySpec[Any], record: InputRecord, entries: Sequence[Entry]) -> Decoded:
    """Return a record with its event. A record that the database refused originally is refused for the same reason.

    Service signatures on records from outside are verified again if the keys are available; otherwise the signatures
    are assumed to be valid.
    """
    topic = again.handler.reader.topic
    digest = content_digest(topic, record)
    reason = _quarantined_for(entries)
    if reason is not None and reason.startswith(BY_DATABASE):
        return Decoded(record, Refused(reason), digest)
    by_service = topic.publisher is not None or (sources.verifier is None and is_replayed(record))
    if by_service and reason is not None and reason.startswith(NOT_AUTHENTIC):
        return Decoded(record, NotAuthentic(reason), digest)
    try:
        if topic.publisher is None:
            require_authentic(topic, record, sources.verifier, sources.tables.schema)
        return Decoded(record, again.handler.decode(record), digest)
    except Refused as refused:
        return Decoded(record, refused, digest)


def _quarantined_for(entries: Sequence[Entry]) -> str | None:
    """Return why the record that caused these entries was quarantined; None if it was not."""
    if len(entries) != 1 or entries[0].draft.kind not in QUARANTINED:
        return None
    return str(from_json(entries[0].draft.data)["reason"])


async def _derived(
    sources: Sources, again: ReplaySpec[Any], shard_name: str, batch: _Batch, decoded: Sequence[Decoded], at: datetime
) -> list[Derived]:
    events: list[Event[Any]] = [one.event for one in decoded if not isinstance(one.event, Refused)]
    names = {event.source for event in events}
    streams = {name: Stream() for name in names}
    streams.update((name, _stream(kept)) for name, kept in sources.memory.get_all(_STREAM, names).items())
    await again.handler.prepare(events)
    known = BatchContext(
        shard_name=shard_name,
        streams=streams,
        taken=await load_digests(sources.connection, sources.tables, resent_sequences(events, streams)),
        state=await again.load(sources, events, at),
        read_at=at,
    )
    derived = list(derive(again.handler, decoded, known))
    mend(derived, await _quarantine_then(sources, derived, batch.at), sources.tables.schema)
    return derived


def _differences(shard_name: str, batch: _Batch, derived: Sequence[Derived]) -> list[VerificationProblem]:
    problems = []
    for one in derived:
        entries = batch.entries[one.record.offset]
        for number in range(max(len(entries), len(one.drafts))):
            entry = entries[number] if number < len(entries) else None
            draft = one.drafts[number] if number < len(one.drafts) else None
            what = difference(entry, draft, one.record)
            if what:
                problems.append(VerificationProblem(shard_name, 0 if entry is None else entry.seq, what))
    return problems


async def _quarantine_then(sources: Sources, derived: Sequence[Derived], at: datetime) -> OpenQuarantine:
    """Return, like `open_quarantine`, the quarantined records that were open when the given records were recorded."""
    q = sources.tables.quarantine.c
    places, replaced = claimed(derived, sources.tables.schema)
    found: OpenQuarantine = {}
    query = select(q.id, q.shard, q.seq, q.source, q.sequence).where(
        q.quarantined_at < at,
        or_(q.resolved_at.is_(None), q.resolved_at >= at),
        (q.source.in_({source for source, _ in places}) & q.sequence.in_({number for _, number in places}))
        | q.id.in_(replaced),
    )
    for row in await sources.connection.execute(query) if places else ():
        for key in ((row.source, row.sequence), row.id):
            found.setdefault(key, []).append((row.id, row.shard, row.seq))
    return found


def _advance(reached: DerivationPosition, entries: Sequence[Entry]) -> None:
    if entries:
        last = max(entries, key=lambda entry: entry.seq)
        reached.seq, reached.head = last.seq, last.hash.hex()


def _learn_place(sources: Sources, entry: Entry) -> None:
    """Mark the stream position of an entry's event as taken, if the entry is not re-derived."""
    if entry.draft.kind in (*_NO_EVENTS, *QUARANTINED):
        return
    kept = sources.memory.get(_STREAM, entry.draft.source)
    stream = Stream() if kept is None else _stream(kept)
    if stream.place(entry.draft.sequence) is not StreamPosition.TAKEN:
        stream.take(entry.draft.sequence)
        sources.memory.put(_STREAM, {entry.draft.source: _kept(stream)})


def _kept(stream: Stream) -> list[Any]:
    return [stream.last, sorted(stream.gaps.items())]


def _stream(kept: Sequence[Any]) -> Stream:
    last, gaps = kept
    return Stream(last, dict(map(tuple, gaps)))
