"""The gaming days that have any record, the seal of each, and changes after the seal."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Books
from services.reporting.read_model.stages import PLAYED

_SEALED: Final = text("""
    SELECT f.gaming_day, f.service, f.shard, f.seq, f.recorded_at,
           CAST(CAST(f.data #>> '{report,total,final_win_cents}' AS bigint)
                + coalesce((SELECT sum((r ->> 'final_rake_cents')::bigint)
                            FROM jsonb_array_elements(f.data #> '{report,rake}') r), 0)
                + coalesce((SELECT sum((c ->> 'fees_cents')::bigint - (c ->> 'prizes_cents')::bigint)
                            FROM jsonb_array_elements(f.data #> '{report,contests}') c), 0) AS bigint) AS revenue_cents,
           m.last_recorded > f.recorded_at AND EXISTS (
               SELECT FROM reporting.amounts a
               WHERE a.property = f.property AND a.gaming_day = f.gaming_day
                 AND a.measure NOT IN ('posted_cents', 'unposted')
                 AND a.recorded_at > f.recorded_at AND a.recorded_at <= :known_at) AS changed
    FROM reporting.facts f JOIN reporting.day_moments m USING (property, gaming_day)
    WHERE f.property = :property AND f.kind = 'day.final' AND f.gaming_day BETWEEN :first AND :last
      AND f.recorded_at <= :known_at
    ORDER BY f.gaming_day, f.recorded_at""")


@dataclass(frozen=True, slots=True)
class SealedDay:
    """A sealed gaming day: the entry that sealed it, and the revenue of tables and contests in its report, in cents.

    `revenue_cents` is the sum of final win, rake and contest revenue; None if the report has no win. `changed` is true
    if amounts were recorded after the seal.
    """

    gaming_day: date
    entry: EntryRef
    recorded_at: datetime
    revenue_cents: int | None
    changed: bool


async def known_days(books: Books) -> list[date]:
    """Return the queried gaming days for which anything was recorded, in order."""
    rows = await books.read(PLAYED, first=books.question.first, last=books.question.last)
    return [row.gaming_day for row in rows]


async def sealed_days(books: Books) -> list[SealedDay]:
    """Return the sealed days of the queried gaming days, in order."""
    return [
        SealedDay(
            row.gaming_day,
            EntryRef(row.service, row.shard, row.seq),
            row.recorded_at,
            row.revenue_cents,
            row.changed,
        )
        for row in await books.read(_SEALED, first=books.question.first, last=books.question.last)
    ]
