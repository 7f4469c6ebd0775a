"""Derive the results of a batch of records: stream positions, entries, quarantine, repairs. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from shared.contracts.envelope import Event, position
from shared.contracts.property_snapshot import TableSigner
from shared.contracts.topic_reader import Skipped
from shared.journal.entry import EntryDraft
from shared.journal.event_dedup import Taken
from shared.journal.recording import Causation, FactWithPostings, draft
from shared.journal.streams import Stream, StreamPosition
from shared.rules.errors import Refused
from shared.runtime.ingest import ingest_facts as facts
from shared.runtime.ingest.device_check import NotFromDevice, require_device
from shared.runtime.ingest.handler import FactHandler, Handler, InputRecord, ReadModelHandler
from shared.runtime.ingest.plausibility import Implausible, PlausibilityCheck, PlausibilityLimit
from shared.runtime.ingest.signature_check import NotAuthentic, Signatory
from shared.runtime.text import printable

PlaceOf = tuple[str, int]
"""(source, sequence): the position of an event in its stream."""

OpenQuarantine = dict[PlaceOf | int | None, list[tuple[int, int, int]]]
"""The (number, shard, seq) of open quarantined records, both by their (source, sequence) and by their number."""

CONFLICT: Final = "conflict: "
"""Prefix of the reason for quarantining a record whose stream position holds other content."""

_DIGITS_MAX = 19
"""A number with this many digits may be too large for the column of quarantine numbers (64 bits)."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A record, the digest of its content (32 bytes), and its event or the refusal that explains why it has none."""

    record: InputRecord
    event: Event[Any] | Refused
    digest: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for quarantining a record, and the stream position that the record claims.

    `conflict`: other content is recorded at the position. `stops`: the partition is halted until people decide.
    `unsigned_by`: the kind of signatory whose signature is missing. `implausible`: the property's limit that the event
    exceeds.
    """

    reason: str
    source: str | None
    sequence: int | None
    conflict: bool = False
    stops: bool = False
    unsigned_by: Signatory | None = None
    implausible: PlausibilityLimit | None = None


@dataclass(slots=True, kw_only=True)
class Derived:
    """The result of deriving a record: its entries, and the state of its stream after it.

    `event` is set only if the record was accepted, that is, if it is neither quarantined nor a duplicate.
    """

    record: InputRecord
    drafts: list[EntryDraft] = field(default_factory=list)
    event: Event[Any] | None = None
    digest: bytes = b""
    stream: Stream | None = None
    gaps_changed: bool = False
    refusal: Refusal | None = None
    mended: tuple[int, ...] = ()
    duplicate: bool = False
    flagged: Literal["age_days_max"] | None = None
    unknown_kind: bool = False


@dataclass(slots=True, kw_only=True)
class BatchContext:
    """The stored data that deriving a batch needs.

    `streams` are the streams before the batch, by source. `taken` are the digests of recorded events whose positions
    the batch claims again. `state` is the state that the handler loaded at `read_at`. `elsewhere` is
    source -> shard name, for each stream whose last event is in another shard than this batch.
    """

    shard_name: str
    streams: dict[str, Stream]
    taken: Mapping[PlaceOf, bytes]
    state: Any
    read_at: datetime
    elsewhere: Mapping[str, str] = field(default_factory=dict)


def derive(handler: Handler[Any], records: Iterable[Decoded], known: BatchContext) -> Iterator[Derived]:
    """Yield the result of each record, in order; each result takes the previous ones into account."""
    deriving = _Deriving(handler, known)
    return (deriving.add(decoded) for decoded in records)


def mend(derived: Iterable[Derived], quarantine: OpenQuarantine, schema: str) -> None:
    """Close the open quarantined records that accepted records replace, by stream position or by quarantine number."""
    for one in derived:
        if one.event is None:
            continue
        place, named = (one.event.source, one.event.sequence), replaced_quarantine_id(one.record, schema)
        if closed := sorted({*quarantine.get(place, ()), *quarantine.get(named, ())}):
            one.drafts.append(facts.mended(one.record, one.event, closed))
            one.mended = tuple(number for number, _, _ in closed)


def claimed(derived: Iterable[Derived], schema: str) -> tuple[list[PlaceOf], list[int]]:
    """Return the stream positions of accepted records, and the numbers of the quarantined records that they replace."""
    places, numbers = [], set()
    for one in derived:
        if one.event is not None:
            places.append((one.event.source, one.event.sequence))
            if (number := replaced_quarantine_id(one.record, schema)) is not None:
                numbers.add(number)
    return places, sorted(numbers)


def quarantined(
    record: InputRecord, shard_name: str, reason: str, place: PlaceOf | None = None, **what: Any
) -> Derived:
    """Return the result for a refused record; `what` sets the other fields of its `Refusal`."""
    source, sequence = place or (None, None)
    if place is None and what.get("unsigned_by") is None and (claimed := position(record.value)) is not None:
        source, sequence = claimed.source, claimed.sequence
    refusal = Refusal(printable(reason), source, sequence, **what)
    entry = facts.quarantined(record, shard_name, refusal.reason, source, sequence)
    return Derived(record=record, drafts=[entry], refusal=refusal)


class _Deriving:
    """Derives one record after the other; its streams and digests include the records derived so far."""

    def __init__(self, handler: Handler[Any], known: BatchContext) -> None:
        self._handler = handler
        self._known = known
        self._streams = dict(known.streams)
        self._taken_now: dict[PlaceOf, bytes] = {}
        self._published = handler.reader.topic.publisher is not None
        self._places = None if self._published else handler.properties_in(known.state)
        self._door = None if self._published else PlausibilityCheck(self._places)

    def add(self, decoded: Decoded) -> Derived:
        record, event, signer = decoded.record, decoded.event, None
        try:
            signer = self._require_signed(decoded)
        except Refused as refused:
            event = refused
        if isinstance(event, Refused):
            unsigned_by = event.of if isinstance(event, NotAuthentic) else None
            return quarantined(record, self._known.shard_name, str(event), unsigned_by=unsigned_by)
        place = self._streams[event.source].place(event.sequence)
        if place is StreamPosition.TAKEN:
            return self._again(decoded, event)
        flagged = None
        try:
            self._handler.require_key(record, event)
            if self._door is not None:
                flagged = self._door.require(
                    event,
                    self._streams[event.source],
                    record.received_at(self._known.read_at),
                    self._handler.stands_since(event, self._known.state),
                )
            recordings = self._recordings(event, signer)
        except Refused as refused:
            limit = refused.limit if isinstance(refused, Implausible) else None
            place_of = (event.source, event.sequence)
            return quarantined(record, self._known.shard_name, str(refused), place_of, implausible=limit)
        found = self._taken(decoded, event, place)
        if flagged is not None:
            found.flagged = "age_days_max"
            found.drafts.append(facts.flagged(record, event, found.flagged, flagged))
        if recordings:
            cause = Causation(event.source, event.sequence, event.id, record.offset, event.time, record.digest())
            found.drafts += [draft(recording, cause) for recording in recordings]
        return found

    def _require_signed(self, decoded: Decoded) -> TableSigner | None:
        """Return the device or table system that signed an event from outside; None if no such signature is required.

        Raises: Refused. A missing device signature takes precedence over the reason why a record has no event.
        """
        record, event = decoded.record, decoded.event
        if self._places is None or isinstance(event, NotAuthentic):
            return None
        if not isinstance(event, Refused) and self._handler.goes_with(event) is not None:
            return None
        received_at = record.received_at(self._known.read_at)
        try:
            return require_device(self._handler.reader.topic, record, event, self._places, received_at)
        except NotFromDevice:
            raise
        except Refused:
            if isinstance(event, Refused):
                return None
            raise

    def _recordings(self, event: Event[Any], signer: TableSigner | None) -> Sequence[FactWithPostings]:
        """Return the facts that follow from an event. Raises: Refused."""
        match self._handler:
            case _ if isinstance(event.data, Skipped):
                return ()
            case FactHandler() as handler:
                return handler.handle_signed(event, self._known.state, signer)
            case ReadModelHandler() as handler:
                handler.require_usable(event, self._known.state)
                return ()

    def _taken(self, decoded: Decoded, event: Event[Any], place: StreamPosition) -> Derived:
        """Assign an event its stream position, and draft an entry if it opens or fills a gap."""
        record, digest = decoded.record, decoded.digest
        stream, opened = self._streams[event.source], None
        if place is StreamPosition.NEXT:
            stream = stream.after_next()
        else:
            stream = stream.copy()
            opened = stream.take(event.sequence)
        self._streams[event.source] = stream
        self._taken_now[event.source, event.sequence] = digest
        unknown = isinstance(event.data, Skipped) and not event.data.known
        found = Derived(record=record, event=event, digest=digest, stream=stream, unknown_kind=unknown)
        if opened is not None:
            found.drafts.append(facts.gap_opened(record, event, *opened))
        elif place is StreamPosition.LATE:
            found.drafts.append(facts.gap_filled(record, event))
        found.gaps_changed = bool(found.drafts)
        return found

    def _again(self, decoded: Decoded, event: Event[Any]) -> Derived:
        """Return the result for an event whose stream position is already taken: a duplicate, or a conflict.

        Two different entries at one position of a journal mean that there are two journals, so the partition is halted
        until people decide. A conflicting event from outside is only quarantined, and reading continues.
        """
        place = (event.source, event.sequence)
        before = self._taken_now.get(place) or self._known.taken.get(place)
        if before == decoded.digest:
            return Derived(record=decoded.record, duplicate=True)
        there = "not known" if before is None else before.hex()
        reason = (
            f"{CONFLICT}sequence {event.sequence} of {event.source} was taken by other content: its digest is {there}, "
            f"that of event {event.id!r} is {decoded.digest.hex()}"
        )
        if (bound := self._known.elsewhere.get(event.source)) is not None:
            reason += (
                f"; {decoded.record.topic}/{decoded.record.partition} is not the partition from which the stream came "
                f"last ({bound.partition('@')[0]}): let one client write it, under its key, and dismiss this record"
            )
        shard = self._known.shard_name
        return quarantined(decoded.record, shard, reason, place, conflict=True, stops=self._published)


def stream_positions(part: Iterable[Derived]) -> dict[str, Stream]:
    """Return, by source, the new state of the streams that the accepted records in `part` advance."""
    return {one.event.source: one.stream for one in part if one.event is not None and one.stream is not None}


def refused_in(part: Iterable[Derived]) -> set[str]:
    """Return the sources of the streams that refused records claim."""
    return {one.refusal.source for one in part if one.refusal is not None and one.refusal.source is not None}


def digests_of(part: Iterable[Derived]) -> list[Taken]:
    """Return the stream positions of the accepted records, each with the digest of the record's content."""
    return [(one.event.source, one.event.sequence, one.digest) for one in part if one.event is not None]


def stops(one: Derived) -> bool:
    """Return whether a record halts its partition."""
    return one.refusal is not None and one.refusal.stops


def until_halt(derived: Iterable[Derived]) -> list[Derived]:
    """Return the results up to and including the first one that halts the partition; later records are not derived."""
    found = []
    for one in derived:
        found.append(one)
        if stops(one):
            break
    return found


def resent_sequences(events: Iterable[Event[Any]], known: Mapping[str, Stream]) -> dict[str, set[int]]:
    """Return, by source, the sequences of these events that were already recorded before the batch."""
    wanted: dict[str, set[int]] = {}
    for event in events:
        if known[event.source].place(event.sequence) is StreamPosition.TAKEN:
            wanted.setdefault(event.source, set()).add(event.sequence)
    return wanted


def replaced_quarantine_id(record: InputRecord, schema: str) -> int | None:
    """Return the number of this service's quarantined record that a record claims to replace, or None."""
    if not record.headers:
        return None
    of, _, named = (record.header(facts.QUARANTINE_ID) or "").rpartition("/")
    return int(named) if of == schema and named.isdecimal() and len(named) < _DIGITS_MAX else None
