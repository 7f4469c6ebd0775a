"""The recorded pit events of a table, and how voids and corrections change them.

Every service that reads pit events uses this mechanism. An event, a void of it and a correction of it are all
statements about the event. The statement with the highest position in the table's stream applies, in whatever order
they arrive, so late and reordered events lead to the same books. A void or correction that people propose and approve
in table inventory (a desk change) has a position, too: directly after the statement that it was approved to replace.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import BigInteger, Column, Index, MetaData, Row, Table, case, func, text, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Event, pit_source
from shared.contracts.facts import Fact
from shared.contracts.people import held_twice
from shared.contracts.pit import CorrectedPitEvent, PitChange, SaidAtDesk
from shared.contracts.pit_changes import DeskChange
from shared.contracts.property_snapshot import PropertyLookup, place_at
from shared.journal import bulk
from shared.journal.columns import columns, counts, texts
from shared.journal.entry import Entry, Posting
from shared.journal.ledger import Fenced
from shared.journal.reading import read_places
from shared.journal.tables import JournalTables
from shared.rules.errors import Refused

FactT = TypeVar("FactT", bound=Fact)


class PitPlace(NamedTuple):
    """The position of a pit event: the pit stream of its table, and its sequence in that stream."""

    source: str
    sequence: int


class Said(NamedTuple):
    """The position of a statement about a pit event; of two statements, the one with the higher position applies.

    `sequence` is a position in the pit stream. `desk` is 0 for a statement that came at this position, or the number
    of a desk change that was approved to take effect directly after it.
    """

    sequence: int
    desk: int = 0


def pit_events_table(metadata: MetaData, schema: str, *more: Column[Any] | Index) -> Table:
    """Declare a service's table of pit events. `more` are additional columns, filled for events in force.

    (`last`, `desk`) is the position of the last statement about an event. `revision` is the number of times that the
    event was recorded. (`shard`, `seq`) is the entry in force, if any. For a void or a correction, `changes` is the
    sequence of the event that it changes.
    """
    return Table(
        "pit_events",
        metadata,
        *texts("source", key=True),
        *counts("sequence", key=True),
        *counts("last", "desk", "revision"),
        *columns(BigInteger, "shard", "seq", "changes", null=True),
        *more,
        schema=schema,
    )


@dataclass(frozen=True, slots=True)
class EventStanding(Generic[FactT]):
    """The version of an event that is in force: its fact and postings, and the moment of the event."""

    fact: FactT
    postings: tuple[Posting, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class KnownEvent(Generic[FactT]):
    """The recorded state of an event: position of the last statement, number of recordings, version in force.

    If the event is a void or a correction, `changes` is the sequence of the event that it changes.
    """

    last: Said
    revision: int = 0
    standing: EventStanding[FactT] | None = None
    changes: int | None = None


@dataclass(slots=True)
class PitEventsKnown(Generic[FactT]):
    """The recorded state of the events that a batch contains or changes, updated with each event of the batch."""

    by_place: dict[PitPlace, KnownEvent[FactT]] = field(default_factory=dict)
    as_read: Mapping[PitPlace, Said] = field(default_factory=dict)
    """The position of the last statement about each event before the batch; `Said(0)` if it had no statement."""

    def standing(self, event: Event[Any]) -> EventStanding[FactT] | None:
        """Return the version in force of the event that this statement is about, or None if no version is in force."""
        known = self.by_place.get(place_of(event))
        return None if known is None else known.standing

    def is_superseded(self, event: Event[Any]) -> bool:
        """Return whether a later statement about the same event has already been recorded."""
        known = self.by_place.get(place_of(event))
        return known is not None and known.last > said_at(event)

    def revision_after(self, event: Event[Any]) -> int:
        """Return the number of times that an event has been recorded, including the recording in progress."""
        known = self.by_place.get(place_of(event))
        return 1 if known is None else known.revision + 1

    def recorded(self, event: Event[Any], standing: EventStanding[FactT] | None) -> None:
        """Set the version in force after this statement, unless a later statement has already been recorded."""
        place = place_of(event)
        known = self.by_place.get(place)
        revision = (0 if known is None else known.revision) + (standing is not None)
        at = said_at(event)
        if known is None or known.last <= at:
            self.by_place[place] = KnownEvent(at, revision, standing)
        if isinstance(event.data, PitChange) and not at.desk:
            self.by_place[PitPlace(event.source, event.sequence)] = KnownEvent(Said(0), changes=place.sequence)

    def require_change(self, event: Event[Any], places: PropertyLookup, kind: str | None) -> None:
        """Check that a void or a correction may change the event that it names.

        `kind` is the kind of the named event's version in force, if any. Raises: Refused if the named event cannot be
        changed in this way, or if steps that different people must perform were performed by one person.
        """
        change: PitChange = event.data
        named = f"event {change.sequence} of {event.source}"
        place = place_at(places, change.property, event.time)
        law = place.law.people.adjustment.on(place.gaming_day(event.time))
        people = {name: getattr(change.correction, name) for name in law.value}
        if (found := held_twice(people.items())) is not None:
            person, one, other = found
            raise Refused(
                f"{person} is '{one}' of the change of {named} and cannot be '{other}' too", paragraph=law.source
            )
        if Said(change.sequence) >= said_at(event):
            raise Refused(
                f"{named} comes after this one, event {event.sequence}: name an event that was sent before it"
            )
        known = self.by_place.get(place_of(event))
        if known is not None and known.changes is not None:
            raise Refused(f"{named} changes event {known.changes}: name that one, and say what holds of it now")
        if kind is not None and kind != change.event:
            raise Refused(f"{named} is a {kind}, not a {change.event}: look which event is meant")
        if isinstance(change, CorrectedPitEvent) and change.at > event.time:
            raise Refused(
                f"'at' {change.at.isoformat()} is after the correction of {named}, which is of {event.time.isoformat()}"
            )


def said_at(event: Event[Any]) -> Said:
    """Return the position that an event has as a statement about itself or about another event."""
    return Said(event.sequence, event.desk if isinstance(event, DeskChange) else 0)


def told_by(event: Event[Any]) -> dict[str, Any]:
    """Return the fields of `SaidAtDesk` for a desk change; empty for an event from the pit itself."""
    at = said_at(event)
    return {"desk_change": at.desk, "behind": at.sequence} if at.desk else {}


def place_of(event: Event[Any]) -> PitPlace:
    """Return the position of the event that `event` states: itself, or the event that it voids or corrects."""
    sequence = event.data.sequence if isinstance(event.data, PitChange) else event.sequence
    return PitPlace(event.source, sequence)


async def known_events(
    connection: AsyncConnection, table: Table, journal: JournalTables, events: Iterable[Event[Any]]
) -> PitEventsKnown[Any]:
    """Return the recorded state of the events that the given statements concern."""
    wanted: dict[PitPlace, bool] = {}
    for event in events:
        place = place_of(event)
        wanted[place] = wanted.get(place, False) or isinstance(event.data, PitChange)
    if not wanted:
        return PitEventsKnown()
    query = _read(table)
    rows = (await query.read(connection, bulk.keyed(query, sorted(wanted)))).all()
    entries = {
        (row.shard, row.seq) for row in rows if row.shard is not None and wanted[PitPlace(row.source, row.sequence)]
    }
    found = {(entry.shard, entry.seq): entry async for _, entry in read_places(connection, journal, entries)}
    as_read = dict.fromkeys(wanted, _NOTHING) | _last_said(rows)
    return PitEventsKnown(
        {
            PitPlace(row.source, row.sequence): KnownEvent(
                Said(row.last, row.desk), row.revision, _standing(found.get((row.shard, row.seq))), row.changes
            )
            for row in rows
        },
        as_read,
    )


async def require_unchanged(
    connection: AsyncConnection, table: Table, known: PitEventsKnown[Any], events: Iterable[Event[Any]]
) -> None:
    """Lock the events that the given statements concern, and check that they have not changed since they were read.

    Two processes may read the pit's own events and desk changes; vigorish reads these from two topics. The process that
    locks the pit streams first records its events, and the other one waits. Raises: Fenced if a later statement has
    been recorded meanwhile.
    """
    expected = {place: known.as_read[place] for place in sorted({place_of(event) for event in events})}
    if not expected:
        return
    streams = sorted({f"{table.schema} {place.source}" for place in expected})
    await connection.execute(_LOCK_STREAMS, {"streams": streams})
    query = _read(table)
    found = _last_said((await query.read(connection, bulk.keyed(query, list(expected)))).all())
    if expected != dict.fromkeys(expected, _NOTHING) | found:
        raise Fenced("more was said of the same pit events meanwhile")


_NOTHING: Final = Said(0)

_LOCK_STREAMS: Final = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(stream, 0)) FROM unnest(CAST(:streams AS text[])) stream"
)


def _last_said(rows: Iterable[Row[Any]]) -> dict[PitPlace, Said]:
    return {PitPlace(row.source, row.sequence): Said(row.last, row.desk) for row in rows}


def _standing(entry: Entry | None) -> EventStanding[Any] | None:
    if entry is None:
        return None
    draft = entry.draft
    return EventStanding(decode_fact(draft.kind, draft.data), draft.postings, draft.occurred_at)


class PitEventRows:
    """Collects the rows of a batch's entries; `write` stores them and returns the entry in force of each event."""

    def __init__(self, table: Table, *kept: str) -> None:
        """Collect rows of `table`. `kept` names columns that keep their values if a later entry does not set them."""
        self._table = table
        self._kept = kept
        self._rows: dict[PitPlace, dict[str, Any]] = {}

    def recorded(self, entry: Entry, fact: SaidAtDesk, sequence: int, revision: int, **said: Any) -> None:
        """Add an entry that records the event at `sequence` for the `revision`-th time; `said` sets further columns."""
        self._add(entry, fact, sequence, revision, {"shard": entry.shard, "seq": entry.seq, **said})

    def taken_back(self, entry: Entry, fact: SaidAtDesk, sequence: int, revision: int, **kept: Any) -> None:
        """Add an entry after which no version of the event at `sequence` is in force; `kept` sets further columns."""
        self._add(entry, fact, sequence, revision, kept)

    def _add(self, entry: Entry, fact: SaidAtDesk, sequence: int, revision: int, said: Mapping[str, Any]) -> None:
        at = Said(entry.draft.sequence)
        if fact.desk_change is not None and fact.behind is not None:
            at = Said(fact.behind, fact.desk_change)
        place = PitPlace(pit_source(fact.property, fact.table), sequence)
        known = self._rows.get(place)
        if known is None or (at, "shard" in said) >= ((known["last"], known["desk"]), known["shard"] is not None):
            revision = max(revision, 0 if known is None else known["revision"])
            kept = {} if known is None else {name: known[name] for name in self._kept}
            self._rows[place] = self._row(place, last=at.sequence, desk=at.desk, revision=revision, **{**kept, **said})
        if at.sequence != sequence and not at.desk:
            change = PitPlace(place.source, at.sequence)
            self._rows[change] = self._row(change, last=at.sequence, desk=0, revision=0, changes=sequence)

    def _row(self, place: PitPlace, **values: Any) -> dict[str, Any]:
        return dict.fromkeys(bulk.column_names(self._table)) | place._asdict() | values

    async def write(self, connection: AsyncConnection) -> Mapping[PitPlace, tuple[int, int] | None]:
        """Write the rows. Return, by event, the (shard, seq) of the entry in force, or None if none is in force."""
        if not self._rows:
            return {}
        written = await _written(self._table, self._kept).read(
            connection, [self._rows[place] for place in sorted(self._rows)]
        )
        return {
            PitPlace(row.source, row.sequence): None if row.shard is None else (row.shard, row.seq) for row in written
        }


@cache
def _read(table: Table) -> bulk.Statement:
    return bulk.select(table)


@cache
def _written(table: Table, kept: tuple[str, ...]) -> bulk.Statement:
    """Return the statement that upserts rows, except over a later stored row, and returns the entries in force."""
    here, new = table.c, bulk.excluded(table)
    later = tuple_(new.last, new.desk, new.shard.is_not(None)) >= tuple_(here.last, here.desk, here.shard.is_not(None))
    always = {"source", "sequence", "revision", "changes"}
    of_standing = [name for name in bulk.column_names(table) if name not in always]
    statement = bulk.insert(
        table,
        on_conflict={"revision": func.greatest(here.revision, new.revision)}
        | {name: case((later, _said(name, here, new, kept)), else_=here[name]) for name in of_standing},
    )
    return replace(statement, sql=f"{statement.sql} RETURNING source, sequence, shard, seq")


def _said(name: str, here: Any, new: Any, kept: tuple[str, ...]) -> Any:
    return func.coalesce(new[name], here[name]) if name in kept else new[name]
