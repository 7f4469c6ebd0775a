"""A batch while it is derived: the place of each event in its stream, its entries, what is refused and mended. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contracts.envelope import Event
from shared.contracts.table_events import position
from shared.journal.entry import Draft
from shared.journal.streams import Place, Stream
from shared.rules.errors import Refused
from shared.runtime.consume import facts
from shared.runtime.consume.processing import Record, Unit

PlaceOf = tuple[str, int]
"""(source, sequence): where an event stands."""

OpenQuarantine = dict[PlaceOf | int | None, list[tuple[int, int, int]]]
"""(number, shard, seq) of refused records, by their place in a stream and by their number."""

_DIGITS_MAX = 19
"""A number with as many digits may not fit the column of quarantine numbers."""

_REASON_LENGTH_MAX = 1000


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that goes into quarantine; `index` is that of its entry among the batch's."""

    index: int
    record: Record
    reason: str
    source: str | None
    sequence: int | None


class Batch:
    """The records of one partition that are committed together.

    `known` are the streams as they stand before the batch, `taken` the ids of the recorded events whose places are
    claimed again, `quarantine` the open refused records that may be mended here.
    """

    def __init__(
        self,
        *,
        shard_name: str,
        unit: Unit[Any],
        known: Mapping[str, Stream],
        taken: Mapping[PlaceOf, str],
        quarantine: OpenQuarantine,
    ) -> None:
        self._shard_name = shard_name
        self._known = known
        self._taken = taken
        self._quarantine = quarantine
        self._ids: dict[PlaceOf, str] = {}
        self.unit = unit
        self.streams: dict[str, Stream] = {}
        self.drafts: list[Draft] = []
        self.refused: list[Refusal] = []
        self.changed_gaps: set[str] = set()
        self.mended: list[int] = []
        self.duplicates = 0

    def add(self, record: Record, event: Event[Any] | Refused) -> None:
        """Derives the entries of a record, or of its refusal."""
        if isinstance(event, Refused):
            self._refuse(record, event)
            return
        source, sequence = event.source, event.sequence
        stream = self.streams.get(source) or self._known[source].copy()
        place = stream.place(sequence)
        if place is Place.TAKEN:
            self._again(record, event)
            return
        try:
            drafts = self.unit.derive(event, record)
        except Refused as refused:
            self._refuse(record, refused, (source, sequence))
            return
        opened = stream.take(sequence)
        self.streams[source] = stream
        self._ids[source, sequence] = event.id
        if opened is not None:
            self.drafts.append(facts.gap_opened(record, source, event.id, *opened))
            self.changed_gaps.add(source)
        elif place is Place.LATE:
            self.drafts.append(facts.gap_filled(record, source, event.id, sequence))
            self.changed_gaps.add(source)
        self.drafts.extend(drafts)
        self._mend(record, event)

    def _again(self, record: Record, event: Event[Any]) -> None:
        """An event whose place is taken: the same once more, or another one."""
        place = (event.source, event.sequence)
        before = self._ids.get(place) or self._taken.get(place)
        if before is None or before == event.id:  # an event that led to no entry cannot be compared
            self.duplicates += 1
            return
        self._refuse(record, Refused(f"sequence {event.sequence} of {event.source} was taken by event {before!r}"))

    def _mend(self, record: Record, event: Event[Any]) -> None:
        place, named = (event.source, event.sequence), replaces(record)
        mended = sorted({*self._quarantine.get(place, ()), *self._quarantine.get(named, ())})
        if mended:
            self.drafts.append(facts.mended(record, event.source, event.id, event.sequence, mended))
            self.mended.extend(number for number, _, _ in mended)

    def _refuse(self, record: Record, refused: Refused, place: PlaceOf | None = None) -> None:
        source, sequence = place or (None, None)
        if place is None and (claimed := position(record.value)) is not None:
            source, sequence = claimed.source, claimed.sequence
        reason = printable(str(refused))
        self.refused.append(Refusal(len(self.drafts), record, reason, source, sequence))
        self.drafts.append(facts.quarantined(record, self._shard_name, reason, source, sequence))


def claimed_again(events: Sequence[Event[Any]], known: Mapping[str, Stream]) -> dict[str, set[int]]:
    """The sequences, by stream, that were taken before the batch and are claimed by these events."""
    wanted: dict[str, set[int]] = {}
    for event in events:
        if known[event.source].place(event.sequence) is Place.TAKEN:
            wanted.setdefault(event.source, set()).add(event.sequence)
    return wanted


def replaces(record: Record) -> int | None:
    """The number of the quarantined record that this one says it replaces."""
    named = record.header(facts.QUARANTINE_ID)
    return int(named) if named is not None and named.isdecimal() and len(named) < _DIGITS_MAX else None


def printable(text: str) -> str:
    """A reason as it can be stored and shown, whatever the record put into it."""
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return clean if len(clean) <= _REASON_LENGTH_MAX else clean[: _REASON_LENGTH_MAX - 1] + "…"
