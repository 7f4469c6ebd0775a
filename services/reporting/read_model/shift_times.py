"""The shift of an event at a table: the shift in progress when it occurred, according to table inventory.

The shift stated in an event is only a claim. A table is handed over minutes after the clock's change of shift. A closed
table has no shift, so its events belong to the shift of the clock.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef, Figure
from services.reporting.read_model.derived import stands
from services.reporting.read_model.handovers import OPEN_IN_SHIFTS, TIMES
from services.reporting.read_model.reading import Books, entries_of, parts_of
from shared.contracts import pit
from shared.contracts.topic_reader import kind_of

_NEIGHBORS: Final = timedelta(days=1)
"""How far the search for shifts extends: an event may belong to a shift of the previous or the next gaming day."""

_SHIFTS: Final = text(
    f"""
    WITH {TIMES}
    SELECT (SELECT s.shift FROM times s
            WHERE s.table_name = g.table_name AND g.at > s.after AND g.at <= s.until LIMIT 1) AS shift
    FROM unnest(CAST(:named AS text[]), CAST(:moments AS timestamptz[])) WITH ORDINALITY g(table_name, at, number)
    ORDER BY g.number"""  # noqa: S608 - our own text
)

_OTHERS: Final = text(
    f"""
    WITH {TIMES}
    SELECT f.service, f.shard, f.seq, f.table_name, f.event, f.gaming_day, f.occurred_at, f.data ->> 'shift' AS claimed,
           s.shift
    FROM reporting.facts f
    JOIN times s ON s.table_name = f.table_name AND f.occurred_at > s.after AND f.occurred_at <= s.until
    WHERE f.property = :property AND f.kind = 'pit.recorded' AND f.recorded_at <= :known_at
      AND f.gaming_day BETWEEN :first AND :last AND (CAST(:table AS text) IS NULL OR f.table_name = :table)
      AND f.event <> ALL(:believed) AND f.data ->> 'shift' <> s.shift AND {stands("f")}
    ORDER BY f.occurred_at, f.service, f.shard, f.seq"""  # noqa: S608 - our own text
)

# A round that was closed while its table was not open belongs to the shift of the clock.
_PLAYED: Final = text(
    f"""
    WITH {TIMES}
    SELECT r.table_name, coalesce(s.shift, r.shift) AS shift, r.dealer, CAST(sum(r.sign) AS bigint) AS rounds,
           CAST(sum(r.seats) AS bigint) AS seats
    FROM reporting.rounds r
    LEFT JOIN times s ON s.table_name = r.table_name AND r.closed_at > s.after AND r.closed_at <= s.until
    WHERE r.property = :property AND r.gaming_day BETWEEN :first AND :last AND r.recorded_at <= :known_at
      AND (CAST(:tables AS text[]) IS NULL OR r.table_name = ANY(:tables))
    GROUP BY 1, 2, 3 HAVING sum(r.sign) <> 0
    ORDER BY 1, 2, 3"""  # noqa: S608 - our own text
)

# A sale at a table that was not open belongs to the shift that it claims.
_SOLD: Final = f"""
    WITH {TIMES},
    sold AS (
        SELECT f.service, f.shard, f.seq, f.table_name, f.occurred_at, -f.moved_cents AS cents,
               coalesce(s.shift, f.data ->> 'shift') AS shift
        FROM reporting.facts f
        LEFT JOIN times s ON s.table_name = f.table_name AND f.occurred_at > s.after AND f.occurred_at <= s.until
        WHERE f.property = :property AND f.gaming_day BETWEEN :first AND :last AND f.recorded_at <= :known_at
          AND f.moved_by IN ('currency', 'counter_check.issued') AND f.moved_cents <> 0
          AND (CAST(:tables AS text[]) IS NULL OR f.table_name = ANY(:tables)))
    SELECT table_name, shift, CAST(sum(cents) AS bigint) AS cents{{entries}} FROM sold GROUP BY table_name, shift
    ORDER BY table_name, shift"""  # noqa: S608 - our own text
_SOLD_SUMS: Final = text(_SOLD.format(entries=""))
_SOLD_EXPLAINED: Final = text(_SOLD.format(entries=entries_of("cents")))

_DEALERS: Final = text(
    f"""
    WITH {TIMES}
    SELECT DISTINCT f.table_name, coalesce(s.shift, f.data ->> 'shift') AS shift, f.data #>> '{{data,dealer}}' AS dealer
    FROM reporting.facts f
    LEFT JOIN times s ON s.table_name = f.table_name AND f.occurred_at > s.after AND f.occurred_at <= s.until
    WHERE f.property = :property AND f.kind = 'pit.recorded' AND f.gaming_day BETWEEN :first AND :last
      AND f.recorded_at <= :known_at AND f.data #>> '{{data,dealer}}' IS NOT NULL AND {stands("f")}
      AND (CAST(:tables AS text[]) IS NULL OR f.table_name = ANY(:tables))"""  # noqa: S608 - our own text
)

_BELIEVED: Final = tuple(map(kind_of, (pit.OpenedTable, pit.CarriedTable, pit.ExchangedBox, pit.TransportedBox)))
"""Events whose claimed shift is accepted: an opener begins a shift, and a box belongs to the shift of its exchange."""


class AtTable(NamedTuple):
    """A table and a moment, for which the shift is to be determined."""

    table: str
    at: datetime


class OtherShift(NamedTuple):
    """A pit event that claims a shift other than the one in progress at its table at that time."""

    entry: EntryRef
    table: str
    event: str
    gaming_day: date
    at: datetime
    claimed: str
    shift: str


class PlayedInShift(NamedTuple):
    """The rounds of a dealer at a table in a shift, and the seats that wagered, summed over rounds."""

    table: str
    shift: str
    dealer: str
    rounds: int
    seats: int


async def shifts_of(books: Books, asked: Sequence[AtTable]) -> list[str]:
    """Return the shift in progress for each given table and moment, in the order of `asked`."""
    if not asked:
        return []
    days = [books.place.gaming_day(one.at) for one in asked]
    tables, moments = map(list, zip(*asked, strict=True))
    rows = await books.read(
        _SHIFTS,
        **_around(min(days), max(days)),
        tables=sorted(set(tables)),
        named=tables,
        moments=moments,
    )
    return [row.shift or books.place_on(day).shift_at(one.at) for row, one, day in zip(rows, asked, days, strict=True)]


async def other_shifts(books: Books) -> AsyncIterator[OtherShift]:
    """Yield the queried days' pit events that claim a shift other than the one in progress at their table."""
    question = books.question
    rows = await books.read(
        _OTHERS,
        **_around(question.first, question.last),
        tables=None if question.table is None else [question.table],
        first=question.first,
        last=question.last,
        table=question.table,
        believed=list(_BELIEVED),
    )
    for row in rows:
        entry = EntryRef(row.service, row.shard, row.seq)
        yield OtherShift(entry, row.table_name, row.event, row.gaming_day, row.occurred_at, row.claimed, row.shift)


Times = Sequence[tuple[datetime, datetime]]
"""Periods in which a table was open: each begins just after its first moment and includes its second."""


async def open_milliseconds(books: Books) -> dict[str, int]:
    """Return how long each table was open on the queried gaming days (if still open: up to now), in milliseconds."""
    found: dict[str, int] = defaultdict(int)
    for (table, _), times in (await open_in_shifts(books)).items():
        found[table] += milliseconds_of(times)
    return dict(found)


def milliseconds_of(times: Times) -> int:
    """Return the total length of periods, in milliseconds."""
    return round(sum((until - after for after, until in times), start=timedelta()) / timedelta(milliseconds=1))


async def open_in_shifts(books: Books) -> dict[tuple[str, str], Times]:
    """Return the periods (up to now) in which tables were open on the queried gaming days, keyed by table and shift."""
    found: dict[tuple[str, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    rows = await books.read(OPEN_IN_SHIFTS, begin=books.question.first, end=books.question.last, tables=_tables(books))
    for row in rows:
        found[row.table_name, row.shift].append((row.after, row.until))
    return dict(found)


async def played_in_shifts(books: Books) -> list[PlayedInShift]:
    """Return the rounds of each dealer at each table, by the table's shift when a round was closed."""
    return [PlayedInShift._make(row) for row in await books.read(_PLAYED, **_of_days(books))]


async def sold_in_shifts(books: Books) -> dict[tuple[str, str], Figure]:
    """Return the sales that the pit reported, for currency and counter checks, in cents, keyed by table and shift."""
    rows = await books.read(_SOLD_EXPLAINED if books.explains else _SOLD_SUMS, **_of_days(books))
    return {
        (row.table_name, row.shift): Figure(row.cents, parts_of(row.entries) if books.explains else ()) for row in rows
    }


async def dealers_in_shifts(books: Books) -> set[tuple[str, str, str]]:
    """Return (table, shift, dealer) for every dealer that a pit event of the queried gaming days names."""
    return {tuple(row) for row in await books.read(_DEALERS, **_of_days(books))}


def _of_days(books: Books) -> dict[str, Any]:
    first, last = books.question.first, books.question.last
    return {**_around(first, last), "first": first, "last": last, "tables": _tables(books)}


def _tables(books: Books) -> list[str] | None:
    """Return the tables that the query selects; None for all tables."""
    return books.tables_asked if books.question.table is None else [books.question.table]


def _around(first: date, last: date) -> dict[str, date]:
    return {"begin": first - _NEIGHBORS, "end": last + _NEIGHBORS}
