"""Write a batch of entries to the read model, with one SQL statement per table."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, func, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.read_model import catalog
from services.reporting.read_model.measures import Amount, Said, amounts_of
from services.reporting.read_model.people import acts_of
from services.reporting.read_model.postings import amounts_of_entry
from services.reporting.read_model.rounds import DEALT, LINE_FIGURES, PACE, PLAYED, STAKES, RoundEntry, Sums
from services.reporting.tables import (
    amount_days,
    amounts,
    chip_hours,
    day_moments,
    dealer_days,
    documents,
    facts,
    line_days,
    pace_hours,
    play_days,
    positions,
    rounds,
    seat_wagers,
    wager_days,
    won_lines,
)
from shared.contracts.chips import value_of
from shared.contracts.envelope import Event
from shared.contracts.facts import EntryEvent, Fact
from shared.contracts.inventory import PitRecorded, PitVoided
from shared.contracts.property_snapshot import PropertyLookup
from shared.contracts.wager_totals import FIGURES
from shared.journal.bulk import added, copy, copy_tuples, excluded, insert, keyed

assert catalog.MODULES, "what all facts add is declared"


def _widened(table: Table, first: str, last: str) -> dict[str, ColumnElement[Any]]:
    """Return the column updates that extend a stored row's first and last moment to cover those of a new row."""
    here, new = table.c, excluded(table)
    return {first: func.least(here[first], new[first]), last: func.greatest(here[last], new[last])}


_ADD_DOCUMENTS = insert(documents, on_conflict="skip")
_ADD_AMOUNTS = insert(amount_days, on_conflict=added(amount_days, "value"))
_ADD_WAGERS = insert(wager_days, on_conflict=added(wager_days, *FIGURES, *STAKES))
_ADD_DEALERS = insert(dealer_days, on_conflict=added(dealer_days, *DEALT))
_ADD_PLAYED = insert(play_days, on_conflict=added(play_days, *PLAYED))
_ADD_LINES = insert(line_days, on_conflict=added(line_days, *LINE_FIGURES))
_ADD_CHIPS = insert(
    chip_hours, on_conflict=added(chip_hours, "chips_cents") | _widened(chip_hours, "first_closed", "last_closed")
)
_ADD_PACE = insert(
    pace_hours, on_conflict=added(pace_hours, *PACE) | _widened(pace_hours, "first_opened", "last_closed")
)
_ADD_MOMENTS = insert(day_moments, on_conflict=_widened(day_moments, "first_recorded", "last_recorded"))
_ADD_POSITIONS = insert(positions, on_conflict={"seq": func.greatest(positions.c.seq, excluded(positions).seq)})

# An hour in which no round stands has a first opening of NULL, and begins again with the next round.
_STANDING = text("""
    UPDATE reporting.pace_hours p
    SET first_opened = stood.first_opened, last_closed = coalesce(stood.last_closed, k.hour)
    FROM unnest(CAST(:days AS date[]), CAST(:properties AS text[]), CAST(:tables AS text[]), CAST(:games AS text[]),
                CAST(:dealers AS text[]), CAST(:hours AS timestamptz[]))
         AS k(gaming_day, property, table_name, game, dealer, hour)
    CROSS JOIN LATERAL (
        SELECT min(opened_at) AS first_opened, max(closed_at) AS last_closed FROM (
            SELECT min(r.opened_at) AS opened_at, min(r.closed_at) AS closed_at
            FROM reporting.rounds r
            WHERE r.property = k.property AND r.gaming_day = k.gaming_day AND r.table_name = k.table_name
              AND r.closed_at >= k.hour AND r.closed_at < k.hour + interval '1 hour'
              AND r.game = k.game AND r.dealer = k.dealer
            GROUP BY r.round_id, r.revision HAVING sum(r.sign) > 0) standing) stood
    WHERE p.gaming_day = k.gaming_day AND p.property = k.property AND p.table_name = k.table_name
      AND p.game = k.game AND p.dealer = k.dealer AND p.hour = k.hour""")
"""SQL that sets the first opening and last closing of hours from the rounds that were not reversed."""

_LAST = text("""
    SELECT shard, (SELECT max(p.recorded_at) FROM reporting.positions p
                   WHERE p.service = :service AND p.shard = wanted.shard) AS recorded_at
    FROM unnest(CAST(:shards AS integer[])) AS wanted (shard)""")


class Batch:
    """The rows that a batch of entries adds to the read model."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._facts: list[dict[str, Any]] = []
        self._amounts: list[tuple[Any, ...]] = []  # in the order of the table's columns
        self._amount_days: dict[tuple[Any, ...], int] = {}
        self._rounds: list[RoundEntry] = []
        self._seat_wagers: list[dict[str, Any]] = []
        self._won_lines: list[dict[str, Any]] = []
        self._moments: dict[tuple[str, date], tuple[datetime, datetime]] = {}
        self._positions: dict[tuple[int, datetime], int] = {}

    def seen(self, event: EntryEvent[Any]) -> None:
        """Advance the read position of the entry's shard."""
        key = (event.shard, event.recordedat)
        self._positions[key] = max(event.sequence, self._positions.get(key, 0))

    def add(
        self, event: EntryEvent[Any], fact: Said, places: PropertyLookup, *, whole: bool = True, of_moment: bool = False
    ) -> None:
        """Add a fact's amounts to the sums of measures and, with `whole`, the fact to those that reports list.

        The amounts count on the gaming day that the fact names. With `of_moment`, they count on the day on which the
        event occurred, because the fact does not change the day that it names.
        """
        property_name = getattr(fact, "property", None)
        named = None if of_moment else getattr(fact, "gaming_day", None)
        day = named or _day_of(property_name, event.time, places)
        acts: list[Amount] = []
        if whole:
            assert isinstance(fact, Fact), "a view of a fact is not the whole of it"
            self.note(event, fact, day)
            acts = acts_of(fact)
        if property_name is None or day is None:
            return
        self._know(property_name, day, event.recordedat)
        entry = (self._service, event.shard, event.sequence, event.recordedat)
        for number, amount in enumerate((*amounts_of(fact), *acts, *amounts_of_entry(self._service, event)), 1):
            of_day = amount.gaming_day or day
            if of_day != day:
                self._know(property_name, of_day, event.recordedat)
            measure, value, about = amount.measure, amount.value, (amount.table, amount.shift, amount.item)
            key = (of_day, property_name, measure, *about)
            self._amount_days[key] = self._amount_days.get(key, 0) + value
            self._amounts.append((*entry, number, property_name, of_day, *about, measure, value, amount.closed_at))

    def note(self, event: EntryEvent[Any], fact: Fact, day: date | None = None) -> None:
        """Add a fact to those that reports list, without adding amounts to sums.

        Without a `day`, the gaming day stays empty. Reports then derive it from the property's clock, which may not be
        known yet when the fact is written.
        """
        about = {"property": getattr(fact, "property", None), "table_name": getattr(fact, "table", None)}
        reported = getattr(fact, "event", None) if isinstance(fact, PitRecorded) else None
        said = {"kind": type(fact).KIND.name, "event": reported, "occurred_at": event.time}
        held = {"gaming_day": day, "contents_cents": _contents_cents(fact), "data": fact.encode().decode()}
        self._facts.append(self._entry(event) | about | said | held)

    @property
    def noted(self) -> list[dict[str, Any]]:
        """Return the rows of the facts that reports list."""
        return self._facts

    def _entry(self, event: EntryEvent[Any]) -> dict[str, Any]:
        return {
            "service": self._service,
            "shard": event.shard,
            "seq": event.sequence,
            "hash": event.entryhash,
            "recorded_at": event.recordedat,
        }

    def add_round(self, entry: RoundEntry) -> None:
        """Add a posted or reversed round to the sums and to the table of rounds."""
        self._rounds.append(entry)
        self._know(entry.property, entry.gaming_day, entry.recorded_at)

    def add_won_lines(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add possibly reportable lines of a posted round."""
        self._won_lines.extend(rows)

    def add_seat_wagers(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add the wagers of seats in a posted or reversed round."""
        self._seat_wagers.extend(rows)

    def changed(self, property_name: str, day: date, at: datetime) -> None:
        """Record that a gaming day was changed by an entry that contributes to no measure."""
        self._know(property_name, day, at)

    def _know(self, property_name: str, day: date, at: datetime) -> None:
        first, last = self._moments.get((property_name, day), (at, at))
        self._moments[property_name, day] = (min(first, at), max(last, at))

    async def write(self, connection: AsyncConnection) -> None:
        """Write the whole batch in the caller's transaction, in key order to avoid deadlocks."""
        await copy(connection, facts, self._facts)
        await copy_tuples(connection, amounts, self._amounts)
        await copy_tuples(connection, rounds, self._rounds)
        await copy(connection, seat_wagers, self._seat_wagers)
        await copy(connection, won_lines, self._won_lines)
        sums = Sums()
        for entry in self._rounds:
            sums.add(entry)
        for statement, values in (
            (_ADD_AMOUNTS, _sorted((key, (value,)) for key, value in self._amount_days.items())),
            (_ADD_WAGERS, _sorted(sums.wagers.items())),
            (_ADD_DEALERS, _sorted(sums.dealers.items())),
            (_ADD_PLAYED, _sorted(sums.played.items())),
            (_ADD_CHIPS, _sorted(sums.chips.items())),
            (_ADD_PACE, _sorted(sums.pace.items())),
            (_ADD_LINES, _sorted(sums.lines.items())),
            (_ADD_MOMENTS, _sorted(self._moments.items())),
        ):
            await statement.write(connection, keyed(statement, values))
        if sums.taken_back:
            names = ("days", "properties", "tables", "games", "dealers", "hours")
            keys = map(list, zip(*sums.taken_back, strict=True))
            await connection.execute(_STANDING, dict(zip(names, keys, strict=True)))
        await self._write_positions(connection)

    async def _write_positions(self, connection: AsyncConnection) -> None:
        """Write the read positions: insert those later than all stored ones of their shard, upsert the others."""
        shards = {shard for shard, _ in self._positions}
        found = await connection.execute(_LAST, {"service": self._service, "shards": list(shards)})
        last = {row.shard: row.recorded_at for row in found if row.recorded_at is not None}
        known: list[tuple[Any, ...]] = []
        new: list[tuple[Any, ...]] = []
        for (shard, at), seq in sorted(self._positions.items()):
            rows = known if shard in last and at <= last[shard] else new
            rows.append((self._service, shard, at, seq))
        await copy_tuples(connection, positions, new)
        await _ADD_POSITIONS.write(connection, keyed(_ADD_POSITIONS, known))


def _contents_cents(fact: Fact) -> int | None:
    """Return the value, in cents, of the chips that a fact lists; None if it lists none."""
    if isinstance(fact, PitVoided):
        return None
    said = fact.data if isinstance(fact, PitRecorded) else fact
    named = (getattr(said, name, None) for name in ("contents", "received_contents", "returned"))
    return next((value_of(contents) for contents in named if contents is not None), None)


def _sorted(rows: Iterable[tuple[tuple[Any, ...], Any]]) -> list[tuple[Any, ...]]:
    return [(*key, *values) for key, values in sorted(rows, key=lambda row: row[0])]


def _day_of(property_name: str | None, moment: datetime, places: PropertyLookup) -> date | None:
    place = None if property_name is None else places(property_name, moment)
    return None if place is None else place.gaming_day(moment)


async def keep_documents(connection: AsyncConnection, service: str, events: Iterable[Event[Any]]) -> None:
    """Store the facts of a topic that every process of the service reads; facts already stored are left unchanged."""
    batch = Batch(service)
    for event in events:
        if isinstance(event.data, Fact):
            batch.note(event, event.data)  # type: ignore[arg-type]  # the topic of a journal has only entries
    await _ADD_DOCUMENTS.write(
        connection, [{name: row[name] for name in _ADD_DOCUMENTS.columns} for row in batch.noted]
    )
