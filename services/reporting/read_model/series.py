"""Series of slip numbers: the last number of each series, and the numbers that are unaccounted for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Books
from services.reporting.read_model.slips import Series
from shared.contracts.inventory import SlipKind


@dataclass(frozen=True, slots=True)
class Numbers:
    """A series of slip numbers: first, last, how many are accounted for (`used`), and how many of the used are void."""

    slip: SlipKind
    series: Series
    first: int
    last: int
    used: int
    void: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A gap in a series: the numbers that are unaccounted for, and the entry that revealed the gap."""

    slip: SlipKind
    series: Series
    first: int
    last: int
    known_at: datetime
    entry: EntryRef


# All columns read here are in the index of slips.
_SERIES: Final = text("""
    SELECT slip, series, CASE series WHEN 'system' THEN 1 ELSE min(number) END AS first, max(number) AS last,
           count(DISTINCT number) AS used, count(*) FILTER (WHERE void) AS void
    FROM (SELECT CASE kind WHEN 'manual_slip.entered' THEN 'paper' WHEN 'manual_slip.voided' THEN 'paper'
                           ELSE 'system' END AS series,
                 split_part(slip, '/', 1) AS slip, CAST(split_part(slip, '/', -1) AS bigint) AS number,
                 kind IN ('slip.voided', 'manual_slip.voided') AS void
          FROM reporting.facts
          WHERE property = :property AND recorded_at <= :known_at AND slip IS NOT NULL
            AND kind IN ('slip.prepared', 'slip.voided', 'manual_slip.entered', 'manual_slip.voided')) numbers
    GROUP BY slip, series ORDER BY slip, series DESC""")

_MISSING: Final = text("""
    WITH numbers AS (
        SELECT CASE kind WHEN 'slip.prepared' THEN 'system' ELSE 'paper' END AS series,
               split_part(slip, '/', 1) AS slip, CAST(split_part(slip, '/', -1) AS bigint) AS number,
               recorded_at, service, shard, seq
        FROM reporting.facts
        WHERE property = :property AND recorded_at <= :known_at AND slip IS NOT NULL
          AND kind IN ('slip.prepared', 'manual_slip.entered', 'manual_slip.voided')),
    beside AS (
        SELECT slip, series, number,
               lag(number, 1, CASE series WHEN 'system' THEN 0 ELSE number - 1 END)
                   OVER (PARTITION BY slip, series ORDER BY number) AS before
        FROM numbers)
    SELECT b.slip, b.series, b.before + 1 AS first, b.number - 1 AS last, e.*
    FROM beside b
    CROSS JOIN LATERAL (
        SELECT recorded_at, service, shard, seq FROM numbers n
        WHERE n.slip = b.slip AND n.series = b.series AND n.number >= b.number
        ORDER BY recorded_at, service, shard, seq LIMIT 1) e
    WHERE b.number - b.before > 1 ORDER BY b.slip, b.series DESC, b.number""")


async def series_of(books: Books) -> list[Numbers]:
    """Return each series of slip numbers of the property."""
    return [Numbers(**row._mapping) for row in await books.read(_SERIES)]


async def missing_of(books: Books) -> list[Missing]:
    """Return the gaps in the series of slip numbers, in the order of the series."""
    found = []
    for row in await books.read(_MISSING):
        entry = EntryRef(row.service, row.shard, row.seq)
        found.append(Missing(row.slip, row.series, row.first, row.last, row.recorded_at, entry))
    return found
