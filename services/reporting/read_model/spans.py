"""Spans: periods between two moments at a table, and the chips (in cents) moved by rounds closed in a span."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any, Final

from pydantic_core import to_json
from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, Aggregate, Figure
from services.reporting.read_model.reading import Books

_BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""A moment before any entry of a journal."""

_AT_ONCE: Final = 3_000
"""The maximum number of spans per statement; several statements read a month's scattered spans in parallel."""

NEIGHBORS: Final = timedelta(days=1)
"""Pit events may occur up to half a day outside their gaming day, so the previous event may be of an adjacent day."""


@dataclass(frozen=True, slots=True)
class Span:
    """A period at a table; `after` is excluded (None: no lower limit), `until` is included."""

    table: str
    after: datetime | None
    until: datetime

    @property
    def begins(self) -> datetime:
        """Return the moment after which the span begins: `after` or, if that is None, a very early time."""
        return self.after or _BEGINNING


_GIVEN: Final = """
    FROM json_to_recordset(CAST(:spans AS json))
         AS s(number integer, table_name text, after timestamptz, until timestamptz, first date, last date)"""

# If a span has most of an hour, the hour's sum is read, and the rounds outside the span are deducted: few rounds, on
# one page of the index. A sum includes what was recorded after the query's as-of time, so on days with later records
# only rounds are read. OFFSET 0: each span searches the index by itself, because the cost of a join by table alone
# grows with the square of the time.
_CHIPS: Final = text(
    """
    WITH late AS (
        SELECT gaming_day FROM reporting.day_moments WHERE property = :property AND last_recorded > :known_at),
    hours AS (
        SELECT s.number, s.table_name, s.after, s.until, h.*,
               2 * (least(s.until, h.last) - greatest(s.after, h.before)) > h.last - h.before
                   AND h.gaming_day NOT IN (SELECT gaming_day FROM late) AS most
        {given}
        CROSS JOIN LATERAL (
            SELECT gaming_day, chips_cents, first_closed - interval '1 microsecond' AS before, last_closed AS last
            FROM reporting.chip_hours
            WHERE property = :property AND table_name = s.table_name
              AND hour > s.after - interval '1 hour' AND hour <= s.until
              AND last_closed > s.after AND first_closed <= s.until OFFSET 0) h),
    parts AS (
        SELECT number, table_name, gaming_day, 1 AS sign, greatest(after, before) AS after, least(until, last) AS until
        FROM hours WHERE NOT most
        UNION ALL SELECT number, table_name, gaming_day, -1, before, after FROM hours WHERE most AND after > before
        UNION ALL SELECT number, table_name, gaming_day, -1, until, last FROM hours WHERE most AND until < last)
    SELECT number, sum(chips_cents) AS cents FROM (
        SELECT number, chips_cents FROM hours WHERE most
        UNION ALL
        SELECT p.number, p.sign * r.chips_cents FROM parts p CROSS JOIN LATERAL (
            SELECT sum(chips_cents) AS chips_cents FROM reporting.rounds
            WHERE property = :property AND gaming_day = p.gaming_day AND table_name = p.table_name
              AND closed_at > p.after AND closed_at <= p.until AND recorded_at <= :known_at) r) known
    GROUP BY number""".replace("{given}", _GIVEN)
)

_DEALERS: Final = text(
    """
    SELECT s.number, array_agg(DISTINCT r.dealer ORDER BY r.dealer) AS dealers
    {given}
    CROSS JOIN LATERAL generate_series(s.first, s.last, interval '1 day') AS d(day)
    CROSS JOIN LATERAL (
        SELECT DISTINCT dealer FROM reporting.rounds
        WHERE property = :property AND gaming_day = CAST(d.day AS date) AND table_name = s.table_name
          AND closed_at > s.after AND closed_at <= s.until AND recorded_at <= :known_at) r
    GROUP BY s.number""".replace("{given}", _GIVEN)
)


async def rounds_in(books: Books, spans: Sequence[Span]) -> dict[Span, Figure]:
    """Return, by span, the chips in cents that rounds closed in the span added to the table inventory."""
    return {span: _figure(books, span, cents) for span, cents in zip(spans, await chips_in(books, spans), strict=True)}


def _figure(books: Books, span: Span, cents: int) -> Figure:
    if not cents:
        return NOTHING
    if not books.explains:
        return Figure(cents)
    first, last = _days(books, span)
    where = (("table_name", span.table),)
    return Figure(cents, (Aggregate("rounds", ("chips_cents",), first, last, where, (span.begins, span.until)),))


async def chips_in(books: Books, spans: Sequence[Span]) -> list[int]:
    """Return, for each span in order, the chips in cents that rounds closed in it added to the table inventory."""
    parts = [spans[begin : begin + _AT_ONCE] for begin in range(0, len(spans), _AT_ONCE)]
    return [*chain.from_iterable(await asyncio.gather(*(_chips_in(books, part) for part in parts)))]


async def _chips_in(books: Books, spans: Sequence[Span]) -> list[int]:
    found = {row.number: int(row.cents or 0) for row in await books.read(_CHIPS, spans=given_spans(spans))}
    return [found.get(number, 0) for number in range(1, len(spans) + 1)]


async def dealers_in(books: Books, spans: Sequence[Span]) -> dict[Span, tuple[str, ...]]:
    """Return, by span, the dealers of rounds closed in it, ordered by name; spans without rounds are missing."""
    days = {  # in order of time, because consecutive moments mostly have the same gaming day
        moment: books.place.gaming_day(moment)
        for moment in sorted({moment for span in spans for moment in (span.begins, span.until)})
    }
    given = given_spans(spans, lambda span: {"first": days[span.begins] - NEIGHBORS, "last": days[span.until]})
    rows = await books.read(_DEALERS, spans=given)
    return {spans[row.number - 1]: tuple(filter(None, row.dealers)) for row in rows}


def given_spans(spans: Sequence[Span], more: Callable[[Span], dict[str, Any]] = lambda _: {}) -> str:
    """Return spans as a JSON text for an SQL parameter, numbered from 1; a text is faster to send than arrays."""
    return to_json(
        [
            {"number": number, "table_name": span.table, "after": span.begins, "until": span.until} | more(span)
            for number, span in enumerate(spans, 1)
        ]
    ).decode()


def _days(books: Books, span: Span) -> tuple[date, date]:
    """Return the first and last gaming day of rounds that may have closed in a span; the opening decides the day."""
    place = books.place
    return place.gaming_day(span.begins) - NEIGHBORS, place.gaming_day(span.until)
