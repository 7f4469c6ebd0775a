"""Counter checks as issued, and the issuance copies found in drop boxes. Amounts are cents."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import Row, text

from services.reporting.framework.figures import EntryRef, Figure, Part, counted_each
from services.reporting.read_model.derived import drawer, stands
from services.reporting.read_model.reading import Books
from services.reporting.read_model.shift_times import AtTable, shifts_of

_LATER: Final = timedelta(days=1)
"""The time around the queried days in which a check's copy is searched: the next day's box may contain it."""

# A reused serial number at a table means a different check; copies are matched with issuances in their order.
_CHECKS: Final = text(
    """
    WITH counts AS MATERIALIZED (
        SELECT recorded_at, service, shard, seq, CAST(data ->> 'count' AS bigint) AS count_number,
               data -> 'boxes' AS boxes
        FROM reporting.facts
        WHERE property = :property AND kind = 'count.concluded' AND recorded_at <= :known_at
          AND gaming_day BETWEEN :begin AND :end),
    found AS (  -- without the boxes themselves, which would be sorted with it
        SELECT f.recorded_at, f.service, f.shard, f.seq, f.count_number, b.place,
               b.box ->> 'table' AS table_name, b.box ->> 'box' AS box,
               CAST(b.box ->> 'gaming_day' AS date) AS box_day, c.line, c.found ->> 'serial' AS serial,
               CAST(c.found ->> 'cents' AS bigint) AS cents
        FROM counts f
        CROSS JOIN LATERAL jsonb_array_elements(f.boxes) WITH ORDINALITY b(box, place)
        CROSS JOIN LATERAL jsonb_array_elements(b.box #> '{figures,counter_checks}') WITH ORDINALITY c(found, line)
        WHERE CAST(:table AS text) IS NULL OR b.box ->> 'table' = :table OFFSET 0),
    copies AS (
        SELECT *, row_number() OVER (PARTITION BY table_name, serial
                                     ORDER BY recorded_at, service, shard, seq, place, line) AS times
        FROM found),
    issued AS (
        SELECT *, row_number() OVER (PARTITION BY table_name, serial ORDER BY recorded_at, service, shard, seq) AS times
        FROM (
            SELECT recorded_at, service, shard, seq, gaming_day, table_name,
                   check_serial AS serial, check_cents AS cents
            FROM reporting.facts
            WHERE property = :property AND check_serial IS NOT NULL AND event = 'counter_check.issued'
              AND recorded_at <= :known_at AND gaming_day BETWEEN :begin AND :end
              AND (CAST(:table AS text) IS NULL OR table_name = :table) AND {stands}) i)
    SELECT i.service, i.shard, i.seq, i.table_name, i.serial, i.cents AS issued_cents, i.gaming_day, f.occurred_at,
           f.data ->> 'shift', f.data #>> '{data,dealer}', f.data #>> '{data,floorperson}', {drawer},
           c.service, c.shard, c.seq, c.table_name, c.serial, c.cents AS found_cents, c.box_day, c.box, c.line,
           c.count_number
    FROM issued i FULL JOIN copies c USING (table_name, serial, times)
    LEFT JOIN reporting.facts f ON f.service = i.service AND f.shard = i.shard AND f.seq = i.seq
    WHERE (:all OR i.cents IS DISTINCT FROM c.cents) AND coalesce(i.gaming_day, c.box_day) BETWEEN :first AND :last
    ORDER BY f.recorded_at, f.service, f.shard, f.seq, c.recorded_at, c.service, c.shard, c.seq, c.place, c.line
    """.replace("{stands}", stands()).replace("{drawer}", drawer("f"))
)


_ISSUED: Final = text(
    """
    SELECT service, shard, seq, gaming_day, check_cents AS cents, table_name, occurred_at FROM reporting.facts
    WHERE property = :property AND check_serial IS NOT NULL AND event = 'counter_check.issued'
      AND recorded_at <= :known_at AND gaming_day BETWEEN :first AND :last
      AND (CAST(:table AS text) IS NULL OR table_name = :table) AND {stands}
    ORDER BY occurred_at, service, shard, seq
    """.replace("{stands}", stands())
)


class Issuance(NamedTuple):
    """The issuance of a counter check at a table."""

    service: str
    shard: int
    seq: int
    table: str
    serial: str
    cents: int
    gaming_day: date
    issued_at: datetime
    shift: str
    dealer: str
    floorperson: str
    drawer: str | None

    @property
    def entry(self) -> EntryRef:
        """Return the entry that records the issuance."""
        return EntryRef(self.service, self.shard, self.seq)


class Copy(NamedTuple):
    """An issuance copy found in a drop box, by number of the count and of its line; `gaming_day` is that of the box."""

    service: str
    shard: int
    seq: int
    table: str
    serial: str
    cents: int
    gaming_day: date
    box: str
    line: int
    count_number: int

    @property
    def entry(self) -> EntryRef:
        """Return the entry of the count."""
        return EntryRef(self.service, self.shard, self.seq)


_PARTS: Final = len(Issuance._fields)
"""The number of columns for the issuance in a row, followed by the columns for the copy; a missing part is null."""


class Check:
    """An issued check and its copy in a drop box, if any; both are parsed from the database row on demand."""

    __slots__ = ("_row",)

    def __init__(self, row: Row[Any]) -> None:
        self._row = row

    @property
    def issued(self) -> Issuance:
        """Return the check as issued."""
        return Issuance._make(self._row[:_PARTS])

    @property
    def copy(self) -> Copy | None:
        """Return the Counter Check's copy that was found in a drop box; None if none was found."""
        return None if self.found_cents is None else Copy._make(self._row[_PARTS:])

    @property
    def issued_cents(self) -> int:
        """Return the amount of the issuance, in cents."""
        cents: int = self._row.issued_cents
        return cents

    @property
    def found_cents(self) -> int | None:
        """Return the amount of the copy, in cents; None without a copy."""
        cents: int | None = self._row.found_cents
        return cents


class Checks(NamedTuple):
    """Issued checks with their copies, and copies in drop boxes that match no issued check."""

    issued: Sequence[Check]
    unknown: Sequence[Copy]


class InShift(NamedTuple):
    """The number and sum (cents) of the checks issued in a shift of a gaming day."""

    checks: Figure
    cents: Figure


async def issued_by_shift(books: Books) -> dict[tuple[str, str], InShift]:
    """Return the number and sum of checks issued on the queried gaming days, keyed by gaming day and table's shift."""
    question = books.question
    asked = {"first": question.first, "last": question.last, "table": question.table}
    rows = await books.read(_ISSUED, **asked)
    shifts = await shifts_of(books, [AtTable(row.table_name, row.occurred_at) for row in rows])
    found: dict[tuple[str, str], list[Row[Any]]] = {}
    for row, shift in zip(rows, shifts, strict=True):
        found.setdefault((str(row.gaming_day), shift), []).append(row)
    return {key: _in_shift(books, issued) for key, issued in found.items()}


def _in_shift(books: Books, issued: Sequence[Row[Any]]) -> InShift:
    entries = [EntryRef(row.service, row.shard, row.seq) for row in issued] if books.explains else []
    worth = tuple(Part(entry, 1, row.cents) for entry, row in zip(entries, issued, strict=False))
    return InShift(Figure(len(issued), counted_each(entries)), Figure(sum(row.cents for row in issued), worth))


async def checks_of(books: Books, *, not_tied: bool) -> Checks:
    """Return the checks issued on the queried gaming days, and unmatched copies in boxes of these days.

    With `not_tied`, checks with a matching copy of the same amount are left out.
    """
    question = books.question
    rows = await books.read(
        _CHECKS,
        all=not not_tied,
        first=question.first,
        last=question.last,
        begin=question.first - _LATER,
        end=question.last + _LATER,
        table=question.table,
    )
    return Checks(
        [Check(row) for row in rows if row.issued_cents is not None],
        [Copy._make(row[_PARTS:]) for row in rows if row.issued_cents is None],
    )
