"""Counted win and settled rounds over spans of gaming days: periods to date, and the same days a year before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from services.reporting.framework.document import Period
from services.reporting.framework.question import first_days, year_before
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.counted_win import NOT_COUNTED, CountedWin, Missing, counted_wins
from services.reporting.reports.common.settled_rounds import SettledRounds, settled_rounds

OF_PERIOD: Final[Mapping[Period, str]] = {
    "day": "day",
    "week": "week_to_date",
    "month": "month_to_date",
    "year": "year_to_date",
}
"""The name of the period to date that covers the same gaming days as a whole period, keyed by period."""


@dataclass(frozen=True)
class Span:
    """A span of gaming days that begins on `first`: each table's counted win or missing items, and settled rounds."""

    first: date
    counted: Mapping[str, CountedWin]
    settled: SettledRounds


async def spans_to_date(books: Books) -> dict[str, Span]:
    """Return the spans that end with the last queried day, keyed by the names of `first_days`.

    Each day is read only once: the longest span is read in consecutive pieces, and each shorter span is the sum of the
    pieces that it covers.
    """
    last = books.question.last
    firsts = first_days(books.place.law, last)
    known = min(await books.first_day() or last, last)
    begins = sorted({max(first, known) for first in firsts.values()}, reverse=True)
    ends = [last, *(day - timedelta(days=1) for day in begins)]
    found: dict[date, Span] = {}
    for begin, end in zip(begins, ends, strict=False):
        counted, settled = await _read(books, begin, end)
        if found:
            later = found[end + timedelta(days=1)]
            both = counted.keys() & later.counted.keys()
            counted = {**later.counted, **counted} | {table: counted[table] + later.counted[table] for table in both}
            settled = settled + later.settled
        found[begin] = Span(begin, counted, settled)
    return {name: _whole(found[max(first, known)], first) for name, first in firsts.items()}


async def span_of(books: Books, first: date, last: date) -> Span:
    """Return the span from one gaming day to another."""
    return _whole(Span(first, *await _read(books, first, last)), first)


async def _read(books: Books, first: date, last: date) -> tuple[dict[str, CountedWin], SettledRounds]:
    return await counted_tables(books, first, last), await settled_rounds(books, first, last)


def _whole(span: Span, first: date) -> Span:
    """Return the span with tables that had play but no statement of win added, as not counted."""
    played = {table for (table,) in span.settled.by("table_name")}
    without = {table: CountedWin(missing=(Missing(table, NOT_COUNTED),)) for table in played - span.counted.keys()}
    return replace(span, first=first, counted={**span.counted, **without})


async def counted_tables(books: Books, first: date, last: date) -> dict[str, CountedWin]:
    """Return the counted win of the queried tables, keyed by table."""
    wins = await counted_wins(books, "table_name", first=first, last=last)
    return {table: win for (table,), win in wins.items() if is_asked(books, table)}


async def counted_shifts(books: Books, first: date, last: date) -> dict[tuple[str, str], CountedWin]:
    """Return the counted win of the queried tables, keyed by table and shift."""
    wins = await counted_wins(books, "table_name", "shift", first=first, last=last)
    return {(table, shift): win for (table, shift), win in wins.items() if is_asked(books, table)}


def is_asked(books: Books, table: str) -> bool:
    """Return whether a table offers the queried game by the property document; True if no game is queried."""
    return books.question.game in (None, books.game_of(table))


async def days_year_before(books: Books) -> tuple[date, date] | None:
    """Return the first and last of the same days a year before, as far as recorded; None if none of them is."""
    first, last = year_before(books.question.first), year_before(books.question.last)
    known = await books.first_day()
    return None if known is None or known > last else (max(first, known), last)
