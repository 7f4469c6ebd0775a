"""Issuance copies of counter checks in drop boxes, and the checks that do not tie out with them. Amounts are cents."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from sqlalchemy import text

from services.reporting.books.reading import Books, Listed
from services.reporting.kit.figures import EntryRef

_LATER: Final = timedelta(days=1)
"""A copy may have gone into the box of the next gaming day, or have been there before the issuance was recorded."""

_COPIES: Final = """
    counts AS MATERIALIZED (
        SELECT recorded_at, service, shard, seq, CAST(data ->> 'count' AS bigint) AS count_number,
               CAST(data -> 'boxes' AS jsonb) AS boxes
        FROM reporting.facts
        WHERE property = :property AND kind = 'count.concluded' AND recorded_at <= :known_at
          AND gaming_day BETWEEN :begin AND :end),
    found AS (  -- without the boxes themselves, which would be sorted with it
        SELECT f.recorded_at, f.service, f.shard, f.seq, f.count_number, b.place,
               b.box ->> 'table' AS table_name, b.box ->> 'box' AS box,
               CAST(b.box ->> 'gaming_day' AS date) AS gaming_day, c.line, c.found ->> 'serial' AS serial,
               CAST(c.found ->> 'cents' AS bigint) AS cents
        FROM counts f
        CROSS JOIN LATERAL jsonb_array_elements(f.boxes) WITH ORDINALITY b(box, place)
        CROSS JOIN LATERAL jsonb_array_elements(b.box #> '{figures,counter_checks}') WITH ORDINALITY c(found, line)
        WHERE CAST(:table AS text) IS NULL OR b.box ->> 'table' = :table OFFSET 0),
    copies AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY table_name, serial
                                     ORDER BY recorded_at, service, shard, seq, place, line) AS times
        FROM found),
    issued AS MATERIALIZED (
        SELECT service, shard, seq, gaming_day, table_name,
               data #>> '{data,serial}' AS serial, CAST(data #>> '{data,cents}' AS bigint) AS cents
        FROM reporting.facts
        WHERE property = :property AND event = 'counter_check.issued' AND recorded_at <= :known_at
          AND gaming_day BETWEEN :begin AND :end AND (CAST(:table AS text) IS NULL OR table_name = :table))"""

_FOUND: Final = text(
    """
    WITH {copies},
    known AS (
        SELECT table_name, serial, count(*) AS times, min(cents) AS least, max(cents) AS most
        FROM issued GROUP BY table_name, serial)
    SELECT c.*, c.times > coalesce(k.times, 0) AS is_beyond
    FROM copies c LEFT JOIN known k USING (table_name, serial)
    WHERE :all OR c.times > coalesce(k.times, 0) OR c.cents <> k.least OR c.cents <> k.most
    ORDER BY c.recorded_at, c.service, c.shard, c.seq, c.place, c.line""".replace("{copies}", _COPIES)
)

_NOT_TIED: Final = text(
    """
    WITH {copies}
    SELECT f.service, f.shard, f.seq, f.kind, f.gaming_day, f.occurred_at, f.recorded_at,
           CAST(f.data AS text) AS data
    FROM issued i LEFT JOIN copies c ON c.table_name = i.table_name AND c.serial = i.serial AND c.times = 1
    JOIN reporting.facts f ON f.service = i.service AND f.shard = i.shard AND f.seq = i.seq
    WHERE i.gaming_day BETWEEN :first AND :last AND c.cents IS DISTINCT FROM i.cents
    ORDER BY f.recorded_at, f.service, f.shard, f.seq""".replace("{copies}", _COPIES)
)


@dataclass(frozen=True, slots=True)
class Copy:
    """An issuance copy as it was found in a box: on which line of which box, in which count.

    `is_beyond` says that its check was not issued, or not as often. `gaming_day` is that of the box.
    """

    table: str
    serial: str
    cents: int
    box: str
    gaming_day: date
    line: int
    count: int
    is_beyond: bool
    entry: EntryRef

    @property
    def key(self) -> tuple[str, str]:
        """Return the table and the serial number."""
        return self.table, self.serial


async def copies_of(books: Books, *, not_tied: bool) -> list[Copy]:
    """Return the copies in the boxes of the question's gaming days and of the days beside them, as they were counted.

    With `not_tied` only those of another amount than their check, or of no check.
    """
    return [
        Copy(
            row.table_name,
            row.serial,
            row.cents,
            row.box,
            row.gaming_day,
            row.line,
            row.count_number,
            row.is_beyond,
            EntryRef(row.service, row.shard, row.seq),
        )
        for row in await books.read(_FOUND, all=not not_tied, **_asked(books))
    ]


async def checks_not_tied(books: Books) -> list[Listed]:
    """Return the checks that were issued on the question's gaming days without a copy of their amount in a box."""
    days = {"first": books.question.first, "last": books.question.last}
    return [Listed.of(row) for row in await books.read(_NOT_TIED, **days, **_asked(books))]


def _asked(books: Books) -> dict[str, Any]:
    question = books.question
    return {"begin": question.first - _LATER, "end": question.last + _LATER, "table": question.table}
