"""The locations of the property's own chips, in pieces: last counts plus later movements, and chips in transit.

Patrons bring chips to a location and take chips away without a record. If more chips leave a location than the records
show there, patrons must have brought the difference. The location then has zero chips, never a negative number.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import text

from services.reporting.framework.figures import Figure, total
from services.reporting.read_model.cage_locations import OwnChips, last_counts
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.slips import Slip, slips_named
from services.reporting.read_model.windows import COUNTS as TABLE_COUNTS
from shared.contracts.cage_locations import (
    CAGE,
    OUTSIDE,
    CageTransferIssued,
    CageTransferReceived,
    HeldPieces,
)
from shared.contracts.chips import Pieces

ByChips = Mapping[OwnChips, Figure]
"""Pieces of the property's own chips, by kind of chip."""


class Lying(NamedTuple):
    """The property's own chips at the cage, at tables and in transit, at the end of the last queried gaming day."""

    at_cage: ByChips
    at_tables: ByChips
    on_slips: ByChips


class _Move(NamedTuple):
    """A movement of chips at a location: number of `pieces` that arrive (negative: leave), and the moment `at`."""

    at: datetime
    listed: Listed
    chips: OwnChips
    pieces: int

    def place(self) -> tuple[datetime, datetime, int]:
        """Return the sort key of a movement; movements at the same moment are in the order of recording."""
        return self.at, self.listed.recorded_at, self.listed.entry.seq


class _Begins(NamedTuple):
    """The entry of a location's last count; movements recorded later are added to the counted pieces."""

    seq: int
    recorded_at: datetime


_ENTERED: Final = text("""
    SELECT data ->> 'location' AS location, seq, recorded_at FROM reporting.facts
    WHERE property = :property AND kind = 'cage_count.entered' AND gaming_day <= :last AND recorded_at <= :known_at
      AND data ->> 'count' = ANY(:counts)""")

_PASSED: Final = text("""
    WITH counted AS (SELECT * FROM json_to_recordset(CAST(:counted AS json)) AS c(location text, seq bigint))
    SELECT service, shard, f.seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM reporting.facts f
    WHERE property = :property AND kind IN ('cage_transfer.issued', 'cage_transfer.received', 'cage_transfer.returned')
      AND gaming_day <= :last AND recorded_at <= :known_at
      AND EXISTS (
        SELECT FROM unnest(ARRAY[data ->> 'giver', data ->> 'receiver']) AS l(location)
        LEFT JOIN counted USING (location)
        WHERE location <> ALL (:outside) AND f.seq > coalesce(counted.seq, -1))
    ORDER BY recorded_at, service, shard, seq""")

_SLIPS: Final = text(
    """
    WITH counted AS (SELECT * FROM json_to_recordset(CAST(:counted AS json)) AS c(of_table text, at timestamptz))
    SELECT DISTINCT slip FROM reporting.facts JOIN counted ON of_table = table_name
    WHERE property = :property AND slip IS NOT NULL AND gaming_day <= :last AND recorded_at <= :known_at AND {stands}
      AND (recorded_at > CAST(:cage AS timestamptz) OR at IS NULL OR occurred_at > at
           OR event IN ('fill.carried', 'credit.carried') AND NOT EXISTS (
               SELECT FROM reporting.facts ended
               WHERE ended.property = :property AND ended.slip = facts.slip AND ended.gaming_day <= :last
                 AND ended.recorded_at <= :known_at AND {ended_stands}
                 AND (ended.event = 'fill.received' OR ended.kind IN ('slip.credit_received', 'slip.voided'))))
    """.replace("{stands}", stands()).replace("{ended_stands}", stands("ended"))
)


async def lying(books: Books) -> Lying:
    """Return the property's own chips by location, as of the end of the last queried gaming day."""
    last, tables = await last_counts(books), await _tables(books)
    begun = await _entered(books, last)
    passed = await _passed(books, begun)
    came = [step.at for step in passed.get(CAGE, ()) if step.pieces > 0]
    since = begun[CAGE].recorded_at if CAGE in begun else min(came, default=None)
    slips = await _slips(books, tables, since)
    sets = _Sets(books)
    day = books.question.last
    at_tables: dict[str, list[_Move]] = defaultdict(list)
    for slip in slips:
        passed.setdefault(CAGE, []).extend(
            move for move in sets.at_cage(slip, day) if since is not None and move.at > since
        )
        table = slip.begun.table
        counted = tables.get(table)
        at_tables[table] += [
            move for move in sets.at_table(slip, day) if counted is None or move.at > counted.occurred_at
        ]
    at_cage = {one.fact.location: [(OwnChips.of(p), one, p.count) for p in _own(one.fact.contents)] for one in last}
    trays = {
        name: [] if one is None else [(sets.chips(p), one, p.count) for p in one.fact.data.contents]
        for name, one in tables.items()
    }
    return Lying(
        _summed(_left(at_cage.get(name, ()), passed.get(name, ())) for name in {*at_cage, *passed}),
        _summed(_left(counted, at_tables[name]) for name, counted in trays.items()),
        _summed(sets.on_the_way(slip, day) for slip in slips),
    )


def _left(counted: Iterable[tuple[OwnChips, Listed, int]], moves: Iterable[_Move]) -> dict[OwnChips, list[Figure]]:
    """Return counted pieces and later moves by kind of chip; a move that would make a balance negative is cut."""
    found: dict[OwnChips, list[Figure]] = defaultdict(list)
    there: dict[OwnChips, int] = defaultdict(int)
    for chips, listed, count in counted:
        found[chips].append(Figure(count, (listed.entry,)))
        there[chips] += count
    for move in sorted(moves, key=_Move.place):
        count = max(move.pieces, -there[move.chips])
        if count:
            found[move.chips].append(Figure(count, (move.listed.entry,)))
            there[move.chips] += count
    return found


def _summed(places: Iterable[Mapping[OwnChips, Sequence[Figure]]]) -> ByChips:
    found: dict[OwnChips, list[Figure]] = defaultdict(list)
    for place in places:
        for chips, figures in place.items():
            found[chips] += figures
    return {chips: total(figures) for chips, figures in found.items()}


def _own(contents: Iterable[HeldPieces]) -> list[HeldPieces]:
    return [pieces for pieces in contents if pieces.kind == "chips"]


async def _entered(books: Books, last: Iterable[Listed]) -> dict[str, _Begins]:
    """Return, by location, the entry of each given count: chips are counted at that time, not at the verification."""
    rows = await books.read(_ENTERED, last=books.question.last, counts=[str(one.fact.count) for one in last])
    return {row.location: _Begins(row.seq, row.recorded_at) for row in rows}


async def _passed(books: Books, begun: Mapping[str, _Begins]) -> dict[str, list[_Move]]:
    """Return the movements of chips by transfers at each location since its last count."""
    counted = json.dumps([{"location": name, "seq": one.seq} for name, one in begun.items()])
    rows = await books.read(_PASSED, last=books.question.last, counted=counted, outside=list(OUTSIDE))
    found: dict[str, list[_Move]] = defaultdict(list)
    for listed in map(Listed.of, rows):
        fact = listed.fact
        match fact:
            case CageTransferIssued():
                name, sign = fact.giver, -1
            case CageTransferReceived():
                name, sign = fact.receiver, 1
            case _:
                name, sign = fact.giver, 1
        if name not in OUTSIDE and (name not in begun or listed.entry.seq > begun[name].seq):
            found[name] += [
                _Move(listed.recorded_at, listed, OwnChips.of(pieces), sign * pieces.count)
                for pieces in _own(fact.contents)
            ]
    return found


async def _tables(books: Books) -> dict[str, Listed | None]:
    """Return the last count of each table; None for a table that was never counted."""
    tables = [table.table for table in books.place.document.tables]
    found = await books.last_pit(tables, *TABLE_COUNTS, day=books.question.last + timedelta(days=1))
    return {table: found.get(table) for table in tables}


async def _slips(books: Books, tables: Mapping[str, Listed | None], since: datetime | None) -> list[Slip]:
    """Return the slips that are in transit, or have a step after the last count of the cage or of the slip's table."""
    counted = [
        {"of_table": table, "at": None if one is None else one.occurred_at.isoformat()} for table, one in tables.items()
    ]
    rows = await books.read(_SLIPS, last=books.question.last, counted=json.dumps(counted), cage=since)
    return await slips_named(books.asked(first=date.min), [row.slip for row in rows])


class _Sets:
    """The chip sets in use on the last queried gaming day; lists how slips move the chips of these sets."""

    def __init__(self, books: Books) -> None:
        self._set_of: dict[tuple[str, int], str] = {}
        for one in books.place.document.chip_sets or ():
            if one.is_in_use_on(books.question.last):
                for cents in one.denominations_cents:
                    self._set_of.setdefault((one.kind, cents), one.chip_set)

    def chips(self, pieces: Pieces) -> OwnChips:
        """Return the kind of chips of a table's pieces, assuming the first chip set in use that has such pieces."""
        return OwnChips(self._set_of.get((pieces.kind, pieces.cents), ""), pieces.kind, pieces.cents)

    def at_cage(self, slip: Slip, day: date) -> Iterator[_Move]:
        """Yield a slip's movements of chips at the cage, each at its time of recording."""
        is_fill = slip.slip == "fill"
        for step, sign, contents in _steps(slip, day, leaves=is_fill, arrives=not is_fill, back=is_fill):
            for pieces in contents:
                yield _Move(step.recorded_at, step, self.chips(pieces), sign * pieces.count)

    def at_table(self, slip: Slip, day: date) -> Iterator[_Move]:
        """Yield a slip's movements of chips at its table, each at its time of occurrence."""
        is_fill = slip.slip == "fill"
        for step, sign, contents in _steps(slip, day, leaves=not is_fill, arrives=is_fill, back=not is_fill):
            for pieces in contents:
                yield _Move(step.occurred_at, step, self.chips(pieces), sign * pieces.count)

    def on_the_way(self, slip: Slip, day: date) -> dict[OwnChips, list[Figure]]:
        """Return the chips of a slip in transit at the end of a gaming day: sent, but neither received nor returned."""
        ends = (slip.received, slip.voided)
        left = _of_day(slip.carried, day)
        if left is None or any(_of_day(step, day) is not None for step in ends) or slip.prepared is None:
            return {}
        return {self.chips(pieces): [Figure(pieces.count, (left.entry,))] for pieces in slip.begun.contents}


def _of_day(step: Listed | None, day: date) -> Listed | None:
    return step if step is not None and step.fact.gaming_day <= day else None


def _steps(
    slip: Slip, day: date, *, leaves: bool, arrives: bool, back: bool
) -> Iterator[tuple[Listed, int, Sequence[Pieces]]]:
    """Yield a slip's steps at the cage or at the table: departure, arrival, or return of a void.

    Each step has its entry, its sign (1 for chips that arrive, -1 for chips that leave), and its contents.
    """
    if slip.paper is not None:
        paper = _of_day(slip.paper, day)
        if paper is not None:
            yield paper, 1 if arrives else -1, getattr(paper.fact, "contents", ())
        return
    carried, received, voided = (_of_day(step, day) for step in (slip.carried, slip.received, slip.voided))
    if leaves and carried is not None and slip.is_known:
        yield carried, -1, slip.begun.contents
    if arrives and received is not None:
        of_fill = slip.slip == "fill"
        yield received, 1, received.fact.data.contents if of_fill else received.fact.received_contents
    if back and voided is not None:
        yield voided, 1, voided.fact.returned
