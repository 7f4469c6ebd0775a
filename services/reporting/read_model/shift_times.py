"""The shift of an event at a table: that of the period in which it lies, as stated by table inventory.

The shift in an event is only a claim. A table is handed over minutes after the clock's change of shift; a closed table
has no shift, and its events belong to the shift of the clock.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books
from shared.contracts import pit
from shared.contracts.topic_reader import kind_of

_NEIGHBORS: Final = timedelta(days=1)
"""An event on a gaming day may belong to a shift of the neighboring day at its table."""

# Of each shift, what was stated last: an array that is compared begins with the revision.
_TIMES: Final = """times AS MATERIALIZED (
        SELECT w.table_name, w.shift, CAST(t.said ->> 'since' AS timestamptz) AS after,
               coalesce(CAST(t.said ->> 'until' AS timestamptz), 'infinity') AS until
        FROM (SELECT DISTINCT ON (table_name, gaming_day, data ->> 'shift')
                     table_name, data ->> 'shift' AS shift, data -> 'times' AS times
              FROM reporting.facts
              WHERE property = :property AND kind = 'win.stated' AND recorded_at <= :known_at
                AND gaming_day BETWEEN :begin AND :end
                AND (CAST(:tables AS text[]) IS NULL OR table_name = ANY(:tables))
              ORDER BY table_name, gaming_day, data ->> 'shift', CAST(data ->> 'revision' AS integer) DESC) w
        CROSS JOIN LATERAL jsonb_array_elements(w.times) t(said))"""

_SHIFTS: Final = text(
    f"""
    WITH {_TIMES}
    SELECT (SELECT s.shift FROM times s
            WHERE s.table_name = g.table_name AND g.at > s.after AND g.at <= s.until LIMIT 1) AS shift
    FROM unnest(CAST(:named AS text[]), CAST(:moments AS timestamptz[])) WITH ORDINALITY g(table_name, at, number)
    ORDER BY g.number"""  # noqa: S608 - our own text
)

_OTHERS: Final = text(
    f"""
    WITH {_TIMES}
    SELECT f.service, f.shard, f.seq, f.table_name, f.event, f.gaming_day, f.occurred_at, f.data ->> 'shift' AS claimed,
           s.shift
    FROM reporting.facts f
    JOIN times s ON s.table_name = f.table_name AND f.occurred_at > s.after AND f.occurred_at <= s.until
    WHERE f.property = :property AND f.kind = 'pit.recorded' AND f.recorded_at <= :known_at
      AND f.gaming_day BETWEEN :first AND :last AND (CAST(:table AS text) IS NULL OR f.table_name = :table)
      AND f.event <> ALL(:believed) AND f.data ->> 'shift' <> s.shift AND {stands("f")}
    ORDER BY f.occurred_at, f.service, f.shard, f.seq"""  # noqa: S608 - our own text
)

_OPEN: Final = text(
    f"""
    WITH {_TIMES}
    SELECT table_name, CAST(1000 * extract(epoch FROM sum(least(until, :known_at) - after)) AS bigint) AS milliseconds
    FROM times GROUP BY table_name"""  # noqa: S608 - our own text
)

_BELIEVED: Final = tuple(map(kind_of, (pit.OpenedTable, pit.CarriedTable, pit.ExchangedBox, pit.TransportedBox)))
"""Events whose claimed shift counts: an opener begins one, and a box belongs to that of its exchange."""


class AtTable(NamedTuple):
    """A moment at a table."""

    table: str
    at: datetime


class OtherShift(NamedTuple):
    """A pit event that claims another shift than that of its time."""

    entry: EntryRef
    table: str
    event: str
    gaming_day: date
    at: datetime
    claimed: str
    shift: str


async def shifts_of(books: Books, asked: Sequence[AtTable]) -> list[str]:
    """Return the shift of each of these moments, in order."""
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
    """Yield the pit events of the question's gaming days that claim another shift."""
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


async def open_milliseconds(books: Books) -> dict[str, int]:
    """Return how long each table was open on the question's gaming days; a table that is open still, until now."""
    question = books.question
    tables = books.tables_asked if question.table is None else [question.table]
    rows = await books.read(_OPEN, begin=question.first, end=question.last, tables=tables)
    return {row.table_name: row.milliseconds for row in rows}


def _around(first: date, last: date) -> dict[str, date]:
    return {"begin": first - _NEIGHBORS, "end": last + _NEIGHBORS}
